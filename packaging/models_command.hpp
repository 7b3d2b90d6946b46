#pragma once

#include <CLI/App.hpp>

namespace trammel::fmi {

/// `trammel models`: lists the catalogue.
struct ModelsCommand {
  void addTo(CLI::App& program);
  void run() const;
};

}  // namespace trammel::fmi
