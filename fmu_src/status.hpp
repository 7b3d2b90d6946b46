#pragma once

#include "solver/error.hpp"

namespace trammel::fmi {

// The order is that of fmi2Status and fmi3Status.
enum class Status { ok, warning, discard, error, fatal };

enum class Version { fmi2, fmi3 };

/// The state of an instance in the state machines of both standards. `failed` is what FMI 2 calls
/// error; in FMI 3 it is Terminated after an error.
enum class Mode { instantiated, initialization, step, terminated, failed };

/// The computation was not possible with the present values; the instance is as it was before the
/// call.
class Discarded final : public Error {
 public:
  using Error::Error;
};

}  // namespace trammel::fmi
