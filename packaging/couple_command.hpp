#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

namespace trammel::fmi {

/// `trammel couple`: runs FMUs and models that joints and connections tie together.
struct CoupleCommand {
  std::string system;
  std::string output;  // empty or "-": standard output
  std::string plot;    // .html or .svg; empty: none
  std::string scheme;  // empty: that of the system file
  std::optional<double> stopTime, step, errorTolerance;
  std::string exportFile;  // empty: run, else write a container FMU
  int fmi = 3;             // version of the container
  bool certificateOnly = false;
  bool separateProcesses = false;

  void addTo(CLI::App& program);
  void run() const;
};

}  // namespace trammel::fmi
