#pragma once

#include <string>
#include <vector>

#include "solver/integrator.hpp"
#include "solver/kkt_solver.hpp"

namespace trammel {

/// Puts a mechanism together from rough start values: positions, then velocities, closest in the
/// mass metric to those given, coordinates marked as kept untouched, (E3). Redundant constraints
/// are tolerated; what cannot be met is named. Used once per start; it may allocate.
class Assembly {
 public:
  Assembly(MechanicalSystem& system, LinearAlgebra choice);

  /// Replaces q and v of `start` by consistent ones; after a failure they are of no use.
  /// Throws Error if a size does not fit the system.
  Report assemble(StartValues& start);

 private:
  using Kept = std::vector<bool>;

  Report positions(double t, const Kept& kept, Vector& q);
  Report velocities(double t, VectorIn q, const Kept& kept, Vector& v);
  /// Newton with damping on g = 0 from q; false where it ends beside the constraints.
  bool reach(double t, const Kept& kept, Vector& q);
  /// Moves q to a least violation of constraints that Newton could not meet.
  void approach(double t, const Kept& kept, Vector& q);
  bool reachRates(double t, VectorIn q, const Kept& kept, Vector& v);
  /// Moves q along the constraints to the point closest to `wanted`.
  void settle(double t, const Kept& kept, VectorIn wanted, Vector& q);

  bool refresh(double t, VectorIn q, const Kept& kept);  // M and G at q, factored without the kept
  void correction(const Kept& kept, VectorIn residual);  // rhs_ = (δ, ·), G δ = −residual
  double massNorm(VectorIn x) const;
  double relativeViolation(VectorIn size);  // of residual_, in violation_ row by row
  Report unmet(double t, const char* what, bool keptAreTheCause, const Kept& kept) const;

  MechanicalSystem& system_;
  Index n_, m_;
  Linearisation free_;   // M and G without the kept coordinates
  Linearisation whole_;  // M and G
  KktSolver kkt_;
  Vector rhs_, residual_, violation_, trial_, step_, nominal_;
};

}  // namespace trammel
