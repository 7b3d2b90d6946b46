#include "solver/derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "solver/at_time.hpp"

namespace trammel {

namespace {

constexpr int refinements = 4;         // a fixed number keeps the solution operator symmetric
constexpr double positionMove = 1e-3;  // relative; h⁴ of the difference formula and ε/h meet here

}  // namespace

AccelerationDerivatives::AccelerationDerivatives(MechanicalSystem& system, LinearAlgebra choice)
    : system_(system),
      n_(system.coordinateCount()),
      m_(system.constraintCount()),
      linearisation_(shapeOf(system)),
      byPosition_(linearisation_.G),
      byVelocity_(linearisation_.G),
      colouring_(linearisation_.G),
      kkt_(linearisation_, choice) {
  for (Vector* x : {&rhs_, &solution_, &residual_}) x->setZero(n_ + m_);
  for (Vector* x : {&q_, &v_, &move_, &direction_, &nominal_}) x->setZero(n_);
  for (Vector* x : {&gamma_, &sum_}) x->setZero(m_);
  for (Index i = 0; i < n_; ++i) nominal_[i] = system.coordinateNominal(i);
}

Report AccelerationDerivatives::linearise(const Motion& at) {
  system_.linearise(at.t, at.q, at.v, at.a, at.lambda, linearisation_);
  if (!system_.accelerationGradient(at.t, at.q, at.v, at.a, byPosition_, byVelocity_))
    differentiateConstraints(at);
  const auto finite = [](const SparseMatrix& x) {
    return Eigen::Map<const Vector>(x.valuePtr(), x.nonZeros()).allFinite();
  };
  if (!finite(linearisation_.K) || !finite(linearisation_.C) || !finite(byPosition_) ||
      !finite(byVelocity_))
    return {false, "derivatives of the model are not finite" + atTime(at.t)};
  if (!kkt_.factorise(linearisation_, IterationWeights{}))
    return {false, "mass matrix or constraint gradient is singular or not finite" + atTime(at.t)};
  return {};
}

/// γ(v) = g_qq[v,v] + 2 g_qt v + g_tt is quadratic in v, so that two of the three parts come
/// without a difference error:
///   A_v δ = (γ(v + δ) − γ(v − δ))/2,   ∂(G a)/∂q δ = g_qq[a,δ] = Σ ±γ(±a ± δ)/8.
void AccelerationDerivatives::differentiateConstraints(const Motion& at) {
  const double speed = at.v.lpNorm<Eigen::Infinity>(),
               acceleration = at.a.lpNorm<Eigen::Infinity>();
  const auto addGamma = [&](VectorIn v, double weight) {
    system_.constraintAcceleration(at.t, at.q, v, gamma_);
    sum_ += weight * gamma_;
  };
  for (Index group = 0; group < colouring_.count(); ++group) {
    direction_.setZero();
    for (const Index j : colouring_.columns(group)) direction_[j] = nominal_[j];

    move_ = direction_ * (speed > 0 ? speed : 1.0);
    sum_.setZero();
    v_ = at.v + move_;
    addGamma(v_, 0.5);
    v_ = at.v - move_;
    addGamma(v_, -0.5);
    colouring_.scatter(group, sum_, move_, byVelocity_);

    sum_.setZero();
    const double size = acceleration > 0 ? acceleration : 1.0;
    for (const double s : {1.0, -1.0}) {
      v_ = s * (at.a + size * direction_);
      addGamma(v_, 0.125 / size);
      v_ = s * (at.a - size * direction_);
      addGamma(v_, -0.125 / size);
    }
    alongPosition(at, direction_);
    colouring_.scatter(group, sum_, direction_, byPosition_);
  }
}

/// sum_ += ∂γ/∂q · direction by the central difference of fourth order,
///   (8 (γ₁ − γ₋₁) − (γ₂ − γ₋₂)) / 12h,   γ_k = γ(q + k h direction).
void AccelerationDerivatives::alongPosition(const Motion& at, VectorIn direction) {
  for (const double k : {-2.0, -1.0, 1.0, 2.0}) {
    q_ = at.q + k * positionMove * direction;
    system_.constraintAcceleration(at.t, q_, at.v, gamma_);
    const double weight = std::abs(k) == 1.0 ? 8.0 : -1.0;
    sum_ += (k > 0 ? weight : -weight) / (12 * positionMove) * gamma_;
  }
}

/// solution_ = [M Gᵀ; G 0]⁻¹ rhs_, with sweeps that take the regularisation out of the factor.
void AccelerationDerivatives::solve() {
  solution_.setZero();
  for (int sweep = 0; sweep <= refinements; ++sweep) {
    residual_ = rhs_;
    residual_.head(n_).noalias() -= linearisation_.M * solution_.head(n_);
    residual_.head(n_).noalias() -= linearisation_.G.transpose() * solution_.tail(m_);
    residual_.tail(m_).noalias() -= linearisation_.G * solution_.head(n_);
    kkt_.solve(residual_);
    solution_ += residual_;
  }
}

void AccelerationDerivatives::directional(const Perturbation& perturbation, Response& out) {
  rhs_.head(n_) = perturbation.force;
  rhs_.head(n_).noalias() -= linearisation_.K * perturbation.q;
  rhs_.head(n_).noalias() -= linearisation_.C * perturbation.v;
  rhs_.tail(m_) = perturbation.acceleration;
  rhs_.tail(m_).noalias() -= byPosition_ * perturbation.q;
  rhs_.tail(m_).noalias() -= byVelocity_ * perturbation.v;
  solve();
  out.a = solution_.head(n_);
  out.lambda = solution_.tail(m_);
}

/// The KKT matrix is symmetric: the same factor serves, (x, y) = [M Gᵀ; G 0]⁻¹ weights, then
///   δf: x,   δc: y,   δq: −Kᵀx − A_qᵀy,   δv: −Cᵀx − A_vᵀy.
void AccelerationDerivatives::adjoint(const Response& weights, Perturbation& out) {
  rhs_.head(n_) = weights.a;
  rhs_.tail(m_) = weights.lambda;
  solve();
  out.force = solution_.head(n_);
  out.acceleration = solution_.tail(m_);
  out.q.setZero(n_);
  out.q.noalias() -= linearisation_.K.transpose() * out.force;
  out.q.noalias() -= byPosition_.transpose() * out.acceleration;
  out.v.setZero(n_);
  out.v.noalias() -= linearisation_.C.transpose() * out.force;
  out.v.noalias() -= byVelocity_.transpose() * out.acceleration;
}

}  // namespace trammel
