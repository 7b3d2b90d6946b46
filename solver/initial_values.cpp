#include "solver/initial_values.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include "solver/at_time.hpp"

namespace trammel {

namespace {

constexpr int maxPositionIterations = 60;
constexpr int maxRefinements = 4;
constexpr double settledRemainder = 1e-18;  // relative; what a correction may leave
constexpr double smallCorrection = 1e-9;    // relative; such ones that do not shrink are roundoff
constexpr double smallSweep = 1e-11;        // relative; of such a one a sweep leaves roundoff
constexpr double chordDistance = 1e-4;      // relative, over which a factor serves
constexpr double contradiction =
    1e-10;  // relative residual that a consistent set of constraints does not keep
constexpr double roundoff = std::numeric_limits<double>::epsilon();

/// M and G alone: factors without C and K have fewer entries, and S = M is symmetric.
Linearisation shapeOfMetric(const MechanicalSystem& system) {
  Linearisation shape = shapeOf(system);
  for (SparseMatrix* part : {&shape.C, &shape.K}) part->setZero();
  return shape;
}

}  // namespace

ConsistencySolver::ConsistencySolver(MechanicalSystem& system, LinearAlgebra choice)
    : system_(system),
      n_(system.coordinateCount()),
      m_(system.constraintCount()),
      linearisation_(shapeOfMetric(system)),
      kkt_(linearisation_, choice),
      rhs_(Vector::Zero(n_ + m_)),
      residual_(Vector::Zero(n_ + m_)),
      nominal_(n_),
      aheadPosition_(Vector::Zero(n_)),
      aheadVelocity_(Vector::Zero(n_)) {
  for (Index i = 0; i < n_; ++i) nominal_[i] = system.coordinateNominal(i);
}

void ConsistencySolver::leaveOut(VectorIn flags) {
  kkt_.leaveOut(flags);
  const bool any = m_ > 0 && flags.maxCoeff() > 0;
  if (any && !whole_)
    whole_.emplace(linearisation_, kkt_.isSparse() ? LinearAlgebra::sparse : LinearAlgebra::dense);
  if (!any) whole_.reset();
}

std::string ConsistencySolver::worstConstraint(VectorIn residual) const {
  Index worst = 0;
  residual.cwiseAbs().maxCoeff(&worst);
  std::ostringstream text;
  text << "constraint \"" << system_.constraintName(worst) << "\" is off by " << residual[worst];
  return text.str();
}

/// Largest |g_i| / Σ_j |G_ij| (|q_j| + nominal_j), with g in residual_ and G of the last refresh.
double ConsistencySolver::relativeViolation(VectorIn q) {
  rhs_.tail(m_).setConstant(std::numeric_limits<double>::min());
  for (Index j = 0; j < n_; ++j) {
    const double size = std::abs(q[j]) + nominal_[j];
    for (SparseMatrix::InnerIterator entry(linearisation_.G, j); entry; ++entry) {
      rhs_[n_ + entry.row()] += std::abs(entry.value()) * size;
    }
  }
  return (residual_.head(m_).array().abs() / rhs_.tail(m_).array()).maxCoeff();
}

Report ConsistencySolver::refresh(double t, VectorIn q) {
  system_.massAndGradient(t, q, linearisation_);
  if (kkt_.factorise(linearisation_, IterationWeights{})) return {};
  return {false, "mass matrix or constraint gradient is singular or not finite" + atTime(t)};
}

/// Gauss-Newton in the mass metric, (E3): [M Gᵀ; G 0] [δq; ·] = [0; −g], halved while |g| grows. A
/// factor serves as long as q stays near its place: what a correction leaves is about itself times
/// the distance from there.
Report ConsistencySolver::projectPosition(double t, VectorOut q) {
  if (Report report = refresh(t, q); !report.ok) return report;
  if (m_ == 0) return {};
  double before = std::numeric_limits<double>::infinity();
  double distance = 0;  // relative, from the place of the factor
  double lastCorrection = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < maxPositionIterations; ++iteration) {
    system_.constraint(t, q, residual_.head(m_));
    double violation = residual_.head(m_).lpNorm<Eigen::Infinity>();
    if (!std::isfinite(violation)) return {false, "constraints are not finite" + atTime(t)};
    for (int half = 0; violation > before && half < 10;
         ++half) {  // rhs_ still holds the last correction
      rhs_.head(n_) *= 0.5;
      q -= rhs_.head(n_);
      system_.constraint(t, q, residual_.head(m_));
      violation = residual_.head(m_).lpNorm<Eigen::Infinity>();
    }
    if (distance > chordDistance) {
      if (Report report = refresh(t, q); !report.ok) return report;
      distance = 0;
    }
    rhs_.tail(m_) = -residual_.head(m_);
    kkt_.solveConstraints(rhs_);
    const double correction =
        (rhs_.head(n_).array().abs() / (q.array().abs() + nominal_.array())).maxCoeff();
    if (!std::isfinite(correction)) break;
    q += rhs_.head(n_);
    before = violation;
    distance += correction;
    const bool stagnates = correction <= smallCorrection && correction >= 0.1 * lastCorrection;
    lastCorrection = correction;
    if (correction * distance > settledRemainder && !stagnates) continue;
    // Newton has settled: either on the constraints or, where they contradict each other, beside
    // them. The present residual is that before the correction: no less than what is left.
    if (relativeViolation(q) <= contradiction) return {};
    system_.constraint(t, q, residual_.head(m_));
    if (relativeViolation(q) <= contradiction) return {};
    if (correction <= 4 * roundoff) break;
  }
  system_.constraint(t, q, residual_.head(m_));
  return {false, "positions cannot be made consistent" + atTime(t) + ": " +
                     worstConstraint(residual_.head(m_))};
}

Report ConsistencySolver::projectVelocity(double t, VectorIn q, VectorOut v) {
  if (m_ == 0) return {};
  double before = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < maxRefinements; ++sweep) {
    system_.constraintRate(t, q, v, residual_.head(m_));
    const double violation = residual_.head(m_).lpNorm<Eigen::Infinity>();
    if (!std::isfinite(violation)) return {false, "constraint rates are not finite" + atTime(t)};
    if (violation == 0.0 || violation >= before) return {};
    before = violation;
    rhs_.tail(m_) = -residual_.head(m_);
    kkt_.solveConstraints(rhs_);
    v += rhs_.head(n_);
    const auto sizes = v.array().abs() + nominal_.array();
    if ((rhs_.head(n_).array().abs() <= smallSweep * sizes).all()) return {};
  }
  return {};
}

/// (E4), as corrections of the last (a, λ) so that the regularisation of the factor does not show:
/// sweeps until they stagnate.
Report ConsistencySolver::accelerate(double t, VectorIn q, VectorIn v, VectorOut a,
                                     VectorOut lambda) {
  if (Report report = refresh(t, q); !report.ok) return report;
  a.setZero();
  lambda.setZero();
  double before = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep <= maxRefinements; ++sweep) {
    system_.forceBalance(t, q, v, a, lambda, rhs_.head(n_));
    system_.constraintAcceleration(t, q, v, residual_.head(m_));
    rhs_.tail(m_) = residual_.head(m_);
    rhs_.tail(m_).noalias() += linearisation_.G * a;
    rhs_ = -rhs_;
    kkt_.solve(rhs_);
    const double correction = rhs_.head(n_).lpNorm<Eigen::Infinity>();
    if (!rhs_.allFinite()) return {false, "forces or accelerations are not finite" + atTime(t)};
    if (correction >= before) break;
    a += rhs_.head(n_);
    lambda += rhs_.tail(m_);
    if (correction <= 4 * roundoff * a.lpNorm<Eigen::Infinity>()) break;
    before = correction;
  }
  if (whole_) spread(lambda);
  return {};
}

void ConsistencySolver::balance(double t, VectorIn q, VectorOut lambda) {
  if (!whole_) return;
  system_.massAndGradient(t, q, linearisation_);
  spread(lambda);
}

/// Multipliers that give the same forces Gᵀλ and have the least norm: [M Gᵀ; G −δI] [·; μ] =
/// [Gᵀλ; 0], in sweeps that take off what δ leaves.
void ConsistencySolver::spread(VectorOut lambda) {
  if (!whole_->factorise(linearisation_, IterationWeights{})) return;
  residual_.head(n_).noalias() = linearisation_.G.transpose() * lambda;
  lambda.setZero();
  for (int sweep = 0; sweep < 2; ++sweep) {
    rhs_.head(n_) = residual_.head(n_);
    rhs_.head(n_).noalias() -= linearisation_.G.transpose() * lambda;
    rhs_.tail(m_).setZero();
    whole_->solve(rhs_);
    lambda += rhs_.tail(m_);
  }
}

/// rhs_ = [M a − f + Gᵀλ; G a + γ] at t + s and q + s v + s² a/2, v + s a, with a and λ of time t.
void ConsistencySolver::aheadResidual(const Motion& at, double s) {
  const double t = at.t + s;
  aheadPosition_ = at.q + s * at.v + 0.5 * s * s * at.a;
  aheadVelocity_ = at.v + s * at.a;
  system_.forceBalance(t, aheadPosition_, aheadVelocity_, at.a, at.lambda, rhs_.head(n_));
  system_.constraintAcceleration(t, aheadPosition_, aheadVelocity_, residual_.head(m_));
  rhs_.tail(m_) = residual_.head(m_);
  // G a = (G a + ∂g/∂t) − (G 0 + ∂g/∂t)
  system_.constraintRate(t, aheadPosition_, at.a, residual_.head(m_));
  rhs_.tail(m_) += residual_.head(m_);
  aheadVelocity_.setZero();
  system_.constraintRate(t, aheadPosition_, aheadVelocity_, residual_.head(m_));
  rhs_.tail(m_) -= residual_.head(m_);
}

/// The residual is zero at s = 0, so [M Gᵀ; G 0] [a'; λ'] = −(residual at s)/s up to terms in s.
Report ConsistencySolver::accelerationRates(const Motion& at, double ahead, Rates& out) {
  aheadResidual(at, ahead);
  rhs_ *= -1 / ahead;
  kkt_.solve(rhs_);
  if (!rhs_.allFinite()) return {false, "rates of the forces are not finite" + atTime(at.t)};
  out.jerk = rhs_.head(n_);
  out.lambda = rhs_.tail(m_);
  return {};
}

}  // namespace trammel
