#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/peers/ida_system.hpp"
#include "models/compiled_model.hpp"

namespace trammel::bench {

/// A model for IDA, which must outlive the system: the equations that ours solves, evaluated by the
/// same compiled model, so that only the integrators differ. The Jacobian is sparse and exact but
/// for ∂(Gᵀμ)/∂q, which vanishes with μ in the solution and would cost two more linearisations.
/// Outputs are coordinates or velocities by name.
std::unique_ptr<IdaSystem> makeIdaModelSystem(const CompiledModel& model, bool stabilised,
                                              const std::vector<std::string>& outputs);

}  // namespace trammel::bench
