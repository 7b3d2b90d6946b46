#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

namespace trammel::fmi {

/// `trammel simulate`: runs a model in process or an FMU through its C interface and writes its
/// outputs as CSV.
struct SimulateCommand {
  std::string model;
  std::string output;  // empty or "-": standard output
  std::string input;   // CSV file; empty: inputs stay at their start values
  std::string plot;    // .html or .svg; empty: none
  std::vector<std::string> assignments, outputs;
  std::optional<double> startTime, stopTime, outputInterval, tolerance;

  void addTo(CLI::App& program);
  void run() const;
};

}  // namespace trammel::fmi
