#include "solver/dense_lu.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "solver/pairs.hpp"

namespace trammel {

namespace {

/// target −= factor source. KKT matrices have many zeros.
inline void subtract(double factor, const double* source, double* target, Index size) {
  if (factor == 0) return;
  forPairs(size, [&]<class Some>(Index i) {
    store<Some>(load<Some>(target + i) - factor * load<Some>(source + i), target + i);
  });
}

}  // namespace

DenseLu::DenseLu(Index size)
    : lu_(Matrix::Zero(size, size)),
      row_(static_cast<std::size_t>(size)),
      inversePivots_(Vector::Ones(size)),
      permuted_(Vector::Zero(size)) {}

void DenseLu::exchangeRows(Index i, Index j) {
  if (i == j) return;
  const Index size = lu_.rows();
  double* column = lu_.data();
  for (Index k = 0; k < size; ++k, column += size) std::swap(column[i], column[j]);
  std::swap(row_[static_cast<std::size_t>(i)], row_[static_cast<std::size_t>(j)]);
}

bool DenseLu::factorise() {
  const Index size = lu_.rows();
  std::iota(row_.begin(), row_.end(), Index{0});
  for (Index j = 0; j < size; ++j) {
    double* const column = lu_.data() + j * size;
    for (Index k = 0; k < j; ++k) {
      const double* const l = lu_.data() + k * size;
      subtract(column[k], l + k + 1, column + k + 1, size - k - 1);
    }
    Index pivot = j;
    for (Index i = j + 1; i < size; ++i)
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    exchangeRows(j, pivot);
    const double inverse = 1 / column[j];
    if (column[j] == 0 || !std::isfinite(inverse)) return false;
    inversePivots_[j] = inverse;
    for (Index i = j + 1; i < size; ++i) column[i] *= inverse;
  }
  return std::isfinite(lu_.diagonal().sum());
}

void DenseLu::solve(Vector& x) {
  const Index size = lu_.rows();
  for (Index i = 0; i < size; ++i) permuted_[i] = x[row_[static_cast<std::size_t>(i)]];
  x.swap(permuted_);
  double* const values = x.data();
  for (Index j = 0; j < size; ++j) {
    const double* const column = lu_.data() + j * size;
    subtract(values[j], column + j + 1, values + j + 1, size - j - 1);
  }
  for (Index j = size - 1; j >= 0; --j) {
    values[j] *= inversePivots_[j];
    subtract(values[j], lu_.data() + j * size, values, j);
  }
}

void DenseLu::invert(const Vector& scale, RowMajorMatrix& inverse) const {
  const Index size = lu_.rows();
  inverse.setZero();
  for (Index i = 0; i < size; ++i) {
    const Index k = row_[static_cast<std::size_t>(i)];
    inverse(i, k) = scale[k];
  }
  const auto subtractRow = [&](Index from, double factor, Index to) {
    subtract(factor, inverse.data() + from * size, inverse.data() + to * size, size);
  };
  const auto scaleRow = [&](Index i, double factor) {
    double* const row = inverse.data() + i * size;
    forPairs(size,
             [&]<class Some>(Index k) { store<Some>(factor * load<Some>(row + k), row + k); });
  };
  for (Index j = 0; j < size; ++j)
    for (Index i = j + 1; i < size; ++i) subtractRow(j, lu_(i, j), i);
  for (Index j = size - 1; j >= 0; --j) {
    scaleRow(j, inversePivots_[j]);
    for (Index i = 0; i < j; ++i) subtractRow(j, lu_(i, j), i);
  }
  for (Index i = 0; i < size; ++i) scaleRow(i, scale[i]);
}

}  // namespace trammel
