#pragma once

#include <vector>

#include "solver/known_size.hpp"
#include "solver/pairs.hpp"
#include "solver/types.hpp"

namespace trammel {

/// The inverse of a small square matrix, for many products. Of few unknowns it lies in memory row
/// by row, of more column by column, each filled up to whole registers: then a product is a sum of
/// columns, which reads the numbers of x one by one, as they were written.
class DenseInverse {
 public:
  DenseInverse() = default;
  explicit DenseInverse(Index size);

  /// P A = L U by columns in one matrix, the inverses of the pivots, for each row of P A that of A,
  /// and numbers from one column to the next, which are those of a column where there are few.
  struct Factors {
    const double *lu, *inversePivots;
    const Index* rows;
    Index stride;
  };
  /// D A⁻¹ D for a diagonal D. Pre: the size fits.
  void set(const Factors& factors, const Vector& scale);
  void clearColumn(Index j);

  /// x ← A⁻¹ x.
  void multiply(double* x) {
    if (!byRows_) return multiplyByColumns(x);
    withKnownSize(size_, [&](auto size) {
      double* const from = scratch_.data();
      forPairs(size, [&]<class Some>(Index i) { store<Some>(load<Some>(x + i), from + i); });
      for (Index i = 0; i < size; ++i) x[i] = dot(numbers_.data() + i * size, from, size);
    });
  }
  /// The leading unknowns of it, where x counts as 0 in them; the others are left as they are.
  void multiplyLeading(double* x, Index leading) const {
    if (!byRows_) return multiplyLeadingByColumns(x, leading);
    withKnownSize(size_ - leading, [&](auto count) {
      const double* row = numbers_.data() + leading;
      for (Index i = 0; i < leading; ++i, row += stride_) x[i] = dot(row, x + leading, count);
    });
  }

  double operator()(Index i, Index j) const { return numbers_[index(i, j)]; }

 private:
  std::size_t index(Index i, Index j) const {
    return static_cast<std::size_t>(byRows_ ? i * stride_ + j : i + j * stride_);
  }

  void multiplyByColumns(double* x);
  void multiplyLeadingByColumns(double* x, Index leading) const;
  /// Σ a_k b_k in two sums, which fit a register.
  static double dot(const double* a, const double* b, Index count) {
    PairSum sum;
    forPairs(count, [&]<class Some>(Index k) { sum.add(load<Some>(a + k) * load<Some>(b + k)); });
    return sum.total();
  }

  Index size_ = 0;
  bool byRows_ = true;
  Index stride_ = 0;  // from one row or column to the next
  std::vector<double> numbers_, scratch_;
};

}  // namespace trammel
