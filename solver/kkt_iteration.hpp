#pragma once

#include "solver/kkt_solver.hpp"

namespace trammel {

/// The corrector equations of one BDF step in KKT form, (E6) of docs/theory.md, solved by a simplified Newton iteration:
///   q' − v + w = 0,   M v' − f + Gᵀλ = 0,   G v + ∂g/∂t = 0,   g = 0,   w in the range of S⁻¹Gᵀ.
/// y = (q, v, λ); λ is an iterate and never decides convergence.
class KktIteration {
 public:
  KktIteration(MechanicalSystem& system, LinearAlgebra choice);

  /// Linearises at the predictor (y, y') and factors for the leading coefficient cj; curvature of the constraints is taken with
  /// `multipliers`, those of the last accepted step.
  bool refresh(double t, VectorIn y, VectorIn derivative, VectorIn multipliers, double cj);
  /// Starts the iteration of a step: the velocity correction w is zero.
  void begin() { w_.setZero(); }
  /// One iteration: returns the correction of y in `delta`; the caller adds it to y and cj × it to y'.
  void iterate(double t, VectorIn y, VectorIn derivative, double cj, VectorOut delta);

  double factoredFor() const { return factoredFor_; }  // cj of the factor

  /// What of the iteration decides the future: the linearisation and the cj of its factor.
  template <class Archive>
  void visit(Archive& archive) {
    archive(factoredFor_);
    archive(linearisation_.M, linearisation_.C, linearisation_.K, linearisation_.G);
  }
  bool refactor();  // after the values were replaced

 private:
  MechanicalSystem& system_;
  Index n_, m_;
  double factoredFor_ = 0;
  Linearisation linearisation_;
  KktSolver kkt_;
  Vector w_, kinematic_, rhs_, q_, v_;
};

}  // namespace trammel
