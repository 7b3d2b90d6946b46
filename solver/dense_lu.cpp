#include "solver/dense_lu.hpp"

#include <cmath>
#include <utility>

#include "solver/known_size.hpp"
#include "solver/pairs.hpp"

namespace trammel {

namespace {

/// What factorise() does to a matrix by columns.
template <class Size>
bool eliminate(Size size, double* lu, Index* rows, double* inversePivots) {
  for (Index i = 0; i < size; ++i) rows[i] = i;
  double sum = 0;  // of the pivots
  for (Index j = 0; j < size; ++j) {
    double* const column = lu + j * size;
    for (Index k = 0; k < j; ++k) {
      const double* const l = lu + k * size;
      subtractMultiple(column[k], l + k + 1, column + k + 1, size - k - 1);
    }
    Index pivot = j;
    for (Index i = j + 1; i < size; ++i)
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    if (pivot != j) {
      for (Index k = 0; k < size; ++k) std::swap(lu[k * size + j], lu[k * size + pivot]);
      std::swap(rows[j], rows[pivot]);
    }
    const double inverse = 1 / column[j];
    if (column[j] == 0 || !std::isfinite(inverse)) return false;
    inversePivots[j] = inverse;
    sum += column[j];
    for (Index i = j + 1; i < size; ++i) column[i] *= inverse;
  }
  return std::isfinite(sum);
}

/// x ← U⁻¹ L⁻¹ x.
template <class Size>
void substitute(Size size, const double* lu, const double* inversePivots, double* x) {
  for (Index j = 0; j < size; ++j)
    subtractMultiple(x[j], lu + j * size + j + 1, x + j + 1, size - j - 1);
  for (Index j = size - 1; j >= 0; --j) {
    x[j] *= inversePivots[j];
    subtractMultiple(x[j], lu + j * size, x, j);
  }
}

}  // namespace

DenseLu::DenseLu(Index size)
    : lu_(Matrix::Zero(size, size)),
      row_(static_cast<std::size_t>(size)),
      inversePivots_(Vector::Ones(size)),
      permuted_(Vector::Zero(size)) {}

bool DenseLu::factorise() {
  return withKnownSize(lu_.rows(), [this](auto size) {
    return eliminate(size, lu_.data(), row_.data(), inversePivots_.data());
  });
}

void DenseLu::solve(Vector& x) {
  const Index size = lu_.rows();
  const double* from = x.data();
  for (Index i = 0; i < size; ++i) permuted_[i] = from[row_[static_cast<std::size_t>(i)]];
  x.swap(permuted_);
  withKnownSize(
      size, [&](auto known) { substitute(known, lu_.data(), inversePivots_.data(), x.data()); });
}

void DenseLu::invert(const Vector& scale, DenseInverse& inverse) const {
  inverse.set({lu_.data(), inversePivots_.data(), row_.data()}, scale);
}

}  // namespace trammel
