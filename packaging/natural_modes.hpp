#pragma once

#include <vector>

#include "packaging/inspection.hpp"

namespace trammel::fmi {

constexpr Index largestDenseSystem = 600;  // coordinates

/// Modes of M a + C v + K q = 0 on the null space N of G, by increasing frequency; conjugate pairs
/// once:
///   (s² NᵀMN + s NᵀCN + NᵀKN) y = 0.
/// Pre: at most largestDenseSystem coordinates.
std::vector<NaturalMode> naturalModes(const MechanicalSystem& system, const Linearisation& at);

}  // namespace trammel::fmi
