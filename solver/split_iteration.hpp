#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <vector>

#include "solver/dense_linearisation.hpp"
#include "solver/options.hpp"
#include "solver/step_point.hpp"

namespace trammel {

enum class SplitProjector { current, frozen };

/// The coordinate-split iterations of Yen and Petzold over y = (q, v), without multipliers:
///   P (q' − v) = 0,   P (M v' − f) = 0,   G v + ∂g/∂t = 0,   g = 0,
///   P = Xᵀ − (GX)ᵀ(GY)⁻ᵀ Yᵀ,   so that P Gᵀ = 0.
/// cs: P of the current q, with its curvature in the Newton matrix. cm: P of the last Jacobian and
/// no curvature; its equations are not those of the motion where multipliers are large, so it
/// serves comparison only. The matrix is the coupled one of their equations (2.14) and (3.2); their
/// decoupled Algorithms 2.1 and 3.1 converge to another point unless the matrix maps the range of
/// Gᵀ into itself, and are not offered.
class SplitIteration {
 public:
  SplitIteration(MechanicalSystem& system, const SolverOptions& options, SplitProjector projector);

  CorrectorTraits traits() const { return {}; }
  /// Splits and linearises at the predicted point; multipliers of its curvature are
  /// s = −(GY)⁻ᵀYᵀr of the two projected residuals.
  bool refresh(StepPoint& point, VectorIn multipliers);
  void begin(StepPoint&) {}
  void iterate(StepPoint& point, VectorOut delta);
  void filter(double cj, VectorOut error);
  double imbalance(double cj, VectorIn inverseWeights) const;
  /// Multipliers of the accepted step by least squares, s = −(GGᵀ)⁻¹G (M v' − f).
  void finish(StepPoint& point, VectorOut multipliers);
  const Matrix* independentDirections() const { return &X_; }
  double factoredFor() const { return factoredFor_; }
  bool refactor();

  /// The left-hand sides at a point, in the order above; redundant constraints are left out.
  void residual(const StepPoint& point, VectorOut r);
  const Matrix& jacobian() const { return J_; }  // of residual() with y' = cj y + const
  Index rank() const { return static_cast<Index>(rows_.size()); }

  template <class Archive>
  void visit(Archive& archive) {
    archive(factoredFor_, gradient_, J_, mass_);
  }

 private:
  void split();
  bool splitByPivots();
  void splitByReflections();
  void resize();
  void selectRows(const Matrix& G);
  void project(const Matrix& G);
  void spread(VectorOut s) const;
  bool factorise();
  void splitMultipliers(VectorIn r, Vector& s);

  MechanicalSystem& system_;
  Index n_, m_;
  SplitProjector projector_;
  double factoredFor_ = 0;
  DenseLinearisation dense_;
  Matrix gradient_, J_, mass_;  // G, Newton matrix and M of the last refresh

  std::vector<Index> rows_;        // independent constraints
  std::vector<Index> order_;       // of coordinates in the elimination
  Matrix X_, Y_;                   // independent and dependent directions, n×(n−r) and n×r
  Matrix G_, GX_, GY_, Q_, P_;     // of the rows above at the current point
  Matrix frozenP_;                 // P of the last refresh
  Matrix elimination_, dynamics_;  // workspace
  Eigen::PartialPivLU<Matrix> factorGY_, factor_;
  Eigen::LDLT<Matrix> factorGGt_;
  Vector kinematic_, balance_, residual_, constraint_, projected_, independent_;
  Vector s1_, s2_, zeroMultipliers_;
};

}  // namespace trammel
