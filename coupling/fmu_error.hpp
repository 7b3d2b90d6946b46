#pragma once

#include "solver/error.hpp"

namespace trammel::coupling {

/// An FMU that cannot be read, loaded or run: one line with file, function, status and the FMU's
/// own messages.
class FmuError final : public Error {
 public:
  using Error::Error;
};

}  // namespace trammel::coupling
