#include "packaging/program.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "coupling/fmu_error.hpp"
#include "coupling/joint.hpp"
#include "modelDescription/version.hpp"
#include "models/model_file.hpp"
#include "packaging/check_command.hpp"
#include "packaging/couple_command.hpp"
#include "packaging/errors.hpp"
#include "packaging/export_command.hpp"
#include "packaging/inspect_command.hpp"
#include "packaging/models_command.hpp"
#include "packaging/simulate_command.hpp"

namespace trammel::fmi {
namespace {

int report(const std::string& message, ExitCode code) {
  std::cerr << message << '\n';
  return static_cast<int>(code);
}

/// Whether a word stands where a command is expected and is none.
bool isUnknown(const CLI::App& program, const std::string& word) {
  if (word.starts_with('-')) return false;
  const auto named = [&](const CLI::App* command) { return command->get_name() == word; };
  return program.get_subcommands(named).empty();
}

int parseAndRun(CLI::App& program, int argc, const char* const* argv) {
  try {
    program.parse(argc, argv);
    return static_cast<int>(ExitCode::ok);
  } catch (const CLI::Success& request) {  // --help or --version
    return program.exit(request);
  } catch (const CLI::ParseError& error) {
    const std::string what = isUnknown(program, argc > 1 ? argv[1] : "--help")
                                 ? "there is no command \"" + std::string(argv[1]) + "\""
                                 : std::string(error.what());
    return report("trammel: " + what + ", see trammel --help", ExitCode::wrongInput);
  }
}

}  // namespace

int runProgram(int argc, const char* const* argv) {
  try {
    CLI::App program(
        "Trammel turns a constrained mechanism, described in one text file, into an FMU.",
        "trammel");
    program.set_version_flag("--version", "trammel " + std::string(version()));
    program.require_subcommand(1);
    program.footer(
        "Examples:\n"
        "  trammel models                             # names in the catalogue\n"
        "  trammel inspect four_bar                   # what is in it\n"
        "  trammel export pendulum                    # writes Pendulum.fmu, FMI 3.0\n"
        "  trammel simulate Pendulum.fmu -o out.csv   # runs it\n"
        "  trammel couple crane.toml -o crane.csv     # couples FMUs through joints\n"
        "  trammel check Foreign.fmu                  # finds what breaks the rules of FMI\n"
        "  trammel export --help                      # all options of a command\n"
        "\n"
        "Exit codes: 0 done, 1 wrong input (model, FMU, arguments, files), 2 simulation failed,\n"
        "3 internal error, 4 trammel check found warnings and no errors. Errors are one line on\n"
        "standard error.");
    ExportCommand exportCommand;
    InspectCommand inspectCommand;
    ModelsCommand modelsCommand;
    SimulateCommand simulateCommand;
    CoupleCommand coupleCommand;
    CheckCommand checkCommand;
    exportCommand.addTo(program);
    simulateCommand.addTo(program);
    inspectCommand.addTo(program);
    modelsCommand.addTo(program);
    coupleCommand.addTo(program);
    checkCommand.addTo(program);
    const int code = parseAndRun(program, argc, argv);
    if (!std::cout.flush())
      return report("trammel: cannot write to standard output", ExitCode::wrongInput);
    return code != 0 ? code : static_cast<int>(checkCommand.exitCode);
  } catch (const InputError& error) {
    return report(error.what(), ExitCode::wrongInput);
  } catch (const ModelError& error) {
    return report(error.what(), ExitCode::wrongInput);
  } catch (const coupling::FmuError& error) {
    return report(error.what(), ExitCode::wrongInput);
  } catch (const coupling::CouplingError& error) {
    return report(error.what(), ExitCode::wrongInput);
  } catch (const SimulationError& error) {
    return report(error.what(), ExitCode::simulationFailed);
  } catch (const std::exception& error) {
    return report(std::string("trammel: internal error: ") + error.what(), ExitCode::internalError);
  }
}

}  // namespace trammel::fmi
