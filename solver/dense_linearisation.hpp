#pragma once

#include "solver/mechanical_system.hpp"
#include "solver/step_point.hpp"

namespace trammel {

/// What a dense Newton matrix over (q, v) needs at one point: the linearisation of the force
/// balance, whose K holds the curvature ∂(Gᵀλ)/∂q, and the curvature of the two other places where
/// constraints enter, ∂(Gᵀμ)/∂q and ∂(G v + ∂g/∂t)/∂q. For the formulations that serve comparison
/// with the literature; memory and time grow with n² and n³.
class DenseLinearisation {
 public:
  /// `horizon` [s] scales the difference in time of the rate gradient.
  DenseLinearisation(MechanicalSystem& system, double horizon);

  /// G(q,t) alone; the other matrices are left as they are.
  const Matrix& gradientAt(double t, VectorIn q);
  /// All matrices at a point of a step, with v' of that point as the acceleration.
  void linearise(const StepPoint& point, VectorIn lambda, VectorIn mu);
  /// J₁ = [cj I + ∂(Gᵀμ)/∂q, −I;  K, cj M + C], 2n×2n: of q' − v + Gᵀμ and M v' − f + Gᵀλ.
  void fillDynamics(double cj, Eigen::Ref<Matrix> J1) const;

  const Matrix& mass() const { return M_; }
  const Matrix& gradient() const { return G_; }
  const Matrix& rateGradient() const { return rateGradient_; }  // ∂(G v + ∂g/∂t)/∂q, m×n

 private:
  void differentiateRate(double t, VectorIn q, VectorIn v);
  void addDifference(double step, double t, VectorIn q, double timeDirection);

  MechanicalSystem& system_;
  Index n_, m_;
  double horizon_;
  Linearisation linearisation_;
  Matrix M_, C_, K_, G_, curvature_, rateGradient_;
  Vector nominal_, zeroMultipliers_, direction_, displaced_;
};

}  // namespace trammel
