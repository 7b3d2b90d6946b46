#include "packaging/couple_command.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <sstream>

#include "coupling/fmu_error.hpp"
#include "coupling/temporary_directory.hpp"
#include "models/text.hpp"
#include "packaging/blocked_signals.hpp"
#include "packaging/container_package.hpp"
#include "packaging/coupled_run.hpp"
#include "packaging/csv_writer.hpp"
#include "packaging/errors.hpp"
#include "packaging/export_command.hpp"
#include "packaging/output_file.hpp"
#include "packaging/progress_bar.hpp"
#include "packaging/run_plot.hpp"
#include "packaging/ssp_file.hpp"

namespace trammel::fmi {
namespace {

/// `directory`: where a package is unpacked.
SystemFile systemOf(const CoupleCommand& command, const std::filesystem::path& directory) {
  SystemFile file = readSystem(command.system, directory);
  file.stopTime = command.stopTime.value_or(file.stopTime);
  file.step = command.step.value_or(file.step);
  const auto check = [](bool ok, const char* option, double got) {
    if (!ok) throw InputError(std::string(option) + " is out of range, is " + numberText(got));
  };
  check(std::isfinite(file.stopTime) && file.stopTime > file.startTime, "--stop-time",
        file.stopTime);
  check(std::isfinite(file.step) && file.step > 0 &&
            (file.stopTime - file.startTime) / file.step <= 1e9,
        "--step", file.step);
  if (command.errorTolerance) {
    file.options.stepControl.tolerance = *command.errorTolerance;
    check(std::isfinite(*command.errorTolerance) && *command.errorTolerance > 0,
          "--error-tolerance", *command.errorTolerance);
  }
  if (!command.scheme.empty() && command.scheme != "auto") {
    file.options.scheme = schemeOfWord(command.scheme);
    if (!file.options.scheme) {
      throw InputError("--scheme must be auto, PV1, B2, PC2, A1, explicit or explicit_hold, is " +
                       inQuotes(command.scheme));
    }
  }
  for (ComponentEntry& component : file.components) {
    component.process = component.process || command.separateProcesses;
  }
  return file;
}

/// What an FMU throws outside its steps ends the run like a step that fails.
coupling::MasterStep advance(CoupledRun& run, double target) {
  try {
    return run.master().advance(target);
  } catch (const coupling::FmuError& error) {
    throw SimulationError("coupling failed at t = " + numberText(run.master().time()) +
                          " s: " + error.what());
  }
}

/// Where the rows of a run go.
struct Sinks {
  std::ostream& stream;
  PlotData* plot = nullptr;  // none: no plot is wanted
};

void addRow(PlotData& plot, const std::vector<double>& row) {
  plot.times.push_back(row[0]);
  for (std::size_t i = 0; i < plot.columns.size(); ++i) {
    plot.columns[i].values.push_back(row[i + 1]);
  }
}

PlotData emptyPlot(const CoupledRun& run) {
  PlotData plot;
  const std::vector<std::string> names = run.columns(), units = run.units();
  for (std::size_t i = 0; i < units.size(); ++i) {
    plot.columns.push_back({names[i + 1], units[i], "", "output", {}});
  }
  return plot;
}

void checkPlot(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending != ".html" && ending != ".htm" && ending != ".svg") {
    throw InputError("--plot " + file + ": expected a name that ends with .html or .svg");
  }
  checkOutputFile(file);
}

void writePlot(const std::string& file, const std::string& title, const PlotData& data) {
  const bool isPicture = std::filesystem::path(file).extension() == ".svg";
  writeOutputFile(file, isPicture ? runSvg(title, data) : runPage(title, "Coupled system", data));
}

/// Steps to the end; whatever was reached is in the CSV, also where the run fails.
void simulate(CoupledRun& run, const SystemFile& file, const Sinks& sinks,
              const BlockedSignals& signals) {
  std::ostream& stream = sinks.stream;
  CsvWriter csv(stream);
  std::vector<double> row;
  const auto write = [&] {
    run.read(row);
    csv.writeRow(row);
    if (sinks.plot != nullptr) addRow(*sinks.plot, row);
    if (!stream) throw InputError("cannot write the results to standard output");
  };
  csv.writeHeader(run.columns());
  write();
  ProgressBar bar(file.startTime, file.stopTime, stream);
  const double span = file.stopTime - file.startTime;
  const auto steps = static_cast<long>(std::ceil(span / file.step * (1 - 1e-12)));
  for (long n = 1; n <= steps; ++n) {
    signals.check();
    const double target =
        std::min(file.startTime + static_cast<double>(n) * file.step, file.stopTime);
    const coupling::MasterStep step = advance(run, target);
    if (!step.completed) throw SimulationError(step.failure);
    write();
    bar.update(target);
    if (step.wantsToEnd) {
      std::cerr << "note: component \"" << step.subsystem << "\" asked for the end of the run\n";
      break;
    }
  }
  run.master().terminate();
}

/// Tries the system out, so that a container that cannot be initialized is not written.
void exportContainer(const CoupleCommand& command, const SystemFile& file) {
  checkOutputFile(command.exportFile);
  const Installation installation = Installation::ofThisProgram();
  {
    CoupledRun coupled(file, installation);
    for (const std::string& warning : coupled.warnings()) {
      std::cerr << "warning: " << warning << '\n';
    }
    std::cerr << coupled.master().initialize(file.startTime, file.stopTime, file.step).text();
  }
  ContainerOptions options;
  options.version = command.fmi == 2 ? FmiVersion::fmi2 : FmiVersion::fmi3;
  options.description.generationTime = sourceDateEpoch();
  const std::vector<Platform> platforms =
      writeContainer(file, installation, options, command.exportFile);
  std::cout << "wrote " << command.exportFile << ": " << file.components.size()
            << " components, FMI " << command.fmi << ".0, ";
  for (const Platform& platform : platforms) std::cout << platform.tuple << ", ";
  std::cout << std::filesystem::file_size(command.exportFile) / 1000 << " kB\n";
}

}  // namespace

void CoupleCommand::addTo(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("couple", "Run FMUs tied together by joints and connections");
  command->add_option("SYSTEM", system, "System file (.toml), or an SSP (.ssp, .ssd)")->required();
  command->add_option("-o,--output", output, "CSV file to write, default: standard output");
  command->add_option("--plot", plot, "Page (.html) or picture (.svg) with plots of the results");
  command->add_option("--stop-time", stopTime, "Stop time in s, default: that of the system file");
  command->add_option("--step", step, "Communication step in s, default: that of the system file");
  command->add_option("--error-tolerance", errorTolerance,
                      "Divide steps so that joints stay closed to this on the way, in m and rad");
  command->add_option("--scheme", scheme,
                      "auto, PV1, B2, PC2, A1, explicit or explicit_hold, default: auto");
  command->add_option("--export", exportFile,
                      "Write the system as one FMU, a container with the components inside, and "
                      "run nothing");
  command->add_option("--fmi", fmi, "Version of FMI of the container, 2 or 3")
      ->check(CLI::IsMember({2, 3}))
      ->capture_default_str();
  command->add_flag("--certificate", certificateOnly, "Print the certificate, run nothing");
  command->add_flag("--separate-processes", separateProcesses,
                    "Run every component in a process of its own: crashes and hangs are reported");
  command->footer(
      "Examples:\n"
      "  trammel couple crane.toml -o crane.csv --plot crane.html\n"
      "  trammel couple crane.toml --certificate\n"
      "  trammel couple crane.toml --step 0.02 --error-tolerance 1e-7\n"
      "  trammel couple crane.toml --export Crane.fmu --fmi 2\n"
      "  trammel couple crane.toml --separate-processes\n"
      "\n"
      "The certificate (mobilities, contraction factors of the plain splits, scheme, redundant\n"
      "joints) and the statistics are written to standard error. If the run fails, the rows so "
      "far\n"
      "are kept, the report names component, joint, time and the errors of all trials, and the\n"
      "exit code is 2.");
  command->callback([this] { run(); });
}

void CoupleCommand::run() const {
  const BlockedSignals signals;
  const coupling::TemporaryDirectory directory;
  const SystemFile file = systemOf(*this, directory.path());
  if (!exportFile.empty()) return exportContainer(*this, file);
  const bool toFile = !isStandardOutput(output);
  if (toFile) checkOutputFile(output);
  if (!plot.empty()) checkPlot(plot);
  CoupledRun coupled(file, Installation::ofThisProgram());
  for (const std::string& warning : coupled.warnings()) std::cerr << "warning: " << warning << '\n';
  std::cerr << coupled.master().initialize(file.startTime, file.stopTime, file.step).text();
  if (certificateOnly) return;
  std::ostringstream buffer;
  std::ostream& stream = toFile ? buffer : std::cout;
  PlotData data = emptyPlot(coupled);
  const auto keep = [&] {
    if (toFile) writeOutputFile(output, buffer.view());
    const std::string title =
        file.name.empty() ? std::filesystem::path(system).stem().string() : file.name;
    if (!plot.empty()) writePlot(plot, title, data);
    std::cout.flush();
  };
  try {
    simulate(coupled, file, {stream, plot.empty() ? nullptr : &data}, signals);
  } catch (const SimulationError&) {
    keep();
    std::cerr << coupled.statistics();
    throw;
  }
  keep();
  std::cerr << coupled.statistics();
}

}  // namespace trammel::fmi
