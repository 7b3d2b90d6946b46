#include "solver/elimination_order.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>

namespace trammel {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

EliminationOrder::EliminationOrder(const SparseMatrix& lower) {
  const SparseMatrix full = lower.selfadjointView<Eigen::Lower>();
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(full, permutation);
  place.resize(static_cast<std::size_t>(lower.rows()));
  for (int k = 0; k < static_cast<int>(place.size()); ++k) place[at(permutation.indices()[k])] = k;
  findParents(rowsOfMatrix(lower));
  makeSubtreesConsecutive();
  const Lists below = rowsOfMatrix(lower);
  findParents(below);
  findRows(below);
}

/// The rows of the matrix below the diagonal, by columns, in the present order.
EliminationOrder::Lists EliminationOrder::rowsOfMatrix(const SparseMatrix& lower) const {
  Lists below(place.size());
  for (Index column = 0; column < lower.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator entry(lower, column); entry; ++entry) {
      const int a = place[static_cast<std::size_t>(entry.row())];
      const int b = place[static_cast<std::size_t>(column)];
      if (a != b) below[at(std::min(a, b))].push_back(std::max(a, b));
    }
  }
  return below;
}

/// parent(j) is the first row below the diagonal of column j of L (Liu's algorithm, with paths
/// compressed).
void EliminationOrder::findParents(const Lists& below) {
  const int n = static_cast<int>(place.size());
  Lists before(place.size());
  for (int j = 0; j < n; ++j)
    for (const int i : below[at(j)]) before[at(i)].push_back(j);
  parent.assign(place.size(), -1);
  std::vector<int> ancestor(place.size(), -1);
  for (int i = 0; i < n; ++i) {
    for (int j : before[at(i)]) {
      while (j != -1 && j < i) {
        const int next = ancestor[at(j)];
        ancestor[at(j)] = i;
        if (next == -1) parent[at(j)] = i;
        j = next;
      }
    }
  }
}

/// Numbers the columns anew, from the last one down and parents first; the fill is the same.
void EliminationOrder::makeSubtreesConsecutive() {
  const int n = static_cast<int>(place.size());
  Lists children(place.size());
  std::vector<int> pending;  // the roots, the last on top
  for (int j = 0; j < n; ++j) {
    if (parent[at(j)] < 0) {
      pending.push_back(j);
    } else {
      children[at(parent[at(j)])].push_back(j);
    }
  }
  std::vector<int> renumbered(place.size());
  for (int next = n - 1; next >= 0; --next) {
    const int j = pending.back();
    pending.pop_back();
    renumbered[at(j)] = next;
    pending.insert(pending.end(), children[at(j)].begin(), children[at(j)].end());
  }
  for (int& k : place) k = renumbered[at(k)];
}

/// Column j of L has the rows of the matrix and those of its children in the tree.
void EliminationOrder::findRows(const Lists& below) {
  const int n = static_cast<int>(place.size());
  rows.assign(place.size(), {});
  Lists children(place.size());
  std::vector<int> seenBy(place.size(), -1);
  for (int j = 0; j < n; ++j) {
    const auto add = [&](int row) {
      if (row <= j || seenBy[at(row)] == j) return;
      seenBy[at(row)] = j;
      rows[at(j)].push_back(row);
    };
    for (const int row : below[at(j)]) add(row);
    for (const int child : children[at(j)])
      for (const int row : rows[at(child)]) add(row);
    std::sort(rows[at(j)].begin(), rows[at(j)].end());
    if (parent[at(j)] >= 0) children[at(parent[at(j)])].push_back(j);
  }
}

}  // namespace trammel
