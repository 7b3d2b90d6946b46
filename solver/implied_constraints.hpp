#pragma once

#include <optional>

#include "solver/linear_algebra.hpp"
#include "solver/mechanical_system.hpp"

namespace trammel {

/// Flags, one for each row of G, 1 for rows that the others imply wherever the mechanism can go
/// from q: an overconstrained mechanism that moves all the same, such as the linkages of Bennett
/// and Bricard. Rows that depend on others at q alone, a singular position, are not among them.
/// Without the flagged rows G has full rank; with them it has a singular value in proportion to the
/// distance from the constraints, by which Newton and projections would divide. Allocates. Nothing
/// where the constraints near q cannot be reached. Pre: q is close to g(q,t) = 0.
std::optional<Vector> impliedConstraints(MechanicalSystem& system, double t, VectorIn q,
                                         LinearAlgebra choice);

}  // namespace trammel
