#pragma once

#include "solver/kkt_solver.hpp"
#include "solver/options.hpp"
#include "solver/step_point.hpp"

namespace trammel {

/// The corrector equations of one BDF step at the acceleration level (Eich, index 1),
///   q' − v = 0,   M v' − f + Gᵀλ = 0,   G v' + γ = 0,
/// solved by a simplified Newton iteration, and the coordinate projection of the accepted step: q
/// on g = 0, then v on G v + ∂g/∂t = 0, both closest in the metric W = M or I. Positions alone are
/// never projected: that destabilises the step control. The companions are λ, iterates that never
/// decide convergence.
class Index1Iteration {
 public:
  Index1Iteration(MechanicalSystem& system, const SolverOptions& options);

  CorrectorTraits traits() const;
  bool refresh(StepPoint& point, VectorIn multipliers);
  void begin(StepPoint&) {}
  void iterate(StepPoint& point, VectorOut delta);
  void filter(double cj, VectorOut error);
  double imbalance(double cj, VectorIn inverseWeights) const;
  /// Projects (q, v). Where G loses rank and the projection does not settle, the point is left as
  /// close as it came.
  void finish(StepPoint& point, VectorOut multipliers);
  /// As in KktIteration.
  void leaveOut(VectorIn flags) {
    kkt_.leaveOut(flags);
    metricKkt_.leaveOut(flags);
  }
  const Matrix* independentDirections() const { return nullptr; }
  double factoredFor() const { return factoredFor_; }
  bool refactor();

  /// What of the iteration decides the future: the linearisation and the cj of its factor.
  template <class Archive>
  void visit(Archive& archive) {
    archive(factoredFor_);
    archive(linearisation_.M, linearisation_.C, linearisation_.K, linearisation_.G);
  }

 private:
  void accelerationResidual(const StepPoint& point);
  template <class Residual>
  void project(VectorOut x, Residual residual);

  MechanicalSystem& system_;
  Index n_, m_;
  Projection projection_;
  double factoredFor_ = 0;
  Linearisation linearisation_;
  KktSolver kkt_;
  Linearisation metric_;  // W in place of M, and G, at the point that is projected
  KktSolver metricKkt_;
  Vector kinematic_, balance_, work_, zero_, massDiagonal_, nominal_;  // n
  Vector acceleration_, rate_;                                         // m
  Vector rhs_;                                                         // n + m
};

}  // namespace trammel
