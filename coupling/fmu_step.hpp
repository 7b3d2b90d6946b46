#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "coupling/fmu_log.hpp"

namespace trammel::coupling {

/// How a run begins.
struct FmuExperiment {
  double startTime = 0;             // [s]
  std::optional<double> stopTime;   // [s]
  std::optional<double> tolerance;  // relative
};

/// How an instance of FMI 3 treats events within steps; FMI 2 knows no other way.
enum class EventHandling {
  inside,   // by itself
  reported  // the step ends there and event mode is used; pre: capabilities.eventMode
};

/// Outcome of a communication step.
struct FmuStep {
  FmuStatus status = FmuStatus::ok;
  double lastSuccessfulTime = 0;  // [s]
  bool terminate = false;         // the FMU asks for the end of the run
  bool event = false;  // it stands at an event at lastSuccessfulTime and waits for event mode
};

/// Types whose values are numbers, besides reals: Float32 and Int32 of FMI 3, Integer of FMI 2,
/// Boolean with 0 and 1.
enum class FmuNumber { float32, int32, boolean };

/// The product of the Jacobian ∂unknowns/∂knowns with a seed. Arrays take as many numbers of seed
/// and result as they have elements.
struct DerivativeRequest {
  std::span<const std::uint32_t> unknowns, knowns;  // value references
  std::span<const double> seed;
};

/// Inputs u(t) = value + first (t − t_n) over the next step, which begins at t_n.
struct InputLines {
  std::span<const std::uint32_t> valueReferences;
  std::span<const double> value, first;
};

}  // namespace trammel::coupling
