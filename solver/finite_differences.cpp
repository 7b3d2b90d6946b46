#include "solver/finite_differences.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/error.hpp"

namespace trammel {

namespace {

// Relative moves at which the error h⁴ (or h²·h² for second differences) meets the roundoff.
constexpr double firstMove = 1e-3;
constexpr double secondMove = 5e-3;
constexpr double alongMotion = 1e-3;  // [s] at unit speed
constexpr double twiceAlongMotion = 2e-3;

constexpr double firstWeights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
constexpr double places[4] = {-2, -1, 1, 2};

void requireShape(const char* what, const SparseMatrix& matrix, Index rows, Index columns) {
  if (matrix.rows() == rows && matrix.cols() == columns) return;
  throw Error("finite differences: " + std::string(what) + " is " + std::to_string(matrix.rows()) +
              " x " + std::to_string(matrix.cols()) + ", expected " + std::to_string(rows) + " x " +
              std::to_string(columns));
}

SparseMatrix ones(const SparseMatrix& pattern) {
  SparseMatrix out = pattern;
  out.makeCompressed();
  std::fill(out.valuePtr(), out.valuePtr() + out.nonZeros(), 1.0);
  return out;
}

double size(VectorIn x) { return x.size() == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>(); }

}  // namespace

FiniteDifferenceSystem::FiniteDifferenceSystem(PlainEquations equations)
    : equations_(std::move(equations)),
      n_(static_cast<Index>(equations_.coordinateNames.size())),
      m_(static_cast<Index>(equations_.constraintNames.size())) {
  requireShape("mass pattern", equations_.massPattern, n_, n_);
  requireShape("pattern of mass by position", equations_.massByPosition, n_, n_);
  requireShape("pattern of force by position", equations_.forceByPosition, n_, n_);
  requireShape("pattern of force by velocity", equations_.forceByVelocity, n_, n_);
  requireShape("gradient pattern", equations_.gradientPattern, m_, n_);
  if (equations_.nominal.size() != n_)
    throw Error("finite differences: nominal has " + std::to_string(equations_.nominal.size()) +
                " entries, expected " + std::to_string(n_));
  const SparseMatrix G = ones(equations_.gradientPattern);
  const SparseMatrix curvature = G.transpose() * G;  // pattern of ∂(Gᵀλ)/∂q
  shape_.M = ones(equations_.massPattern);
  shape_.C = ones(equations_.forceByVelocity);
  shape_.G = G;
  shape_.K = ones(equations_.massByPosition) + ones(equations_.forceByPosition);
  shape_.K = ones(SparseMatrix(shape_.K + curvature));
  gradientColours_ = Colouring(shape_.G);
  stiffnessColours_ = Colouring(shape_.K);
  dampingColours_ = Colouring(shape_.C);
  M_ = shape_.M;
  G_ = shape_.G;
  for (Vector* x : {&q_, &v_, &move_, &column_, &sum_, &force_}) x->setZero(n_);
  for (Vector* x : {&constraint_, &rows_}) x->setZero(m_);
}

std::string FiniteDifferenceSystem::coordinateName(Index i) const {
  return equations_.coordinateNames[static_cast<std::size_t>(i)];
}
std::string FiniteDifferenceSystem::constraintName(Index i) const {
  return equations_.constraintNames[static_cast<std::size_t>(i)];
}

/// G column group by column group: (g₋₂ − 8 g₋₁ + 8 g₁ − g₂) / 12h.
void FiniteDifferenceSystem::gradient(double t, VectorIn q, SparseMatrix& G) {
  for (Index group = 0; group < gradientColours_.count(); ++group) {
    move_.setZero();
    for (const Index j : gradientColours_.columns(group))
      move_[j] = firstMove * (equations_.nominal[j] + std::abs(q[j]));
    rows_.setZero();
    for (int k = 0; k < 4; ++k) {
      q_ = q + places[k] * move_;
      equations_.constraint(t, q_, constraint_);
      rows_ += firstWeights[k] * constraint_;
    }
    gradientColours_.scatter(group, rows_, move_, G);
  }
}

void FiniteDifferenceSystem::massAndGradient(double t, VectorIn q, Linearisation& out) {
  equations_.mass(q, out.M);
  gradient(t, q, out.G);
}

void FiniteDifferenceSystem::balance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                                     VectorOut r) {
  equations_.mass(q, M_);
  gradient(t, q, G_);
  equations_.force(t, q, v, force_);
  r = -force_;
  r.noalias() += M_ * a;
  r.noalias() += G_.transpose() * lambda;
}

void FiniteDifferenceSystem::forceBalance(double t, VectorIn q, VectorIn v, VectorIn a,
                                          VectorIn lambda, VectorOut r) {
  balance(t, q, v, a, lambda, r);
}

/// G v + ∂g/∂t = d/ds g(q + s v, t + s).
void FiniteDifferenceSystem::constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) {
  const double s = alongMotion / std::max(1.0, size(v));
  rate.setZero();
  for (int k = 0; k < 4; ++k) {
    q_ = q + places[k] * s * v;
    equations_.constraint(t + places[k] * s, q_, constraint_);
    rate += firstWeights[k] / s * constraint_;
  }
}

/// γ = d²/ds² g(q + s v, t + s) = (−g₂ + 16 g₁ − 30 g₀ + 16 g₋₁ − g₋₂) / 12s².
void FiniteDifferenceSystem::constraintAcceleration(double t, VectorIn q, VectorIn v,
                                                    VectorOut gamma) {
  const double s = twiceAlongMotion / std::max(1.0, size(v));
  equations_.constraint(t, q, gamma);
  gamma *= -30;
  for (int k = 0; k < 4; ++k) {
    q_ = q + places[k] * s * v;
    equations_.constraint(t + places[k] * s, q_, constraint_);
    gamma += (std::abs(places[k]) == 1 ? 16.0 : -1.0) * constraint_;
  }
  gamma /= 12 * s * s;
}

/// K = ∂r/∂q and C = −∂f/∂v of r = M a − f + Gᵀλ.
void FiniteDifferenceSystem::linearise(double t, VectorIn q, VectorIn v, VectorIn a,
                                       VectorIn lambda, Linearisation& out) {
  massAndGradient(t, q, out);
  Vector& r = column_;
  Vector& moved = v_;
  for (Index group = 0; group < stiffnessColours_.count(); ++group) {
    sum_.setZero();
    for (int k = 0; k < 4; ++k) {
      moved = q;
      for (const Index j : stiffnessColours_.columns(group))
        moved[j] += places[k] * secondMove * (equations_.nominal[j] + std::abs(q[j]));
      balance(t, moved, v, a, lambda, r);
      sum_ += firstWeights[k] * r;
    }
    move_ = secondMove * (equations_.nominal + q.cwiseAbs());
    stiffnessColours_.scatter(group, sum_, move_, out.K);
  }
  for (Index group = 0; group < dampingColours_.count(); ++group) {
    sum_.setZero();
    for (int k = 0; k < 4; ++k) {
      moved = v;
      for (const Index j : dampingColours_.columns(group))
        moved[j] += places[k] * firstMove * (equations_.nominal[j] + std::abs(v[j]));
      equations_.force(t, q, moved, force_);
      sum_ -= firstWeights[k] * force_;
    }
    move_ = firstMove * (equations_.nominal + v.cwiseAbs());
    dampingColours_.scatter(group, sum_, move_, out.C);
  }
}

}  // namespace trammel
