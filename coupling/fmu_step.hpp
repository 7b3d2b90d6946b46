#pragma once

#include <optional>

#include "coupling/fmu_log.hpp"

namespace trammel::coupling {

/// How a run begins.
struct FmuExperiment {
  double startTime = 0;             // [s]
  std::optional<double> stopTime;   // [s]
  std::optional<double> tolerance;  // relative
};

/// Outcome of a communication step.
struct FmuStep {
  FmuStatus status = FmuStatus::ok;
  double lastSuccessfulTime = 0;  // [s]
  bool terminate = false;         // the FMU asks for the end of the run
};

}  // namespace trammel::coupling
