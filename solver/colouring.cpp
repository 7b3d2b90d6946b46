#include "solver/colouring.hpp"

#include <algorithm>

namespace trammel {

/// Greedy: each column takes the first group that none of its rows has met.
Colouring::Colouring(const SparseMatrix& pattern) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> rows = pattern;
  std::vector<Index> groupOf(static_cast<std::size_t>(pattern.cols()), -1);
  std::vector<Index> takenBy;  // the column that last found a group taken
  for (Index j = 0; j < pattern.cols(); ++j) {
    for (SparseMatrix::InnerIterator entry(pattern, j); entry; ++entry) {
      for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator other(rows, entry.row());
           other; ++other) {
        const Index group = groupOf[static_cast<std::size_t>(other.col())];
        if (group >= 0) takenBy[static_cast<std::size_t>(group)] = j;
      }
    }
    const auto free = std::find_if(takenBy.begin(), takenBy.end(), [&](Index k) { return k != j; });
    const Index group = free - takenBy.begin();
    if (free == takenBy.end()) {
      takenBy.push_back(-1);
      groups_.emplace_back();
    }
    groupOf[static_cast<std::size_t>(j)] = group;
    groups_[static_cast<std::size_t>(group)].push_back(j);
  }
}

void Colouring::scatter(Index group, VectorIn derivative, VectorIn move,
                        SparseMatrix& matrix) const {
  for (const Index j : columns(group)) {
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry)
      entry.valueRef() = derivative[entry.row()] / move[j];
  }
}

}  // namespace trammel
