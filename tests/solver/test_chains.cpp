#include <catch2/catch.hpp>
#include <limits>

#include "solver/integrator.hpp"
#include "tests/solver/planar_chain.hpp"

namespace trammel {
namespace {

/// Angles of all rods one second after the release.
Vector angles(test::PlanarChain chain, double tolerance) {
  SolverOptions options;
  options.tolerance = tolerance;
  Integrator integrator(chain, options);
  const Index n = chain.coordinateCount();
  REQUIRE(integrator.start(0, chain.startPosition(), Vector::Zero(n)).ok);
  REQUIRE(integrator.advance(1.0, std::numeric_limits<double>::infinity()).ok);
  Motion motion;
  REQUIRE(integrator.motion(1.0, false, motion).ok);
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

}  // namespace trammel
