#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/packaging/files.hpp"

namespace trammel::testing {

struct ProgramRun {
  int exitCode = -1;  // -1: ended by a signal
  std::string output;
  std::string errors;
};

/// Runs the built program in a directory; the arguments go through the shell, `environment` is put
/// before the program.
inline ProgramRun runTrammel(const std::filesystem::path& directory, const std::string& arguments,
                             const std::string& environment = "") {
  const std::filesystem::path captured = std::filesystem::path(directory) += ".captured";
  std::filesystem::create_directory(captured);
  const std::string command = "cd '" + directory.string() + "' && " + environment + " '" +
                              TRAMMEL_BINARY_DIR "/trammel' " + arguments + " > '" +
                              (captured / "out").string() + "' 2> '" + (captured / "err").string() +
                              "'";
  const int status = std::system(command.c_str());
  ProgramRun run{WIFEXITED(status) ? WEXITSTATUS(status) : -1, readFile(captured / "out"),
                 readFile(captured / "err")};
  std::filesystem::remove_all(captured);
  return run;
}

}  // namespace trammel::testing
