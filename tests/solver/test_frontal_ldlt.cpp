#include <Eigen/LU>
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <vector>

#include "solver/frontal_ldlt.hpp"

namespace trammel {
namespace {

/// [S Gᵀ; G −δI] with S diagonally dominant: quasi-definite, m pivots are negative in every order.
struct RandomKkt {
  Index n, m;
  SparseMatrix lower;

  /// `bodies` blocks of S of this width, each row of G with entries in a few of them.
  RandomKkt(unsigned seed, int bodies, int width, int rows, int bodiesInRow)
      : n(Index{bodies} * width), m(rows) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](Index row, Index column, double value) {
      entries.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
    };
    for (int body = 0; body < bodies; ++body) {
      for (int i = 0; i < width; ++i) {
        add(body * width + i, body * width + i, 2.0 * width);
        for (int j = 0; j < i; ++j) add(body * width + i, body * width + j, 0.5 * normal(random));
      }
    }
    for (Index row = 0; row < m; ++row) {
      add(n + row, n + row, -1e-2);
      for (int k = 0; k < bodiesInRow; ++k) {
        const int body = k == 0 ? static_cast<int>(row) % bodies
                                : static_cast<int>(random() % static_cast<unsigned>(bodies));
        for (int j = 0; j < width; ++j) add(n + row, body * width + j, normal(random));
      }
    }
    lower.resize(n + m, n + m);
    lower.setFromTriplets(entries.begin(), entries.end());
    lower.makeCompressed();
  }

  Matrix dense() const { return Matrix(SparseMatrix(lower.selfadjointView<Eigen::Lower>())); }
};

}  // namespace

TEST_CASE("The frontal LDLt solves what a dense LU solves and has the right inertia") {
  struct Shape {
    int bodies, width, rows, bodiesInRow;
  };
  for (const Shape& shape :
       {Shape{1, 1, 0, 0}, Shape{1, 1, 1, 1}, Shape{5, 3, 0, 0}, Shape{2, 7, 3, 2},
        Shape{30, 3, 40, 2}, Shape{20, 7, 60, 2}, Shape{12, 5, 30, 4}, Shape{40, 1, 25, 3}}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      const RandomKkt kkt(seed, shape.bodies, shape.width, shape.rows, shape.bodiesInRow);
      const Index leading = seed == 2U ? 0 : kkt.n;  // coordinates first, where that is cheaper
      CAPTURE(shape.bodies, shape.width, shape.rows, seed);
      FrontalLdlt ldlt;
      ldlt.analyse(kkt.lower, FrontalLdlt::Values::symmetric, leading);
      REQUIRE(ldlt.factorise(kkt.lower));
      CHECK((ldlt.pivots().array() < 0).count() == kkt.m);
      const Vector b = Vector::LinSpaced(kkt.n + kkt.m, -1, 2);
      Vector x = b;
      ldlt.solve(x);
      const Vector expected = kkt.dense().partialPivLu().solve(b);
      // Without pivoting the error is larger than that of the LU, here by the factor 1/δ at most.
      CHECK((x - expected).norm() <= 1e-11 * (1 + expected.norm()));
      Vector again = b;
      REQUIRE(ldlt.factorise(kkt.lower));
      ldlt.solve(again);
      CHECK(again == x);
    }
  }
}

TEST_CASE("The frontal factor of a matrix that is not symmetric solves what a dense LU solves") {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const RandomKkt kkt(seed, 20, 7, 60, 2);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> upper(static_cast<std::size_t>(kkt.lower.nonZeros()));
    Matrix whole = kkt.dense();
    std::size_t entry = 0;
    for (Index column = 0; column < kkt.lower.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator lower(kkt.lower, column); lower; ++lower) {
        const bool inS = lower.row() < kkt.n && lower.row() != column;
        upper[entry] = lower.value() + (inS ? normal(random) : 0.0);
        whole(column, lower.row()) = upper[entry++];
      }
    }
    FrontalLdlt factor;
    factor.analyse(kkt.lower, FrontalLdlt::Values::any, kkt.n);
    REQUIRE(factor.factorise(kkt.lower, upper));
    CHECK((factor.pivots().array() < 0).count() == kkt.m);
    const Vector b = Vector::LinSpaced(kkt.n + kkt.m, -1, 2);
    Vector x = b;
    factor.solve(x);
    const Vector expected = whole.partialPivLu().solve(b);
    CHECK((x - expected).norm() <= 1e-11 * (1 + expected.norm()));  // as above
    // Symmetric values after others: nothing of the former factor is left.
    x = b;
    REQUIRE(factor.factorise(kkt.lower));
    factor.solve(x);
    const Vector symmetric = kkt.dense().partialPivLu().solve(b);
    CHECK((x - symmetric).norm() <= 1e-11 * (1 + symmetric.norm()));
  }
}

TEST_CASE("The frontal LDLt says where there is no factor") {
  RandomKkt kkt(1, 6, 3, 8, 2);
  FrontalLdlt ldlt;
  ldlt.analyse(kkt.lower);
  const SparseMatrix good = kkt.lower;
  kkt.lower.coeffRef(4, 4) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(ldlt.factorise(kkt.lower));
  kkt.lower = 0.0 * good;
  CHECK_FALSE(ldlt.factorise(kkt.lower));
  CHECK(ldlt.factorise(good));
}

TEST_CASE("The elimination tree of a chain is half as high as the chain is long") {
  constexpr int rods = 50;  // of one coordinate and one multiplier to the next
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < rods; ++i) {
    entries.emplace_back(i, i, 2.0);
    entries.emplace_back(rods + i, rods + i, -1e-2);
    entries.emplace_back(rods + i, i, 1.0);
    if (i + 1 < rods) entries.emplace_back(rods + i, i + 1, -1.0);
  }
  constexpr int size = 2 * rods;
  SparseMatrix lower(size, size);
  lower.setFromTriplets(entries.begin(), entries.end());
  const EliminationOrder order(lower, rods);
  std::vector<int> height(order.parent.size(), 1);
  std::size_t fill = 0;
  for (std::size_t j = 0; j < order.parent.size(); ++j) {
    fill += order.rows[j].size();
    if (order.parent[j] < 0) continue;
    int& above = height[static_cast<std::size_t>(order.parent[j])];
    above = std::max(above, height[j] + 1);
  }
  // Multipliers from both ends to the middle, above the coordinates; no more entries than the
  // path of a chain has from one end to the other: two of each coordinate, one of each multiplier.
  CHECK(*std::max_element(height.begin(), height.end()) <= rods / 2 + 3);
  CHECK(fill <= std::size_t{3} * rods);
}

}  // namespace trammel
