#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

namespace trammel::fmi {

/// `trammel simulate`: runs a model in process or an FMU through its C interface and writes its
/// outputs as CSV.
struct SimulateCommand {
  std::string model;
  std::string output;  // empty or "-": standard output
  std::optional<double> startTime, stopTime, outputInterval, tolerance;

  void addTo(CLI::App& program);
  void run() const;
};

}  // namespace trammel::fmi
