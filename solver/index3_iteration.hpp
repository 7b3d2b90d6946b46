#pragma once

#include <Eigen/LU>

#include "solver/index3_scaling.hpp"
#include "solver/step_point.hpp"

namespace trammel {

/// The corrector equations of one BDF step in index 3 form,
///   q' − v = 0,   M v' − f + Gᵀλ = 0,   g = 0,
/// with the dense iteration matrices of Bottasso, Bauchau and Cardona: two or three fields, each
/// with their scalings. For comparison with the literature; G must have full row rank. The
/// companions are λ, iterates that never decide convergence on their own.
class Index3Iteration {
 public:
  /// Throws Error if the system is too large for a dense matrix or a sparse one was asked for.
  Index3Iteration(MechanicalSystem& system, const SolverOptions& options);

  CorrectorTraits traits() const {
    return {.companions = m_, .companionsNoisy = true, .velocitiesTested = false};
  }
  bool refresh(StepPoint& point, VectorIn multipliers);
  void begin(StepPoint&) {}
  void iterate(StepPoint& point, VectorOut delta);
  void filter(double cj, VectorOut error);
  double imbalance(double cj, VectorIn inverseWeights) const;
  void finish(StepPoint& point, VectorOut multipliers) const { multipliers = point.y.tail(m_); }
  const Matrix* independentDirections() const { return nullptr; }
  double factoredFor() const { return factoredFor_; }
  bool refactor();

  /// What of the iteration decides the future: the linearisation and the cj of its factor.
  template <class Archive>
  void visit(Archive& archive) {
    archive(factoredFor_);
    archive(linearisation_.M, linearisation_.C, linearisation_.K, linearisation_.G);
  }

  static constexpr Index largest = 600;  // rows of the dense matrix, unless dense is asked for

 private:
  void solve();

  MechanicalSystem& system_;
  Index n_, m_;
  Index3Fields fields_;
  Index3Scaling scaling_;
  double factoredFor_ = 0;
  Linearisation linearisation_;
  Index3Scales scales_;
  Matrix matrix_;
  Eigen::PartialPivLU<Matrix> lu_;
  Vector kinematic_, balance_, work_, scaled_, massDiagonal_;  // n
  Vector constraint_;                                          // m
  Vector rhs_, permuted_;                                      // of the matrix
};

}  // namespace trammel
