#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "solver/assembly.hpp"
#include "solver/error.hpp"
#include "tests/solver/planar_chain.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel {
namespace {

using test::Problem;

template <class System>
double violation(System& system, const Vector& q) {
  Vector g(system.constraintCount());
  system.constraint(0, q, g);
  return g.lpNorm<Eigen::Infinity>();
}

template <class System>
double rateViolation(System& system, const Vector& q, const Vector& v) {
  Vector rate(system.constraintCount());
  system.constraintRate(0, q, v, rate);
  return rate.lpNorm<Eigen::Infinity>();
}

/// `values` with every entry off by up to `error` of itself or, if that is more, of one.
Vector disturbed(const Vector& values, double error, std::mt19937& random) {
  std::uniform_real_distribution<double> share(-error, error);
  Vector out = values;
  for (double& x : out) x += share(random) * std::max(1.0, std::abs(x));
  return out;
}

/// Two circles that a point cannot lie on at once, and a third coordinate that is free to obey.
struct Apart {
  static constexpr std::size_t n = 3, m = 3;
  template <class S>
  void mass(const S*, S* M) const {
    test::unitMass<n>(M);
  }
  template <class S>
  void force(S, const S*, const S*, S* f) const {
    f[0] = f[1] = f[2] = S(0.0);
  }
  template <class S>
  void constraint(S, const S* q, S* g) const {
    g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    g[1] = (q[0] - 3.0) * (q[0] - 3.0) + q[1] * q[1] - 1.0;
    g[2] = q[2] - q[0];
  }
};

}  // namespace

TEST_CASE("Positions and velocities are the closest consistent ones in the mass metric") {
  Problem<test::Pendulum> pendulum;
  pendulum.equations.massX = 1;
  pendulum.equations.massY = 4;
  const Vector wanted{{0.9, -0.9}}, speed{{0.3, 1.0}};
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    StartValues start{0, wanted, speed, {}, {}};
    REQUIRE(Assembly(pendulum, algebra).assemble(start).ok);
    CHECK(start.q.norm() == Approx(1).epsilon(1e-15));
    CHECK(std::abs(start.q.dot(start.v)) <= 1e-15);
    // Stationary: M (q − wanted) and M (v − speed) are parallel to Gᵀ = q.
    const Vector M{{1, 4}};
    const Vector pull = M.cwiseProduct(start.q - wanted), push = M.cwiseProduct(start.v - speed);
    CHECK(std::abs(pull[0] * start.q[1] - pull[1] * start.q[0]) <= 1e-8);
    CHECK(std::abs(push[0] * start.q[1] - push[1] * start.q[0]) <= 1e-14);
  }
}

TEST_CASE("Consistent start values are not touched by more than roundoff") {
  Problem<test::Andrews> andrews;
  StartValues start{0, andrews.equations.q0, andrews.equations.v0, {}, {}};
  REQUIRE(Assembly(andrews, LinearAlgebra::automatic).assemble(start).ok);
  CHECK((start.q - andrews.equations.q0).lpNorm<Eigen::Infinity>() <= 1e-14);
  CHECK(start.v == andrews.equations.v0);
}

TEST_CASE("Kept coordinates and velocities stay exactly as they are given") {
  Problem<test::Andrews> andrews;
  StartValues start{0, andrews.equations.q0, Vector::Zero(7), {}, {}};
  start.q[0] = 0.3;  // β, the driving angle
  start.v[0] = 50.0;
  start.keepPosition = {true, false, false, false, false, false, false};
  start.keepVelocity = start.keepPosition;
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    StartValues found = start;
    REQUIRE(Assembly(andrews, algebra).assemble(found).ok);
    CHECK(found.q[0] == 0.3);
    CHECK(found.v[0] == 50.0);
    CHECK(violation(andrews, found.q) <= 1e-15);
    CHECK(rateViolation(andrews, found.q, found.v) <= 1e-12);
    CHECK(std::abs(found.v[2]) > 0.1);  // the others move along
  }
  Integrator integrator(andrews, SolverOptions{});
  REQUIRE(integrator.start(start).ok);
  Motion motion;
  REQUIRE(integrator.motion(0, false, motion).ok);
  CHECK(motion.q[0] == Approx(0.3).epsilon(1e-15));
}

TEST_CASE("Mechanisms assemble from start values that are off by 20 percent") {
  std::mt19937 random(4);
  Problem<test::Andrews> andrews;
  Problem<test::FourBars<2>> bars;
  test::PlanarChain chain = test::PlanarChain::longChain(20);
  for (int trial = 0; trial < 50; ++trial) {
    StartValues start{0, disturbed(andrews.equations.q0, 0.2, random), Vector::Zero(7), {}, {}};
    const double crank = start.q[0] = andrews.equations.q0[0];
    start.keepPosition = {true, false, false, false, false, false, false};
    REQUIRE(Assembly(andrews, LinearAlgebra::automatic).assemble(start).ok);
    CHECK(violation(andrews, start.q) <= 1e-15);
    CHECK(start.q[0] == crank);

    start = {0, disturbed(bars.equations.q0, 0.2, random), Vector::Zero(15), {}, {}};
    REQUIRE(Assembly(bars, LinearAlgebra::automatic).assemble(start).ok);
    CHECK(violation(bars, start.q) <= 1e-14);

    start = {0, disturbed(chain.startPosition(), 0.2, random), Vector::Zero(60), {}, {}};
    REQUIRE(Assembly(chain, LinearAlgebra::sparse).assemble(start).ok);
    CHECK(violation(chain, start.q) <= 1e-13);
  }
}

TEST_CASE("Redundant constraints do not stand in the way") {
  Problem<test::Bushing<true>> bushing;
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    StartValues start{0, bushing.equations.q0, bushing.equations.v0, {}, {}};
    start.q[0] = 0.1;
    REQUIRE(Assembly(bushing, algebra).assemble(start).ok);
    CHECK(violation(bushing, start.q) <= 1e-15);
    CHECK(rateViolation(bushing, start.q, start.v) <= 1e-15);
  }
}

TEST_CASE("Every constraint that takes part in a contradiction is named, and no other") {
  Problem<Apart> apart;
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    StartValues start{0, Vector{{1.0, 0.5, 0.0}}, Vector::Zero(3), {}, {}};
    const Report report = Assembly(apart, algebra).assemble(start);
    CHECK_FALSE(report.ok);
    CHECK_THAT(report.message, Catch::Contains("\"g0\" is off by"));
    CHECK_THAT(report.message, Catch::Contains("\"g1\" is off by"));
    CHECK_THAT(report.message, !Catch::Contains("\"g2\""));
    CHECK_THAT(report.message, !Catch::Contains("keeping"));
  }
}

TEST_CASE("Kept coordinates that cannot be kept are named with the constraints they block") {
  Problem<test::FourBars<1>> bar;  // cranks 0 and 1, coupler 2; cranks are parallel or crossed
  StartValues start{0, bar.equations.q0, Vector::Zero(9), {}, {}};
  start.keepPosition.assign(9, false);
  start.keepPosition[0] = start.keepPosition[2] = true;  // pin 0 is at (0, 0): x = cos(θ)/2
  start.q[0] = 0.3;
  Report report = Assembly(bar, LinearAlgebra::automatic).assemble(start);
  CHECK_FALSE(report.ok);
  CHECK_THAT(report.message, Catch::Contains("\"g0\" is off by"));
  CHECK_THAT(report.message, Catch::Contains("without keeping \"q0\", \"q2\""));

  start = {0, bar.equations.q0, Vector::Zero(9), {}, {}};
  start.keepVelocity.assign(9, false);
  start.keepVelocity[2] = start.keepVelocity[5] = true;
  start.v[2] = 1;
  start.v[5] = 2;  // a parallelogram turns both cranks alike
  report = Assembly(bar, LinearAlgebra::automatic).assemble(start);
  CHECK_FALSE(report.ok);
  CHECK_THAT(report.message, Catch::Contains("velocities") && Catch::Contains("without keeping"));
  CHECK_THAT(report.message, Catch::Contains("\"q2\", \"q5\""));
}

TEST_CASE("Start values of a wrong size are refused") {
  Problem<test::Pendulum> pendulum;
  StartValues start{0, Vector::Zero(3), Vector::Zero(2), {}, {}};
  CHECK_THROWS_AS(Assembly(pendulum, LinearAlgebra::dense).assemble(start), Error);
  start.q.resize(2);
  start.keepVelocity = {true};
  CHECK_THROWS_WITH(Assembly(pendulum, LinearAlgebra::dense).assemble(start),
                    Catch::Contains("keepVelocity has 1 entries, expected 2"));
}

}  // namespace trammel
