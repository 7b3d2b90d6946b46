#pragma once

#include <optional>

#include "solver/integrator.hpp"
#include "solver/kkt_solver.hpp"

namespace trammel {

/// Projections on the constraints and the acceleration level, all in the mass metric: [M Gᵀ; G 0],
/// (E3) to (E5). Owns the linearisation and factor of the point it was last used at.
class ConsistencySolver {
 public:
  ConsistencySolver(MechanicalSystem& system, LinearAlgebra choice);

  /// Moves q to the closest point with g(q,t) = 0, starting anywhere near it.
  Report projectPosition(double t, VectorOut q);
  /// Moves v to the closest one with G v + ∂g/∂t = 0. Pre: projectPosition or refresh was called at
  /// this q.
  Report projectVelocity(double t, VectorIn q, VectorOut v);
  /// Solves M a + Gᵀλ = f, G a = −γ.
  Report accelerate(double t, VectorIn q, VectorIn v, VectorOut a, VectorOut lambda);

  /// Rates of a and λ along the motion, from the forces at t + ahead to first order in `ahead`.
  /// Pre: (a, λ) of accelerate(), called last, at (t, q, v).
  Report accelerationRates(const Motion& at, double ahead, Rates& out);

  /// Leaves out the rows of G whose flag is not 0: the others imply them. Allocates the first time.
  void leaveOut(VectorIn flags);
  /// Replaces λ by the multipliers of least norm with the same forces Gᵀλ. Without rows that are
  /// left out they are the same.
  void balance(double t, VectorIn q, VectorOut lambda);
  /// Whether rows of G may depend on each other where it was last used.
  bool suspectsDependency() const { return m_ > 0 && kkt_.smallestPivot() < suspiciousPivot; }

  const Linearisation& linearisation() const { return linearisation_; }

 private:
  static constexpr double suspiciousPivot = 1e-6;

  Report refresh(double t, VectorIn q);
  void aheadResidual(const Motion& at, double ahead);
  double relativeViolation(VectorIn q);
  void spread(VectorOut lambda);
  std::string worstConstraint(VectorIn residual) const;

  MechanicalSystem& system_;
  Index n_, m_;
  Linearisation linearisation_;
  KktSolver kkt_;
  std::optional<KktSolver> whole_;  // with the rows that kkt_ leaves out
  Vector rhs_, residual_, nominal_;
  Vector aheadPosition_, aheadVelocity_;
};

}  // namespace trammel
