#include "solver/index1_iteration.hpp"

#include <cmath>
#include <limits>

namespace trammel {

namespace {

constexpr int maxProjections = 10;
constexpr double roundoff = std::numeric_limits<double>::epsilon();
// What Newton leaves in G v' + γ drifts, and its error is the same sign step after step.
constexpr double tightNewton = 3e-5;  // of the error tolerance

void setIdentity(SparseMatrix& matrix) {
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry)
      entry.valueRef() = entry.row() == j ? 1.0 : 0.0;
  }
}

}  // namespace

Index1Iteration::Index1Iteration(MechanicalSystem& system, const SolverOptions& options)
    : system_(system),
      n_(system.coordinateCount()),
      m_(system.constraintCount()),
      projection_(options.projection),
      linearisation_(shapeOf(system)),
      kkt_(linearisation_, options.linearAlgebra),
      metric_(shapeOf(system)),
      metricKkt_(metric_, options.linearAlgebra),
      nominal_(n_),
      rhs_(Vector::Zero(n_ + m_)) {
  for (Vector* x : {&kinematic_, &balance_, &work_, &zero_, &massDiagonal_}) x->setZero(n_);
  for (Vector* x : {&acceleration_, &rate_}) x->setZero(m_);
  for (Index i = 0; i < n_; ++i) nominal_[i] = system.coordinateNominal(i);
}

CorrectorTraits Index1Iteration::traits() const {
  return {.companions = m_,
          .companionsInNewton = false,
          .companionsNoisy = false,
          .newtonTolerance = tightNewton,
          .projectedOutput = projection_ != Projection::none};
}

bool Index1Iteration::refresh(StepPoint& point, VectorIn multipliers) {
  linearise(system_, point, multipliers, linearisation_);
  factoredFor_ = point.cj;
  return refactor();
}

bool Index1Iteration::refactor() {
  const double cj = factoredFor_;
  massDiagonal_ = linearisation_.M.diagonal();
  return kkt_.factorise(linearisation_,
                        IterationWeights{cj * cj, cj, 1.0});  // S = cj² M + cj C + K
}

/// G v' + γ at the iterate; G v' is the difference of two rates G x + ∂g/∂t.
void Index1Iteration::accelerationResidual(const StepPoint& point) {
  const auto q = point.y.head(n_);
  system_.constraintAcceleration(point.t, q, point.y.segment(n_, n_), acceleration_);
  system_.constraintRate(point.t, q, point.derivative.segment(n_, n_), rate_);
  acceleration_ += rate_;
  system_.constraintRate(point.t, q, zero_, rate_);
  acceleration_ -= rate_;
}

/// With r = q' − v and δv = cj δq + r the linearised equations are
///   S δq + Gᵀ δλ = −(M v' − f + Gᵀλ) − (cj M + C) r
///   (cj² G + 2 cj Ġ + G̈) δq = −(G v' + γ) − (cj G + 2 Ġ) r:
/// d²/dt² of G δq. Ġ/cj and G̈/cj² are small for steps that resolve the motion and are left out of
/// the matrix, which so is the KKT matrix of every other formulation.
void Index1Iteration::iterate(StepPoint& point, VectorOut delta) {
  const double cj = point.cj;
  const auto v = point.y.segment(n_, n_);
  kinematic_ = point.derivative.head(n_) - v;
  system_.forceBalance(point.t, point.y.head(n_), v, point.derivative.segment(n_, n_),
                       point.y.tail(m_), balance_);
  work_ = cj * kinematic_;
  rhs_.head(n_) = balance_;
  rhs_.head(n_).noalias() += linearisation_.M * work_;
  rhs_.head(n_).noalias() += linearisation_.C * kinematic_;
  const double ratio = cj / factoredFor_;
  rhs_.head(n_) *= -2.0 / (1.0 + ratio * ratio);  // a factor of another step size
  accelerationResidual(point);
  rhs_.tail(m_) = acceleration_ / (-cj * cj);
  work_ = kinematic_ / cj;
  rhs_.tail(m_).noalias() -= linearisation_.G * work_;
  kkt_.solve(rhs_);
  delta.head(n_) = rhs_.head(n_);
  delta.segment(n_, n_) = cj * rhs_.head(n_) + kinematic_;
  delta.tail(m_) = rhs_.tail(m_);
}

/// (E18): the linearised equations with the rates cj e on the right.
void Index1Iteration::filter(double cj, VectorOut error) {
  kinematic_ = cj * error.head(n_);
  work_ = error.segment(n_, n_) + kinematic_;
  rhs_.tail(m_).noalias() = linearisation_.G * work_;
  rhs_.tail(m_) /= cj;
  work_ *= cj;
  rhs_.head(n_).noalias() = linearisation_.M * work_;
  rhs_.head(n_).noalias() += linearisation_.C * kinematic_;
  kkt_.solve(rhs_);
  error.head(n_) = rhs_.head(n_);
  error.segment(n_, n_) = cj * rhs_.head(n_) - kinematic_;
}

double Index1Iteration::imbalance(double cj, VectorIn inverseWeights) const {
  return imbalanceOf(balance_, cj * massDiagonal_, inverseWeights);
}

/// x on residual(x) = 0 with the factor of the unprojected point: [W Gᵀ; G 0] [δx; ·] = [0; −r].
/// The corrections fall by the factor O(hᵏ) each (Eich, section 4.2); it ends on roundoff.
template <class Residual>
void Index1Iteration::project(VectorOut x, Residual residual) {
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < maxProjections; ++i) {
    residual(rhs_.tail(m_));
    rhs_.tail(m_) = -rhs_.tail(m_);
    metricKkt_.solveConstraints(rhs_);
    const double size =
        (rhs_.head(n_).array().abs() / (x.array().abs() + nominal_.array())).maxCoeff();
    if (!(size < before)) return;
    x += rhs_.head(n_);
    if (size <= roundoff) return;
    before = size;
  }
}

void Index1Iteration::finish(StepPoint& point, VectorOut multipliers) {
  multipliers = point.y.tail(m_);
  if (projection_ == Projection::none || m_ == 0) return;
  system_.massAndGradient(point.t, point.y.head(n_), metric_);
  if (projection_ == Projection::identity) setIdentity(metric_.M);
  if (!metricKkt_.factorise(metric_, IterationWeights{})) return;
  // Gauss-Newton for g = 0; G v + ∂g/∂t = 0 is linear in v, but the factor is that of another q.
  VectorOut q = point.y.head(n_), v = point.y.segment(n_, n_);
  project(q, [&](VectorOut g) { system_.constraint(point.t, q, g); });
  project(v, [&](VectorOut rate) { system_.constraintRate(point.t, q, v, rate); });
}

}  // namespace trammel
