#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace trammel::bench {

/// Collects the places of a matrix in the order in which an assembly visits them.
class SparsePattern {
 public:
  explicit SparsePattern(std::size_t size) : columns_(size) {}

  void add(std::size_t row, std::size_t column) {
    visits_.push_back({static_cast<long>(row), column});
    columns_[column].push_back(static_cast<long>(row));
  }

  /// Writes the pattern by columns; returns, visit by visit, where its value goes.
  std::vector<long> finish(std::vector<long>& pointers, std::vector<long>& rows) {
    pointers.assign(1, 0);
    rows.clear();
    for (std::vector<long>& column : columns_) {
      std::sort(column.begin(), column.end());
      column.erase(std::unique(column.begin(), column.end()), column.end());
      rows.insert(rows.end(), column.begin(), column.end());
      pointers.push_back(static_cast<long>(rows.size()));
    }
    std::vector<long> slots;
    slots.reserve(visits_.size());
    for (const Visit& visit : visits_) {
      const std::vector<long>& column = columns_[visit.column];
      const auto place = std::lower_bound(column.begin(), column.end(), visit.row);
      slots.push_back(pointers[visit.column] + (place - column.begin()));
    }
    return slots;
  }

 private:
  struct Visit {
    long row;
    std::size_t column;
  };
  std::vector<Visit> visits_;
  std::vector<std::vector<long>> columns_;
};

}  // namespace trammel::bench
