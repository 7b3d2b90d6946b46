#pragma once

#include <vector>

#include "solver/dense_inverse.hpp"

namespace trammel {

/// P A = L U of a small square matrix by elimination with exchange of rows, column by column.
/// Written out because for a few dozen unknowns a general factorisation spends most of its time in
/// finding out what to do, and because KKT matrices have zeros, over which whole columns are
/// skipped. After construction nothing allocates.
class DenseLu {
 public:
  DenseLu() = default;
  explicit DenseLu(Index size);

  /// To be filled before factorise(), which overwrites it by L and U: by columns with 0 up to
  /// strideOf(size), and the matrix alone.
  double* columns() { return lu_.data(); }
  auto matrix() { return lu_.topRows(size_); }
  /// False if a pivot is zero or not finite.
  bool factorise();

  /// x ← A⁻¹ x.
  void solve(Vector& x);

  /// D A⁻¹ D for a diagonal D. Pre: the size fits.
  void invert(const Vector& scale, DenseInverse& inverse) const;

  double smallestPivot() const { return lu_.diagonal().cwiseAbs().minCoeff(); }

 private:
  Index size_ = 0;
  Matrix lu_;
  std::vector<Index> row_;  // of A that stands in row i of P A
  Vector inversePivots_, permuted_, column_;
};

}  // namespace trammel
