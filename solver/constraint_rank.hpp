#pragma once

#include <string>
#include <vector>

#include "solver/mechanical_system.hpp"

namespace trammel {

/// What the constraint gradient G(q,t) says about the constraints at a point: its rank and the
/// equations that the others imply there.
struct ConstraintRank {
  bool finite = true;          // false: M or G has entries that are not finite, nothing else is set
  Index equations = 0;         // m
  Index rank = 0;              // of G
  Index degreesOfFreedom = 0;  // n − rank
  std::vector<Index> redundant;  // m − rank rows to drop, the last ones of each dependency
  std::vector<Index> involved;   // all rows that take part in a dependency
  std::vector<Index> implied;    // m − rank rows too, those that the others imply most strongly
  Index factorEntries = 0;       // numbers that the factor stored

  bool full() const { return rank == equations; }
};

/// Two rows are dependent if what the others leave of one is below this, relative to the row.
constexpr double rankTolerance = 1e-10;

/// Rank by a rank-revealing QR of D_G G D_M, D_M = 1/√M_ii, rows of length one; dense for small
/// systems, else sparse with memory in proportion to the mechanism. Allocates.
ConstraintRank constraintRank(MechanicalSystem& system, double t, VectorIn q,
                              double tolerance = rankTolerance);

/// The redundant equations by the names of their constraints, "pin3: 1 of 2 equations redundant,
/// …"; empty if there are none.
std::string describeRedundancy(const ConstraintRank& rank, const MechanicalSystem& system);

/// The constraints of these rows, each named once, in quotes, at most `most` of them.
std::string namesOf(const std::vector<Index>& rows, const MechanicalSystem& system,
                    std::size_t most = 20);

}  // namespace trammel
