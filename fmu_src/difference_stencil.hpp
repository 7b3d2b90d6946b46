#pragma once

#include <array>
#include <cstddef>
#include <limits>

namespace trammel::fmi {

/// One evaluation of a difference formula: f'(x) ≈ Σ weight f(x + move).
struct StencilNode {
  double move = 0, weight = 0;
};

/// The difference formula of fourth order with steps h about x, central, or one-sided where a
/// bound is near.
class DifferenceStencil {
 public:
  DifferenceStencil(double x, double h, double min = -std::numeric_limits<double>::infinity(),
                    double max = std::numeric_limits<double>::infinity()) {
    const bool central = x - 2 * h >= min && x + 2 * h <= max;
    if (central) {
      nodes_ = {{{-2, 1.0 / 12}, {-1, -8.0 / 12}, {1, 8.0 / 12}, {2, -1.0 / 12}, {0, 0}}};
      count_ = 4;
    } else {
      nodes_ = {{{0, -25.0 / 12}, {1, 4}, {2, -3}, {3, 16.0 / 12}, {4, -1.0 / 4}}};
      if (x + 4 * h > max) h = -h;
    }
    for (StencilNode& node : nodes_) node = {node.move * h, node.weight / h};
  }

  const StencilNode* begin() const { return nodes_.data(); }
  const StencilNode* end() const { return nodes_.data() + count_; }

 private:
  std::array<StencilNode, 5> nodes_{};
  std::size_t count_ = 5;
};

}  // namespace trammel::fmi
