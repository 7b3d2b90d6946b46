#include "solver/index3_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

namespace {

void addTo(Matrix& out, Index row, Index column, double weight, const SparseMatrix& part) {
  for (Index j = 0; j < part.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(part, j); entry; ++entry)
      out(row + entry.row(), column + entry.col()) += weight * entry.value();
  }
}

void addConstraints(const Linearisation& linearisation, Index balanceRow,
                    const Index3Scales& scales, Matrix& out) {
  const Index n = linearisation.M.rows();
  const Index last = balanceRow + n;
  for (Index j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator entry(linearisation.G, j); entry; ++entry) {
      out(last + entry.row(), j) = scales.constraint * entry.value();
      out(balanceRow + j, last + entry.row()) = scales.balance * scales.multiplier * entry.value();
    }
  }
}

}  // namespace

Index3Scales index3Scales(Index3Scaling scaling, double h, double s) {
  switch (scaling) {
    case Index3Scaling::none:
      return {.kinematic = h, .balance = h, .constraint = h};
    case Index3Scaling::left:
      return {.kinematic = h, .balance = h, .constraint = 1};
    case Index3Scaling::leftRight:
      break;
  }
  return {.kinematic = h, .balance = 1 / s, .constraint = 1, .velocity = 1 / h, .multiplier = s};
}

double averageStiffness(const Linearisation& linearisation, double cj) {
  const Index n = linearisation.M.rows();
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    sum += std::abs(cj * cj * linearisation.M.coeff(i, i) + cj * linearisation.C.coeff(i, i) +
                    linearisation.K.coeff(i, i));
  }
  return std::max(sum / static_cast<double>(n), std::numeric_limits<double>::min());
}

Index index3Rows(const Linearisation& linearisation, Index3Fields fields) {
  const Index n = linearisation.M.rows();
  return (fields == Index3Fields::three ? 2 * n : n) + linearisation.G.rows();
}

void assembleIndex3(const Linearisation& linearisation, double cj, Index3Fields fields,
                    const Index3Scales& scales, Matrix& out) {
  const Index n = linearisation.M.rows();
  out.setZero();
  if (fields == Index3Fields::two) {
    addTo(out, 0, 0, scales.balance * cj * cj, linearisation.M);
    addTo(out, 0, 0, scales.balance * cj, linearisation.C);
    addTo(out, 0, 0, scales.balance, linearisation.K);
    addConstraints(linearisation, 0, scales, out);
    return;
  }
  out.topLeftCorner(n, n).diagonal().setConstant(scales.kinematic * cj);
  out.block(0, n, n, n).diagonal().setConstant(-scales.kinematic * scales.velocity);
  addTo(out, n, 0, scales.balance, linearisation.K);
  addTo(out, n, n, scales.balance * scales.velocity * cj, linearisation.M);
  addTo(out, n, n, scales.balance * scales.velocity, linearisation.C);
  addConstraints(linearisation, n, scales, out);
}

}  // namespace trammel
