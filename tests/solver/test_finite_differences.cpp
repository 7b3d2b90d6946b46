#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "solver/error.hpp"
#include "solver/finite_differences.hpp"
#include "solver/integrator.hpp"
#include "tests/random_vector.hpp"
#include "tests/solver/planar_chain.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel {
namespace {

using test::Problem;
using test::randomVector;

/// The equations of a system with exact derivatives, these left out.
PlainEquations withoutDerivatives(MechanicalSystem& system) {
  const Index n = system.coordinateCount(), m = system.constraintCount();
  Linearisation shape;
  system.shape(shape);
  PlainEquations plain;
  for (Index i = 0; i < n; ++i) plain.coordinateNames.push_back(system.coordinateName(i));
  for (Index i = 0; i < m; ++i) plain.constraintNames.push_back(system.constraintName(i));
  plain.nominal = Vector::Ones(n);
  plain.massPattern = shape.M;
  plain.massByPosition = plain.forceByPosition = shape.K;
  plain.forceByVelocity = shape.C;
  plain.gradientPattern = shape.G;
  plain.mass = [&system, shape](VectorIn q, SparseMatrix& M) mutable {
    system.massAndGradient(0, q, shape);
    std::copy(shape.M.valuePtr(), shape.M.valuePtr() + shape.M.nonZeros(), M.valuePtr());
  };
  plain.force = [&system, n, m](double t, VectorIn q, VectorIn v, VectorOut f) {
    system.forceBalance(t, q, v, Vector::Zero(n), Vector::Zero(m), f);
    f = -f;
  };
  plain.constraint = [&system](double t, VectorIn q, VectorOut g) { system.constraint(t, q, g); };
  return plain;
}

double distance(const SparseMatrix& got, const SparseMatrix& exact) {
  const double size = exact.norm();
  return Matrix(got - exact).norm() / (size > 0 ? size : 1.0);
}

/// Every derivative at a point; the bounds are roundoff over the move, ε/1e-3 for first and ε/25e-6
/// for second derivatives, with a margin for sums of terms.
void compare(MechanicalSystem& exact, double t, const Vector& q, const Vector& v, const Vector& a) {
  std::mt19937 random(2);
  FiniteDifferenceSystem differences(withoutDerivatives(exact));
  const Vector lambda = randomVector(exact.constraintCount(), random);
  Linearisation left, right;
  differences.shape(left);
  exact.shape(right);
  differences.linearise(t, q, v, a, lambda, left);
  exact.linearise(t, q, v, a, lambda, right);
  CHECK(distance(left.M, right.M) == 0);
  CHECK(distance(left.G, right.G) <= 1e-10);
  Vector force(q.size());
  exact.forceBalance(t, q, v, Vector::Zero(q.size()), Vector::Zero(lambda.size()), force);
  CHECK(Matrix(left.C - right.C).norm() <= 1e-9 * right.C.norm() + 1e-12 * force.norm());
  CHECK(distance(left.K, right.K) <= 1e-7);

  Vector got(exact.constraintCount()), expected(exact.constraintCount());
  differences.constraintRate(t, q, v, got);
  exact.constraintRate(t, q, v, expected);
  CHECK((got - expected).norm() <= 1e-10 * expected.norm());
  differences.constraintAcceleration(t, q, v, got);
  exact.constraintAcceleration(t, q, v, expected);
  CHECK((got - expected).norm() <= 1e-7 * expected.norm());
  Vector balance(q.size()), exactBalance(q.size());
  differences.forceBalance(t, q, v, a, lambda, balance);
  exact.forceBalance(t, q, v, a, lambda, exactBalance);
  CHECK((balance - exactBalance).norm() <= 1e-9 * exactBalance.norm());
}

}  // namespace

TEST_CASE("Columns of a colour share no row, and a chain needs few colours at any length") {
  Index colours = 0;
  for (const Index rods : {10, 1000}) {
    test::PlanarChain chain = test::PlanarChain::longChain(rods);
    Linearisation shape;
    chain.shape(shape);
    const Colouring colouring(shape.G);
    std::vector<bool> seen(static_cast<std::size_t>(3 * rods), false);
    for (Index group = 0; group < colouring.count(); ++group) {
      std::vector<bool> rows(static_cast<std::size_t>(2 * rods), false);
      for (const Index j : colouring.columns(group)) {
        CHECK_FALSE(seen[static_cast<std::size_t>(j)]);
        seen[static_cast<std::size_t>(j)] = true;
        for (SparseMatrix::InnerIterator entry(shape.G, j); entry; ++entry) {
          REQUIRE_FALSE(rows[static_cast<std::size_t>(entry.row())]);
          rows[static_cast<std::size_t>(entry.row())] = true;
        }
      }
    }
    CHECK(std::count(seen.begin(), seen.end(), true) == 3 * rods);
    CHECK(colouring.count() <= 6);  // a pin equation has four coordinates
    if (colours > 0) CHECK(colouring.count() == colours);
    colours = colouring.count();
  }
}

TEST_CASE("Differences agree with the exact derivatives of a chain, Andrews and the car axis") {
  std::mt19937 random(1);
  SECTION("chain") {
    test::PlanarChain chain = test::PlanarChain::longChain(20);
    const Vector q = chain.startPosition() + 0.3 * randomVector(60, random);
    compare(chain, 0, q, randomVector(60, random), randomVector(60, random));
  }
  SECTION("Andrews") {
    Problem<test::Andrews> andrews;
    compare(andrews, 0, andrews.equations.q0, randomVector(7, random), randomVector(7, random));
  }
  SECTION("car axis") {
    Problem<test::CarAxis> axis;
    compare(axis, 0.4, axis.equations.q0, randomVector(4, random), randomVector(4, random));
  }
}

TEST_CASE("A system without derivatives is integrated as one that has them") {
  Problem<test::Pendulum> pendulum;
  pendulum.equations.gravity = 13.7503716373294544;  // seed 002, section 3.3: period 2 s
  FiniteDifferenceSystem differences(withoutDerivatives(pendulum));
  SolverOptions options;
  options.tolerance = 1e-6;
  Integrator integrator(differences, options);
  REQUIRE(integrator.start(0, pendulum.equations.q0, pendulum.equations.v0).ok);
  REQUIRE(integrator.advance(2.0, std::numeric_limits<double>::infinity()).ok);
  Motion motion;
  REQUIRE(integrator.motion(2.0, true, motion).ok);
  CHECK(std::abs(motion.q[0] - 1) <= 1e-4);
  CHECK(std::abs(motion.q[1]) <= 1e-4);
}

TEST_CASE("Patterns of a wrong size are refused") {
  Problem<test::Pendulum> pendulum;
  PlainEquations plain = withoutDerivatives(pendulum);
  plain.gradientPattern.resize(2, 2);
  CHECK_THROWS_WITH(FiniteDifferenceSystem(plain),
                    Catch::Contains("gradient pattern is 2 x 2, expected 1 x 2"));
}

}  // namespace trammel
