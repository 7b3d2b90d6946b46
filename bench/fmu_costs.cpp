// What the calls of FMI 3 cost, as ratios: to those of an FMU that does nothing (empty_fmu.c), and
// to a step of the integrator in process; and a whole run through the interface over the same run
// of the integrator (with --runs this alone).
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "coupling/shared_library.hpp"
#include "fmi3Functions.h"
#include "models/compiled_model.hpp"
#include "models/model_file.hpp"
#include "models/variable_arrays.hpp"
#include "solver/error.hpp"
#include "solver/integrator.hpp"

namespace trammel {
namespace {

void require(bool ok, const char* what) {
  if (!ok) throw Error(std::string(what) + " failed");
}

/// The functions of FMI 3 that are timed.
struct Functions {
  explicit Functions(const std::filesystem::path& binary) : library(binary) {
    library.resolve(instantiate, "fmi3InstantiateCoSimulation");
    library.resolve(free, "fmi3FreeInstance");
    library.resolve(enter, "fmi3EnterInitializationMode");
    library.resolve(exit, "fmi3ExitInitializationMode");
    library.resolve(doStep, "fmi3DoStep");
    library.resolve(get, "fmi3GetFloat64");
    library.resolve(set, "fmi3SetFloat64");
    library.resolve(save, "fmi3GetFMUState");
    library.resolve(restore, "fmi3SetFMUState");
    library.resolve(freeState, "fmi3FreeFMUState");
    library.resolve(stateSize, "fmi3SerializedFMUStateSize");
    library.resolve(serialize, "fmi3SerializeFMUState");
    library.resolve(deserialize, "fmi3DeserializeFMUState");
  }

  coupling::SharedLibrary library;
  fmi3InstantiateCoSimulationTYPE* instantiate;
  fmi3FreeInstanceTYPE* free;
  fmi3EnterInitializationModeTYPE* enter;
  fmi3ExitInitializationModeTYPE* exit;
  fmi3DoStepTYPE* doStep;
  fmi3GetFloat64TYPE* get;
  fmi3SetFloat64TYPE* set;
  fmi3GetFMUStateTYPE* save;
  fmi3SetFMUStateTYPE* restore;
  fmi3FreeFMUStateTYPE* freeState;
  fmi3SerializedFMUStateSizeTYPE* stateSize;
  fmi3SerializeFMUStateTYPE* serialize;
  fmi3DeserializeFMUStateTYPE* deserialize;
};

/// Variables as FMI 3 counts them: a vector is one variable of several values.
struct Selection {
  std::vector<fmi3ValueReference> references;
  std::size_t valueCount = 0;
};

/// A model of the catalogue in a folder that looks like the resources of an FMU.
class Resources {
 public:
  explicit Resources(const std::string& name)
      : model(compile(readModelFile(source(name)))),
        folder_(std::filesystem::temp_directory_path() /
                ("trammel-costs-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::filesystem::copy_file(source(name), folder_ / "model.toml",
                               std::filesystem::copy_options::overwrite_existing);
  }
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;
  ~Resources() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path() const { return folder_.string() + "/"; }
  Selection select(Causality causality) const {
    const VariableTable& table = model.variables();
    Selection selection;
    for (const VariableArray& array : variableArrays(table)) {
      const Variable& variable = table.variables[array.first];
      if (variable.causality != causality) continue;
      selection.references.push_back(variable.valueReference);
      selection.valueCount += array.count;
    }
    return selection;
  }

  CompiledModel model;

 private:
  static std::filesystem::path source(const std::string& name) {
    return std::filesystem::path(TRAMMEL_SOURCE_DIR) / "models" / "catalogue" / (name + ".toml");
  }

  std::filesystem::path folder_;
};

class Fmu {
 public:
  Fmu(const Functions& functions, const Resources& resources)
      : functions_(functions),
        instance_(functions.instantiate("costs", resources.model.token().c_str(),
                                        resources.path().c_str(), false, false, false, false,
                                        nullptr, 0, nullptr, nullptr, nullptr)) {
    require(instance_ != nullptr, "instantiation");
  }
  Fmu(const Fmu&) = delete;
  Fmu& operator=(const Fmu&) = delete;
  ~Fmu() { functions_.free(instance_); }

  void initialize(double tolerance) const {
    require(functions_.enter(instance_, true, tolerance, 0, false, 0) == fmi3OK, "enter");
    require(functions_.exit(instance_) == fmi3OK, "exit");
  }
  void step(double t, double h) const {
    bool event = false, end = false, early = false;
    double last = 0;
    require(functions_.doStep(instance_, t, h, true, &event, &end, &early, &last) == fmi3OK,
            "doStep");
  }
  void get(const Selection& wanted, std::vector<double>& values) const {
    values.resize(wanted.valueCount);
    require(functions_.get(instance_, wanted.references.data(), wanted.references.size(),
                           values.data(), values.size()) == fmi3OK,
            "get");
  }
  void set(fmi3ValueReference reference, double value) const {
    require(functions_.set(instance_, &reference, 1, &value, 1) == fmi3OK, "set");
  }
  fmi3Instance instance() const { return instance_; }

 private:
  const Functions& functions_;
  fmi3Instance instance_;
};

/// CPU time, which other processes on the machine disturb less than the time of the clock.
double seconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

constexpr int batches = 5;  // of which the quickest counts: the noise of a machine only adds

/// Time of one call in seconds.
double cost(long count, const std::function<void(long)>& call) {
  double best = std::numeric_limits<double>::infinity();
  for (int batch = 0; batch < batches; ++batch) {
    best = std::min(best, seconds([&] {
                      for (long i = 0; i < count; ++i) call(batch * count + i);
                    }));
  }
  return best / static_cast<double>(count);
}

struct Cost {
  const char* call;
  double seconds;
};

constexpr double tolerance = 1e-6;

void addStateCosts(const Functions& f, fmi3Instance instance, std::vector<Cost>& costs) {
  fmi3FMUState state = nullptr;
  costs.push_back({"save and free a state", cost(20000, [&](long) {
                     require(f.save(instance, &state) == fmi3OK, "save");
                     require(f.freeState(instance, &state) == fmi3OK, "free");
                   })});
  require(f.save(instance, &state) == fmi3OK, "save");
  costs.push_back({"save into a former state", cost(20000, [&](long) {
                     require(f.save(instance, &state) == fmi3OK, "save");
                   })});
  costs.push_back({"restore", cost(20000, [&](long) {
                     require(f.restore(instance, state) == fmi3OK, "restore");
                   })});
  std::vector<fmi3Byte> bytes;
  costs.push_back({"size and serialize", cost(20000, [&](long) {
                     std::size_t size = 0;
                     require(f.stateSize(instance, state, &size) == fmi3OK, "size");
                     bytes.resize(size);
                     require(f.serialize(instance, state, bytes.data(), size) == fmi3OK,
                             "serialize");
                   })});
  require(f.freeState(instance, &state) == fmi3OK, "free");
  costs.push_back({"deserialize and free", cost(20000, [&](long) {
                     require(f.deserialize(instance, bytes.data(), bytes.size(), &state) == fmi3OK,
                             "deserialize");
                     require(f.freeState(instance, &state) == fmi3OK, "free");
                   })});
}

std::vector<Cost> costsOf(const Functions& f, const Resources& resources) {
  const Selection outputs = resources.select(Causality::output);
  const Selection first{{outputs.references.front()}, 1};
  const fmi3ValueReference input = resources.select(Causality::input).references.front();
  std::vector<double> values;
  std::vector<Cost> costs;
  costs.push_back({"instantiate and free", cost(50, [&](long) { const Fmu fmu(f, resources); })});

  std::vector<std::unique_ptr<Fmu>> fresh;
  fresh.reserve(static_cast<std::size_t>(batches) * 50);
  for (int i = 0; i < batches * 50; ++i) fresh.push_back(std::make_unique<Fmu>(f, resources));
  costs.push_back({"initialize", cost(50, [&](long i) {
                     fresh[static_cast<std::size_t>(i)]->initialize(tolerance);
                   })});
  fresh.clear();

  // After 0.5 s the integrator's steps are some milliseconds: a million steps of a nanosecond fall
  // into a few of them.
  const Fmu fmu(f, resources);
  fmu.initialize(tolerance);
  constexpr double start = 0.5, h = 1e-9;
  fmu.step(0, start);
  double t = start;
  const auto nextStep = [&] {
    fmu.step(t, h);
    t += h;
  };
  costs.push_back({"doStep, nothing to do", cost(200000, [&](long) { nextStep(); })});
  costs.push_back({"doStep and get all outputs", cost(4000, [&](long) {
                     nextStep();
                     fmu.get(outputs, values);
                   })});
  costs.push_back({"get one output again", cost(200000, [&](long) { fmu.get(first, values); })});
  costs.push_back({"get all outputs again", cost(200000, [&](long) { fmu.get(outputs, values); })});
  costs.push_back({"set an input", cost(200000, [&](long) { fmu.set(input, 0.0); })});
  addStateCosts(f, fmu.instance(), costs);
  return costs;
}

/// The integrator in process, with the motion and the outputs at each of `points` communication
/// points.
class InProcess {
 public:
  explicit InProcess(const CompiledModel& model)
      : model_(model), system_(model.makeSystem()), integrator_(*system_, optionsOf(model)) {}

  void start() {
    const Index n = model_.coordinateCount();
    StartValues start{0, Vector(n), Vector(n), {}, {}};
    start.keepPosition.resize(static_cast<std::size_t>(n));
    start.keepVelocity.resize(static_cast<std::size_t>(n));
    system_->startValues(start.q, start.v);
    system_->keptStart(start.keepPosition, start.keepVelocity);
    require(integrator_.start(start).ok, "start");
  }
  void run(double stopTime, long points) {
    outputs_.resize(static_cast<std::size_t>(model_.outputCount()));
    for (long i = 1; i <= points; ++i) {
      const double t = stopTime * static_cast<double>(i) / static_cast<double>(points);
      const Report report = integrator_.advance(t, std::numeric_limits<double>::infinity());
      require(report.ok && !report.event, "advance");
      require(integrator_.motion(t, true, motion_).ok, "motion");
      system_->outputs(motion_.t, motion_.q, motion_.v, motion_.a, motion_.lambda, outputs_);
    }
  }
  const Statistics& statistics() const { return integrator_.statistics(); }

 private:
  static SolverOptions optionsOf(const CompiledModel& model) {
    SolverOptions options = model.solverOptions();
    options.tolerance = tolerance;
    return options;
  }

  const CompiledModel& model_;
  std::unique_ptr<ModelSystem> system_;
  Integrator integrator_;
  Motion motion_;
  std::vector<double> outputs_;
};

/// Time of one step of the integrator in process, where only the end of the run is asked for, and
/// that of an iteration of Newton with its share of all else.
struct SolverCost {
  double step, iteration;  // [s]
};
SolverCost solverCost(const CompiledModel& model) {
  InProcess run(model);
  const double whole = cost(3, [&](long) {
    run.start();
    run.run(model.defaultExperiment().stopTime, 1);
  });
  const Statistics& done = run.statistics();
  return {whole / static_cast<double>(done.steps), whole / static_cast<double>(done.residuals)};
}

void keepLeast(const std::vector<Cost>& others, std::vector<Cost>& costs) {
  for (std::size_t i = 0; i < costs.size(); ++i)
    costs[i].seconds = std::min(costs[i].seconds, others[i].seconds);
}

void printCalls(const Functions& trammelFmu, const Functions& emptyFmu) {
  const Resources resources("slider_crank");
  // By turns: a machine that changes its speed in between would change the ratios.
  std::vector<Cost> costs = costsOf(trammelFmu, resources), least = costsOf(emptyFmu, resources);
  for (int turn = 1; turn < batches; ++turn) {
    keepLeast(costsOf(trammelFmu, resources), costs);
    keepLeast(costsOf(emptyFmu, resources), least);
  }
  const SolverCost solver = solverCost(resources.model);
  std::printf("slider-crank: a call over that of an empty FMU and over costs of the solver\n");
  std::printf("%-28s %12s %12s %12s %12s\n", "call", "/ empty FMU", "/ step", "/ iteration",
              "microseconds");
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double time = costs[i].seconds;
    std::printf("%-28s %12.1f %12.4f %12.4f %12.4f\n", costs[i].call, time / least[i].seconds,
                time / solver.step, time / solver.iteration, 1e6 * time);
  }
}

void runThrough(const Fmu& fmu, const Selection& outputs, double stopTime, long points) {
  std::vector<double> values;
  for (long i = 0; i < points; ++i) {
    fmu.step(stopTime * static_cast<double>(i) / static_cast<double>(points),
             stopTime / static_cast<double>(points));
    fmu.get(outputs, values);
  }
}

/// Time of a run through the interface over that of the integrator in process; by turns, so that
/// both see the same load of the machine, and both with memory that is new. Initial values are not
/// counted.
double runRatio(const Functions& functions, const Resources& resources, long points) {
  constexpr int fewestTurns = 20;
  constexpr double leastTime = 2;  // [s] in all: of short runs more are needed
  const double stopTime = resources.model.defaultExperiment().stopTime;
  const Selection outputs = resources.select(Causality::output);
  double direct = std::numeric_limits<double>::infinity(), through = direct;
  double spent = 0;
  for (int turn = 0; turn < fewestTurns || spent < leastTime; ++turn) {
    InProcess inProcess(resources.model);
    inProcess.start();
    const double one = seconds([&] { inProcess.run(stopTime, points); });
    const Fmu fmu(functions, resources);
    fmu.initialize(tolerance);
    const double other = seconds([&] { runThrough(fmu, outputs, stopTime, points); });
    direct = std::min(direct, one);
    through = std::min(through, other);
    spent += one + other;
  }
  return through / direct;
}

void printRuns(const Functions& functions) {
  constexpr long points = 1000;
  std::printf("\n%ld communication steps with all outputs: FMU over integrator in process\n",
              points);
  std::printf("%-28s %14s\n", "model", "ratio");
  for (const char* const name : {"pendulum", "slider_crank", "andrews", "chain", "four_bar",
                                 "spatial_slider_crank", "stewart_platform"})
    std::printf("%-28s %14.3f\n", name, runRatio(functions, Resources(name), points));
}

void printAll(bool runsAlone) {
  const Functions trammelFmu(TRAMMEL_FMU_BINARY), emptyFmu(TRAMMEL_EMPTY_FMU);
  if (!runsAlone) printCalls(trammelFmu, emptyFmu);
  printRuns(trammelFmu);
}

}  // namespace
}  // namespace trammel

int main(int argc, char** argv) {
  try {
    trammel::printAll(argc > 1 && std::string(argv[1]) == "--runs");
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
