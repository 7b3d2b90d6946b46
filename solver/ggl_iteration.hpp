#pragma once

#include <Eigen/LU>

#include "solver/dense_linearisation.hpp"
#include "solver/options.hpp"
#include "solver/step_point.hpp"

namespace trammel {

enum class MultiplierTest { included, excluded };

/// Stabilised index 2 after Gear, Gupta and Leimkuhler, solved by a simplified Newton iteration
/// over y = (q, v, λ, μ) with one dense factor:
///   q' − v + Gᵀμ = 0,   M v' − f + Gᵀλ = 0,   G v + ∂g/∂t = 0,   g = 0.
/// ggl has the multipliers in the Newton test, ggl* has not. Pre: G of full row rank.
class GglIteration {
 public:
  GglIteration(MechanicalSystem& system, const SolverOptions& options, MultiplierTest test);

  CorrectorTraits traits() const {
    return {.companions = 2 * m_,
            .companionsInNewton = test_ == MultiplierTest::included,
            .companionsNoisy = false};
  }
  /// Linearises at the predicted point with its own multipliers.
  bool refresh(StepPoint& point, VectorIn multipliers);
  void begin(StepPoint&) {}
  void iterate(StepPoint& point, VectorOut delta);
  void filter(double cj, VectorOut error);
  double imbalance(double cj, VectorIn inverseWeights) const;
  void finish(StepPoint& point, VectorOut multipliers) const {
    multipliers = point.y.segment(2 * n_, m_);
  }
  const Matrix* independentDirections() const { return nullptr; }
  double factoredFor() const { return factoredFor_; }
  bool refactor();

  /// The four left-hand sides at a point, in the order above.
  void residual(const StepPoint& point, VectorOut r);
  const Matrix& jacobian() const { return J_; }  // of residual() with y' = cj y + const

  template <class Archive>
  void visit(Archive& archive) {
    archive(factoredFor_, J_, mass_);
  }

 private:
  MechanicalSystem& system_;
  Index n_, m_;
  MultiplierTest test_;
  double factoredFor_ = 0;
  DenseLinearisation dense_;
  Matrix J_, mass_;
  Eigen::PartialPivLU<Matrix> factor_;
  Vector residual_, balance_;
};

}  // namespace trammel
