#pragma once

#include "solver/error.hpp"

namespace trammel::fmi {

/// What the program's exit code says.
enum class ExitCode {
  ok = 0,
  wrongInput = 1,
  simulationFailed = 2,
  internalError = 3,
  onlyWarnings = 4  // of trammel check
};

/// A wrong argument or a file that cannot be read or written.
class InputError final : public Error {
 public:
  using Error::Error;
};

/// A run that began and could not be finished.
class SimulationError final : public Error {
 public:
  using Error::Error;
};

/// The user asked for the end; the signal is delivered when it is unblocked.
class Interrupted final : public Error {
 public:
  using Error::Error;
};

}  // namespace trammel::fmi
