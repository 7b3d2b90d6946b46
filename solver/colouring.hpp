#pragma once

#include <vector>

#include "solver/types.hpp"

namespace trammel {

/// Groups of columns of a sparse pattern in which no two columns share a row: one directional
/// derivative along a group gives all their entries (Curtis, Powell, Reid 1974).
class Colouring {
 public:
  Colouring() = default;
  explicit Colouring(const SparseMatrix& pattern);

  Index count() const { return static_cast<Index>(groups_.size()); }
  const std::vector<Index>& columns(Index group) const {
    return groups_[static_cast<std::size_t>(group)];
  }

  /// Writes the entries of a group from the derivative along it, divided by what each column moved:
  /// matrix(i, j) = derivative_i / move_j.
  void scatter(Index group, VectorIn derivative, VectorIn move, SparseMatrix& matrix) const;

 private:
  std::vector<std::vector<Index>> groups_;
};

}  // namespace trammel
