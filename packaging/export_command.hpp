#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trammel::fmi {

/// `trammel export`: turns a model file into an FMU.
struct ExportCommand {
  std::string model;
  std::string output;  // empty: model identifier + .fmu in the current directory
  std::string fmi = "3";
  std::vector<std::string> platforms;  // FMI 3 tuples; empty: all that were built
  std::vector<std::string> values;     // name=value
  std::string binary;                  // of a model coded in C++; empty: none
  bool force = false;
  bool noReferenceRun = false;

  void addTo(CLI::App& program);
  void run() const;
};

/// The time that reproducible builds agree on, SOURCE_DATE_EPOCH; without it an FMU carries no
/// date. Throws InputError where it is no time.
std::optional<std::int64_t> sourceDateEpoch();

}  // namespace trammel::fmi
