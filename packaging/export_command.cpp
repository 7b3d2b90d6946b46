#include "packaging/export_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string_view>

#include "models/coded_file.hpp"
#include "models/text.hpp"
#include "packaging/baked_values.hpp"
#include "packaging/errors.hpp"
#include "packaging/fmu_package.hpp"
#include "packaging/model_argument.hpp"
#include "packaging/output_file.hpp"
#include "packaging/progress_bar.hpp"

namespace trammel::fmi {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> knownTuples() {
  std::vector<std::string> tuples;
  for (const Platform& platform : knownPlatforms()) tuples.push_back(platform.tuple);
  return tuples;
}

/// The runtime binaries for the wanted platforms; without a wish all built ones, the host's among
/// them at any rate. Throws Error where one is missing.
std::vector<RuntimeBinary> runtimeBinaries(const Installation& installation,
                                           const std::vector<std::string>& wanted) {
  const std::string host = hostPlatform().tuple;
  std::vector<RuntimeBinary> binaries;
  for (const Platform& platform : knownPlatforms()) {
    const bool isWanted =
        wanted.empty() ? platform.tuple == host || installation.hasRuntimeBinary(platform)
                       : std::find(wanted.begin(), wanted.end(), platform.tuple) != wanted.end();
    if (isWanted) binaries.push_back({platform, installation.runtimeBinary(platform)});
  }
  return binaries;
}

/// The model with the values of the command line. A coded one is compiled without its equations,
/// which are in the binary that the caller names.
CompiledModel compiledModel(const ExportCommand& command, const fs::path& path) {
  if (!std::ifstream(path)) throw InputError(path.string() + ": cannot be read");
  if (command.binary.empty()) return compile(withBakedValues(readModelFile(path), command.values));
  const std::optional<CodedFile> coded = readCodedFile(path);
  if (!coded)
    throw InputError("--binary is for models of kind \"coded\", " + path.string() +
                     " is of another");
  if (!command.values.empty()) throw InputError("--set is not for models of kind \"coded\"");
  if (!fs::is_regular_file(command.binary))
    throw InputError("--binary " + command.binary + ": there is no such file");
  return compile(*coded);
}

std::vector<FmiVersion> versionsOf(const std::string& fmi) {
  if (fmi == "2") return {FmiVersion::fmi2};
  if (fmi == "3") return {FmiVersion::fmi3};
  return {FmiVersion::fmi2, FmiVersion::fmi3};
}

const char* digitOf(FmiVersion version) { return version == FmiVersion::fmi2 ? "2" : "3"; }

/// One name for one version; of both the version becomes part of the name: "Crane_fmi2.fmu".
fs::path outputPath(const ExportCommand& command, const CompiledModel& model, FmiVersion version) {
  fs::path path = command.output.empty() ? model.identifier() + ".fmu" : command.output;
  if (command.fmi != "both") return path;
  const std::string extension = path.extension().string();
  path.replace_extension();
  path += std::string("_fmi") + digitOf(version) + extension;
  return path;
}

void checkOutput(const ExportCommand& command, const CompiledModel& model, const fs::path& path) {
  checkOutputFile(path);
  if (!command.force && wouldDestroy(model, path)) {
    throw InputError(path.string() + ": is there and is no FMU of the model " +
                     inQuotes(model.name()) + ", --force overwrites it");
  }
}

/// None where the model cannot be run as it is, which is said.
std::optional<ReferenceRun> runForReference(const CompiledModel& model) {
  const DefaultExperiment& experiment = model.defaultExperiment();
  try {
    ProgressBar bar(experiment.startTime, experiment.stopTime);
    return referenceRun(model, [&bar](double time) { bar.update(time); });
  } catch (const SimulationError& error) {
    std::cerr << "note: no reference results, " << error.what() << '\n';
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::int64_t> sourceDateEpoch() {
  const char* value = std::getenv("SOURCE_DATE_EPOCH");
  if (value == nullptr || *value == '\0') return std::nullopt;
  const std::string_view text(value);
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  // 253402300799 is the last second of the year 9999, beyond which a date has no standard form.
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 ||
      seconds > 253402300799) {
    throw InputError("SOURCE_DATE_EPOCH must be seconds since 1970, is \"" + std::string(text) +
                     '"');
  }
  return seconds;
}

void ExportCommand::addTo(CLI::App& program) {
  CLI::App* command = program.add_subcommand("export", "Turn a model file into an FMU");
  command->add_option("MODEL", model, "Model file (.toml) or name in the catalogue")->required();
  command->add_option("-o,--output", output,
                      "FMU to write, default: model identifier + .fmu in the current directory");
  command
      ->add_option("--fmi", fmi,
                   "Version of FMI: 2, 3 or both, which writes NAME_fmi2.fmu and "
                   "NAME_fmi3.fmu")
      ->check(CLI::IsMember({"2", "3", "both"}))
      ->capture_default_str();
  command
      ->add_option("--platform", platforms,
                   "Platform of FMI 3 to put into the FMU, repeatable; default: all built ones")
      ->check(CLI::IsMember(knownTuples()))
      ->allow_extra_args(false);
  command
      ->add_option("--set", values,
                   "NAME=VALUE of a parameter, an input's start or a setting of the solver, "
                   "repeatable; in SI or with a unit")
      ->allow_extra_args(false);
  command->add_option("--binary", binary,
                      "Binary with the equations of a model of kind \"coded\", for this machine");
  command->add_flag("--force", force,
                    "Overwrite a file that is not an FMU of this model; one that is, is "
                    "overwritten anyway");
  command->add_flag("--no-reference-run", noReferenceRun,
                    "Do not run the default experiment: the FMU carries no reference results");
  command->footer(
      "Examples:\n"
      "  trammel export pendulum.toml\n"
      "  trammel export pendulum --fmi 2 -o Pendulum2.fmu\n"
      "  trammel export pendulum --fmi both         # Pendulum_fmi2.fmu and Pendulum_fmi3.fmu\n"
      "  trammel export pendulum --set L=0.5 --set \"m=200 g\" --set solver.tolerance=1e-8\n"
      "  trammel export pendulum --platform x86_64-linux --platform x86_64-windows\n"
      "\n"
      "No compiler is needed. Equal input gives equal bytes; the FMU carries a date only where\n"
      "SOURCE_DATE_EPOCH gives one. The file is whole or not there, whatever happens.");
  command->callback([this] { run(); });
}

void ExportCommand::run() const {
  const Installation installation = Installation::ofThisProgram();
  const ModelArgument argument = findModel(model, installation);
  if (argument.isFmu) {
    throw InputError(argument.path.string() + ": is an FMU, expected a model file");
  }
  const CompiledModel compiled = compiledModel(*this, argument.path);
  PackageOptions options;
  if (binary.empty()) {
    options.binaries = runtimeBinaries(installation, platforms);
  } else {
    options.binaries = {{hostPlatform(), binary}};
  }
  options.description.generationTime = sourceDateEpoch();
  const std::vector<FmiVersion> versions = versionsOf(fmi);
  for (const FmiVersion version : versions)
    checkOutput(*this, compiled, outputPath(*this, compiled, version));
  const std::optional<ReferenceRun> reference =
      noReferenceRun || !binary.empty() ? std::nullopt : runForReference(compiled);
  options.referenceRun = reference ? &*reference : nullptr;
  for (const FmiVersion version : versions) {
    options.version = version;
    const fs::path path = outputPath(*this, compiled, version);
    const std::size_t size = writeFmu(compiled, options, path);
    std::cout << "wrote " << path.string() << ": " << compiled.name() << ", FMI "
              << digitOf(version) << ".0, ";
    for (const RuntimeBinary& runtime : options.binaries)
      std::cout << runtime.platform.tuple << ", ";
    std::cout << size / 1000 << " kB\n";
  }
}

}  // namespace trammel::fmi
