#pragma once

#include <vector>

#include "solver/types.hpp"

namespace trammel {

/// The order in which columns of a symmetric matrix are eliminated, and what L then looks like.
/// Columns are counted in that order; every subtree of the elimination tree is consecutive and ends
/// with its root.
struct EliminationOrder {
  /// From the pattern of the lower triangle: minimum degree for all columns, or for the first
  /// `leading` ones of the matrix and then for the others, whichever makes solves cheaper. Of a KKT
  /// matrix the leading ones are the coordinates: without the multipliers they are bodies that do
  /// not know of each other. Either way the tree is turned so that it is as low as it can be with
  /// the same entries of L: what is not above each other need not wait for each other.
  explicit EliminationOrder(const SparseMatrix& lower, Index leading = 0);

  std::vector<int> place;              // in the order, of each column of the matrix
  std::vector<int> parent;             // in the elimination tree; −1: a root
  std::vector<std::vector<int>> rows;  // of each column of L, below the diagonal, ascending

 private:
  using Lists = std::vector<std::vector<int>>;
  struct Clique;  // columns with the same rows

  EliminationOrder() = default;
  bool orderLeadingFirst(const SparseMatrix& lower, Index leading);
  void complete(const SparseMatrix& lower);
  void turn(const SparseMatrix& lower);
  double costOfSolve() const;
  std::vector<Clique> cliques() const;
  Lists rowsOfMatrix(const SparseMatrix& lower) const;
  void findParents(const Lists& below);
  void makeSubtreesConsecutive();
  void findRows(const Lists& below, std::size_t columns);
};

}  // namespace trammel
