#pragma once

#include "solver/kkt_solver.hpp"
#include "solver/options.hpp"
#include "solver/step_point.hpp"

namespace trammel {

enum class VelocityConstraint { imposed, left };

/// How close G is to a loss of rank: whether roundoff of g shows in the velocities.
struct RankWatch {
  double usual = 0;  // the largest rankMeasure() since the start
  int near = 0;      // factors for which it still counts as close
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
            .finishMoves = false,
            .massVaries = massVaries_,
            .factorAges = kkt_.isSparse() || massVaries_};
  }
  /// Linearises at the predicted point; the curvature of the constraints is taken with the
  /// multipliers of the last step.
  bool refresh(StepPoint& point, VectorIn multipliers);
  void begin(StepPoint&) { first_ = true; }
  /// One iteration. Corrects y, and of the derivative v', which alone is looked at again. Returns
  /// the sum of squares of the correction of (q, v) times the inverse weights; the correction
  /// itself is in `delta` only near a loss of rank, where it is asked for.
  double iterate(StepPoint& point, const Vector& inverseWeights, Vector& delta);
  void filter(double cj, VectorOut error, bool velocities = true);
  bool isNearLossOfRank() const { return rank_.near > 0; }
  /// Leaves of an error of (q, v) what is tangential to the constraints, (E10).
  void keepTangential(VectorOut error);
  /// Another motion begins.
  void forget() { rank_ = {}; }
  /// Of the last iteration, before its correction.
  double imbalance(double /*cj*/, VectorIn /*inverseWeights*/) const { return imbalance_; }
  void finish(StepPoint& point, VectorOut multipliers) const { multipliers = point.y.tail(m_); }
  /// Leaves out the rows of G whose flag is not 0, from the next refresh() on: the others imply
  /// them. Their multipliers stay as they are.
  void leaveOut(VectorIn flags);
  /// How far off the rows that are left out are at (t, q), in units of the position weights.
  double violationOfLeftOut(double t, VectorIn q, VectorIn positionWeights);
  /// Largest coefficient with which the others imply them, at the last refresh().
  double largestCoefficient() { return kkt_.largestCoefficient(linearisation_.G); }
  const Matrix* independentDirections() const { return nullptr; }
  double factoredFor() const { return factoredFor_; }
  bool refactor();
  bool refactorFor(double cj) {
    factoredFor_ = cj;
    return refactor();
  }

  /// What of the iteration decides the future: the linearisation and the cj of its factor.
  template <class Archive>
  void visit(Archive& archive) {
    archive(factoredFor_, rank_.usual, rank_.near);
    archive(linearisation_.M, linearisation_.C, linearisation_.K, linearisation_.G);
  }

 private:
  bool massVaries();
  bool asksForRates() const { return velocity_ == VelocityConstraint::imposed && m_ > 0; }
  template <class Size>
  double iterateWith(Size n, StepPoint& point, const Vector& inverseWeights);
  template <class Size>
  double imbalanceOf(Size n, double cj, const double* inverseWeights) const;
  template <class Size>
  void addKinematic(Size n, const StepPoint& point, double share);
  template <class Size>
  void moveTo(Size n, StepPoint& point);
  template <class Size>
  double correctVelocities(Size n, StepPoint& point, const Vector& inverseWeights);
  void fillCorrection(double cj, Vector& delta) const;
  void watchRank(VectorIn q);
  double relativeRoundoff(VectorIn q);

  MechanicalSystem& system_;
  Index n_, m_;
  VelocityConstraint velocity_;
  bool massVaries_ = false;
  bool diagonalMass_ = false;   // by its pattern
  bool weighsBalance_ = false;  // it is asked for
  bool first_ = true;           // iteration of a step
  double tolerance_;
  double factoredFor_ = 0;
  double imbalance_ = 0;
  RankWatch rank_;
  Linearisation linearisation_;
  KktSolver kkt_;
  Vector kinematic_, v_;
  Vector step_;  // residual, then −(δq, δλ)
  Vector rhs_;
  Vector leftOut_;  // flags of the rows of G
  Vector sizes_;    // of the rows of G
  Vector nominal_;
};

}  // namespace trammel
