#include "solver/index3_iteration.hpp"

#include <cmath>
#include <string>

#include "solver/error.hpp"

namespace trammel {

namespace {

void refuseLarge(Index rows, LinearAlgebra choice) {
  const bool fits = choice == LinearAlgebra::dense ||
                    (choice == LinearAlgebra::automatic && rows <= Index3Iteration::largest);
  if (fits) return;
  throw Error(
      "solver method \"index3\" with three fields, or with a scaling other than left and "
      "right, is dense: it takes up to " +
      std::to_string(Index3Iteration::largest) +
      " unknowns, or more where dense linear "
      "algebra is asked for; got " +
      std::to_string(rows) + (choice == LinearAlgebra::sparse ? " and sparse linear algebra" : ""));
}

}  // namespace

Index3Iteration::Index3Iteration(MechanicalSystem& system, const SolverOptions& options)
    : system_(system),
      n_(system.coordinateCount()),
      m_(system.constraintCount()),
      fields_(options.index3Fields),
      scaling_(options.index3Scaling),
      linearisation_(shapeOf(system)) {
  const Index rows = index3Rows(linearisation_, fields_);
  refuseLarge(rows, options.linearAlgebra);
  for (Vector* x : {&kinematic_, &balance_, &work_, &scaled_, &massDiagonal_}) x->setZero(n_);
  for (Vector* x : {&rhs_, &permuted_}) x->setZero(rows);
  constraint_.setZero(m_);
  matrix_.setZero(rows, rows);
  lu_ = Eigen::PartialPivLU<Matrix>(rows);
}

bool Index3Iteration::refresh(StepPoint& point, VectorIn multipliers) {
  linearise(system_, point, multipliers, linearisation_);
  factoredFor_ = point.cj;
  return refactor();
}

/// The step size of the scalings is 1/cj, which is h up to the constant of the order.
bool Index3Iteration::refactor() {
  const double cj = factoredFor_;
  massDiagonal_ = linearisation_.M.diagonal();
  scales_ = index3Scales(scaling_, 1 / cj, averageStiffness(linearisation_, cj));
  assembleIndex3(linearisation_, cj, fields_, scales_, matrix_);
  if (!matrix_.allFinite()) return false;
  lu_.compute(matrix_);
  const auto pivots = lu_.matrixLU().diagonal();
  return pivots.allFinite() && pivots.cwiseAbs().minCoeff() > 0;
}

/// rhs_ ← J⁻¹ rhs_ of the residuals kinematic_, work_ (balance) and constraint_ as (q, v, λ) or
/// (q, λ): D_L J D_R (D_R⁻¹ z) = D_L r.
void Index3Iteration::solve() {
  const bool three = fields_ == Index3Fields::three;
  if (three) rhs_.head(n_) = scales_.kinematic * kinematic_;
  rhs_.segment(three ? n_ : 0, n_) = scales_.balance * work_;
  rhs_.tail(m_) = scales_.constraint * constraint_;
  permuted_.noalias() = lu_.permutationP() * rhs_;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(permuted_);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(permuted_);
  rhs_.swap(permuted_);
  if (three) rhs_.segment(n_, n_) *= scales_.velocity;
  rhs_.tail(m_) *= scales_.multiplier;
}

/// Three fields: J (δq, δv, δλ) = −(q' − v, M v' − f + Gᵀλ, g). Two: δv = cj δq + (q' − v).
void Index3Iteration::iterate(StepPoint& point, VectorOut delta) {
  const double cj = point.cj;
  const auto q = point.y.head(n_);
  const auto v = point.y.segment(n_, n_);
  kinematic_ = point.derivative.head(n_) - v;
  system_.forceBalance(point.t, q, v, point.derivative.segment(n_, n_), point.y.tail(m_), balance_);
  system_.constraint(point.t, q, constraint_);
  constraint_ = -constraint_;
  const double ratio = cj / factoredFor_;  // a factor of another step size
  if (fields_ == Index3Fields::three) {
    kinematic_ *= -2.0 / (1.0 + ratio);
    work_ = -2.0 / (1.0 + ratio * ratio) * balance_;
    solve();
    delta.head(n_) = rhs_.head(n_);
    delta.segment(n_, n_) = rhs_.segment(n_, n_);
    delta.tail(m_) = rhs_.tail(m_);
    return;
  }
  work_ = balance_;
  work_.noalias() += linearisation_.C * kinematic_;
  scaled_ = cj * kinematic_;
  work_.noalias() += linearisation_.M * scaled_;
  work_ *= -2.0 / (1.0 + ratio * ratio);
  solve();
  delta.head(n_) = rhs_.head(n_);
  delta.segment(n_, n_) = cj * rhs_.head(n_) + kinematic_;
  delta.tail(m_) = rhs_.tail(m_);
}

/// (E18): J δ = (cj e_q, M cj e_v, 0).
void Index3Iteration::filter(double cj, VectorOut error) {
  kinematic_ = cj * error.head(n_);
  constraint_.setZero();
  work_.noalias() = linearisation_.M * error.segment(n_, n_);
  work_ *= cj;
  if (fields_ == Index3Fields::three) {
    solve();
    error.head(2 * n_) = rhs_.head(2 * n_);
    return;
  }
  work_.noalias() += linearisation_.C * kinematic_;
  scaled_ = cj * kinematic_;
  work_.noalias() += linearisation_.M * scaled_;
  solve();
  error.head(n_) = rhs_.head(n_);
  error.segment(n_, n_) = cj * rhs_.head(n_) - kinematic_;
}

double Index3Iteration::imbalance(double cj, VectorIn inverseWeights) const {
  return imbalanceOf(balance_, cj * massDiagonal_, inverseWeights);
}

}  // namespace trammel
