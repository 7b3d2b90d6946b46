#pragma once

#include <CLI/App.hpp>
#include <string>

#include "packaging/errors.hpp"

namespace trammel::fmi {

/// `trammel check`: an FMU of any origin against the rules of FMI.
struct CheckCommand {
  std::string file;
  bool json = false;
  bool noLoad = false;
  bool listRules = false;
  int timeout = 60;                  // [s]
  ExitCode exitCode = ExitCode::ok;  // after run

  void addTo(CLI::App& program);
  void run();
};

}  // namespace trammel::fmi
