#include "packaging/simulate_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "models/text.hpp"
#include "packaging/errors.hpp"
#include "packaging/fmu_run.hpp"
#include "packaging/model_argument.hpp"
#include "packaging/model_run.hpp"
#include "packaging/output_file.hpp"
#include "packaging/run_plot.hpp"
#include "packaging/simulation.hpp"

namespace trammel::fmi {
namespace {

/// "html" or "svg". Throws InputError for another ending.
std::string plotKind(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".html" || ending == ".htm") return "html";
  if (ending == ".svg") return "svg";
  throw InputError("--plot " + file + ": expected a name that ends with .html or .svg");
}

struct Timing {
  double seconds = 0;  // that the run took
  double factor = 0;   // simulated time over real time
};

std::string rounded(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.3g", value);
  return buffer.data();
}

std::string summary(const RunReport& report, const std::string& statistics, const Timing& timing) {
  return std::to_string(report.steps) + " communication steps, " +
         (statistics.empty() ? "" : statistics + ", ") + "end time " + numberText(report.endTime) +
         " s, " + rounded(timing.seconds) + " s of computing, " + rounded(timing.factor) +
         " times real time";
}

RunSettings settingsOf(const RunSettings& defaults, const SimulateCommand& command) {
  RunSettings settings = defaults;
  settings.startTime = command.startTime.value_or(settings.startTime);
  settings.stopTime = command.stopTime.value_or(settings.stopTime);
  settings.outputInterval = command.outputInterval.value_or(settings.outputInterval);
  if (command.tolerance) settings.tolerance = command.tolerance;
  settings.validate();
  return settings;
}

/// Whatever goes wrong once the run has begun is a failed simulation.
template <class Run>
RunReport simulate(Simulation<Run>& simulation, const BlockedSignals& signals) {
  try {
    return simulation.simulate(signals);
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    throw SimulationError(error.what());
  }
}

template <class Run>
void setStartValues(Run& run, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) {
    const StartValue value = parseStartValue(assignment, run.variables());
    try {
      run.set(value);
    } catch (const Error& error) {
      throw InputError("--set " + assignment + ": " + error.what());
    }
  }
}

/// Takes the structural parameters out of the assignments: the other variables depend on them.
CompiledModel structured(CompiledModel model, std::vector<std::string>& assignments) {
  std::vector<std::uint64_t> structure = model.structure();
  std::vector<RunVariable> numbers;
  for (const Variable& v : model.variables().variables)
    if (v.quantity == Quantity::structure)
      numbers.push_back({v.name, v.unit, v.description, v.causality, v.type, v.valueReference, 0});
  const auto set = [&](const std::string& assignment) {
    const std::string name = assignment.substr(0, assignment.find_first_of("= "));
    const auto found = std::find_if(numbers.begin(), numbers.end(),
                                    [&](const RunVariable& v) { return v.name == name; });
    if (found == numbers.end()) return false;
    const double value = parseStartValue(assignment, numbers).number;
    const Variable& variable = model.variables().variables[found->valueReference];
    if (value < *variable.min || value > *variable.max)
      throw InputError("--set " + assignment + ": expected a whole number from " +
                       numberText(*variable.min) + " to " + numberText(*variable.max));
    structure[static_cast<std::size_t>(found - numbers.begin())] =
        static_cast<std::uint64_t>(value);
    return true;
  };
  const std::size_t before = assignments.size();
  assignments.erase(std::remove_if(assignments.begin(), assignments.end(), set), assignments.end());
  return assignments.size() == before ? std::move(model) : model.withStructure(structure);
}

void writePlot(const std::string& file, const std::string& name, const std::string& words,
               const PlotData& data) {
  writeOutputFile(file, plotKind(file) == "html" ? runPage(name, words, data) : runSvg(name, data));
}

/// What a run leaves behind, where it is wanted.
struct Results {
  const SimulateCommand& command;
  std::ostringstream buffer = {};  // rows on their way to a file

  std::ostream& stream() { return isStandardOutput(command.output) ? std::cout : buffer; }

  template <class Run>
  void write(const Run& run, const Simulation<Run>& simulation, const std::string& words) const {
    if (!isStandardOutput(command.output)) writeOutputFile(command.output, buffer.view());
    std::cout.flush();
    if (!command.plot.empty())
      writePlot(command.plot, run.name(), words, simulation.plotData(!command.outputs.empty()));
  }
};

template <class Run>
void simulateAndWrite(Run& run, const SimulateCommand& command, const BlockedSignals& signals) {
  const RunSettings settings = settingsOf(run.defaults(), command);
  const InputTable inputs = command.input.empty() ? InputTable() : InputTable(command.input);
  setStartValues(run, command.assignments);
  Results results{command};
  Simulation<Run> simulation(run, settings, results.stream());
  simulation.choose(chooseVariables(command.outputs, run.variables()));
  if (!command.input.empty()) simulation.setInputs(inputs);
  if (!command.plot.empty()) simulation.keepRows();
  const auto begin = std::chrono::steady_clock::now();
  RunReport report;
  try {
    report = simulate(simulation, signals);
  } catch (const SimulationError& error) {
    if (simulation.hasStarted()) results.write(run, simulation, error.what());
    throw;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const Timing timing{taken.count(), (report.endTime - settings.startTime) / taken.count()};
  const std::string words = summary(report, run.statistics(), timing);
  results.write(run, simulation, words);
  if (!run.note().empty()) std::cerr << "note: " << run.note() << '\n';
  std::cerr << run.name() << ": " << (report.interrupted ? "interrupted, " : "") << words << '\n';
}

}  // namespace

void RunSettings::validate() const {
  const auto check = [](bool ok, const char* option, const std::string& expected, double got) {
    if (!ok) {
      throw InputError(std::string(option) + " must be " + expected + ", is " + numberText(got));
    }
  };
  check(std::isfinite(startTime), "--start-time", "finite", startTime);
  check(std::isfinite(stopTime) && stopTime > startTime, "--stop-time",
        "later than the start time " + numberText(startTime) + " s", stopTime);
  check(std::isfinite(outputInterval) && outputInterval > 0, "--output-interval", "> 0 s",
        outputInterval);
  check((stopTime - startTime) / outputInterval <= 1e9, "--output-interval",
        "at least a 1e-9 part of the run", outputInterval);
  check(!tolerance || (*tolerance > 0 && *tolerance < 1), "--tolerance", "between 0 and 1",
        tolerance.value_or(0));
}

void SimulateCommand::addTo(CLI::App& program) {
  CLI::App* command = program.add_subcommand("simulate", "Run a model file or an FMU, write CSV");
  command->add_option("MODEL", model, "Model file (.toml), FMU (.fmu) or name in the catalogue")
      ->required();
  command->add_option("--start-time", startTime, "Start time in s, default: that of the model");
  command->add_option("--stop-time", stopTime, "Stop time in s, default: that of the model");
  command->add_option("--output-interval", outputInterval,
                      "Time between rows in s, also the communication step");
  command->add_option("--tolerance", tolerance, "Relative tolerance of the integrator");
  command
      ->add_option("--set", assignments,
                   "Start value or parameter, NAME=VALUE, repeatable; in the variable's unit or "
                   "with another one behind it")
      ->allow_extra_args(false);
  command->add_option("--input", input,
                      "CSV file of inputs: a header with time and names, then rows");
  command->add_option("--outputs", outputs,
                      "Variables to write in place of all outputs; * stands for any characters");
  command->add_option("-o,--output", output, "CSV file to write, default: standard output");
  command->add_option("--plot", plot,
                      "Plot to write: .html with zoom and choice of variables, or .svg");
  command->footer(
      "Examples:\n"
      "  trammel simulate pendulum --stop-time 4 -o pendulum.csv\n"
      "  trammel simulate Pendulum.fmu --output-interval 0.1 --tolerance 1e-8\n"
      "  trammel simulate pendulum --set L=500mm --outputs x y 'der(*' --plot pendulum.html\n"
      "  trammel simulate slider_crank --input drive.csv -o crank.csv\n"
      "\n"
      "A model runs in process, an FMU through its C interface; equal settings give equal\n"
      "numbers. The columns are time and all outputs, or the variables of --outputs.\n"
      "\n"
      "Inputs are interpolated linearly between the rows of --input and held before the first\n"
      "and after the last one; within a communication step they follow a straight line. A time\n"
      "in two rows is a jump: the step is parted there if the FMU can do steps of any size,\n"
      "otherwise the jump acts from the next communication point on.\n"
      "\n"
      "Ctrl-C ends the run; what was computed so far is written, in whole rows. So it is if the\n"
      "simulation fails, with exit code 2.");
  command->callback([this] { run(); });
}

void SimulateCommand::run() const {
  const BlockedSignals signals;
  const ModelArgument argument = findModel(model, Installation::ofThisProgram());
  if (!isStandardOutput(output)) checkOutputFile(output);
  if (!plot.empty()) {
    plotKind(plot);
    checkOutputFile(plot);
  }
  if (argument.isFmu) {
    FmuRun run(argument.path);
    simulateAndWrite(run, *this, signals);
  } else {
    SimulateCommand rest = *this;
    ModelRun run(structured(loadModel(argument.path), rest.assignments));
    simulateAndWrite(run, rest, signals);
  }
}

}  // namespace trammel::fmi
