#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <tuple>

#include "tests/solver/run.hpp"
#include "tests/solver/seed_problems.hpp"

// The acceptance numbers of the corrected iteration on the problems of Yen and Petzold (seed 000):
// limits on steps / residuals / linearisations / convergence failures and on the error, from the
// measurements of the prototypes. The slow solutions are exact.
namespace trammel {
namespace {

using test::Problem;
using test::Run;

constexpr double endless = std::numeric_limits<double>::infinity();

struct Limit {
  long steps, residuals, linearisations, convergenceFailures;
};

void checkWithin(const Run& run, const Limit& limit) {
  REQUIRE(run.report.ok);
  CHECK(run.statistics.steps <= limit.steps);
  CHECK(run.statistics.residuals <= limit.residuals);
  CHECK(run.statistics.linearisations <= limit.linearisations);
  CHECK(run.statistics.convergenceFailures <= limit.convergenceFailures);
}

SolverOptions optionsOf(double tolerance, Mode mode) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.mode = mode;
  return options;
}

/// Largest difference of coordinate i to a tight run, over the ends of all steps.
template <class ProblemType>
double trajectoryError(ProblemType& problem, double until, double tolerance, Index i) {
  SolverOptions options = optionsOf(tolerance, Mode::follow);
  options.horizon = until;
  SolverOptions tight = optionsOf(1e-10, Mode::follow);
  tight.horizon = until;
  Integrator run(problem, options), reference(problem, tight);
  REQUIRE(run.start(0, problem.equations.q0, problem.equations.v0).ok);
  REQUIRE(reference.start(0, problem.equations.q0, problem.equations.v0).ok);
  Motion got, expected;
  double worst = 0;
  while (run.time() < until) {
    REQUIRE(run.advance(run.time() + 1e-12, endless).ok);
    if (run.time() > until) break;
    REQUIRE(reference.advance(run.time(), endless).ok);
    REQUIRE(run.motion(run.time(), false, got).ok);
    REQUIRE(reference.motion(run.time(), false, expected).ok);
    worst = std::max(worst, std::abs(got.q[i] - expected.q[i]));
  }
  return worst;
}

}  // namespace

TEST_CASE("Table 5.1 in damp mode reaches the slow solution x = 0 in a few steps") {
  const std::tuple<double, Limit> rows[] = {
      {1e-4, {15, 60, 10, 1}}, {1e-5, {15, 55, 12, 2}}, {1e-6, {16, 60, 14, 3}}};
  for (const auto& [eps, limit] : rows) {
    Problem<test::StiffCircle> problem;
    problem.equations.eps = eps;
    const Run run = integrate(problem, problem.equations.interval, optionsOf(1e-3, Mode::damp));
    checkWithin(run, limit);
    CHECK(std::abs(run.end.q[0]) <= 0.01 * 1e-3);
  }
}

TEST_CASE("Table 5.2 in damp mode reaches the slow solution x = 0 in a few steps") {
  const std::tuple<double, double, Limit> rows[] = {
      {1e-3, 1e-4, {10, 40, 6, 1}}, {1e-3, 1e-5, {10, 40, 6, 1}}, {1e-4, 1e-4, {12, 50, 8, 1}}};
  for (const auto& [tolerance, eps, limit] : rows) {
    Problem<test::SpringCircle> problem;
    problem.equations.eps = eps;
    const Run run =
        integrate(problem, problem.equations.interval, optionsOf(tolerance, Mode::damp));
    checkWithin(run, limit);
    CHECK(std::abs(run.end.q[0]) <= 0.01 * tolerance);
  }
}

TEST_CASE("Tables 5.3 and 5.4 in damp mode give the slow motion of the bushing") {
  const std::tuple<double, Limit> rows[] = {
      {1e-3, {10, 20, 6, 0}}, {1e-4, {16, 35, 6, 0}}, {1e-5, {55, 120, 18, 0}}};
  for (const auto& [tolerance, limit] : rows) {
    Problem<test::Bushing<>> problem;
    const Run run =
        integrate(problem, problem.equations.interval, optionsOf(tolerance, Mode::damp));
    checkWithin(run, limit);
    CHECK(std::abs(run.end.q[4] + 9.841678e-3) <= 4e-5);  // the residual oscillation it removes
  }
  Problem<test::Bushing<>> stiff;
  stiff.equations.eps = 1e-6;
  const Run run = integrate(stiff, stiff.equations.interval, optionsOf(1e-4, Mode::damp));
  checkWithin(run, {10, 25, 6, 0});
  CHECK(std::abs(run.end.q[4] + 9.81e-6) <= 1e-10);
}

// Own runs need 5 to 15 steps and 7 to 41 residuals, nothing of which grows with 1/tolerance or
// 1/eps; with three untested steps whatever they had damped it was 82,231 steps for the point mass
// (eps = 1e-8, tolerance 1e-9), with iterations that began at the prediction 241 residuals.
TEST_CASE("Damp mode reaches the slow solution at tight tolerances as soon as at loose ones") {
  for (const double eps : {1e-5, 1e-6, 1e-8}) {
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      CAPTURE(eps, tolerance);
      const SolverOptions options = optionsOf(tolerance, Mode::damp);
      Problem<test::StiffCircle> circle;
      circle.equations.eps = eps;
      Run run = integrate(circle, circle.equations.interval, options);
      REQUIRE(run.report.ok);
      CHECK(run.statistics.steps <= 20);
      CHECK(run.statistics.residuals <= 60);
      CHECK(std::abs(run.end.q[0]) <= 0.01 * tolerance);
      Problem<test::SpringCircle> spring;
      spring.equations.eps = eps;
      run = integrate(spring, spring.equations.interval, options);
      REQUIRE(run.report.ok);
      CHECK(run.statistics.steps <= 10);
      CHECK(run.statistics.residuals <= 35);
      CHECK(std::abs(run.end.q[0]) <= 0.01 * tolerance);
      Problem<test::Bushing<>> bushing;
      bushing.equations.eps = eps;
      run = integrate(bushing, bushing.equations.interval, options);
      REQUIRE(run.report.ok);
      CHECK(run.statistics.steps <= 12);
      CHECK(run.statistics.residuals <= 35);
      CHECK(std::abs(run.end.q[4] + 9.81 * eps) <= 0.01 * tolerance);
    }
  }
}

// Of three untested steps the first has two iterations, from which the others know that one is
// enough; the first tested step has two, from which the second knows it. The spring has left the
// linear range in the first iteration: with forces that would not settle it took 18 iterations in
// all, own runs.
TEST_CASE("Steps of damp mode take no more iterations than they need") {
  for (const double eps : {1e-6, 1e-8}) {
    CAPTURE(eps);
    const SolverOptions options = optionsOf(1e-3, Mode::damp);
    Problem<test::StiffCircle> circle;
    circle.equations.eps = eps;
    Run run = integrate(circle, circle.equations.interval, options);
    REQUIRE(run.report.ok);
    CHECK(run.statistics.steps == 5);
    CHECK(run.statistics.residuals <= 7);
    CHECK(std::abs(run.end.q[0]) <= 1e-9);
    Problem<test::SpringCircle> spring;
    spring.equations.eps = eps;
    run = integrate(spring, spring.equations.interval, options);
    REQUIRE(run.report.ok);
    CHECK(run.statistics.residuals <= 13);
    CHECK(std::abs(run.end.q[0]) <= 1e-9);
  }
}

// Where each untested step had to balance its forces it took 21 and 16 iterations, own runs.
TEST_CASE("Untested steps of damp mode pass on a small share of the unbalanced force") {
  const SolverOptions options = optionsOf(1e-6, Mode::damp);
  const auto check = [&](auto& problem, double eps, long most) {
    problem.equations.eps = eps;
    const double until = problem.equations.interval;
    const Run run = integrate(problem, until, options, until);
    REQUIRE(run.report.ok);
    CHECK(run.statistics.residuals <= most);
    CHECK(run.statistics.convergenceFailures == 0);
    CHECK(std::abs(run.end.q[0]) <= 1e-10);
  };
  Problem<test::StiffCircle> circle;
  check(circle, 1e-5, 15);
  Problem<test::SpringCircle> spring;
  check(spring, 1e-8, 11);
}

// Tested steps of one iteration leave noise in the velocities: 1,458 steps instead of 148, own
// runs.
TEST_CASE("PRE: where damp mode tests velocities, steps of one iteration do not disturb them") {
  Problem<test::Bushing<>> problem;
  problem.equations.eps = 1e-8;
  problem.equations.arm = 0.5;
  SolverOptions options = optionsOf(1e-6, Mode::damp);
  options.errorTest = ErrorTest::positionsAndVelocities;
  const Run run = integrate(problem, problem.equations.interval, options);
  REQUIRE(run.report.ok);
  CHECK(run.statistics.steps <= 200);
  CHECK(std::abs(run.end.q[4] + 0.73037169) <= 5e-4);
}

// With rates of the step that made the linearisation the error was 5.2e-9 instead of 1.2e-12, own
// runs.
TEST_CASE("A tested step of damp mode trusts no rates of a linearisation made by their step") {
  Problem<test::Bushing<>> problem;
  problem.equations.eps = 1e-6;
  const double until = problem.equations.interval;
  const Run run = integrate(problem, until, optionsOf(1e-3, Mode::damp), until);
  REQUIRE(run.report.ok);
  CHECK(std::abs(run.end.q[4] + 9.81e-6) <= 1e-10);
}

// Without a limit four times a step is the most, and bushing (1e-5) and spring (1e-4) take a step
// more, own runs.
TEST_CASE("The last step of damp mode reaches for the limit as far as its error allows") {
  const auto steps = [](auto& problem, double limit, Index coordinate, double exact) {
    const Run run =
        integrate(problem, problem.equations.interval, optionsOf(1e-3, Mode::damp), limit);
    REQUIRE(run.report.ok);
    CHECK(std::abs(run.end.q[coordinate] - exact) <= 1e-8);
    return run.statistics.steps;
  };
  Problem<test::Bushing<>> bushing;
  bushing.equations.eps = 1e-5;
  const double sag = -9.81e-5;
  CHECK(steps(bushing, bushing.equations.interval, 4, sag) < steps(bushing, endless, 4, sag));
  Problem<test::SpringCircle> spring;
  spring.equations.eps = 1e-4;
  CHECK(steps(spring, spring.equations.interval, 0, 0) < steps(spring, endless, 0, 0));
}

TEST_CASE("Table 5.3 in follow mode follows the oscillation within a third of the tolerance") {
  const std::tuple<double, Limit> rows[] = {
      {1e-3, {70, 180, 20, 0}}, {1e-4, {100, 260, 22, 0}}, {1e-5, {135, 350, 30, 0}}};
  for (const auto& [tolerance, limit] : rows) {
    Problem<test::Bushing<>> problem;
    const Run run =
        integrate(problem, problem.equations.interval, optionsOf(tolerance, Mode::follow));
    checkWithin(run, limit);
    CHECK(trajectoryError(problem, problem.equations.interval, tolerance, 4) <= 0.3 * tolerance);
  }
}

TEST_CASE("PRE: a preload of 1/eps along the constraint does not change the answer") {
  Problem<test::Bushing<>> problem;
  problem.equations.eps = 1e-6;
  problem.equations.arm = 0.5;
  const Run plain = integrate(problem, problem.equations.interval, optionsOf(1e-4, Mode::plain));
  checkWithin(plain, {60, 130, 16, 0});
  CHECK(std::abs(plain.end.q[4] + 0.73037169) <= 2e-3);
  const Run follow = integrate(problem, problem.equations.interval, optionsOf(1e-4, Mode::follow));
  REQUIRE(follow.report.ok);
  CHECK(std::abs(follow.end.q[4] + 0.73037169) <= 1e-4);
}

TEST_CASE("PEN: a pendulum over 20 s is followed") {
  Problem<test::Pendulum> problem;
  const double exact = integrate(problem, 20.0, optionsOf(1e-11, Mode::follow)).end.q[0];
  CHECK(exact == Approx(-0.51772).margin(1e-4));  // tight run of the prototype
  const Run run = integrate(problem, 20.0, optionsOf(1e-5, Mode::follow));
  REQUIRE(run.report.ok);
  CHECK(run.statistics.steps <= 560);
  CHECK(std::abs(run.end.q[0] - exact) <= 2e-3);
}

TEST_CASE("P1 with velocities tested does not gain energy") {
  Problem<test::StiffCircle> problem;
  SolverOptions options = optionsOf(1e-3, Mode::plain);
  options.errorTest = ErrorTest::positionsAndVelocities;
  options.horizon = problem.equations.interval;
  Integrator integrator(problem, options);
  REQUIRE(integrator.start(0, problem.equations.q0, problem.equations.v0).ok);
  const double eps = problem.equations.eps;
  const auto energy = [eps](const Motion& m) {
    const double stretch = (m.q[1] + 1) / eps;
    return 0.5 * (m.v.squaredNorm() + m.q[0] * m.q[0] / eps + stretch * stretch) + m.q[1] + 1;
  };
  Motion motion;
  REQUIRE(integrator.motion(0, false, motion).ok);
  const double start = energy(motion);
  double most = start;
  while (integrator.time() < problem.equations.interval) {
    REQUIRE(integrator.advance(integrator.time() + 1e-12, endless).ok);
    REQUIRE(integrator.motion(integrator.time(), false, motion).ok);
    most = std::max(most, energy(motion));
  }
  CHECK(most <= 1.001 * start);
}

TEST_CASE("MASS: directions of different mass do not change the answer") {
  Problem<test::Pendulum> problem;
  problem.equations.massY = 4;
  const double exact = integrate(problem, 2.0, optionsOf(1e-12, Mode::follow)).end.q[0];
  const Run run = integrate(problem, 2.0, optionsOf(1e-6, Mode::follow));
  REQUIRE(run.report.ok);
  CHECK(std::abs(run.end.q[0] - exact) <= 1e-5);
}

TEST_CASE("RED: two redundant rows do not change the answer") {
  Problem<test::Bushing<false>> five;
  Problem<test::Bushing<true>> seven;
  const Run expected = integrate(five, 1.0, optionsOf(1e-3, Mode::follow));
  const Run run = integrate(seven, 1.0, optionsOf(1e-3, Mode::follow));
  REQUIRE(run.report.ok);
  CHECK(std::abs(run.end.q[4] - expected.end.q[4]) <= 1e-6);
  checkWithin(run, {86, 180, 20, 0});
}

TEST_CASE("CRK: a slider-crank passes through the position where G loses rank") {
  Problem<test::PointSliderCrank> problem(test::PointSliderCrank(0.5, 1.0, 1.0));
  const Run run = integrate(problem, problem.equations.interval, optionsOf(1e-5, Mode::follow));
  checkWithin(run, {97, 200, 25, 0});
  const double energy = run.end.v.squaredNorm() / problem.equations.v0.squaredNorm();
  CHECK(energy == Approx(1).margin(2e-4));
}

TEST_CASE("EDP: the slow motion of an elastic double pendulum is right, not only smooth") {
  Problem<test::ElasticDoublePendulum> problem;
  SolverOptions options = optionsOf(1e-4, Mode::damp);
  options.errorTest = ErrorTest::positionsAndVelocities;
  options.initialStep = 0.005 * problem.equations.interval;
  const Run run = integrate(problem, problem.equations.interval, options);
  REQUIRE(run.report.ok);
  CHECK(run.statistics.steps <= 180);
  CHECK(run.statistics.residuals <= 680);
  CHECK(run.statistics.linearisations <= 200);
  CHECK(std::abs(run.end.q[2] - 0.09940622) <= 3e-4);
}

// With iterations that began at the prediction, and factors that were scaled for another step size,
// errors were 2.5e-2, 8.9e-2 (1e-4) and 1.2e-2, 3.8e-2 (1e-5) with the same first step.
TEST_CASE("EDP: a first step of a twentieth of the run leaves the slow motion right") {
  for (const double eps : {1e-4, 1e-5}) {
    for (const auto& [tolerance, limit] : {std::pair{1e-4, 5e-3}, std::pair{1e-5, 5e-4}}) {
      CAPTURE(eps, tolerance);
      Problem<test::ElasticDoublePendulum> problem;
      problem.equations.eps = eps;
      SolverOptions options = optionsOf(tolerance, Mode::damp);
      options.errorTest = ErrorTest::positionsAndVelocities;
      const Run run = integrate(problem, problem.equations.interval, options);
      REQUIRE(run.report.ok);
      CHECK(std::abs(run.end.q[2] - 0.09940622) <= limit);
    }
  }
}

TEST_CASE("PRE in damp mode: steps that grow follow the slow motion") {
  for (const auto& [tolerance, limit] : {std::pair{1e-4, 2e-3}, std::pair{1e-6, 5e-4}}) {
    Problem<test::Bushing<>> problem;
    problem.equations.eps = 1e-6;
    problem.equations.arm = 0.5;
    const Run run =
        integrate(problem, problem.equations.interval, optionsOf(tolerance, Mode::damp));
    REQUIRE(run.report.ok);
    CHECK(std::abs(run.end.q[4] + 0.73037169) <= limit);  // exact, 0.9e-3 and 2.1e-4 in own runs
  }
}

TEST_CASE("Two four-bars pass their singular positions on the parallelogram branch") {
  Problem<test::FourBars<2>> problem;
  for (const auto& [tolerance, limit] :
       {std::pair{1e-4, 1.0}, std::pair{1e-6, 2e-3}, std::pair{1e-8, 2e-4}}) {
    const Run run =
        integrate(problem, problem.equations.interval, optionsOf(tolerance, Mode::follow));
    REQUIRE(run.report.ok);
    const Vector& q = run.end.q;
    const double x = q[0] + 0.5 * std::cos(q[2]);
    const double y = q[1] + 0.5 * std::sin(q[2]);
    CHECK(std::hypot(x - 0.32845811154, y - 0.94451853818) <= limit);  // benchmarks.md, exact
    CHECK(std::abs(q[2] - q[5]) <= 0.1);  // the verticals stay parallel
    CHECK(std::abs(q[2] - q[8]) <= 0.1);
  }
}

}  // namespace trammel
