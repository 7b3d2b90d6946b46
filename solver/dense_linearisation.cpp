#include "solver/dense_linearisation.hpp"

#include <limits>

namespace trammel {

namespace {

constexpr double relativeDifference = 6e-6;  // third root of the roundoff: central differences

}  // namespace

DenseLinearisation::DenseLinearisation(MechanicalSystem& system, double horizon)
    : system_(system),
      n_(system.coordinateCount()),
      m_(system.constraintCount()),
      horizon_(horizon),
      zeroMultipliers_(Vector::Zero(m_)) {
  system.shape(linearisation_);
  for (Matrix* square : {&M_, &C_, &K_, &curvature_}) square->setZero(n_, n_);
  for (Matrix* wide : {&G_, &rateGradient_}) wide->setZero(m_, n_);
  for (Vector* x : {&nominal_, &direction_, &displaced_}) x->setZero(n_);
  for (Index i = 0; i < n_; ++i) nominal_[i] = system.coordinateNominal(i);
}

const Matrix& DenseLinearisation::gradientAt(double t, VectorIn q) {
  system_.massAndGradient(t, q, linearisation_);
  G_ = linearisation_.G;
  return G_;
}

void DenseLinearisation::linearise(const StepPoint& point, VectorIn lambda, VectorIn mu) {
  const auto q = point.y.head(n_);
  const auto v = point.y.segment(n_, n_);
  const auto a = point.derivative.segment(n_, n_);
  differentiateRate(point.t, q, v);

  // K is affine in the multipliers:  ∂(Gᵀμ)/∂q = K(μ) − K(0).
  curvature_.setZero();
  if (!mu.isZero(0.0)) {
    system_.linearise(point.t, q, v, a, mu, linearisation_);
    curvature_ = linearisation_.K;
    system_.linearise(point.t, q, v, a, zeroMultipliers_, linearisation_);
    curvature_ -= linearisation_.K;
  }
  system_.linearise(point.t, q, v, a, lambda, linearisation_);
  M_ = linearisation_.M;
  C_ = linearisation_.C;
  K_ = linearisation_.K;
  G_ = linearisation_.G;
}

/// Second derivatives of g commute, so ∂(G v + ∂g/∂t)/∂q is dG/dt along the motion (v, 1): central
/// differences of G, along v and along t.
void DenseLinearisation::differentiateRate(double t, VectorIn q, VectorIn v) {
  rateGradient_.setZero();
  if (m_ == 0) return;
  direction_ = v;
  const double speed = (v.array() / (q.array().abs() + nominal_.array())).abs().maxCoeff();
  if (speed > std::numeric_limits<double>::min())
    addDifference(relativeDifference / speed, t, q, 0.0);
  direction_.setZero();
  addDifference(relativeDifference * horizon_, t, q, 1.0);
}

void DenseLinearisation::addDifference(double step, double t, VectorIn q, double timeDirection) {
  for (const double side : {1.0, -1.0}) {
    displaced_ = q + side * step * direction_;
    rateGradient_ += (side / (2 * step)) * gradientAt(t + side * step * timeDirection, displaced_);
  }
}

void DenseLinearisation::fillDynamics(double cj, Eigen::Ref<Matrix> J1) const {
  J1.topLeftCorner(n_, n_) = curvature_;
  J1.topLeftCorner(n_, n_).diagonal().array() += cj;
  J1.topRightCorner(n_, n_).setZero();
  J1.topRightCorner(n_, n_).diagonal().setConstant(-1.0);
  J1.bottomLeftCorner(n_, n_) = K_;
  J1.bottomRightCorner(n_, n_) = cj * M_ + C_;
}

}  // namespace trammel
