#include "solver/kkt_solver.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

constexpr double denseRegularisation = 1e-12;  // δ behind a pivoting LU
// δ of the sparse factor, which does not pivot. Small in Newton, whose residuals are exact and
// whose contraction near singular positions is δ/(δ + σ²); larger where a solve is not repeated
// often.
constexpr double sparseRegularisation = 1e-11;
constexpr double projectionRegularisation = 1e-9;
constexpr double acceptedResidual = 1e-6;   // of a probe solve with a wrong inertia
constexpr double acceptedAsymmetry = 1e-4;  // of S, equilibrated, that Newton may neglect

int slotOf(const SparseMatrix& matrix, Index row, Index column) {
  const int* begin = matrix.innerIndexPtr() + matrix.outerIndexPtr()[column];
  const int* end = matrix.innerIndexPtr() + matrix.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, static_cast<int>(row)) -
                          matrix.innerIndexPtr());
}

template <class Visit>
void forEachEntry(const SparseMatrix& matrix, Visit visit) {
  for (Index column = 0; column < matrix.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
      visit(entry.row(), entry.col());
    }
  }
}

void addScaled(const SparseMatrix& from, double weight, const std::vector<int>& slots,
               double* values) {
  if (weight == 0.0) return;
  const double* source = from.valuePtr();
  for (std::size_t i = 0; i < slots.size(); ++i) values[slots[i]] += weight * source[i];
}

/// Signs that do not cancel by accident.
double signWithoutMeaning(Index i) { return i * 5 % 7 % 2 == 0 ? 1 : -1; }

}  // namespace

KktSolver::KktSolver(const Linearisation& shape, LinearAlgebra choice)
    : n_(shape.M.rows()), m_(shape.G.rows()) {
  sparse_ = choice == LinearAlgebra::sparse ||
            (choice == LinearAlgebra::automatic && n_ + m_ > denseLimit);
  scale_.setOnes(n_ + m_);
  for (Vector* x : {&work_, &probe_, &target_, &sum_}) x->setZero(n_ + m_);
  leftOut_.setZero(m_);
  shapeSparse(shape);
  if (sparse_) {
    analyse(shape);
  } else {
    dense_.setZero(n_ + m_, n_ + m_);
    denseLu_ = Eigen::PartialPivLU<Matrix>(n_ + m_);
    inversePivots_.setOnes(n_ + m_);
  }
}

void KktSolver::shapeSparse(const Linearisation& shape) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto addSymmetric = [&](Index row, Index column) {
    entries.emplace_back(static_cast<int>(row), static_cast<int>(column), 0.0);
    entries.emplace_back(static_cast<int>(column), static_cast<int>(row), 0.0);
  };
  for (const SparseMatrix* part : {&shape.M, &shape.C, &shape.K}) forEachEntry(*part, addSymmetric);
  forEachEntry(shape.G, [&](Index row, Index column) { addSymmetric(n_ + row, column); });
  for (Index i = 0; i < n_ + m_; ++i) addSymmetric(i, i);
  full_.resize(n_ + m_, n_ + m_);
  full_.setFromTriplets(entries.begin(), entries.end());
  full_.makeCompressed();

  const auto slots = [&](const SparseMatrix& part, Index rowOffset, bool transposed,
                         std::vector<int>& out) {
    forEachEntry(part, [&](Index row, Index column) {
      out.push_back(transposed ? slotOf(full_, column, rowOffset + row)
                               : slotOf(full_, rowOffset + row, column));
    });
  };
  slots(shape.M, 0, false, massSlot_);
  slots(shape.C, 0, false, dampingSlot_);
  slots(shape.K, 0, false, stiffnessSlot_);
  slots(shape.G, n_, false, gradientSlot_);
  slots(shape.G, n_, true, gradientTransposedSlot_);
  for (Index i = 0; i < n_ + m_; ++i) diagonalSlot_.push_back(slotOf(full_, i, i));

  lower_ = full_.triangularView<Eigen::Lower>();
  lower_.makeCompressed();
  forEachEntry(lower_, [&](Index row, Index column) {
    lowerFrom_.push_back(slotOf(full_, row, column));
    lowerFromTransposed_.push_back(slotOf(full_, column, row));
  });
}

void KktSolver::leaveOut(VectorIn flags) {
  leftOut_ = flags;
  anyLeftOut_ = m_ > 0 && leftOut_.maxCoeff() > 0;
}

void KktSolver::removeLeftOut(const SparseMatrix& G) {
  double* values = full_.valuePtr();
  std::size_t i = 0;
  forEachEntry(G, [&](Index row, Index) {
    if (leftOut_[row] != 0) values[gradientSlot_[i]] = values[gradientTransposedSlot_[i]] = 0;
    ++i;
  });
}

/// S without entries beside the diagonal is symmetric whatever their values: then half the storage
/// does.
void KktSolver::analyse(const Linearisation& shape) {
  bool diagonal = true;
  for (const SparseMatrix* part : {&shape.C, &shape.K})
    forEachEntry(*part, [&](Index row, Index column) { diagonal = diagonal && row == column; });
  ldlt_.analyse(lower_, diagonal ? FrontalLdlt::Values::symmetric : FrontalLdlt::Values::any, n_);
  if (!diagonal) upper_.assign(lowerFrom_.size(), 0.0);
}

void KktSolver::assemble(const Linearisation& linearisation, const IterationWeights& weights) {
  double* values = full_.valuePtr();
  std::fill(values, values + full_.nonZeros(), 0.0);
  addScaled(linearisation.M, weights.mass, massSlot_, values);
  addScaled(linearisation.C, weights.damping, dampingSlot_, values);
  addScaled(linearisation.K, weights.stiffness, stiffnessSlot_, values);
  addScaled(linearisation.G, 1.0, gradientSlot_, values);
  addScaled(linearisation.G, 1.0, gradientTransposedSlot_, values);
  if (anyLeftOut_) removeLeftOut(linearisation.G);
}

/// D_K = 1/√|S_ii|, D_G = 1/‖row of G D_K‖; then D A D.
void KktSolver::equilibrate() {
  double* values = full_.valuePtr();
  const int* outer = full_.outerIndexPtr();
  const int* inner = full_.innerIndexPtr();
  for (Index i = 0; i < n_; ++i) {
    const double diagonal = std::abs(values[diagonalSlot_[static_cast<std::size_t>(i)]]);
    scale_[i] = diagonal > 0 ? 1.0 / std::sqrt(diagonal) : 1.0;
  }
  for (Index j = n_; j < n_ + m_; ++j) {  // column j of the upper triangle holds row j − n of G
    double square = 0;
    for (int p = outer[j]; p < outer[j + 1]; ++p) {
      const double entry = values[p] * scale_[inner[p]];
      if (inner[p] < n_) square += entry * entry;
    }
    scale_[j] = square > 0 ? 1.0 / std::sqrt(square) : 1.0;
  }
  for (Index j = 0; j < n_ + m_; ++j) {
    for (int p = outer[j]; p < outer[j + 1]; ++p) values[p] *= scale_[inner[p]] * scale_[j];
  }
}

bool KktSolver::factorise(const Linearisation& linearisation, const IterationWeights& weights) {
  assemble(linearisation, weights);
  equilibrate();
  const bool projection = weights.damping == 0 && weights.stiffness == 0;
  regularisation_ = !sparse_     ? denseRegularisation
                    : projection ? projectionRegularisation
                                 : sparseRegularisation;
  for (Index j = n_; j < n_ + m_; ++j)
    full_.valuePtr()[diagonalSlot_[static_cast<std::size_t>(j)]] =
        leftOut_[j - n_] != 0 ? -1 : -regularisation_;
  const Eigen::Map<const Vector> values(full_.valuePtr(), full_.nonZeros());
  if (!values.allFinite()) return false;
  if (!sparse_) return factoriseDense();
  if (factoriseSparse()) {
    useLu_ = false;
    return true;
  }
  useLu_ = true;
  return factoriseFallback();
}

bool KktSolver::factoriseDense() {
  dense_.setZero();
  for (Index j = 0; j < full_.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(full_, j); entry; ++entry)
      dense_(entry.row(), entry.col()) = entry.value();
  }
  denseLu_.compute(dense_);
  const auto pivots = denseLu_.matrixLU().diagonal();
  inversePivots_ = pivots.cwiseInverse();
  return pivots.allFinite() && pivots.cwiseAbs().minCoeff() > 0;
}

/// work_ ← (LU)⁻¹ P work_, column by column. Written out because for a few unknowns most of the
/// time of a general solve is spent in finding out what to do.
void KktSolver::solveDense() {
  probe_.noalias() = denseLu_.permutationP() * work_;
  const Index size = n_ + m_;
  const double* const lu = denseLu_.matrixLU().data();
  double* const x = probe_.data();
  for (Index j = 0; j < size; ++j) {
    const double* const column = lu + j * size;
    const double value = x[j];
    for (Index i = j + 1; i < size; ++i) x[i] -= column[i] * value;
  }
  for (Index j = size - 1; j >= 0; --j) {
    const double* const column = lu + j * size;
    const double value = x[j] *= inversePivots_[j];
    for (Index i = 0; i < j; ++i) x[i] -= column[i] * value;
  }
  work_.swap(probe_);
}

/// The factor of a matrix with a quasi-definite symmetric part exists in every order and has
/// exactly m negative pivots. Another count says that S is not positive on the null space of G; the
/// factor may still be good, which a probe solve decides.
bool KktSolver::factoriseSparse() {
  const double* values = full_.valuePtr();
  double* lower = lower_.valuePtr();
  double asymmetry = 0;
  for (std::size_t i = 0; i < lowerFrom_.size(); ++i) {
    const double a = values[lowerFrom_[i]];
    const double b = values[lowerFromTransposed_[i]];
    lower[i] = 0.5 * (a + b);
    asymmetry = std::max(asymmetry, std::abs(a - b));
  }
  if (asymmetry > acceptedAsymmetry) {
    for (std::size_t i = 0; i < lowerFrom_.size(); ++i) {
      lower[i] = values[lowerFrom_[i]];
      upper_[i] = values[lowerFromTransposed_[i]];
    }
    if (!ldlt_.factorise(lower_, upper_)) return false;
  } else if (!ldlt_.factorise(lower_)) {
    return false;
  }
  const Index negative = (ldlt_.pivots().array() < 0).count();
  return negative == m_ ? true : solvesAccurately();
}

bool KktSolver::solvesAccurately() {
  work_.setOnes();
  ldlt_.solve(work_);
  probe_.setOnes();
  probe_.noalias() -= full_ * work_;
  return probe_.allFinite() && probe_.lpNorm<Eigen::Infinity>() <=
                                   acceptedResidual * (1 + work_.lpNorm<Eigen::Infinity>());
}

bool KktSolver::factoriseFallback() {
  if (!luAnalysed_) {
    sparseLu_.analyzePattern(full_);
    luAnalysed_ = true;
  }
  sparseLu_.factorize(full_);
  return sparseLu_.info() == Eigen::Success;
}

double KktSolver::smallestPivot() const {
  if (useLu_) return 0;
  return sparse_ ? ldlt_.pivots().cwiseAbs().minCoeff()
                 : denseLu_.matrixLU().diagonal().cwiseAbs().minCoeff();
}

/// A pivot that is δ alone is left by a row of G that is eliminated before its coordinates; then
/// pivots say nothing.
double KktSolver::rankMeasure() {
  const double pivot = smallestPivot();
  if (!sparse_) return pivot * pivot;  // with rows exchanged, two of them share σ²
  return pivot > 2 * regularisation_ ? pivot : smallestSingularValueSquared();
}

/// (G S⁻¹Gᵀ + δI) μ = −c for some c makes μ point where σ is smallest; −μᵀc/μᵀμ is its Rayleigh
/// quotient.
double KktSolver::smallestSingularValueSquared() {
  work_.setZero();
  for (Index i = 0; i < m_; ++i)
    if (leftOut_[i] == 0) work_[n_ + i] = signWithoutMeaning(i);
  target_ = work_;
  solveEquilibrated();
  const auto mu = work_.tail(m_);
  return std::abs(mu.dot(target_.tail(m_))) / mu.squaredNorm();
}

/// Rows d of G are Σ_i μ_i (row i), so [S Gᵀ; G 0] [0; μ] = [row d; 0]. All at once, with signs
/// that do not cancel by accident.
double KktSolver::largestCoefficient(const SparseMatrix& G) {
  probe_.setZero();
  for (Index j = 0; j < G.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(G, j); entry; ++entry)
      probe_[n_ + entry.row()] += std::pow(entry.value() * scale_[j], 2);
  }
  work_.setZero();
  for (Index j = 0; j < G.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(G, j); entry; ++entry) {
      const double square = probe_[n_ + entry.row()];
      if (leftOut_[entry.row()] == 0 || square == 0) continue;
      work_[j] += signWithoutMeaning(entry.row()) * entry.value() * scale_[j] / std::sqrt(square);
    }
  }
  solveEquilibrated();
  return work_.tail(m_).lpNorm<Eigen::Infinity>();
}

void KktSolver::solve(VectorOut rhs) {
  if (sparse_ && !useLu_) {
    if (anyLeftOut_) rhs.tail(m_) = (leftOut_.array() != 0).select(0.0, rhs.tail(m_));
    ldlt_.solve(rhs, scale_);
    return;
  }
  work_.array() = rhs.array() * scale_.array();
  if (anyLeftOut_) work_.tail(m_) = (leftOut_.array() != 0).select(0.0, work_.tail(m_));
  solveEquilibrated();
  rhs.array() = work_.array() * scale_.array();
}

/// full_ has −δ on the diagonal of the rows of G.
void KktSolver::solveRefined(VectorOut rhs, int sweeps) {
  target_.array() = rhs.array() * scale_.array();
  if (anyLeftOut_) target_.tail(m_) = (leftOut_.array() != 0).select(0.0, target_.tail(m_));
  work_ = target_;
  solveEquilibrated();
  sum_ = work_;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    work_ = target_;
    work_.noalias() -= full_ * sum_;
    work_.tail(m_) -= regularisation_ * sum_.tail(m_);
    solveEquilibrated();
    sum_ += work_;
  }
  rhs.array() = sum_.array() * scale_.array();
}

void KktSolver::solveEquilibrated() {
  if (!sparse_) {
    solveDense();
  } else if (useLu_) {
    probe_ = sparseLu_.solve(work_);
    work_.swap(probe_);
  } else {
    ldlt_.solve(work_);
  }
}

}  // namespace trammel
