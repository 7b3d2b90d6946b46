#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

namespace trammel::fmi {

/// `trammel couple`: runs FMUs and models that joints and connections tie together.
struct CoupleCommand {
  std::string system;
  std::string output;  // empty or "-": standard output
  std::string scheme;  // empty: that of the system file
  std::optional<double> stopTime, step;
  bool certificateOnly = false;

  void addTo(CLI::App& program);
  void run() const;
};

}  // namespace trammel::fmi
