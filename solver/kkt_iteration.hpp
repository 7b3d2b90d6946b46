#pragma once

#include "solver/kkt_solver.hpp"
#include "solver/options.hpp"
#include "solver/step_point.hpp"

namespace trammel {

enum class VelocityConstraint { imposed, left };

/// How close G of the last linearisation is to a loss of rank.
struct RankWatch {
  double usual = 0;  // the largest rankMeasure() since the start
  /// Roundoff of g shows in velocities: the error of the directions along the constraints counts.
  bool near = false;
  /// δ_ε of (E10) where it would exceed the tolerance, else 0.
  double regularisation = 0;
};

/// The corrector equations of one BDF step in KKT form, (E6) of docs/theory.md, solved by a
/// simplified Newton iteration:
///   q' − v + w = 0,   M v' − f + Gᵀλ = 0,   G v + ∂g/∂t = 0,   g = 0,   w in the range of S⁻¹Gᵀ.
/// Without the velocity constraint w = 0: index 3. The companions are λ, iterates that never decide
/// convergence.
class KktIteration {
 public:
  KktIteration(MechanicalSystem& system, const SolverOptions& options, VelocityConstraint velocity);

  CorrectorTraits traits() const {
    return {.companions = m_,
            .companionsInNewton = false,
            .companionsNoisy = true,
            .velocitiesTested = velocity_ == VelocityConstraint::imposed,
            .factorAges = kkt_.isSparse() || massVaries_};
  }
  /// Linearises at the predicted point; the curvature of the constraints is taken with the
  /// multipliers of the last step.
  bool refresh(StepPoint& point, VectorIn multipliers);
  void begin(StepPoint&) {
    for (Vector* x : {&w_, &positionPull_, &velocityPull_}) x->setZero();
    first_ = true;
  }
  void iterate(StepPoint& point, VectorOut delta);
  void filter(double cj, VectorOut error);
  bool isNearLossOfRank() const { return rank_.near; }
  /// Leaves of an error of (q, v) what is tangential to the constraints, (E11).
  void keepTangential(VectorOut error);
  /// Another motion begins.
  void forget() { rank_ = {}; }
  double imbalance(double cj, VectorIn velocityWeights) const;
  void finish(StepPoint& point, VectorOut multipliers) const { multipliers = point.y.tail(m_); }
  /// Leaves out the rows of G whose flag is not 0, from the next refresh() on: the others imply
  /// them. Their multipliers stay as they are.
  void leaveOut(VectorIn flags);
  /// How far off the rows that are left out are at (t, q), in units of the position weights.
  double violationOfLeftOut(double t, VectorIn q, VectorIn positionWeights);
  /// Largest coefficient with which the others imply them, at the last refresh().
  double largestCoefficient() {
    factorise(0);
    return kkt_.largestCoefficient(linearisation_.G);
  }
  const Matrix* independentDirections() const { return nullptr; }
  double factoredFor() const { return factoredFor_; }
  bool refactor();

  /// What of the iteration decides the future: the linearisation and the cj of its factor.
  template <class Archive>
  void visit(Archive& archive) {
    archive(factoredFor_, rank_.usual, rank_.near, rank_.regularisation);
    archive(linearisation_.M, linearisation_.C, linearisation_.K, linearisation_.G);
  }

 private:
  bool massVaries();
  bool factorise(double leastRegularisation);
  void watchRank(VectorIn q);
  double roundoffRegularisation(VectorIn q);
  double balanceWeight(double cj) const;
  void correctPositions(StepPoint& point, VectorOut delta);
  void correctVelocities(StepPoint& point, VectorOut delta);
  void iterateNearLossOfRank(StepPoint& point, VectorOut delta);
  void solveRegularised(Vector& pull);

  MechanicalSystem& system_;
  Index n_, m_;
  VelocityConstraint velocity_;
  bool massVaries_ = false;
  bool first_ = true;  // iteration of a step
  double tolerance_;
  double factoredFor_ = 0;
  RankWatch rank_;
  double factorRegularisation_ = 0;  // the one asked for in the present factor
  Linearisation linearisation_;
  KktSolver kkt_;
  Vector w_, kinematic_, balance_, rhs_, q_, v_;
  Vector leftOut_;  // flags of the rows of G
  Vector sizes_;    // of the rows of G
  Vector nominal_;
  Vector positionPull_, velocityPull_;  // μ of (E10)
};

}  // namespace trammel
