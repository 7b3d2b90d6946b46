#include "solver/implied_constraints.hpp"

#include <cmath>

#include "solver/constraint_rank.hpp"
#include "solver/initial_values.hpp"

namespace trammel {

namespace {

constexpr double aside = 1e-3;  // how far, in nominal sizes, the other positions are
constexpr double dependentBelow =
    1e-6;                     // share of a row that the others leave; positions that are
                              // projected to roundoff leave less than 1e-8 of an implied one
constexpr int positions = 3;  // the given one, and two aside

/// The rank at q moved in a direction without meaning and put back on the constraints.
std::optional<ConstraintRank> rankAside(MechanicalSystem& system, double t, Vector q, int number,
                                        LinearAlgebra choice) {
  const double distance = number == 0 ? 0 : aside;
  for (Index i = 0; i < q.size(); ++i) {
    const double turn = 0.6180339887498949 * static_cast<double>(number * (i + 1));
    q[i] += distance * system.coordinateNominal(i) * (2 * (turn - std::floor(turn)) - 1);
  }
  if (!ConsistencySolver(system, choice).projectPosition(t, q).ok) return {};
  ConstraintRank rank = constraintRank(system, t, q, dependentBelow);
  if (!rank.finite) return {};
  return rank;
}

}  // namespace

std::optional<Vector> impliedConstraints(MechanicalSystem& system, double t, VectorIn q,
                                         LinearAlgebra choice) {
  Vector flags = Vector::Zero(system.constraintCount());
  ConstraintRank generic;  // the highest rank that was found
  for (int i = 0; i < positions; ++i) {
    std::optional<ConstraintRank> rank = rankAside(system, t, q, i, choice);
    if (!rank) return {};
    if (rank->full()) return flags;
    if (rank->rank > generic.rank) generic = std::move(*rank);
  }
  for (const Index row : generic.implied) flags[row] = 1;
  return flags;
}

}  // namespace trammel
