#pragma once

#include "bench/peers/ida_system.hpp"
#include "bench/peers/run_record.hpp"

namespace trammel::bench {

struct IdaSettings {
  int order = 5;
  bool testVelocities = true;      // in the error test; multipliers never are
  bool multipliersInNorm = false;  // of Newton's iteration
};

/// Integrates with IDA: Newton with KLU or a dense LU and the exact Jacobian.
RunRecord runIda(IdaSystem& system, const RunRequest& request, const IdaSettings& settings);

/// Largest difference of the Jacobian to central differences near the start, relative to the
/// largest entry of its column, as the only output.
RunRecord checkJacobian(IdaSystem& system);

}  // namespace trammel::bench
