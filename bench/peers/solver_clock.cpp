#include "bench/peers/solver_clock.hpp"

namespace trammel::bench {

SolverClock& solverClock() {
  static SolverClock clock;
  return clock;
}

}  // namespace trammel::bench
