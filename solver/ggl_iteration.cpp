#include "solver/ggl_iteration.hpp"

#include <cmath>

namespace trammel {

GglIteration::GglIteration(MechanicalSystem& system, const SolverOptions& options,
                           MultiplierTest test)
    : system_(system),
      n_(system.coordinateCount()),
      m_(system.constraintCount()),
      test_(test),
      dense_(system, options.horizon),
      J_(Matrix::Zero(2 * (n_ + m_), 2 * (n_ + m_))),
      mass_(Matrix::Zero(n_, n_)),
      factor_(2 * (n_ + m_)),
      residual_(Vector::Zero(2 * (n_ + m_))),
      balance_(Vector::Zero(n_)) {}

bool GglIteration::refresh(StepPoint& point, VectorIn) {
  dense_.linearise(point, point.y.segment(2 * n_, m_), point.y.tail(m_));
  const Matrix& G = dense_.gradient();
  // columns                 q             v          λ    μ
  //   q' − v + Gᵀμ          cj I + (Gᵀμ)q −I         0    Gᵀ
  //   M v' − f + Gᵀλ        K             cj M + C   Gᵀ   0
  //   G v + ∂g/∂t           (G v + ∂g/∂t)q G         0    0
  //   g                     G             0          0    0
  J_.setZero();
  dense_.fillDynamics(point.cj, J_.topLeftCorner(2 * n_, 2 * n_));
  J_.block(0, 2 * n_ + m_, n_, m_) = G.transpose();
  J_.block(n_, 2 * n_, n_, m_) = G.transpose();
  J_.block(2 * n_, 0, m_, n_) = dense_.rateGradient();
  J_.block(2 * n_, n_, m_, n_) = G;
  J_.block(2 * n_ + m_, 0, m_, n_) = G;
  mass_ = dense_.mass();
  factoredFor_ = point.cj;
  return refactor();
}

bool GglIteration::refactor() {
  factor_.compute(J_);
  const double smallest = factor_.matrixLU().diagonal().cwiseAbs().minCoeff();
  return std::isfinite(smallest) && smallest > 0;
}

void GglIteration::residual(const StepPoint& point, VectorOut r) {
  const auto q = point.y.head(n_);
  const auto v = point.y.segment(n_, n_);
  r.head(n_) = point.derivative.head(n_) - v;
  r.head(n_).noalias() += dense_.gradientAt(point.t, q).transpose() * point.y.tail(m_);
  system_.forceBalance(point.t, q, v, point.derivative.segment(n_, n_), point.y.segment(2 * n_, m_),
                       r.segment(n_, n_));
  system_.constraintRate(point.t, q, v, r.segment(2 * n_, m_));
  system_.constraint(point.t, q, r.tail(m_));
}

void GglIteration::iterate(StepPoint& point, VectorOut delta) {
  residual(point, residual_);
  balance_ = residual_.segment(n_, n_);
  residual_ *= -2.0 / (1.0 + point.cj / factoredFor_);  // a factor of another step size
  delta = factor_.solve(residual_);
}

/// (E18): the linearised equations with the rates cj e on their right-hand side, g and G v kept.
void GglIteration::filter(double cj, VectorOut error) {
  residual_.setZero();
  residual_.head(n_) = cj * error.head(n_);
  residual_.segment(n_, n_).noalias() = cj * (mass_ * error.segment(n_, n_));
  error = factor_.solve(residual_);
}

double GglIteration::imbalance(double cj, VectorIn inverseWeights) const {
  return imbalanceOf(balance_, cj * mass_.diagonal(), inverseWeights);
}

}  // namespace trammel
