#pragma once

#include <vector>

#include "solver/types.hpp"

namespace trammel {

/// The inverse of a small square matrix, for many products. It lies in memory column by column,
/// each filled up to whole registers: then a product is a sum of columns,
/// which reads the numbers of x one by one, as they were written.
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
  void multiply(double* x);
  /// The leading unknowns of it, where x counts as 0 in them; the others are left as they are.
  void multiplyLeading(double* x, Index leading) const;

  double operator()(Index i, Index j) const { return numbers_[index(i, j)]; }

 private:
  std::size_t index(Index i, Index j) const { return static_cast<std::size_t>(i + j * stride_); }

  void multiplyMany(double* x);
  void multiplyLeadingMany(double* x, Index leading) const;

  Index size_ = 0;
  Index stride_ = 0;  // from one column to the next
  std::vector<double> numbers_, scratch_;
};

}  // namespace trammel
