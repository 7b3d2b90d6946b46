#include <catch2/catch.hpp>
#include <limits>

#include "solver/integrator.hpp"
#include "tests/solver/planar_chain.hpp"

namespace trammel {
namespace {

/// Angles of all rods at a time after the release.
Vector angles(test::PlanarChain chain, double tolerance, double time = 1.0) {
  SolverOptions options;
  options.tolerance = tolerance;
  Integrator integrator(chain, options);
  const Index n = chain.coordinateCount();
  REQUIRE(integrator.start(0, chain.startPosition(), Vector::Zero(n)).ok);
  REQUIRE(integrator.advance(time, std::numeric_limits<double>::infinity()).ok);
  Motion motion;
  REQUIRE(integrator.motion(time, false, motion).ok);
  return motion.q(Eigen::seq(2, n - 1, 3));
}

double largestDifference(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>();
}

}  // namespace

// The limits at 1e-6 are the acceptance numbers. References are runs of the same solver at 1e-9,
// the tightest that is not yet lost in the roundoff of positions up to 1 km.

TEST_CASE("A chain of 1000 rods of 1 m is right, and its error falls with the tolerance") {
  // Own runs: 1.2e-5, 2.0e-6, 2.6e-7 at 1e-6, 1e-7, 1e-8; IDA with GGL has 7.8e-6 at 1e-6.
  const auto chain = test::PlanarChain::longChain(1000);
  const Vector reference = angles(chain, 1e-9);
  CHECK(largestDifference(angles(chain, 1e-6), reference) <= 3e-5);
  CHECK(largestDifference(angles(chain, 1e-7), reference) <= 6e-6);
  CHECK(largestDifference(angles(chain, 1e-8), reference) <= 1.2e-6);
}

TEST_CASE("A chain of 100 rods on 1 m is right, and its error falls with the tolerance") {
  // Own runs: 2.2e-5, 2.3e-6, 9.7e-7 at 1e-6, 1e-7, 1e-8; IDA with GGL has 1.7e-4 at 1e-6.
  const auto chain = test::PlanarChain::hardChain(100);
  const Vector reference = angles(chain, 1e-9);
  CHECK(largestDifference(angles(chain, 1e-6), reference) <= 2e-4);
  CHECK(largestDifference(angles(chain, 1e-8), reference) <= 5e-6);
}

TEST_CASE("A chain of short rods moves at tolerances that roundoff does not allow") {
  // Pins are known to 1e-16 m, so rods of 1 mm have angles with a noise of 1e-13 rad, and steps of
  // a microsecond make 1e-7 rad/s of it. Without regard for it the step size was gone at 0.125 ms.
  const auto chain = test::PlanarChain::hardChain(1000);
  const Vector reference = angles(chain, 1e-8, 2e-3);
  for (const double tolerance : {1e-9, 1e-10}) {
    INFO("tolerance " << tolerance);
    // Own runs: 1.4e-7 and 1.5e-7 rad, of which most is the error of the reference.
    CHECK(largestDifference(angles(chain, tolerance, 2e-3), reference) <= 1e-6);
  }
}

}  // namespace trammel
