#include "packaging/export_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "packaging/errors.hpp"
#include "packaging/fmu_package.hpp"
#include "packaging/model_argument.hpp"

namespace trammel::fmi {
namespace {

/// The time that reproducible builds agree on; without it the FMU carries no date.
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

}  // namespace

void ExportCommand::addTo(CLI::App& program) {
  CLI::App* command = program.add_subcommand("export", "Turn a model file into an FMU");
  command->add_option("MODEL", model, "Model file (.toml) or name in the catalogue")->required();
  command->add_option("-o,--output", output,
                      "FMU to write, default: model identifier + .fmu in the current directory");
  command->add_option("--fmi", fmi, "Version of FMI, 2 or 3")
      ->check(CLI::IsMember({2, 3}))
      ->capture_default_str();
  command
      ->add_option("--platform", platforms,
                   "Platform of FMI 3 to put into the FMU, repeatable; default: all built ones")
      ->check(CLI::IsMember(knownTuples()))
      ->allow_extra_args(false);
  command->footer(
      "Examples:\n"
      "  trammel export pendulum.toml\n"
      "  trammel export pendulum --fmi 2 -o Pendulum2.fmu\n"
      "  trammel export pendulum --platform x86_64-linux --platform x86_64-windows\n"
      "\n"
      "No compiler is needed. Equal input gives equal bytes; the FMU carries a date only where\n"
      "SOURCE_DATE_EPOCH gives one.");
  command->callback([this] { run(); });
}

void ExportCommand::run() const {
  const Installation installation = Installation::ofThisProgram();
  const ModelArgument argument = findModel(model, installation);
  if (argument.isFmu) {
    throw InputError(argument.path.string() + ": is an FMU, expected a model file");
  }
  const CompiledModel compiled = loadModel(argument.path);
  PackageOptions options;
  options.version = fmi == 2 ? FmiVersion::fmi2 : FmiVersion::fmi3;
  options.binaries = runtimeBinaries(installation, platforms);
  options.description.generationTime = sourceDateEpoch();
  const std::filesystem::path path = output.empty() ? compiled.identifier() + ".fmu" : output;
  writeFmu(compiled, options, path);
  std::cout << "wrote " << path.string() << ": " << compiled.name() << ", FMI " << fmi << ".0, ";
  for (const RuntimeBinary& binary : options.binaries) std::cout << binary.platform.tuple << ", ";
  std::cout << std::filesystem::file_size(path) / 1000 << " kB\n";
}

}  // namespace trammel::fmi
