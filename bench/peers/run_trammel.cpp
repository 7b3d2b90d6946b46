// Ours: a model file integrated in process or through the C interface of the FMU binary. The
// outputs are coordinates, named on the command line.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bench/peers/run_record.hpp"
#include "bench/peers/solver_clock.hpp"
#include "coupling/shared_library.hpp"
#include "fmi3Functions.h"
#include "models/compiled_model.hpp"
#include "models/model_file.hpp"
#include "solver/error.hpp"
#include "solver/integrator.hpp"
#include "solver/kkt_solver.hpp"

namespace trammel {
namespace {

using bench::RunRecord;

struct Settings {
  std::string file;
  std::vector<std::string> outputs;
  double tolerance = 1e-6;
  double stopTime = 1;  // [s]
  int points = 10;
  int communicationSteps = 0;  // through the FMU; 0: one for each output time
  std::string mode = "follow";
  LinearAlgebra algebra = LinearAlgebra::automatic;
  bool throughFmu = false;
  bool floor = false;
  int repeats = 100;

  double time(int point, int count) const { return stopTime * (point + 1) / count; }
};

void require(bool ok, std::string_view what) {
  if (!ok) throw Error(std::string(what));
}

std::vector<const Variable*> variablesOf(const CompiledModel& model, const Settings& settings) {
  std::vector<const Variable*> found;
  for (const std::string& name : settings.outputs) {
    const Variable* variable = model.variables().find(name);
    require(variable != nullptr && (variable->quantity == Quantity::position ||
                                    variable->quantity == Quantity::velocity),
            settings.file + ": output \"" + name + "\" must be a coordinate or a velocity");
    found.push_back(variable);
  }
  return found;
}

/// [s] of CPU time of the factorisations and solves alone that a run has made: what is left of it
/// if all else were free. With matrices of the end of the run.
double floorOf(ModelSystem& system, Integrator& integrator, double t) {
  Motion end;
  require(integrator.motion(t, true, end).ok, "motion at the end");
  Linearisation at = shapeOf(system);
  system.linearise(t, end.q, end.v, end.a, end.lambda, at);
  KktSolver kkt(at, integrator.options().linearAlgebra);
  constexpr double cj = 1e3;  // [1/s], of a step of some milliseconds
  Vector rhs = Vector::Ones(at.M.rows() + at.G.rows());
  const auto timeOf = [](const std::function<void()>& work) {
    const auto once = [&] {
      RunRecord record;
      bench::timeSolve(record, [&] {
        for (int i = 0; i < 10; ++i) work();
      });
      return record;
    };
    return bench::typical(100, once).cpu / 10;
  };
  const double factorisation = timeOf([&] { kkt.factorise(at, {cj * cj, cj, 1.0}); });
  const double positions = timeOf([&] {
    rhs.setOnes();
    kkt.solve(rhs);
  });
  const double velocities = timeOf([&] {
    rhs.setOnes();
    kkt.solveConstraints(rhs);
  });
  const Statistics& done = integrator.statistics();
  return static_cast<double>(done.factorisations) * factorisation +
         static_cast<double>(done.residuals) * (positions + velocities);
}

/// [s] of CPU time inside factorisations and solves during a run, by clocks around them, or −1
/// where the program has none, or where they have missed calls that the integrator has counted.
double insideOf(const bench::SolverClock& before, const Statistics& done) {
  const bench::SolverClock& now = bench::solverClock();
  const bool all = now.factorisations - before.factorisations >= done.factorisations &&
                   now.solves - before.solves >= done.residuals &&
                   now.constraintSolves - before.constraintSolves >= done.residuals;
  return all && done.residuals > 0 ? now.seconds - before.seconds : -1;
}

RunRecord runInProcess(const Settings& settings, const CompiledModel& model) {
  RunRecord record;
  const double before = bench::heapInUse();
  const std::vector<const Variable*> outputs = variablesOf(model, settings);
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  SolverOptions options = model.solverOptions();
  options.tolerance = settings.tolerance;
  options.horizon = settings.stopTime;
  options.linearAlgebra = settings.algebra;
  if (const auto mode = modeFromName(settings.mode)) options.mode = *mode;
  Integrator integrator(*system, options);
  const Index n = model.coordinateCount();
  StartValues start{0, Vector(n), Vector(n), {}, {}};
  start.keepPosition.resize(static_cast<std::size_t>(n));
  start.keepVelocity.resize(static_cast<std::size_t>(n));
  system->startValues(start.q, start.v);
  system->keptStart(start.keepPosition, start.keepVelocity);
  const Report started = integrator.start(start);
  require(started.ok, started.message);

  // As the FMU: the last step of mode damp ends with the run.
  const double limit =
      options.mode == Mode::damp ? settings.stopTime : std::numeric_limits<double>::infinity();
  const Index m = system->constraintCount();
  Motion motion{0, Vector(n), Vector(n), Vector(n), Vector(m)};  // IDA's vectors are there too
  const bench::SolverClock clockBefore = bench::solverClock();
  bench::timeSolve(record, [&] {
    for (int i = 0; i < settings.points; ++i) {
      const double t = settings.time(i, settings.points);
      const Report report = integrator.advance(t, limit);
      require(report.ok, report.message);
      require(integrator.motion(t, false, motion).ok, "motion at an output time");
      for (const Variable* y : outputs)
        record.outputs.push_back(
            (y->quantity == Quantity::position ? motion.q : motion.v)[y->index]);
    }
  });
  record.heapBytes = bench::heapInUse() - before;
  const Statistics& s = integrator.statistics();
  const auto number = [](long count) { return static_cast<double>(count); };
  record.counts = {{"steps", number(s.steps)},
                   {"residuals", number(s.residuals)},
                   {"jacobians", number(s.linearisations)},
                   {"factorisations", number(s.factorisations)},
                   {"error failures", number(s.errorFailures)},
                   {"convergence failures", number(s.convergenceFailures)}};
  if (const double inside = insideOf(clockBefore, s); inside >= 0)
    record.counts.emplace_back("inside", inside);
  if (settings.floor)
    record.counts.emplace_back("floor", floorOf(*system, integrator, settings.stopTime));
  return record;
}

/// A folder with the model file, as an FMU has it in its resources.
class Resources {
 public:
  explicit Resources(const CompiledModel& model)
      : folder_(std::filesystem::temp_directory_path() /
                ("trammel-peer-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "model.toml") << model.text();
  }
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;
  ~Resources() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path() const { return folder_.string() + "/"; }

 private:
  std::filesystem::path folder_;
};

RunRecord runThroughFmu(const Settings& settings, const CompiledModel& model) {
  RunRecord record;
  std::vector<fmi3ValueReference> references;
  for (const Variable* variable : variablesOf(model, settings))
    references.push_back(variable->valueReference);
  const Resources resources(model);
  const coupling::SharedLibrary library{std::filesystem::path(TRAMMEL_FMU_BINARY)};
  fmi3InstantiateCoSimulationTYPE* instantiate = nullptr;
  fmi3EnterInitializationModeTYPE* enter = nullptr;
  fmi3ExitInitializationModeTYPE* exit = nullptr;
  fmi3DoStepTYPE* doStep = nullptr;
  fmi3GetFloat64TYPE* get = nullptr;
  fmi3FreeInstanceTYPE* free = nullptr;
  library.resolve(instantiate, "fmi3InstantiateCoSimulation");
  library.resolve(enter, "fmi3EnterInitializationMode");
  library.resolve(exit, "fmi3ExitInitializationMode");
  library.resolve(doStep, "fmi3DoStep");
  library.resolve(get, "fmi3GetFloat64");
  library.resolve(free, "fmi3FreeInstance");
  const fmi3Instance fmu =
      instantiate("peer", model.token().c_str(), resources.path().c_str(), false, false, false,
                  false, nullptr, 0, nullptr, nullptr, nullptr);
  require(fmu != nullptr, "instantiation");
  require(enter(fmu, true, settings.tolerance, 0, true, settings.stopTime) == fmi3OK, "enter");
  require(exit(fmu) == fmi3OK, "exit");
  const int steps = std::max(settings.communicationSteps, settings.points);
  std::vector<double> values(references.size());
  bench::timeSolve(record, [&] {
    double t = 0;
    for (int i = 0; i < steps; ++i) {
      const double next = settings.time(i, steps);
      bool event = false, end = false, early = false;
      double last = 0;
      require(doStep(fmu, t, next - t, true, &event, &end, &early, &last) == fmi3OK, "doStep");
      t = next;
      if ((i + 1) % (steps / settings.points) != 0) continue;
      require(
          get(fmu, references.data(), references.size(), values.data(), values.size()) == fmi3OK,
          "get");
      record.outputs.insert(record.outputs.end(), values.begin(), values.end());
    }
  });
  free(fmu);
  return record;
}

int run(int argc, char** argv) {
  Settings settings;
  CLI::App app("Integrates a model file and prints time, counts and outputs as JSON.");
  app.add_option("model", settings.file, "Model file")->required();
  app.add_option("--outputs", settings.outputs, "Names of coordinates or velocities")
      ->delimiter(',');
  app.add_option("--tolerance", settings.tolerance);
  app.add_option("--stop", settings.stopTime);
  app.add_option("--points", settings.points);
  app.add_option("--communication-steps", settings.communicationSteps);
  app.add_option("--mode", settings.mode, "follow, damp or plain; in process only");
  const std::map<std::string, LinearAlgebra> algebras = {{"automatic", LinearAlgebra::automatic},
                                                         {"dense", LinearAlgebra::dense},
                                                         {"sparse", LinearAlgebra::sparse}};
  app.add_option("--algebra", settings.algebra, "automatic, dense or sparse; in process only")
      ->transform(CLI::CheckedTransformer(algebras));
  app.add_option("--repeats", settings.repeats, "At most so many runs, the median counts");
  app.add_flag("--fmu", settings.throughFmu, "Through the functions of FMI 3");
  app.add_flag("--floor", settings.floor, "Measure factorisations and solves alone too");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto run = settings.throughFmu ? runThroughFmu : runInProcess;
    const double before = bench::heapInUse();
    // Read once: what is not timed shall not empty the caches for what is.
    const CompiledModel model = compile(readModelFile(settings.file));
    const double ofModel = bench::heapInUse() - before;
    RunRecord record = bench::typical(settings.repeats, [&] { return run(settings, model); });
    if (!settings.throughFmu) record.heapBytes += ofModel;
    record.print();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}

}  // namespace
}  // namespace trammel

int main(int argc, char** argv) { return trammel::run(argc, argv); }
