#include "solver/dense_lu.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

#include "solver/known_size.hpp"
#include "solver/pairs.hpp"
#include "solver/wide.hpp"

namespace trammel {

namespace {

/// Brings the largest number of column j, from the diagonal on, to the diagonal: rows of L and U
/// are exchanged as a whole.
template <class Size>
[[gnu::always_inline]] inline void exchangeRows(Size size, Index stride, Index j, double* lu,
                                                Index* rows) {
  const double* const column = lu + j * stride;
  Index pivot = j;
  for (Index i = j + 1; i < size; ++i)
    if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
  if (pivot == j) return;
  for (Index k = 0; k < size; ++k) std::swap(lu[k * stride + j], lu[k * stride + pivot]);
  std::swap(rows[j], rows[pivot]);
}

/// What factorise() does to a matrix by columns: of few rows each column is finished before the
/// next.
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
    exchangeRows(size, size, j, lu, rows);
    const double inverse = 1 / column[j];
    if (column[j] == 0 || !std::isfinite(inverse)) return false;
    inversePivots[j] = inverse;
    sum += column[j];
    for (Index i = j + 1; i < size; ++i) column[i] *= inverse;
  }
  return std::isfinite(sum);
}

/// The same for more rows, with the same roundoff: each column of L is subtracted from all to its
/// right, in registers that always hold the same rows and in `l` have 0 down to the diagonal.
/// Numbers that were written in other pieces than they are read would have to be waited for.
bool eliminateWide(Index size, Index stride, double* lu, Index* rows, double* inversePivots,
                   double* l) {
  bool regular = true;
  act([ =, &regular ]() __attribute__((always_inline)) {
    for (Index i = 0; i < size; ++i) rows[i] = i;
    double sum = 0;  // of the pivots
    for (Index k = 0; k < size; ++k) {
      double* const column = lu + k * stride;
      exchangeRows(size, stride, k, lu, rows);
      const double inverse = 1 / column[k];
      if (column[k] == 0 || !std::isfinite(inverse)) {
        regular = false;
        return;
      }
      inversePivots[k] = inverse;
      sum += column[k];
      const Index first = (k + 1) / 4 * 4;
      for (Index i = first; i < stride; i += 4) {
        const auto below = Quad{0, 1, 2, 3} + static_cast<double>(i) > static_cast<double>(k);
        const Quad scaled = quadAt(column + i) * inverse;
        quadAt(l + i) = below ? scaled : Quad{};
        quadAt(column + i) = below ? scaled : quadAt(column + i);
      }
      for (Index j = k + 1; j < size; ++j) {
        double* const target = lu + j * stride;
        const double factor = target[k];
        if (factor == 0) continue;  // KKT matrices have many zeros
        for (Index i = first; i < stride; i += 4) quadAt(target + i) -= factor * quadAt(l + i);
      }
    }
    regular = std::isfinite(sum);
  });
  return regular;
}

/// x ← U⁻¹ L⁻¹ x.
template <class Size>
void substitute(Size size, Index stride, const double* lu, const double* inversePivots, double* x) {
  for (Index j = 0; j < size; ++j)
    subtractMultiple(x[j], lu + j * stride + j + 1, x + j + 1, size - j - 1);
  for (Index j = size - 1; j >= 0; --j) {
    x[j] *= inversePivots[j];
    subtractMultiple(x[j], lu + j * stride, x, j);
  }
}

}  // namespace

DenseLu::DenseLu(Index size)
    : size_(size),
      lu_(Matrix::Zero(strideOf(size), size)),
      row_(static_cast<std::size_t>(size)),
      inversePivots_(Vector::Ones(size)),
      permuted_(Vector::Zero(size)),
      column_(Vector::Zero(lu_.rows())) {}

bool DenseLu::factorise() {
  return withKnownSize(size_, [this](auto size) {
    if constexpr (std::is_same_v<decltype(size), Index>)
      return eliminateWide(size, lu_.rows(), lu_.data(), row_.data(), inversePivots_.data(),
                           column_.data());
    else
      return eliminate(size, lu_.data(), row_.data(), inversePivots_.data());
  });
}

void DenseLu::solve(Vector& x) {
  const double* from = x.data();
  for (Index i = 0; i < size_; ++i) permuted_[i] = from[row_[static_cast<std::size_t>(i)]];
  x.swap(permuted_);
  withKnownSize(size_, [&](auto known) {
    substitute(known, strideOf(known), lu_.data(), inversePivots_.data(), x.data());
  });
}

void DenseLu::invert(const Vector& scale, DenseInverse& inverse) const {
  inverse.set({lu_.data(), inversePivots_.data(), row_.data(), lu_.rows()}, scale);
}

}  // namespace trammel
