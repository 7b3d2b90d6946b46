#pragma once

#include "solver/error.hpp"

namespace trammel::fmi {

// The order is that of fmi2Status and fmi3Status.
enum class Status { ok, warning, discard, error, fatal };

enum class Version { fmi2, fmi3 };

/// The state of an instance in the state machines of both standards. `failed` is what FMI 2 calls
/// error; in FMI 3 it is Terminated after an error. `event`, `configuration` and
/// `intermediateUpdate` are FMI 3's; the last lasts for a callback inside doStep.
enum class Mode {
  instantiated,
  initialization,
  step,
  terminated,
  failed,
  event,
  configuration,
  intermediateUpdate
};

/// The computation was not possible with the present values; the instance is as it was before the
/// call.
class Discarded final : public Error {
 public:
  using Error::Error;
};

}  // namespace trammel::fmi
