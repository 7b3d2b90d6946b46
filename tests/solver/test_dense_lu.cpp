#include "solver/dense_lu.hpp"

#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "solver/known_size.hpp"
#include "tests/random_vector.hpp"

namespace trammel {
namespace {

/// Random numbers with zeros among them, on the diagonal too, so that rows must be exchanged.
Matrix randomMatrix(Index size, std::mt19937& random) {
  std::uniform_int_distribution<int> draw(0, 2);
  Matrix A(size, size);
  for (Index j = 0; j < size; ++j) {
    A.col(j) = test::randomVector(size, random);
    for (Index i = 0; i < size; ++i)
      if (draw(random) == 0) A(i, j) = 0;
    A(j, j) = 0;
  }
  for (Index j = 0; j < size; ++j) A((j + 1) % size, j) += 2;
  return A;
}

DenseLu factored(const Matrix& A) {
  DenseLu lu(A.rows());
  lu.matrix() = A;
  REQUIRE(lu.factorise());
  return lu;
}

Matrix inverseOf(const DenseLu& lu, const Vector& scale) {
  DenseInverse inverse(scale.size());
  lu.invert(scale, inverse);
  return Matrix::NullaryExpr(scale.size(), scale.size(),
                             [&](Index i, Index j) { return inverse(i, j); });
}

/// The eliminations as written in a textbook, of rows that are exchanged as a whole.
struct ByTheBook {
  Matrix inverse;
  double smallestPivot = 0;
};
ByTheBook byTheBook(Matrix A, const Vector& scale) {
  const Index size = A.rows();
  Matrix inverse = scale.asDiagonal();
  for (Index j = 0; j < size; ++j) {
    Index pivot = j;
    for (Index i = j + 1; i < size; ++i)
      if (std::abs(A(i, j)) > std::abs(A(pivot, j))) pivot = i;
    A.row(j).swap(A.row(pivot));
    inverse.row(j).swap(inverse.row(pivot));
    for (Index i = j + 1; i < size; ++i) {
      A(i, j) *= 1 / A(j, j);
      for (Index k = j + 1; k < size; ++k) A(i, k) -= A(j, k) * A(i, j);
      for (Index k = 0; k < size; ++k) inverse(i, k) -= A(i, j) * inverse(j, k);
    }
  }
  for (Index j = size - 1; j >= 0; --j) {
    for (Index k = 0; k < size; ++k) inverse(j, k) *= 1 / A(j, j);
    for (Index i = 0; i < j; ++i)
      for (Index k = 0; k < size; ++k) inverse(i, k) -= A(i, j) * inverse(j, k);
  }
  return {scale.asDiagonal() * inverse, A.diagonal().cwiseAbs().minCoeff()};
}

// Roundoff times the condition number, which of these matrices is below 1e3.
constexpr double margin = 1e-12;

}  // namespace

TEST_CASE("A small LU solves and inverts matrices with zeros on their diagonal") {
  std::mt19937 random(17);
  for (Index size = 2; size <= 32; ++size) {
    const Matrix A = randomMatrix(size, random);
    DenseLu lu = factored(A);
    const Vector b = test::randomVector(size, random);
    Vector x = b;
    lu.solve(x);
    CHECK((A * x - b).norm() <= margin * (1 + x.norm()));
    const Vector scale = test::randomVector(size, random).cwiseAbs() + Vector::Ones(size);
    const Matrix inverse = inverseOf(lu, scale);
    const Matrix expected = scale.asDiagonal() * A.inverse() * scale.asDiagonal();
    CHECK((inverse - expected).norm() <= margin * (1 + expected.norm()) * expected.norm());
  }
}

TEST_CASE(
    "A small LU of few unknowns makes the same roundoff as the eliminations of the textbook") {
  std::mt19937 random(29);
  for (Index size = 1; size <= largestKnownSize; ++size) {
    for (int i = 0; i < 5; ++i) {
      CAPTURE(size, i);
      const Matrix A = randomMatrix(size, random);
      const Vector scale = test::randomVector(size, random).cwiseAbs() + Vector::Ones(size);
      CHECK(inverseOf(factored(A), scale) == byTheBook(A, scale).inverse);
    }
  }
}

TEST_CASE("A small LU of every size has the pivots of the textbook to the last bit") {
  std::mt19937 random(31);
  for (Index size = 2; size <= 32; ++size) {
    CAPTURE(size);
    const Matrix A = randomMatrix(size, random);
    CHECK(factored(A).smallestPivot() == byTheBook(A, Vector::Ones(size)).smallestPivot);
  }
}

TEST_CASE("Products with a small inverse are those with its entries") {
  std::mt19937 random(41);
  for (Index size = 1; size <= 40; ++size) {
    CAPTURE(size);
    Matrix A = randomMatrix(size, random);
    A.diagonal().array() += 4 + static_cast<double>(size);
    DenseInverse inverse(size);
    factored(A).invert(Vector::Ones(size), inverse);
    const Matrix entries = inverseOf(factored(A), Vector::Ones(size));
    const Vector b = test::randomVector(size, random);
    Vector guarded(size + 1);  // nothing is written behind the end
    guarded << b, 7;
    inverse.multiply(guarded.data());
    CHECK((guarded.head(size) - entries * b).norm() <= margin);
    CHECK(guarded[size] == 7);
    for (Index leading = 1; leading < size; ++leading) {
      Vector x = b;
      inverse.multiplyLeading(x.data(), leading);
      const Vector expected =
          entries.topRightCorner(leading, size - leading) * b.tail(size - leading);
      CHECK((x.head(leading) - expected).norm() <= margin);
      CHECK(x.tail(size - leading) == b.tail(size - leading));
    }
    inverse.clearColumn(size - 1);
    Vector last = Vector::Unit(size, size - 1);
    inverse.multiply(last.data());
    CHECK(last.isZero(0));
  }
}

TEST_CASE("A small LU can be used again for another matrix") {
  std::mt19937 random(3);
  DenseLu lu(5);
  for (int i = 0; i < 3; ++i) {
    const Matrix A = randomMatrix(5, random);
    lu.matrix() = A;
    REQUIRE(lu.factorise());
    Vector x = Vector::Ones(5);
    lu.solve(x);
    CHECK((A * x - Vector::Ones(5)).norm() <= margin * (1 + x.norm()));
  }
}

TEST_CASE("A small LU of more unknowns says so where there is none") {
  std::mt19937 random(37);
  for (const Index size : {7, 8, 9, 15}) {
    CAPTURE(size);
    DenseLu lu(size);
    Matrix A = randomMatrix(size, random);
    lu.matrix() = A;
    lu.matrix().row(size - 1).setZero();
    CHECK_FALSE(lu.factorise());
    lu.matrix().setZero();
    CHECK_FALSE(lu.factorise());
    lu.matrix() = A;
    lu.matrix()(size / 2, size / 2) = std::numeric_limits<double>::infinity();
    CHECK_FALSE(lu.factorise());
    lu.matrix() = A;
    CHECK(lu.factorise());
  }
}

TEST_CASE("A small LU says so where there is none") {
  DenseLu lu(3);
  lu.matrix() << 1, 2, 3, 2, 4, 6, 1, 0, 1;  // the second row is twice the first
  CHECK_FALSE(lu.factorise());
  lu.matrix().setZero();
  CHECK_FALSE(lu.factorise());
  lu.matrix().setIdentity();
  lu.matrix()(1, 1) = std::numeric_limits<double>::infinity();
  CHECK_FALSE(lu.factorise());
}

TEST_CASE("The smallest pivot of a small LU shows how near a matrix is to a singular one") {
  for (const double distance : {1e-2, 1e-5, 1e-8}) {
    Matrix A = Matrix::Ones(2, 2);
    A(1, 1) += distance;
    CHECK(factored(A).smallestPivot() == Approx(distance).epsilon(1e-6));
  }
}

}  // namespace trammel
