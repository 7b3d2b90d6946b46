#include "solver/kkt_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/known_size.hpp"
#include "solver/pairs.hpp"
#include "solver/wide.hpp"

namespace trammel {

namespace {

constexpr double suspiciousShare = 0.1;  // of the usual measure of rank
// σ² in units of (relative roundoff of g)/tolerance. There the noise in velocities is about a
// thousandth of the tolerance, and a predictor of order 5 makes a tenth of it.
constexpr double closeSquare = 20;
constexpr int closeFactors = 12;  // until the history has forgotten the noise

bool isDiagonal(const SparseMatrix& matrix) {
  if (matrix.nonZeros() != matrix.rows()) return false;
  for (Index j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry)
      if (entry.row() != j) return false;
  return true;
}

/// y += factor A x. For few unknowns, where Eigen's general products take longer to begin than to
/// multiply.
void addProduct(double factor, const SparseMatrix& A, const double* x, double* y) {
  const double* value = A.valuePtr();
  const int *row = A.innerIndexPtr(), *end = A.outerIndexPtr() + 1;
  int entry = 0;
  for (Index j = 0; j < A.outerSize(); ++j) {
    const double share = factor * x[j];
    for (; entry < end[j]; ++entry) y[row[entry]] += share * value[entry];
  }
}

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
      nominal_(n_) {
  for (Vector* x : {&kinematic_, &v_}) x->setZero(n_);
  for (Vector* x : {&step_, &rhs_}) x->setZero(n_ + m_);
  for (Vector* x : {&leftOut_, &sizes_}) x->setZero(m_);
  for (Index i = 0; i < n_; ++i) nominal_[i] = system.coordinateNominal(i);
  massVaries_ = massVaries();
  diagonalMass_ = isDiagonal(linearisation_.M);
  weighsBalance_ = options.mode == Mode::damp;
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
    for (Index i = 0; i < n_; ++i) v_[i] = 0.3 + place + 0.1 * static_cast<double>(i % 7);
    system_.massAndGradient(0, v_, linearisation_);
    values[place] =
        Eigen::Map<const Vector>(linearisation_.M.valuePtr(), linearisation_.M.nonZeros());
  }
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

double KktIteration::iterate(StepPoint& point, const Vector& inverseWeights, Vector& delta) {
  const double squares =
      withFewestKnown(n_, [&](auto n) { return iterateWith(n, point, inverseWeights); });
  if (isNearLossOfRank()) fillCorrection(point.cj, delta);
  first_ = false;
  return squares;
}

template <class Size>
double KktIteration::iterateWith(Size n, StepPoint& point, const Vector& inverseWeights) {
  const auto q = point.y.head(n_);
  const auto v = point.y.segment(n_, n_);

  // (E9a)  [S Gᵀ; G 0] [δq; δλ] = −[M v' − f + Gᵀλ + (cj M + C) r;  g],   r = q' − v + w
  if (!first_ && asksForRates()) system_.stay();
  system_.residual(point.t, q, v, point.derivative.segment(n_, n_), point.y.tail(m_), step_);
  if (weighsBalance_) imbalance_ = imbalanceOf(n, point.cj, inverseWeights.data() + n);
  const double ratio = point.cj / factoredFor_;
  const double share = 2.0 / (1.0 + ratio * ratio);  // of a factor of another step size
  if (first_) {
    addKinematic(n, point, share);
  } else if (share != 1) {
    step_.head(n_) *= share;
  }
  kkt_.solve(step_);

  // (E9b)  v* = v + cj δq + r,   [S Gᵀ; G 0] [δv; ·] = [0; −(G(q + δq) v* + ∂g/∂t)],   w += δv
  moveTo(n, point);
  if (asksForRates()) {
    system_.constraintRate(point.t, q, v, rhs_.tail(m_));
    kkt_.solveConstraints(rhs_);
  } else {
    rhs_.head(n_).setZero();
  }
  return correctVelocities(n, point, inverseWeights);
}

/// r, what it adds to the residual, and the share of that. After the first iteration r is 0 but for
/// roundoff, because v becomes q' + w.
template <class Size>
void KktIteration::addKinematic(Size n, const StepPoint& point, double share) {
  const double *rate = point.derivative.data(), *v = point.y.data() + n;
  const SparseMatrix &M = linearisation_.M, &C = linearisation_.C;
  if (diagonalMass_ && C.nonZeros() == 0) {
    const double* mass = M.valuePtr();
    double *r = kinematic_.data(), *residual = step_.data();
    const double cj = point.cj;
    actOn(
        n, [=]() __attribute__((always_inline)) {
          forQuads(
              n, [&]<class Some>(Index i) __attribute__((always_inline)) {
                const Some some = at<Some>(rate + i) - at<Some>(v + i);
                at<Some>(r + i) = some;
                at<Some>(residual + i) =
                    share * (at<Some>(residual + i) + cj * at<Some>(mass + i) * some);
              });
        });
    return;
  }
  kinematic_ = point.derivative.head(n_) - point.y.segment(n_, n_);
  addProduct(1, C, kinematic_.data(), step_.data());
  addProduct(point.cj, M, kinematic_.data(), step_.data());
  step_.head(n_) *= share;
}

/// q + δq, v* and λ + δλ with −(δq, δλ) in step_; at first v + r is q'. Of large systems the memory
/// takes longer than the arithmetic, so one pass does what it can.
template <class Size>
void KktIteration::moveTo(Size n, StepPoint& point) {
  const double* dq = step_.data();
  const double* rate = point.derivative.data();
  double *q = point.y.data(), *v = q + n;
  const double cj = point.cj;
  const double* from = first_ ? rate : v;
  double* lambda = v + n;
  const Index m = m_;
  actOn(
      n, [=]() __attribute__((always_inline)) {
        forQuads(
            n, [&]<class Some>(Index i) __attribute__((always_inline)) {
              const Some moved = at<Some>(dq + i);
              at<Some>(q + i) -= moved;
              at<Some>(v + i) = at<Some>(from + i) - cj * moved;
            });
        forQuads(
            m, [&]<class Some>(Index i) __attribute__((always_inline)) {
              at<Some>(lambda + i) -= at<Some>(dq + n + i);
            });
      });
}

/// v* + δv, and v' by the whole correction, with −δv in rhs_.
template <class Size>
double KktIteration::correctVelocities(Size n, StepPoint& point, const Vector& inverseWeights) {
  const double *dq = step_.data(), *dv = rhs_.data();
  const double *ofQ = inverseWeights.data(), *ofV = ofQ + n;
  const double* r = first_ ? kinematic_.data() : nullptr;
  double *v = point.y.data() + n, *rate = point.derivative.data() + n;
  const double cj = point.cj;
  double squares = 0;
  actOn(
      n, [ =, &squares ]() __attribute__((always_inline)) {
        QuadSum inQ, inV;
        const auto correct = [&]<class Some>(Index i, const Some& kinematic)
            __attribute__((always_inline)) {
          const Some whole = (kinematic - cj * at<Some>(dq + i)) - at<Some>(dv + i);
          at<Some>(v + i) -= at<Some>(dv + i);
          at<Some>(rate + i) += cj * whole;
          const Some inPosition = at<Some>(dq + i) * at<Some>(ofQ + i);
          const Some inVelocity = whole * at<Some>(ofV + i);
          inQ.add(inPosition * inPosition);
          inV.add(inVelocity * inVelocity);
        };
        if (r) {
          forQuads(
              n, [&]<class Some>(Index i)
                     __attribute__((always_inline)) { correct(i, at<Some>(r + i)); });
        } else {
          forQuads(
              n, [&]<class Some>(Index i) __attribute__((always_inline)) { correct(i, Some{}); });
        }
        squares = inQ.total() + inV.total();
      });
  return squares;
}

void KktIteration::fillCorrection(double cj, Vector& delta) const {
  delta.head(n_) = -step_.head(n_);
  delta.segment(n_, n_) = -cj * step_.head(n_) - rhs_.head(n_);
  if (first_) delta.segment(n_, n_) += kinematic_;
  delta.tail(m_) = -step_.tail(m_);
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
void KktIteration::filter(double cj, VectorOut error, bool velocities) {
  const SparseMatrix &M = linearisation_.M, &C = linearisation_.C;
  double *ofQ = error.data(), *ofV = ofQ + n_, *r = kinematic_.data(), *v = v_.data();
  double* const x = rhs_.data();
  forPairs(n_, [&]<class Some>(Index i) {
    const Some rate = cj * load<Some>(ofQ + i);
    store<Some>(rate, r + i);
    store<Some>(cj * (load<Some>(ofV + i) + rate), v + i);
  });
  if (diagonalMass_ && C.nonZeros() == 0) {
    const double* mass = M.valuePtr();
    forPairs(n_, [&]<class Some>(Index i) {
      store<Some>(load<Some>(mass + i) * load<Some>(v + i), x + i);
    });
    rhs_.tail(m_).setZero();
  } else {
    rhs_.setZero();
    addProduct(1, M, v, x);
    addProduct(1, C, r, x);
  }
  kkt_.solve(rhs_);
  forPairs(n_, [&]<class Some>(Index i) { store<Some>(load<Some>(x + i), ofQ + i); });
  if (!velocities) return;
  forPairs(n_, [&]<class Some>(Index i) {
    const Some rate = cj * load<Some>(x + i) - load<Some>(r + i);
    store<Some>(rate, v + i);
    store<Some>(rate, ofV + i);
  });
  if (velocity_ == VelocityConstraint::left || m_ == 0) return;
  rhs_.tail(m_).setZero();
  addProduct(-1, linearisation_.G, v, rhs_.data() + n_);
  kkt_.solveConstraints(rhs_);
  error.segment(n_, n_) += rhs_.head(n_);
}

/// (E19) of the force balance in step_.
template <class Size>
double KktIteration::imbalanceOf(Size n, double cj, const double* inverseWeights) const {
  const SparseMatrix& M = linearisation_.M;
  if (!diagonalMass_) {
    const VectorIn balance = step_.head(n_);
    return trammel::imbalanceOf(balance, cj * M.diagonal(),
                                Eigen::Map<const Vector>(inverseWeights, n_));
  }
  const double *force = step_.data(), *mass = M.valuePtr();
  double squares = 0;
  actOn(
      n, [ =, &squares ]() __attribute__((always_inline)) {
        QuadSum sum;
        forQuads(
            n, [&]<class Some>(Index i) __attribute__((always_inline)) {
              const Some scaled =
                  at<Some>(force + i) * at<Some>(inverseWeights + i) / (cj * at<Some>(mass + i));
              sum.add(scaled * scaled);
            });
        squares = sum.total();
      });
  return std::sqrt(squares / static_cast<double>(n));
}

}  // namespace trammel
