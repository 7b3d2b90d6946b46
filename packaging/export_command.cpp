#include "packaging/export_command.hpp"

#include <CLI/CLI.hpp>
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

}  // namespace

void ExportCommand::addTo(CLI::App& program) {
  CLI::App* command = program.add_subcommand("export", "Turn a model file into an FMU");
  command->add_option("MODEL", model, "Model file (.toml) or name in the catalogue")->required();
  command->add_option("-o,--output", output,
                      "FMU to write, default: model identifier + .fmu in the current directory");
  command->add_option("--fmi", fmi, "Version of FMI, 2 or 3")
      ->check(CLI::IsMember({2, 3}))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  trammel export pendulum.toml\n"
      "  trammel export pendulum --fmi 2 -o Pendulum2.fmu\n"
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
  const Platform host = hostPlatform();
  PackageOptions options;
  options.version = fmi == 2 ? FmiVersion::fmi2 : FmiVersion::fmi3;
  options.binaries = {{host, installation.runtimeBinary(host)}};
  options.description.generationTime = sourceDateEpoch();
  const std::filesystem::path path = output.empty() ? compiled.identifier() + ".fmu" : output;
  writeFmu(compiled, options, path);
  std::cout << "wrote " << path.string() << ": " << compiled.name() << ", FMI " << fmi << ".0, "
            << host.tuple << ", " << std::filesystem::file_size(path) / 1000 << " kB\n";
}

}  // namespace trammel::fmi
