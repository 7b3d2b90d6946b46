#pragma once

#include <vector>

#include "solver/types.hpp"

namespace trammel {

/// The order in which columns of a symmetric matrix are eliminated, and what L then looks like.
/// Columns are counted in that order; every subtree of the elimination tree is consecutive and ends
/// with its root.
struct EliminationOrder {
  /// Minimum degree, from the pattern of the lower triangle.
  explicit EliminationOrder(const SparseMatrix& lower);

  std::vector<int> place;              // in the order, of each column of the matrix
  std::vector<int> parent;             // in the elimination tree; −1: a root
  std::vector<std::vector<int>> rows;  // of each column of L, below the diagonal, ascending

 private:
  using Lists = std::vector<std::vector<int>>;

  Lists rowsOfMatrix(const SparseMatrix& lower) const;
  void findParents(const Lists& below);
  void makeSubtreesConsecutive();
  void findRows(const Lists& below);
};

}  // namespace trammel
