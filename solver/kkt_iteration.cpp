#include "solver/kkt_iteration.hpp"

namespace trammel {

namespace {

Linearisation shapeOf(const MechanicalSystem& system) {
  Linearisation linearisation;
  system.shape(linearisation);
  return linearisation;
}

}  // namespace

KktIteration::KktIteration(MechanicalSystem& system, LinearAlgebra choice)
    : system_(system),
      n_(system.coordinateCount()),
      m_(system.constraintCount()),
      linearisation_(shapeOf(system)),
      kkt_(linearisation_, choice),
      w_(Vector::Zero(n_)),
      kinematic_(Vector::Zero(n_)),
      rhs_(Vector::Zero(n_ + m_)),
      q_(Vector::Zero(n_)),
      v_(Vector::Zero(n_)) {}

bool KktIteration::refresh(double t, VectorIn y, VectorIn derivative, VectorIn multipliers, double cj) {
  system_.linearise(t, y.head(n_), y.segment(n_, n_), derivative.segment(n_, n_), multipliers, linearisation_);
  factoredFor_ = cj;
  return refactor();
}

bool KktIteration::refactor() {
  const double cj = factoredFor_;
  return kkt_.factorise(linearisation_, IterationWeights{cj * cj, cj, 1.0});  // S = cj² M + cj C + K
}

void KktIteration::iterate(double t, VectorIn y, VectorIn derivative, double cj, VectorOut delta) {
  const auto q = y.head(n_);
  const auto v = y.segment(n_, n_);
  const auto lambda = y.tail(m_);

  // (E9a)  [S Gᵀ; G 0] [δq; δλ] = [−(M v' − f + Gᵀλ) − (cj M + C) r;  −g],   r = q' − v + w
  kinematic_ = derivative.head(n_) - v + w_;
  system_.forceBalance(t, q, v, derivative.segment(n_, n_), lambda, rhs_.head(n_));
  rhs_.head(n_).noalias() += linearisation_.C * kinematic_;
  v_ = cj * kinematic_;
  rhs_.head(n_).noalias() += linearisation_.M * v_;
  const double ratio = cj / factoredFor_;
  rhs_.head(n_) *= -2.0 / (1.0 + ratio * ratio);  // a factor of another step size
  system_.constraint(t, q, rhs_.tail(m_));
  rhs_.tail(m_) = -rhs_.tail(m_);
  kkt_.solve(rhs_);
  delta.head(n_) = rhs_.head(n_);
  delta.tail(m_) = rhs_.tail(m_);

  // (E9b)  v* = v + cj δq + r,   [S Gᵀ; G 0] [δv; ·] = [0; −(G(q + δq) v* + ∂g/∂t)],   w += δv
  q_ = q + delta.head(n_);
  v_ = v + cj * delta.head(n_) + kinematic_;
  rhs_.head(n_).setZero();
  if (m_ > 0) {
    system_.constraintRate(t, q_, v_, rhs_.tail(m_));
    rhs_.tail(m_) = -rhs_.tail(m_);
    kkt_.solve(rhs_);
  }
  w_ += rhs_.head(n_);
  delta.segment(n_, n_) = v_ - v + rhs_.head(n_);
}

}  // namespace trammel
