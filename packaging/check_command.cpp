#include "packaging/check_command.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "packaging/blocked_signals.hpp"
#include "packaging/check/check_fmu.hpp"
#include "packaging/check/check_report.hpp"
#include "packaging/installation.hpp"
#include "packaging/model_argument.hpp"

namespace trammel::fmi {

void CheckCommand::addTo(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("check", "Check an FMU of any origin against the rules of FMI");
  command->add_option("FILE", file, "FMU of FMI 2.0 or 3.0");
  command->add_flag("--json", json, "Write JSON instead of lines");
  command->add_flag("--no-load", noLoad, "Do not load the FMU's binary: it runs none of its code");
  command->add_option("--timeout", timeout, "Seconds for calling each interface of the FMU")
      ->capture_default_str()
      ->check(CLI::Range(1, 86400));
  command->add_flag("--rules", listRules, "List all rules instead of checking");
  command->footer(
      "Examples:\n"
      "  trammel check Pendulum.fmu\n"
      "  trammel check Foreign.fmu --no-load     # looks only, runs no code of the FMU\n"
      "  trammel check Pendulum.fmu --json > findings.json\n"
      "  trammel check --rules                   # what is checked\n"
      "\n"
      "One line for each finding: file, place in it, severity, what is wrong, the rule broken. "
      "Zips\n"
      "and XML made to do harm are refused. The binary is loaded in a process of its own and "
      "every\n"
      "capability it declares is called.\n"
      "\n"
      "Exit codes: 0 nothing worse than notes, 4 warnings only, 1 errors or no readable file.");
  command->callback([this] { run(); });
}

void CheckCommand::run() {
  if (listRules) {
    std::cout << (json ? check::rulesJson() : check::rulesText());
    return;
  }
  if (file.empty()) throw InputError("trammel check: no file given, see trammel check --help");
  file = findFmu(file).string();
  if (!std::filesystem::is_regular_file(file))
    throw InputError(file + ": is no file, expected an FMU");
  const BlockedSignals signals;  // the unpacked FMU is removed first
  const Platform host = hostPlatform();
  check::CheckOptions options;
  options.schemas = Installation::ofThisProgram().schemas();
  options.hostFolders = {host.tuple, host.fmi2Folder};
  options.load = !noLoad;
  options.timeout = std::chrono::seconds(timeout);
  options.whileWaiting = [&signals] { signals.check(); };
  const check::FindingList findings = check::checkFmu(file, options);
  signals.check();
  std::cout << (json ? check::findingsJson(file, findings) : check::findingsText(file, findings));
  exitCode = findings.count(check::Severity::error) > 0     ? ExitCode::wrongInput
             : findings.count(check::Severity::warning) > 0 ? ExitCode::onlyWarnings
                                                            : ExitCode::ok;
}

}  // namespace trammel::fmi
