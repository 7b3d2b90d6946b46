#pragma once

#include <memory>

#include "bench/peers/ida_system.hpp"

namespace trammel::bench {

/// Rods of 1 m and 1 kg with spherical joints, at the start a horizontal zigzag of ±30°, with Euler
/// parameters and a sparse Jacobian. Outputs: centres of mass of `outputBodies`.
std::unique_ptr<IdaSystem> makeIdaSpatialChain(int rods, bool stabilised,
                                               std::vector<int> outputBodies);

}  // namespace trammel::bench
