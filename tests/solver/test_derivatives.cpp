#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "solver/derivatives.hpp"
#include "solver/initial_values.hpp"
#include "tests/random_vector.hpp"
#include "tests/solver/planar_chain.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel {
namespace {

using test::Problem;
using test::randomVector;

Motion accelerated(MechanicalSystem& system, double t, const Vector& q, const Vector& v) {
  Motion motion{t, q, v, Vector::Zero(q.size()), Vector::Zero(system.constraintCount())};
  ConsistencySolver solver(system, LinearAlgebra::automatic);
  REQUIRE(solver.accelerate(t, q, v, motion.a, motion.lambda).ok);
  return motion;
}

/// δ(a, λ) along (δq, δv) against central differences of solves at neighbouring points, and the
/// adjoint against the directional derivative.
void compare(MechanicalSystem& system, double t, const Vector& q, const Vector& v) {
  std::mt19937 random(7);
  const Index n = system.coordinateCount(), m = system.constraintCount();
  const Motion at = accelerated(system, t, q, v);
  AccelerationDerivatives derivatives(system, LinearAlgebra::automatic);
  REQUIRE(derivatives.linearise(at).ok);
  for (int trial = 0; trial < 5; ++trial) {
    Perturbation change{randomVector(n, random), randomVector(n, random), Vector::Zero(n),
                        Vector::Zero(m)};
    Response response;
    derivatives.directional(change, response);
    // Fourth order: with h = 1e-3 its error and the roundoff of the solves are far below 1e-6.
    const double h = 1e-3;
    Vector a = Vector::Zero(n), lambda = Vector::Zero(m);
    for (const auto& [k, weight] :
         {std::pair{-2.0, 1.0}, std::pair{-1.0, -8.0}, std::pair{1.0, 8.0}, std::pair{2.0, -1.0}}) {
      const Motion moved = accelerated(system, t, q + k * h * change.q, v + k * h * change.v);
      a += weight / (12 * h) * moved.a;
      lambda += weight / (12 * h) * moved.lambda;
    }
    CHECK((response.a - a).norm() <= 1e-6 * a.norm());
    CHECK((response.lambda - lambda).norm() <= 1e-6 * lambda.norm());

    change.force = randomVector(n, random);
    change.acceleration = randomVector(m, random);
    const Response weights{randomVector(n, random), randomVector(m, random)};
    Perturbation gradient;
    derivatives.directional(change, response);
    derivatives.adjoint(weights, gradient);
    const double forward = weights.a.dot(response.a) + weights.lambda.dot(response.lambda);
    const double backward = gradient.q.dot(change.q) + gradient.v.dot(change.v) +
                            gradient.force.dot(change.force) +
                            gradient.acceleration.dot(change.acceleration);
    const double size =
        weights.a.norm() * response.a.norm() + weights.lambda.norm() * response.lambda.norm();
    CHECK(std::abs(forward - backward) <= 1e-12 * size);
  }
}

}  // namespace

TEST_CASE(
    "Derivatives of accelerations and multipliers agree with differences, adjoints with them") {
  SECTION("Andrews' squeezer, mass that depends on the position") {
    Problem<test::Andrews> andrews;
    const Vector v{{3.0, -2.0, 1.0, 4.0, -1.0, 2.0, 0.5}};
    compare(andrews, 0, andrews.equations.q0, v);
  }
  SECTION("Car axis, a constraint that depends on time") {
    Problem<test::CarAxis> axis;
    compare(axis, 0.7, axis.equations.q0, Vector{{0.1, -0.2, 0.3, 0.4}});
  }
  SECTION("Bushing, forces that depend on velocities") {
    Problem<test::Bushing<false>> bushing;
    compare(bushing, 0, bushing.equations.q0, Vector{{0.1, -0.2, 0.3, 0.4, 0.5, -0.6}});
  }
  SECTION("A chain with a sparse factor") {
    std::mt19937 random(3);
    test::PlanarChain chain = test::PlanarChain::longChain(20);
    Vector q = chain.startPosition();
    q += 0.1 * randomVector(60, random);
    compare(chain, 0, q, randomVector(60, random));
  }
}

TEST_CASE("The derivative with respect to a parameter of the force is that of a second solve") {
  Problem<test::Pendulum> pendulum;
  const Vector q{{0.6, -0.8}}, v{{0.8, 0.6}};
  AccelerationDerivatives derivatives(pendulum, LinearAlgebra::automatic);
  REQUIRE(derivatives.linearise(accelerated(pendulum, 0, q, v)).ok);
  Perturbation change{Vector::Zero(2), Vector::Zero(2), Vector{{0.0, -1.0}}, Vector::Zero(1)};
  Response response;
  derivatives.directional(change, response);  // f = (0, −gravity): linear in gravity
  const Motion before = accelerated(pendulum, 0, q, v);
  pendulum.equations.gravity += 1;
  const Motion after = accelerated(pendulum, 0, q, v);
  CHECK((response.a - (after.a - before.a)).norm() <= 1e-12);
  CHECK((response.lambda - (after.lambda - before.lambda)).norm() <= 1e-12);
}

TEST_CASE("The derivative with respect to a driven constraint moves the point as it is driven") {
  Problem<test::Pendulum> pendulum;
  const Vector q{{0.6, -0.8}}, v{{0.0, 0.0}};
  AccelerationDerivatives derivatives(pendulum, LinearAlgebra::automatic);
  REQUIRE(derivatives.linearise(accelerated(pendulum, 0, q, v)).ok);
  Perturbation change{Vector::Zero(2), Vector::Zero(2), Vector::Zero(2), Vector{{1.0}}};
  Response response;
  derivatives.directional(change, response);  // the rod accelerates outwards by 1
  CHECK((response.a - q).norm() <= 1e-12);
  CHECK(response.lambda[0] == Approx(-1));
}

TEST_CASE("Exact second derivatives of the constraints, where supplied, equal the differences") {
  std::mt19937 random(5);
  test::PlanarChain chain = test::PlanarChain::longChain(8);
  const Vector q = chain.startPosition() + 0.5 * randomVector(24, random);
  const Vector v = 3 * randomVector(24, random);
  const Motion at = accelerated(chain, 0, q, v);
  AccelerationDerivatives byDifferences(chain, LinearAlgebra::automatic);
  REQUIRE(byDifferences.linearise(at).ok);
  chain.exactAccelerationGradient = true;
  AccelerationDerivatives exact(chain, LinearAlgebra::automatic);
  REQUIRE(exact.linearise(at).ok);
  CHECK(Matrix(exact.byPosition() - byDifferences.byPosition()).norm() <=
        1e-10 * exact.byPosition().norm());
  CHECK(Matrix(exact.byVelocity() - byDifferences.byVelocity()).norm() <=
        1e-13 * exact.byVelocity().norm());
}

TEST_CASE("Derivatives that are not finite are said to be so") {
  Problem<test::Pendulum> pendulum;
  AccelerationDerivatives derivatives(pendulum, LinearAlgebra::automatic);
  Motion at{0, Vector{{1.0, std::nan("")}}, Vector::Zero(2), Vector::Zero(2), Vector::Zero(1)};
  CHECK_FALSE(derivatives.linearise(at).ok);
}

}  // namespace trammel
