#include "solver/kkt_solver.hpp"

#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "tests/random_vector.hpp"

namespace trammel {
namespace {

/// Full matrices of random numbers, S dominated by its mass; C makes it unsymmetric.
Linearisation randomLinearisation(Index n, Index m, unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](Index rows, Index columns) {
    Matrix A(rows, columns);
    for (Index j = 0; j < columns; ++j) A.col(j) = test::randomVector(rows, random);
    return A;
  };
  Linearisation at;
  const Matrix root = draw(n, n);
  at.M = (root * root.transpose() + Matrix::Identity(n, n)).sparseView();
  at.C = draw(n, n).sparseView();
  at.K = Matrix::Identity(n, n).sparseView();
  at.G = draw(m, n).sparseView();
  return at;
}

Matrix kktMatrix(const Linearisation& at, const IterationWeights& weights) {
  const Index n = at.M.rows(), m = at.G.rows();
  Matrix A = Matrix::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = weights.mass * Matrix(at.M) + weights.damping * Matrix(at.C) +
                          weights.stiffness * Matrix(at.K);
  A.bottomLeftCorner(m, n) = Matrix(at.G);
  A.topRightCorner(n, m) = Matrix(at.G).transpose();
  return A;
}

}  // namespace

TEST_CASE("Every factor of the KKT matrix solves what a dense LU of the whole matrix solves") {
  struct Size {
    Index n, m;
  };
  for (const Size& size : {Size{1, 0}, Size{2, 0}, Size{2, 1}, Size{2, 2}, Size{3, 2}, Size{4, 2},
                           Size{5, 2}, Size{7, 4}, Size{20, 9}}) {
    const Index n = size.n, m = size.m;
    const Linearisation at = randomLinearisation(n, m, 5);
    for (const IterationWeights& weights :
         {IterationWeights{1, 0, 0}, IterationWeights{1e4, 1e2, 1}}) {
      const Eigen::PartialPivLU<Matrix> expected(kktMatrix(at, weights));
      for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
        CAPTURE(n, m, weights.mass, static_cast<int>(algebra));
        KktSolver kkt(at, algebra);
        REQUIRE(kkt.factorise(at, weights));
        const Vector b = Vector::LinSpaced(n + m, -1, 2);
        Vector x = b;
        kkt.solve(x);
        // The regularisation of the sparse factor, at most 1e-9, over the smallest σ² of G.
        const double small = algebra == LinearAlgebra::dense ? 1e-9 : 1e-6;
        CHECK((x - expected.solve(b)).norm() <= small * x.norm());

        Vector refined = b;
        kkt.solveRefined(refined, 2);
        CHECK((refined - expected.solve(b)).norm() <= 1e-10 * refined.norm());

        // With b = 0 and x alone, whatever stands in the place of b.
        Vector constraints = b;
        constraints.head(n).setZero();
        const Vector whole = expected.solve(constraints);
        constraints.head(n).setConstant(1e3);
        kkt.solveConstraints(constraints);
        CHECK((constraints.head(n) - whole.head(n)).norm() <= small * whole.norm());
      }
    }
  }
}

TEST_CASE("Rows that are left out are not looked at and have no multiplier") {
  const Index n = 6, m = 3;
  Linearisation at = randomLinearisation(n, m, 9);
  Matrix G(at.G);
  G.row(2) = G.row(0) + G.row(1);
  at.G = G.sparseView();
  Linearisation without = at;
  without.G = Matrix(G.topRows(2)).sparseView();
  const Vector flags = Eigen::Vector3d(0, 0, 1);
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    for (const IterationWeights& weights :
         {IterationWeights{1, 0, 0}, IterationWeights{1e4, 1e2, 1}}) {
      KktSolver kkt(at, algebra), fewer(without, algebra);
      kkt.leaveOut(flags);
      REQUIRE(kkt.factorise(at, weights));
      REQUIRE(fewer.factorise(without, weights));
      Vector x = Vector::LinSpaced(n + m, -1, 2), expected = x.head(n + 2);
      Vector constraints = x;
      kkt.solve(x);
      fewer.solve(expected);
      CHECK((x.head(n + 2) - expected).norm() <= 1e-12 * expected.norm());  // roundoff
      CHECK(x[n + 2] == 0);
      expected = constraints.head(n + 2);
      kkt.solveConstraints(constraints);
      fewer.solveConstraints(expected);
      CHECK((constraints.head(n) - expected.head(n)).norm() <= 1e-12 * expected.norm());
    }
  }
}

TEST_CASE("A KKT matrix with an entry that is not finite has no factor") {
  for (const Index n : {2, 9, 20}) {
    const Linearisation sound = randomLinearisation(n, n / 2, 13);
    for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
      KktSolver kkt(sound, algebra);
      for (SparseMatrix Linearisation::*part :
           {&Linearisation::M, &Linearisation::C, &Linearisation::K, &Linearisation::G}) {
        for (const double wrong :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
          CAPTURE(n, static_cast<int>(algebra), wrong);
          Linearisation at = sound;
          (at.*part).valuePtr()[(at.*part).nonZeros() - 1] = wrong;
          CHECK_FALSE(kkt.factorise(at, {1e4, 1e2, 1}));
        }
      }
      CHECK(kkt.factorise(sound, {1e4, 1e2, 1}));
    }
  }
}

}  // namespace trammel
