#pragma once

#include <optional>
#include <span>
#include <string>

namespace trammel::fmi {

/// What a run is made of; the defaults come from the model's default experiment.
struct RunSettings {
  double startTime = 0;             // [s]
  double stopTime = 1;              // [s]
  double outputInterval = 0.01;     // [s], also the communication step
  std::optional<double> tolerance;  // relative; none: left to the FMU

  /// Throws InputError naming the option that is out of range.
  void validate() const;
};

/// Inputs over one communication step, u(t) = value + slope (t − t_n), in the order of the
/// variables that were announced.
struct RunInputs {
  std::span<const double> values, slopes;
};

/// Outcome of one communication step.
struct RunStep {
  bool completed = true;
  bool terminate = false;  // the FMU asks for the end of the run
  double reachedTime = 0;  // [s]
  std::string message;     // why the step was not completed
};

}  // namespace trammel::fmi
