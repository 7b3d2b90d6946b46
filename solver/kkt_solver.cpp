#include "solver/kkt_solver.hpp"

#include <algorithm>
#include <cmath>

#include "solver/known_size.hpp"
#include "solver/pairs.hpp"
#include "solver/wide.hpp"

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

/// to = from scale.
void scaleBy(const Vector& scale, const double* from, double* to) {
  forPairs(scale.size(), [&]<class Some>(Index i) {
    store<Some>(load<Some>(from + i) * load<Some>(scale.data() + i), to + i);
  });
}

/// In sums: zero times a number that is not finite is not a number.
bool areFinite(const double* x, Index count) {
  if (count < fewestWide) {  // that were written one by one
    double sum = 0;
    for (Index i = 0; i < count; ++i) sum += 0.0 * x[i];
    return sum == 0;
  }
  bool finite = true;
  act([ =, &finite ]() __attribute__((always_inline)) {
    QuadSum even, odd;  // one need not wait for the other
    const Index whole = count / 8 * 8;
    for (Index i = 0; i < whole; i += 8) {
      even.add(0.0 * quadAt(x + i));
      odd.add(0.0 * quadAt(x + i + 4));
    }
    forQuads(
        count - whole, [&]<class Some>(Index i) __attribute__((always_inline)) {
          odd.add(0.0 * at<Some>(x + whole + i));
        });
    finite = even.total() + odd.total() == 0;
  });
  return finite;
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
  if (sparse_) {
    shapeSparse(shape);
    ldlt_.analyse(lower_, symmetric_ ? FrontalLdlt::Values::symmetric : FrontalLdlt::Values::any,
                  n_);
  } else {
    shapeDense(shape);
    denseLu_ = DenseLu(n_ + m_);
    inverse_ = DenseInverse(n_ + m_);
  }
}

/// Slots are places in dense_; `upper` has those of the transpose of G.
void KktSolver::shapeDense(const Linearisation& shape) {
  const Index size = n_ + m_, stride = strideOf(size);
  dense_.setZero(stride, size);
  const auto place = [&](const SparseMatrix& part, Index rowOffset, Slots& slots) {
    int source = 0;
    forEachEntry(part, [&](Index row, Index column) {
      row += rowOffset;
      slots.lower.push_back({source, static_cast<int>(row + column * stride)});
      slots.upper.push_back({source, static_cast<int>(column + row * stride)});
      ++source;
    });
  };
  place(shape.M, 0, mass_);
  place(shape.C, 0, damping_);
  place(shape.K, 0, stiffness_);
  place(shape.G, n_, gradient_);
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
  lower_ = full_.triangularView<Eigen::Lower>();
  lower_.makeCompressed();
  forEachEntry(lower_, [&](Index row, Index column) {
    lowerFrom_.push_back(slotOf(full_, row, column));
    lowerFromTransposed_.push_back(slotOf(full_, column, row));
  });

  const auto place = [&](const SparseMatrix& part, Index rowOffset, Slots& slots) {
    int source = 0;
    forEachEntry(part, [&](Index row, Index column) {
      row += rowOffset;
      if (row >= column) slots.lower.push_back({source, slotOf(lower_, row, column)});
      if (row <= column) slots.upper.push_back({source, slotOf(lower_, column, row)});
      ++source;
    });
  };
  place(shape.M, 0, mass_);
  place(shape.C, 0, damping_);
  place(shape.K, 0, stiffness_);
  place(shape.G, n_, gradient_);
  gradient_.upper = gradient_.lower;
  for (Index i = 0; i < n_ + m_; ++i) diagonalSlot_.push_back(slotOf(lower_, i, i));
  for (const SparseMatrix* part : {&shape.C, &shape.K})
    forEachEntry(*part, [&](Index row, Index column) { symmetric_ = symmetric_ && row == column; });
  if (!symmetric_) upper_.assign(lowerFrom_.size(), 0.0);
}

void KktSolver::leaveOut(VectorIn flags) {
  leftOut_ = flags;
  anyLeftOut_ = m_ > 0 && leftOut_.maxCoeff() > 0;
}

void KktSolver::removeLeftOut(const SparseMatrix& G) {
  std::size_t i = 0;
  forEachEntry(G, [&](Index row, Index) {
    const int slot = gradient_.lower[i++].slot;
    if (leftOut_[row] == 0) return;
    lower_.valuePtr()[slot] = 0;
    if (!symmetric_) upper_[static_cast<std::size_t>(slot)] = 0;
  });
}

void KktSolver::add(const SparseMatrix& from, double weight, const Additions& to, double* values) {
  if (weight == 0.0) return;
  const double* source = from.valuePtr();
  for (const Addition& entry : to) values[entry.slot] += weight * source[entry.source];
}

void KktSolver::assemble(const Linearisation& linearisation, const IterationWeights& weights) {
  const auto assembleTriangle = [&](Additions Slots::*triangle, double* values) {
    std::fill_n(values, lower_.nonZeros(), 0.0);
    add(linearisation.M, weights.mass, mass_.*triangle, values);
    add(linearisation.C, weights.damping, damping_.*triangle, values);
    add(linearisation.K, weights.stiffness, stiffness_.*triangle, values);
    add(linearisation.G, 1.0, gradient_.*triangle, values);
  };
  assembleTriangle(&Slots::lower, lower_.valuePtr());
  if (!symmetric_) assembleTriangle(&Slots::upper, upper_.data());
  if (anyLeftOut_) removeLeftOut(linearisation.G);
}

/// D_K = 1/√|S_ii|, D_G = 1/‖row of G D_K‖; then D A D.
void KktSolver::equilibrate() {
  double* values = lower_.valuePtr();
  const int* outer = lower_.outerIndexPtr();
  const int* inner = lower_.innerIndexPtr();
  double* const scales = scale_.data();
  std::fill_n(scales + n_, m_, 0.0);
  for (Index j = 0; j < n_; ++j) {  // what is below n in column j is column j of G
    const double diagonal = std::abs(values[diagonalSlot_[static_cast<std::size_t>(j)]]);
    const double scale = diagonal > 0 ? 1.0 / std::sqrt(diagonal) : 1.0;
    scales[j] = scale;
    for (int p = outer[j + 1] - 1; p >= outer[j] && inner[p] >= n_; --p) {
      const double entry = values[p] * scale;
      scales[inner[p]] += entry * entry;
    }
  }
  for (Index j = n_; j < n_ + m_; ++j) scales[j] = scales[j] > 0 ? 1.0 / std::sqrt(scales[j]) : 1.0;
  const auto scaleTriangle = [&](double* triangle) {
    for (Index j = 0; j < n_ + m_; ++j) {
      const double scale = scales[j];
      for (int p = outer[j]; p < outer[j + 1]; ++p) triangle[p] *= scales[inner[p]] * scale;
    }
  };
  scaleTriangle(values);
  if (!symmetric_) scaleTriangle(upper_.data());
}

bool KktSolver::factorise(const Linearisation& linearisation, const IterationWeights& weights) {
  const bool projection = weights.damping == 0 && weights.stiffness == 0;
  regularisation_ = !sparse_     ? denseRegularisation
                    : projection ? projectionRegularisation
                                 : sparseRegularisation;
  if (!sparse_) {
    inverted_ = !projection || isKnownSize(n_ + m_);  // of few unknowns that is always quicker
    return withKnownSize(n_ + m_,
                         [&](auto size) { return factoriseDense(size, linearisation, weights); });
  }
  assemble(linearisation, weights);
  equilibrate();
  for (Index j = n_; j < n_ + m_; ++j) {
    const int slot = diagonalSlot_[static_cast<std::size_t>(j)];
    lower_.valuePtr()[slot] = leftOut_[j - n_] != 0 ? -1 : -regularisation_;
    if (!symmetric_) upper_[static_cast<std::size_t>(slot)] = lower_.valuePtr()[slot];
  }
  const Index size = lower_.nonZeros();
  if (!areFinite(lower_.valuePtr(), size)) return false;
  // Of a matrix that is symmetric by its pattern one triangle alone was looked at.
  const SparseMatrix& M = linearisation.M;
  if (symmetric_ ? !areFinite(M.valuePtr(), M.nonZeros()) : !areFinite(upper_.data(), size))
    return false;
  if (factoriseSparse()) {
    useLu_ = false;
    return true;
  }
  useLu_ = true;
  return factoriseFallback();
}

template <class Size>
bool KktSolver::factoriseDense(Size size, const Linearisation& linearisation,
                               const IterationWeights& weights) {
  assembleDense(size, linearisation, weights);
  equilibrateDense(size);
  const double* const values = dense_.data();
  if (!areFinite(values, size * strideOf(size))) return false;
  std::copy_n(values, size * strideOf(size), denseLu_.columns());
  if (!denseLu_.factorise()) return false;
  if (inverted_) invertDense();
  return true;
}

template <class Size>
void KktSolver::assembleDense(Size size, const Linearisation& linearisation,
                              const IterationWeights& weights) {
  double* const values = dense_.data();
  std::fill_n(values, size * strideOf(size), 0.0);
  add(linearisation.M, weights.mass, mass_.lower, values);
  add(linearisation.C, weights.damping, damping_.lower, values);
  add(linearisation.K, weights.stiffness, stiffness_.lower, values);
  add(linearisation.G, 1.0, gradient_.lower, values);
  add(linearisation.G, 1.0, gradient_.upper, values);
  for (Index i = n_; anyLeftOut_ && i < n_ + m_; ++i) {
    if (leftOut_[i - n_] == 0) continue;
    dense_.row(i).setZero();
    dense_.col(i).setZero();
  }
}

/// As equilibrate(), with −δ.
template <class Size>
void KktSolver::equilibrateDense(Size size) {
  const Index n = n_, stride = strideOf(size);
  double *const values = dense_.data(), *const scales = scale_.data();
  std::fill_n(scales + n, size - n, 0.0);
  for (Index j = 0; j < n; ++j) {
    const double* column = values + j * stride;
    const double diagonal = std::abs(column[j]);
    const double scale = diagonal > 0 ? 1.0 / std::sqrt(diagonal) : 1.0;
    scales[j] = scale;
    for (Index i = n; i < size; ++i) {
      const double entry = column[i] * scale;
      scales[i] += entry * entry;
    }
  }
  for (Index j = n; j < size; ++j) scales[j] = scales[j] > 0 ? 1.0 / std::sqrt(scales[j]) : 1.0;
  const auto scaleColumns = [=]() __attribute__((always_inline)) {
    for (Index j = 0; j < size; ++j) {
      double* const column = values + j * stride;
      const double scale = scales[j];
      forQuads(
          size, [&]<class Some>(Index i) __attribute__((always_inline)) {
            at<Some>(column + i) *= at<Some>(scales + i) * scale;
          });
    }
  };
  actOn(size * size, scaleColumns);
  for (Index j = n; j < size; ++j)
    values[j * (stride + 1)] = leftOut_[j - n] != 0 ? -1 : -regularisation_;
}

/// A factor of Newton serves for dozens of solves, and in those of few unknowns with triangles each
/// step waits for the one before.
void KktSolver::invertDense() {
  denseLu_.invert(scale_, inverse_);
  for (Index i = 0; anyLeftOut_ && i < m_; ++i)
    if (leftOut_[i] != 0) inverse_.clearColumn(n_ + i);
}

/// The factor of a matrix with a quasi-definite symmetric part exists in every order and has
/// exactly m negative pivots. Another count says that S is not positive on the null space of G; the
/// factor may still be good, which a probe solve decides.
bool KktSolver::factoriseSparse() {
  bool factored = false;
  Eigen::Map<Vector> lower(lower_.valuePtr(), lower_.nonZeros());
  Eigen::Map<Vector> upper(upper_.data(), static_cast<Index>(upper_.size()));
  if (symmetric_) {
    factored = ldlt_.factorise(lower_);
  } else if ((lower - upper).lpNorm<Eigen::Infinity>() > acceptedAsymmetry) {
    factored = ldlt_.factorise(lower_, upper_);
  } else {
    lower = 0.5 * (lower + upper);
    upper = lower;
    factored = ldlt_.factorise(lower_);
  }
  if (!factored) return false;
  const Index negative = (ldlt_.pivots().array() < 0).count();
  return negative == m_ ? true : solvesAccurately();
}

void KktSolver::fillFull() {
  double* values = full_.valuePtr();
  const double* lower = lower_.valuePtr();
  const double* upper = symmetric_ ? lower : upper_.data();
  for (std::size_t i = 0; i < lowerFrom_.size(); ++i) {
    values[lowerFrom_[i]] = lower[i];
    values[lowerFromTransposed_[i]] = upper[i];
  }
}

bool KktSolver::solvesAccurately() {
  fillFull();
  work_.setOnes();
  ldlt_.solve(work_);
  probe_.setOnes();
  probe_.noalias() -= full_ * work_;
  return probe_.allFinite() && probe_.lpNorm<Eigen::Infinity>() <=
                                   acceptedResidual * (1 + work_.lpNorm<Eigen::Infinity>());
}

bool KktSolver::factoriseFallback() {
  fillFull();
  if (!luAnalysed_) {
    sparseLu_.analyzePattern(full_);
    luAnalysed_ = true;
  }
  sparseLu_.factorize(full_);
  return sparseLu_.info() == Eigen::Success;
}

double KktSolver::smallestPivot() const {
  if (useLu_) return 0;
  return sparse_ ? ldlt_.pivots().cwiseAbs().minCoeff() : denseLu_.smallestPivot();
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
  if (inverted_) {
    inverse_.multiply(rhs.data());
    return;
  }
  if (sparse_ && !useLu_) {
    if (anyLeftOut_) rhs.tail(m_) = (leftOut_.array() != 0).select(0.0, rhs.tail(m_));
    ldlt_.solve(rhs, scale_);
    return;
  }
  scaleBy(scale_, rhs.data(), work_.data());
  if (anyLeftOut_) work_.tail(m_) = (leftOut_.array() != 0).select(0.0, work_.tail(m_));
  solveEquilibrated();
  scaleBy(scale_, work_.data(), rhs.data());
}

void KktSolver::solveConstraints(VectorOut rhs) {
  if (inverted_) {
    inverse_.multiplyLeading(rhs.data(), n_);
  } else if (sparse_ && !useLu_) {
    if (anyLeftOut_) rhs.tail(m_) = (leftOut_.array() != 0).select(0.0, rhs.tail(m_));
    ldlt_.solveLeading(rhs, scale_);
  } else {
    rhs.head(n_).setZero();
    solve(rhs);
  }
}

/// work_ −= the equilibrated matrix with −δ, times x.
void KktSolver::subtractProduct(const Vector& x) {
  if (sparse_) {
    work_.noalias() -= full_ * x;
  } else {
    work_.noalias() -= dense_.topRows(n_ + m_) * x;
  }
}

void KktSolver::solveRefined(VectorOut rhs, int sweeps) {
  if (sparse_) fillFull();
  target_.array() = rhs.array() * scale_.array();
  if (anyLeftOut_) target_.tail(m_) = (leftOut_.array() != 0).select(0.0, target_.tail(m_));
  work_ = target_;
  solveEquilibrated();
  sum_ = work_;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    work_ = target_;
    subtractProduct(sum_);
    work_.tail(m_) -= regularisation_ * sum_.tail(m_);
    solveEquilibrated();
    sum_ += work_;
  }
  rhs.array() = sum_.array() * scale_.array();
}

void KktSolver::solveEquilibrated() {
  if (!sparse_) {
    denseLu_.solve(work_);
  } else if (useLu_) {
    probe_ = sparseLu_.solve(work_);
    work_.swap(probe_);
  } else {
    ldlt_.solve(work_);
  }
}

}  // namespace trammel
