#include "solver/split_iteration.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace trammel {

namespace {

constexpr double rankTolerance = 1e-10;  // relative size of a pivot that counts as zero

}  // namespace

SplitIteration::SplitIteration(MechanicalSystem& system, const SolverOptions& options,
                               SplitProjector projector)
    : system_(system),
      n_(system.coordinateCount()),
      m_(system.constraintCount()),
      projector_(projector),
      dense_(system, options.horizon),
      gradient_(Matrix::Zero(m_, n_)),
      J_(Matrix::Zero(2 * n_, 2 * n_)),
      mass_(Matrix::Zero(n_, n_)),
      order_(static_cast<std::size_t>(n_)),
      elimination_(Matrix::Zero(n_, m_)),
      dynamics_(Matrix::Zero(2 * n_, 2 * n_)),
      factor_(2 * n_),
      residual_(Vector::Zero(2 * n_)) {
  for (Vector* x : {&kinematic_, &balance_}) x->setZero(n_);
  for (Vector* x : {&constraint_, &s1_, &s2_, &zeroMultipliers_}) x->setZero(m_);
  rows_.reserve(static_cast<std::size_t>(m_));
}

void SplitIteration::split() {
  if (!splitByPivots()) splitByReflections();
}

/// Row-pivoted LU of Gᵀ: the pivot coordinates are the dependent ones. False where G has not full
/// row rank.
bool SplitIteration::splitByPivots() {
  if (m_ > n_) return false;
  elimination_ = gradient_.transpose();
  const double smallest = rankTolerance * elimination_.lpNorm<Eigen::Infinity>();
  std::iota(order_.begin(), order_.end(), Index{0});
  for (Index k = 0; k < m_; ++k) {
    Index pivot = k;
    elimination_.col(k).tail(n_ - k).cwiseAbs().maxCoeff(&pivot);
    pivot += k;
    if (!(std::abs(elimination_(pivot, k)) > smallest)) return false;
    elimination_.row(k).swap(elimination_.row(pivot));
    std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(pivot)]);
    for (Index i = k + 1; i < n_; ++i) {
      const double factor = elimination_(i, k) / elimination_(k, k);
      elimination_.row(i) -= factor * elimination_.row(k);
    }
  }
  std::sort(order_.begin(), order_.begin() + m_);
  std::sort(order_.begin() + m_, order_.end());
  rows_.resize(static_cast<std::size_t>(m_));
  std::iota(rows_.begin(), rows_.end(), Index{0});
  resize();
  X_.setZero();
  Y_.setZero();
  for (Index i = 0; i < n_; ++i) {
    const Index coordinate = order_[static_cast<std::size_t>(i)];
    (i < m_ ? Y_(coordinate, i) : X_(coordinate, i - m_)) = 1.0;
  }
  return true;
}

/// QR of Gᵀ with column pivots (their Remark 2.2): [Y X] = Q, and the pivot columns are independent
/// constraints. Serves where constraints are redundant.
void SplitIteration::splitByReflections() {
  Eigen::ColPivHouseholderQR<Matrix> qr(n_, m_);
  qr.setThreshold(rankTolerance);
  qr.compute(gradient_.transpose());
  const Index r = qr.rank();
  rows_.assign(qr.colsPermutation().indices().data(), qr.colsPermutation().indices().data() + r);
  resize();
  const Matrix Q = qr.householderQ();
  Y_ = Q.leftCols(r);
  X_ = Q.rightCols(n_ - r);
}

void SplitIteration::resize() {
  const Index r = rank();
  X_.resize(n_, n_ - r);
  Y_.resize(n_, r);
  G_.resize(r, n_);
  GX_.resize(r, n_ - r);
  GY_.resize(r, r);
  Q_.resize(r, n_ - r);
  P_.resize(n_ - r, n_);
  projected_.setZero(n_ - r);
  independent_.setZero(r);
}

void SplitIteration::selectRows(const Matrix& G) {
  for (std::size_t i = 0; i < rows_.size(); ++i) G_.row(static_cast<Index>(i)) = G.row(rows_[i]);
}

/// s of all constraints from independent_, zero for redundant ones.
void SplitIteration::spread(VectorOut s) const {
  s.setZero();
  for (std::size_t i = 0; i < rows_.size(); ++i) s[rows_[i]] = independent_[static_cast<Index>(i)];
}

/// P = Xᵀ − Qᵀ Yᵀ,   Q = (GY)⁻¹ GX.
void SplitIteration::project(const Matrix& G) {
  P_ = X_.transpose();
  if (rows_.empty()) return;
  selectRows(G);
  GX_.noalias() = G_ * X_;
  GY_.noalias() = G_ * Y_;
  factorGY_.compute(GY_);
  Q_ = factorGY_.solve(GX_);
  P_.noalias() -= Q_.transpose() * Y_.transpose();
}

/// s = −(GY)⁻ᵀ Yᵀ r; then P (r + Gᵀs), with s kept, changes with q as P r does.
void SplitIteration::splitMultipliers(VectorIn r, Vector& s) {
  if (rows_.empty()) return;
  constraint_.head(rank()).noalias() = Y_.transpose() * r;
  independent_ = factorGY_.transpose().solve(constraint_.head(rank()));
  independent_ = -independent_;
  spread(s);
}

bool SplitIteration::refresh(StepPoint& point, VectorIn) {
  const auto q = point.y.head(n_);
  const auto v = point.y.segment(n_, n_);
  gradient_ = dense_.gradientAt(point.t, q);
  if (!gradient_.allFinite()) return false;
  split();
  project(gradient_);
  frozenP_ = P_;
  s1_.setZero();
  s2_.setZero();
  if (projector_ == SplitProjector::current) {
    kinematic_ = point.derivative.head(n_) - v;
    system_.forceBalance(point.t, q, v, point.derivative.segment(n_, n_), zeroMultipliers_,
                         balance_);
    splitMultipliers(kinematic_, s1_);
    splitMultipliers(balance_, s2_);
  }
  dense_.linearise(point, s2_, s1_);
  dense_.fillDynamics(point.cj, dynamics_);
  mass_ = dense_.mass();

  // (2.14)  J = [P J₁;  (G v + ∂g/∂t)q  G;  G  0]
  const Index r = rank();
  const Index k = n_ - r;
  J_.topRows(k).noalias() = frozenP_ * dynamics_.topRows(n_);
  J_.middleRows(k, k).noalias() = frozenP_ * dynamics_.bottomRows(n_);
  for (Index i = 0; i < r; ++i) {
    const Index row = rows_[static_cast<std::size_t>(i)];
    J_.row(2 * k + i) << dense_.rateGradient().row(row), gradient_.row(row);
    J_.row(2 * k + r + i).head(n_) = gradient_.row(row);
    J_.row(2 * k + r + i).tail(n_).setZero();
  }
  factoredFor_ = point.cj;
  return factorise();
}

bool SplitIteration::factorise() {
  factor_.compute(J_);
  const double smallest = factor_.matrixLU().diagonal().cwiseAbs().minCoeff();
  return std::isfinite(smallest) && smallest > 0;
}

bool SplitIteration::refactor() {
  split();
  project(gradient_);
  frozenP_ = P_;
  return factorise();
}

void SplitIteration::residual(const StepPoint& point, VectorOut r) {
  const auto q = point.y.head(n_);
  const auto v = point.y.segment(n_, n_);
  if (projector_ == SplitProjector::current) project(dense_.gradientAt(point.t, q));
  kinematic_ = point.derivative.head(n_) - v;
  system_.forceBalance(point.t, q, v, point.derivative.segment(n_, n_), zeroMultipliers_, balance_);
  const Matrix& P = projector_ == SplitProjector::current ? P_ : frozenP_;
  const Index k = n_ - rank();
  projected_.noalias() = P * balance_;
  r.head(k).noalias() = P * kinematic_;
  r.segment(k, k) = projected_;
  system_.constraintRate(point.t, q, v, constraint_);
  for (Index i = 0; i < rank(); ++i) r[2 * k + i] = constraint_[rows_[static_cast<std::size_t>(i)]];
  system_.constraint(point.t, q, constraint_);
  for (Index i = 0; i < rank(); ++i)
    r[n_ + k + i] = constraint_[rows_[static_cast<std::size_t>(i)]];
}

void SplitIteration::iterate(StepPoint& point, VectorOut delta) {
  residual(point, residual_);
  residual_ *= -2.0 / (1.0 + point.cj / factoredFor_);  // a factor of another step size
  delta = factor_.solve(residual_);
}

/// (E18): the linearised equations with the rates P cj e on their right-hand side, g and G v kept.
void SplitIteration::filter(double cj, VectorOut error) {
  const Index k = n_ - rank();
  residual_.setZero();
  residual_.head(k).noalias() = cj * (frozenP_ * error.head(n_));
  balance_.noalias() = cj * (mass_ * error.segment(n_, n_));
  residual_.segment(k, k).noalias() = frozenP_ * balance_;
  error = factor_.solve(residual_);
}

/// (E19): the unbalanced force along X as the velocity it causes in one step, in units of the
/// velocity weights.
double SplitIteration::imbalance(double cj, VectorIn inverseWeights) const {
  double sum = 0;
  for (Index i = 0; i < n_; ++i) {
    const double force = X_.row(i).dot(projected_);
    const double scaled = force / (cj * std::abs(mass_(i, i)) * inverseWeights[i]);
    sum += scaled * scaled;
  }
  return std::sqrt(sum / static_cast<double>(projected_.size()));
}

void SplitIteration::finish(StepPoint& point, VectorOut multipliers) {
  multipliers.setZero();
  if (rows_.empty()) return;
  const auto q = point.y.head(n_);
  system_.forceBalance(point.t, q, point.y.segment(n_, n_), point.derivative.segment(n_, n_),
                       zeroMultipliers_, balance_);
  selectRows(dense_.gradientAt(point.t, q));
  GY_.noalias() = G_ * G_.transpose();
  factorGGt_.compute(GY_);
  independent_.noalias() = G_ * balance_;
  factorGGt_.solveInPlace(independent_);
  independent_ = -independent_;
  spread(multipliers);
}

}  // namespace trammel
