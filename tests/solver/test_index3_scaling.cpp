#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/error.hpp"
#include "tests/solver/bottasso_pendulum.hpp"
#include "tests/solver/planar_chain.hpp"
#include "tests/solver/run.hpp"

namespace trammel {
namespace {

using test::BottassoPendulum;
using test::Problem;

constexpr std::array<double, 5> stepSizes{1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
constexpr long few = 100;     // enough for the condition, which does not change along the motion
constexpr long all = 100000;  // corrections: before 2e-4 s roundoff hides below x = 1

struct Study {
  std::array<double, 5> condition{}, correction{};
};

/// All five step sizes up to t = 1e-3, at most `mostSteps` each. `scaleVelocity` false: the paper's
/// (24) instead of (29).
Study study(Index3Fields fields, Index3Scaling scaling, long mostSteps, bool scaleVelocity = true) {
  Study found;
  for (std::size_t i = 0; i < stepSizes.size(); ++i) {
    const double h = stepSizes[i];
    Index3Scales scales = index3Scales(scaling, h, 1 / (h * h));  // s = 1/h² as in section 3.2
    if (!scaleVelocity) scales.velocity = 1;
    BottassoPendulum pendulum(fields, h, scales);
    const auto result = pendulum.run(std::min(mostSteps, std::lround(1e-3 / h)));
    found.condition[i] = result.condition;
    found.correction[i] = result.correction;
  }
  return found;
}

double worst(const std::array<double, 5>& values) {
  return *std::max_element(values.begin(), values.end());
}

template <class Equations>
test::Run index3(double tolerance, Index3Fields fields, Index3Scaling scaling) {
  Problem<Equations> problem;
  SolverOptions options;
  options.method = Method::index3;
  options.tolerance = tolerance;
  options.index3Fields = fields;
  options.index3Scaling = scaling;
  return test::integrate(problem, problem.equations.interval, options);
}

}  // namespace

// Slopes: seed 001, equations (13), (19), (27), (30), (43), (47), (52); the widths and the bounds
// on condition and corrections are those of the acceptance numbers A1.
TEST_CASE("The condition of the three-field matrix grows like h^-3, h^-2, h^-1 and not at all") {
  using enum Index3Scaling;
  const auto slope = [](const Study& s) { return test::logSlope(stepSizes, s.condition); };
  CHECK(std::abs(slope(study(Index3Fields::three, none, few)) + 3) <= 0.02);
  CHECK(std::abs(slope(study(Index3Fields::three, left, few)) + 2) <= 0.02);
  CHECK(std::abs(slope(study(Index3Fields::three, leftRight, few, false)) + 1) <= 0.02);
  const Study scaled = study(Index3Fields::three, leftRight, all);
  CHECK(std::abs(slope(scaled)) <= 0.02);
  CHECK(worst(scaled.condition) <= 8);
  CHECK(worst(scaled.correction) <= 5e-16);
  CHECK(std::abs(test::logSlope(stepSizes, scaled.correction)) <= 0.2);
}

TEST_CASE("The condition of the two-field matrix grows like h^-4, h^-3 and not at all") {
  using enum Index3Scaling;
  const auto slope = [](const Study& s) { return test::logSlope(stepSizes, s.condition); };
  CHECK(std::abs(slope(study(Index3Fields::two, none, few)) + 4) <= 0.02);
  CHECK(std::abs(slope(study(Index3Fields::two, left, few)) + 3) <= 0.02);
  const Study scaled = study(Index3Fields::two, leftRight, all);
  CHECK(std::abs(slope(scaled)) <= 0.02);
  CHECK(worst(scaled.condition) <= 7);
  CHECK(worst(scaled.correction) <= 5e-16);
  CHECK(std::abs(test::logSlope(stepSizes, scaled.correction)) <= 0.2);
}

TEST_CASE("The automatic scale keeps the condition of a chain independent of the step size") {
  // Six uniform rods, two fields; measured with the prototype: 71 at every h with s = mean|diag|,
  // 8.7e9 ... 4e32 without scaling.
  test::PlanarChain chain = test::PlanarChain::longChain(6);
  const Index n = chain.coordinateCount(), m = chain.constraintCount();
  Linearisation linearisation;
  chain.shape(linearisation);
  chain.linearise(0, chain.startPosition(), Vector::Zero(n), Vector::Zero(n), Vector::Zero(m),
                  linearisation);
  Matrix matrix(n + m, n + m);
  std::array<double, 3> conditions{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double cj = 1.5 / std::array{1e-2, 1e-5, 1e-8}[i];
    const Index3Scales scales =
        index3Scales(Index3Scaling::leftRight, 1 / cj, averageStiffness(linearisation, cj));
    assembleIndex3(linearisation, cj, Index3Fields::two, scales, matrix);
    const Eigen::JacobiSVD<Matrix> svd(matrix);
    conditions[i] = svd.singularValues()[0] / svd.singularValues()[n + m - 1];
  }
  CHECK(conditions[0] <= 1000);
  CHECK(conditions[1] == Approx(conditions[0]).epsilon(0.02));
  CHECK(conditions[2] == Approx(conditions[0]).epsilon(0.02));
}

TEST_CASE("Every form of index 3 passes Andrews' squeezer and the car axis in follow mode") {
  using enum Index3Scaling;
  const test::Andrews andrews;
  const test::CarAxis car;
  for (const Index3Fields fields : {Index3Fields::two, Index3Fields::three}) {
    for (const Index3Scaling scaling : {none, left, leftRight}) {
      for (const double tolerance : {1e-6, 1e-8}) {
        CAPTURE(static_cast<int>(fields), static_cast<int>(scaling), tolerance);
        const test::Run squeezer = index3<test::Andrews>(tolerance, fields, scaling);
        REQUIRE(squeezer.report.ok);
        // Positions alone are tested: their error is about sqrt(tolerance), 3 and 4 digits.
        CHECK((squeezer.end.q - andrews.reference).lpNorm<Eigen::Infinity>() <=
              10 * std::sqrt(tolerance));
        const test::Run axis = index3<test::CarAxis>(tolerance, fields, scaling);
        REQUIRE(axis.report.ok);
        CHECK((axis.end.q - car.reference).lpNorm<Eigen::Infinity>() <= std::sqrt(tolerance));
      }
    }
  }
}

TEST_CASE("A form of index 3 that is only dense is refused where sparse is needed") {
  test::PlanarChain chain = test::PlanarChain::longChain(200);
  SolverOptions options;
  options.method = Method::index3;
  CHECK_NOTHROW(Integrator(chain, options));
  options.index3Fields = Index3Fields::three;
  CHECK_THROWS_WITH(Integrator(chain, options), Catch::Contains("index3"));
  Problem<test::Pendulum> pendulum;
  CHECK_NOTHROW(Integrator(pendulum, options));
  options.linearAlgebra = LinearAlgebra::sparse;
  CHECK_THROWS_WITH(Integrator(pendulum, options), Catch::Contains("sparse"));
}

}  // namespace trammel
