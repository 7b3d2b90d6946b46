#include "packaging/simulate_command.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <sstream>
#include <vector>

#include "models/text.hpp"
#include "packaging/blocked_signals.hpp"
#include "packaging/csv_writer.hpp"
#include "packaging/errors.hpp"
#include "packaging/fmu_run.hpp"
#include "packaging/model_argument.hpp"
#include "packaging/model_run.hpp"
#include "packaging/output_file.hpp"
#include "packaging/progress_bar.hpp"

namespace trammel::fmi {
namespace {

struct RunReport {
  long steps = 0;      // communication steps
  double endTime = 0;  // [s]
};

/// Times of the communication points, each computed from its number so that nothing accumulates.
class TimeGrid {
 public:
  TimeGrid(const RunSettings& settings, bool shortLastStep)
      : settings_(settings), shortLastStep_(shortLastStep) {}

  double time(long i) const {
    return std::min(settings_.startTime + static_cast<double>(i) * settings_.outputInterval,
                    settings_.stopTime);
  }

  /// Whether the run ends at point i: nothing that is worth a step remains, or only a shorter step
  /// than the FMU can do.
  bool isLast(long i) const {
    const double left = settings_.stopTime - time(i);
    const double smallest = shortLastStep_ ? 1e-9 : 1 - 1e-9;  // of an interval
    return left <= smallest * settings_.outputInterval;
  }

 private:
  const RunSettings& settings_;
  const bool shortLastStep_;
};

template <class Run>
class Simulation {
 public:
  Simulation(Run& run, const RunSettings& settings, std::ostream& stream)
      : run_(run), settings_(settings), stream_(stream), csv_(stream) {}

  RunReport simulate(const BlockedSignals& signals) {
    std::vector<std::string> names = run_.outputNames();
    names.insert(names.begin(), "time");
    row_.resize(names.size());
    ProgressBar bar(settings_.startTime, settings_.stopTime);
    run_.start(settings_);
    csv_.writeHeader(names);
    writeRow(settings_.startTime);
    const TimeGrid grid(settings_, run_.handlesVariableStep());
    RunReport report{0, settings_.startTime};
    for (long i = 0; !grid.isLast(i); ++i) {
      signals.check();
      const RunStep step = run_.step(grid.time(i), grid.time(i + 1) - grid.time(i));
      if (!step.completed && !step.terminate) fail(grid.time(i), step);
      ++report.steps;
      report.endTime = step.terminate ? step.reachedTime : grid.time(i + 1);
      writeRow(report.endTime);
      bar.update(report.endTime);
      if (step.terminate) break;
    }
    run_.finish();
    return report;
  }

 private:
  void writeRow(double time) {
    row_.front() = time;
    run_.read(std::span(row_).subspan(1));
    csv_.writeRow(row_);
    if (!stream_) throw InputError("cannot write the results to standard output");
  }

  [[noreturn]] void fail(double time, const RunStep& step) const {
    throw SimulationError("simulation stopped at t = " + numberText(time) + " s, reached " +
                          numberText(step.reachedTime) + " s: " + step.message);
  }

  Run& run_;
  const RunSettings& settings_;
  std::ostream& stream_;
  CsvWriter csv_;
  std::vector<double> row_;
};

void printSummary(const std::string& name, const RunReport& report, const std::string& statistics) {
  std::cerr << name << ": " << report.steps << " communication steps, "
            << (statistics.empty() ? "" : statistics + ", ") << "end time "
            << numberText(report.endTime) << " s\n";
}

template <class Run>
void simulateAndWrite(Run& run, const SimulateCommand& command, const BlockedSignals& signals) {
  RunSettings settings = run.defaults();
  settings.startTime = command.startTime.value_or(settings.startTime);
  settings.stopTime = command.stopTime.value_or(settings.stopTime);
  settings.outputInterval = command.outputInterval.value_or(settings.outputInterval);
  if (command.tolerance) settings.tolerance = command.tolerance;
  settings.validate();
  const bool toFile = !command.output.empty() && command.output != "-";
  std::ostringstream buffer;
  std::ostream& stream = toFile ? buffer : std::cout;
  RunReport report;
  try {
    report = Simulation<Run>(run, settings, stream).simulate(signals);
  } catch (const Interrupted&) {
    throw;
  } catch (const InputError&) {
    throw;
  } catch (
      const Error& error) {  // whatever goes wrong once the run has begun is a failed simulation
    throw SimulationError(error.what());
  }
  if (toFile) writeOutputFile(command.output, buffer.view());
  std::cout.flush();
  if (!run.note().empty()) std::cerr << "note: " << run.note() << '\n';
  printSummary(run.name(), report, run.statistics());
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
  command->add_option("-o,--output", output, "CSV file to write, default: standard output");
  command->footer(
      "Examples:\n"
      "  trammel simulate pendulum --stop-time 4 -o pendulum.csv\n"
      "  trammel simulate Pendulum.fmu --output-interval 0.1 --tolerance 1e-8\n"
      "\n"
      "A model runs in process, an FMU through its C interface; equal settings give equal\n"
      "numbers. The columns are time and all outputs.");
  command->callback([this] { run(); });
}

void SimulateCommand::run() const {
  const BlockedSignals signals;
  const ModelArgument argument = findModel(model, Installation::ofThisProgram());
  if (!output.empty() && output != "-") checkOutputFile(output);
  if (argument.isFmu) {
    FmuRun run(argument.path);
    simulateAndWrite(run, *this, signals);
  } else {
    ModelRun run(loadModel(argument.path));
    simulateAndWrite(run, *this, signals);
  }
}

}  // namespace trammel::fmi
