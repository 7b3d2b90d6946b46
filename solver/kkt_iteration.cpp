#include "solver/kkt_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

namespace {

constexpr double suspiciousShare = 0.1;  // of the usual measure of rank
// σ² in units of (relative roundoff of g)/tolerance. There the noise in velocities is about a
// thousandth of the tolerance, and a predictor of order 5 makes a tenth of it.
constexpr double closeSquare = 20;
constexpr int closeFactors = 12;  // until the history has forgotten the noise

}  // namespace

KktIteration::KktIteration(MechanicalSystem& system, const SolverOptions& options,
                           VelocityConstraint velocity)
    : system_(system),
      n_(system.coordinateCount()),
      m_(system.constraintCount()),
      velocity_(velocity),
      tolerance_(options.tolerance),
      linearisation_(shapeOf(system)),
      kkt_(linearisation_, options.linearAlgebra),
      rhs_(Vector::Zero(n_ + m_)),
      nominal_(n_) {
  for (Vector* x : {&w_, &kinematic_, &balance_, &q_, &v_}) x->setZero(n_);
  for (Vector* x : {&leftOut_, &sizes_}) x->setZero(m_);
  for (Index i = 0; i < n_; ++i) nominal_[i] = system.coordinateNominal(i);
  massVaries_ = massVaries();
}

void KktIteration::leaveOut(VectorIn flags) {
  leftOut_ = flags;
  kkt_.leaveOut(flags);
}

double KktIteration::violationOfLeftOut(double t, VectorIn q, VectorIn positionWeights) {
  system_.constraint(t, q, rhs_.tail(m_));
  rhs_.tail(m_) = rhs_.tail(m_).cwiseProduct(leftOut_).cwiseAbs();
  const SparseMatrix& G = linearisation_.G;
  sizes_.setConstant(std::numeric_limits<double>::min());
  for (Index j = 0; j < G.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(G, j); entry; ++entry)
      sizes_[entry.row()] += std::abs(entry.value()) * positionWeights[j];
  return (rhs_.tail(m_).array() / sizes_.array()).maxCoeff();
}

/// Whether M depends on q, by its values at two places without meaning.
bool KktIteration::massVaries() {
  Vector values[2];
  for (int place = 0; place < 2; ++place) {
    for (Index i = 0; i < n_; ++i) q_[i] = 0.3 + place + 0.1 * static_cast<double>(i % 7);
    system_.massAndGradient(0, q_, linearisation_);
    values[place] =
        Eigen::Map<const Vector>(linearisation_.M.valuePtr(), linearisation_.M.nonZeros());
  }
  q_.setZero();
  return values[0] != values[1];
}

bool KktIteration::refresh(StepPoint& point, VectorIn multipliers) {
  linearise(system_, point, multipliers, linearisation_);
  factoredFor_ = point.cj;
  if (!refactor()) return false;
  watchRank(point.y.head(n_));
  return true;
}

bool KktIteration::refactor() {
  const double cj = factoredFor_;
  return kkt_.factorise(linearisation_,
                        IterationWeights{cj * cj, cj, 1.0});  // S = cj² M + cj C + K
}

/// A small pivot raises the suspicion; how small the singular value is beside the roundoff of g
/// decides.
void KktIteration::watchRank(VectorIn q) {
  if (rank_.near > 0) --rank_.near;
  if (m_ == 0) return;
  const double measure = kkt_.rankMeasure();
  rank_.usual = std::max(rank_.usual, measure);
  if (measure > suspiciousShare * rank_.usual) return;
  if (kkt_.smallestSingularValueSquared() < closeSquare * relativeRoundoff(q) / tolerance_)
    rank_.near = closeFactors;
}

/// Of g, as a displacement in units of the nominal ones: ε max_i Σ_j |G_ij q_j| / Σ_j |G_ij|
/// nominal_j.
double KktIteration::relativeRoundoff(VectorIn q) {
  const SparseMatrix& G = linearisation_.G;
  sizes_.setConstant(std::numeric_limits<double>::min());
  auto terms = rhs_.tail(m_);
  terms.setZero();
  for (Index j = 0; j < G.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(G, j); entry; ++entry) {
      terms[entry.row()] += std::abs(entry.value() * q[j]);
      sizes_[entry.row()] += std::abs(entry.value()) * nominal_[j];
    }
  }
  return std::numeric_limits<double>::epsilon() * (terms.array() / sizes_.array()).maxCoeff();
}

void KktIteration::iterate(StepPoint& point, VectorOut delta) {
  const auto q = point.y.head(n_);
  const auto v = point.y.segment(n_, n_);

  // (E9a)  [S Gᵀ; G 0] [δq; δλ] = [−(M v' − f + Gᵀλ) − (cj M + C) r;  −g],   r = q' − v + w
  system_.forceBalance(point.t, q, v, point.derivative.segment(n_, n_), point.y.tail(m_), balance_);
  const double ratio = point.cj / factoredFor_;
  const double weight = -2.0 / (1.0 + ratio * ratio);  // a factor of another step size
  if (first_) {  // later r is 0 but for roundoff, because v becomes q' + w below
    kinematic_ = point.derivative.head(n_) - v + w_;
    rhs_.head(n_) = balance_;
    rhs_.head(n_).noalias() += linearisation_.C * kinematic_;
    v_ = point.cj * kinematic_;
    rhs_.head(n_).noalias() += linearisation_.M * v_;
    rhs_.head(n_) *= weight;
  } else {
    rhs_.head(n_) = weight * balance_;
  }
  system_.constraint(point.t, q, rhs_.tail(m_));
  rhs_.tail(m_) = -rhs_.tail(m_);
  kkt_.solve(rhs_);
  delta.tail(m_) = rhs_.tail(m_);

  // (E9b)  v* = v + cj δq + r,   [S Gᵀ; G 0] [δv; ·] = [0; −(G(q + δq) v* + ∂g/∂t)],   w += δv
  correct(point, delta);
  if (velocity_ == VelocityConstraint::left || m_ == 0) return;
  system_.constraintRate(point.t, q_, v_, rhs_.tail(m_));
  rhs_.tail(m_) = -rhs_.tail(m_);
  kkt_.solveConstraints(rhs_);
  w_ += rhs_.head(n_);
  delta.segment(n_, n_) += rhs_.head(n_);
}

/// q_ = q + δq and v_ = v* with δq in rhs_; in one pass, because of large systems the memory takes
/// longer than the arithmetic.
void KktIteration::correct(const StepPoint& point, VectorOut delta) {
  const double *dq = rhs_.data(), *y = point.y.data(), *r = kinematic_.data();
  double* __restrict toQ = delta.data(), * __restrict toV = toQ + n_;
  double* __restrict q = q_.data(), * __restrict v = v_.data();
  const double cj = point.cj;
  const double share = first_ ? 1 : 0;  // of r
  first_ = false;
  for (Index i = 0; i < n_; ++i) {
    const double dv = cj * dq[i] + share * r[i];
    toQ[i] = dq[i];
    toV[i] = dv;
    q[i] = y[i] + dq[i];
    v[i] = y[n_ + i] + dv;
  }
}

/// (E10)  e ← e − x,   [S Gᵀ; G 0] [x; ·] = [0; G e]
void KktIteration::keepTangential(VectorOut error) {
  for (auto e : {error.head(n_), error.segment(n_, n_)}) {
    rhs_.head(n_).setZero();
    rhs_.tail(m_).noalias() = linearisation_.G * e;
    kkt_.solveRefined(rhs_, 1);
    e -= rhs_.head(n_);
  }
}

/// (E18): what the linearised corrector equations make of the rates cj e, with g and G v kept: fast
/// modes drop out.
void KktIteration::filter(double cj, VectorOut error) {
  kinematic_ = cj * error.head(n_);
  v_ = cj * (error.segment(n_, n_) + kinematic_);
  rhs_.head(n_).noalias() = linearisation_.M * v_;
  rhs_.head(n_).noalias() += linearisation_.C * kinematic_;
  rhs_.tail(m_).setZero();
  kkt_.solve(rhs_);
  error.head(n_) = rhs_.head(n_);
  v_ = cj * rhs_.head(n_) - kinematic_;
  error.segment(n_, n_) = v_;
  if (velocity_ == VelocityConstraint::left || m_ == 0) return;
  rhs_.tail(m_).noalias() = linearisation_.G * v_;
  rhs_.tail(m_) = -rhs_.tail(m_);
  kkt_.solveConstraints(rhs_);
  error.segment(n_, n_) += rhs_.head(n_);
}

double KktIteration::imbalance(double cj, VectorIn velocityWeights) const {
  return imbalanceOf(balance_, cj * linearisation_.M.diagonal(), velocityWeights);
}

}  // namespace trammel
