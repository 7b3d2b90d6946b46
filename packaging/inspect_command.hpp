#pragma once

#include <CLI/App.hpp>
#include <string>

namespace trammel::fmi {

/// `trammel inspect`: what can be said of a model without running it.
struct InspectCommand {
  std::string model;
  std::string svg;  // file of the sketch, empty: none
  bool json = false;

  void addTo(CLI::App& program);
  void run() const;
};

}  // namespace trammel::fmi
