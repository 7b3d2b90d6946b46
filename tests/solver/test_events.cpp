#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "solver/integrator.hpp"
#include "solver/root_search.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel {
namespace {

using test::Problem;

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr double gravity = 9.81;

/// A ball over the ground at height 0: roots are its height and its vertical velocity.
struct Ball {
  static constexpr std::size_t n = 2, m = 0, rootCount = 2;
  template <class S>
  void mass(const S*, S* M) const {
    test::unitMass<n>(M);
  }
  template <class S>
  void force(S, const S*, const S*, S* f) const {
    f[0] = S(0.0);
    f[1] = S(-gravity);
  }
  template <class S>
  void constraint(S, const S*, S*) const {}
  void roots(double, const double* q, const double* v, double* r) const {
    r[0] = q[1];
    r[1] = v[1];
  }
};

/// The pendulum with a period of 2 s (seed 002, section 3.3): it passes x = 0 at 0.5, 1.5, … s.
struct WatchedPendulum : test::Pendulum {
  static constexpr std::size_t rootCount = 3;
  double depth = -2;  // r2 = y − depth
  WatchedPendulum() { gravity = 13.7503716373294544; }
  void roots(double, const double* q, const double*, double* r) const {
    r[0] = q[0];
    r[1] = -std::sin(3 * q[0]) / (2 + q[1]);  // the same zero
    r[2] = q[1] - depth;
  }
};

struct Clocked : test::Pendulum {
  static constexpr std::size_t rootCount = 1;
  void roots(double t, const double*, const double*, double* r) const { r[0] = t - 0.3; }
};

struct Undefined : test::Pendulum {
  static constexpr std::size_t rootCount = 1;
  void roots(double, const double* q, const double*, double* r) const {
    r[0] = q[1] < -0.5 ? std::nan("") : 1.0;
  }
};

SolverOptions withTolerance(double tolerance) {
  SolverOptions options;
  options.tolerance = tolerance;
  return options;
}

}  // namespace

TEST_CASE("A sign change is bracketed to the resolution asked for, also a flat one") {
  const auto cosine = [](double t) { return std::cos(t); };
  CHECK(std::abs(locateSignChange(cosine, 0, 3, 1e-14) - std::acos(0.0)) <= 1e-14);
  int calls = 0;
  const auto flat = [&](double t) {
    ++calls;
    return -std::pow(t - 0.7, 5);
  };
  CHECK(locateSignChange(flat, 0, 1, 1e-10) == Approx(0.7).margin(2e-10));
  CHECK(calls <= 150);
  const auto startsAtZero = [](double t) { return t * (0.25 - t); };
  CHECK(locateSignChange(startsAtZero, 0, 1, 1e-12) == Approx(0.25).margin(1e-12));
  CHECK(locateSignChange([](double) { return -1.0; }, 2, 3, 1e-12) == 2);
}

TEST_CASE("A dip below zero between samples is found, one above zero is not") {
  const auto dip = [](double depth) {
    return [depth](double t) { return std::pow(t - 0.37, 2) - depth; };
  };
  const auto search = [&](auto f) {
    return searchDip(f, Samples{0, 0.25, 0.5, f(0), f(0.25), f(0.5)});
  };
  CHECK(search(dip(1e-6)) == Approx(0.37).margin(1e-3));
  CHECK(std::isnan(search(dip(-1e-6))));
  CHECK(std::isnan(search([](double t) { return 1 + t; })));
}

TEST_CASE("A bouncing ball hits the ground and turns at the times and heights of free fall") {
  Problem<Ball> ball;
  const double restitution = 0.8, drop = 1.0;
  for (const double tolerance : {1e-6, 1e-9}) {
    Integrator integrator(ball, withTolerance(tolerance));
    REQUIRE(integrator.start(0, Vector{{0.0, drop}}, Vector{{2.0, 0.0}}).ok);
    double impact = std::sqrt(2 * drop / gravity);  // time of the next impact
    double speed = gravity * impact;
    Motion motion;
    for (int bounce = 0; bounce < 10; ++bounce) {
      Report report = integrator.advance(20.0, endless);
      REQUIRE(report.ok);
      REQUIRE(report.event);
      CHECK(integrator.events() == Vector{{-1.0, 0.0}});
      CHECK(std::abs(integrator.time() - impact) <= 100 * tolerance);
      REQUIRE(integrator.motion(integrator.time(), false, motion).ok);
      CHECK(std::abs(motion.q[1]) <= 1e-13);
      CHECK(std::abs(motion.q[0] - 2 * impact) <= 2 * 100 * tolerance);  // at 2 m/s
      CHECK(std::abs(motion.v[1] + speed) <= 100 * tolerance);
      speed *= restitution;
      motion.v[1] *= -restitution;
      REQUIRE(integrator.restart(motion.q, motion.v).ok);

      report = integrator.advance(20.0, endless);
      REQUIRE(report.ok);
      REQUIRE(report.event);
      CHECK(integrator.events() == Vector{{0.0, -1.0}});
      CHECK(std::abs(integrator.time() - (impact + speed / gravity)) <= 100 * tolerance);
      REQUIRE(integrator.motion(integrator.time(), false, motion).ok);
      CHECK(std::abs(motion.q[1] - speed * speed / (2 * gravity)) <= 100 * tolerance);
      impact += 2 * speed / gravity;
    }
    CHECK(integrator.statistics().steps > 20);  // counted over all restarts
  }
}

TEST_CASE("A root that is zero at the start does not fire there") {
  Problem<Ball> ball;
  Integrator integrator(ball, withTolerance(1e-8));
  REQUIRE(integrator.start(0, Vector{{0.0, 0.0}}, Vector{{0.0, 3.0}}).ok);
  Report report = integrator.advance(2.0, endless);
  REQUIRE(report.event);
  CHECK(integrator.events()[1] == -1);  // the apex comes first
  report = integrator.advance(2.0, endless);
  REQUIRE(report.event);
  CHECK(integrator.events()[0] == -1);
  CHECK(integrator.time() == Approx(2 * 3.0 / gravity).epsilon(1e-6));
}

TEST_CASE(
    "A pendulum's passages are found one by one, each on the constraint and exactly at zero") {
  Problem<WatchedPendulum> pendulum;
  Problem<test::Pendulum> unwatched;
  unwatched.equations.gravity = pendulum.equations.gravity;
  Integrator free(unwatched, withTolerance(1e-8));
  Integrator integrator(pendulum, withTolerance(1e-8));
  REQUIRE(free.start(0, pendulum.equations.q0, pendulum.equations.v0).ok);
  REQUIRE(free.advance(10.0, endless).ok);
  REQUIRE(integrator.start(0, pendulum.equations.q0, pendulum.equations.v0).ok);
  Motion motion;
  int passages = 0;
  while (integrator.time() < 10.0) {
    const Report report = integrator.advance(10.0, 10.0);
    REQUIRE(report.ok);
    if (!report.event) continue;
    const double direction = passages % 2 == 0 ? -1 : 1;
    CHECK(integrator.events() == Vector{{direction, -direction, 0.0}});  // both at once
    CHECK(std::abs(integrator.time() - (0.5 + passages)) <= 3e-6);
    REQUIRE(integrator.motion(integrator.time(), false, motion).ok);
    CHECK(std::abs(motion.q[0]) <= 1.2e-12);  // at 5.3 m/s and times resolved to 100 ε t, t <= 10
    CHECK(std::abs(motion.q.norm() - 1) <= 1e-14);
    ++passages;
  }
  CHECK(passages == 10);
  // The history survives an event at which nothing changes.
  CHECK(integrator.statistics().steps <= free.statistics().steps + 12L * passages);
}

TEST_CASE("Two crossings inside one step are found where the root dips by a millionth") {
  Problem<WatchedPendulum> pendulum;
  for (const double depth : {-1 + 1e-6, -1 - 1e-6}) {
    pendulum.equations.depth = depth;
    Integrator integrator(pendulum, withTolerance(1e-8));
    REQUIRE(integrator.start(0, pendulum.equations.q0, pendulum.equations.v0).ok);
    std::vector<double> times;
    std::vector<double> directions;
    while (integrator.time() < 4.0) {
      const Report report = integrator.advance(4.0, 4.0);
      REQUIRE(report.ok);
      if (!report.event || integrator.events()[2] == 0) continue;
      times.push_back(integrator.time());
      directions.push_back(integrator.events()[2]);
    }
    if (depth < -1) {
      CHECK(times.empty());
      continue;
    }
    REQUIRE(times.size() == 8);
    // At the bottom y + 1 = s²/2 with s = √(2 g) t: below 1e-6 for |t| <= √(1e-6/g).
    const double half = std::sqrt(1e-6 / pendulum.equations.gravity);
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t halfSwing = i / 2;
      const double bottom = 0.5 + static_cast<double>(halfSwing);
      CHECK(directions[i] == (i % 2 == 0 ? -1 : 1));
      CHECK(times[i] == Approx(bottom + (i % 2 == 0 ? -half : half)).margin(0.02 * half));
    }
  }
}

TEST_CASE("An event past the time asked for is reported when its time is asked for") {
  Problem<WatchedPendulum> pendulum;
  Integrator inOne(pendulum, withTolerance(1e-6)), bySteps(pendulum, withTolerance(1e-6));
  REQUIRE(inOne.start(0, pendulum.equations.q0, pendulum.equations.v0).ok);
  REQUIRE(bySteps.start(0, pendulum.equations.q0, pendulum.equations.v0).ok);
  REQUIRE(inOne.advance(1.0, endless).event);
  int events = 0;
  std::vector<double> pending;
  Motion motion;
  for (int i = 1; i <= 1000; ++i) {
    const double t = 1e-3 * i;
    const Report report = bySteps.advance(t, endless);
    REQUIRE(report.ok);
    if (report.event) {
      ++events;
      CHECK(bySteps.time() == inOne.time());
      CHECK(bySteps.time() <= t);
      CHECK(bySteps.time() > t - 1e-3);
    } else {
      REQUIRE(bySteps.motion(t, false, motion).ok);
      if (t < inOne.time() && bySteps.time() == inOne.time()) bySteps.save(pending);
    }
  }
  CHECK(events == 1);
  REQUIRE_FALSE(pending.empty());  // the last step before the event was longer than 1 ms

  Integrator other(pendulum, withTolerance(1e-6));
  REQUIRE(other.restore(pending));
  CHECK(other.advance(1.0, endless).event);
  CHECK(other.time() == inOne.time());
  CHECK(other.events() == inOne.events());
}

TEST_CASE("Taking the time back before an event makes it happen again") {
  Problem<WatchedPendulum> pendulum;
  Integrator integrator(pendulum, withTolerance(1e-8));
  REQUIRE(integrator.start(0, pendulum.equations.q0, pendulum.equations.v0).ok);
  REQUIRE(integrator.advance(1.0, endless).event);
  const double first = integrator.time();
  REQUIRE(integrator.returnTo(first - 1e-4).ok);
  REQUIRE(integrator.advance(1.0, endless).event);
  CHECK(integrator.time() == Approx(first).epsilon(1e-8));
  CHECK(integrator.events()[0] == -1);
  CHECK_FALSE(integrator.advance(1.0, endless).event);
}

TEST_CASE("A root in time alone is met to the resolution of time") {
  Problem<Clocked> pendulum;
  Integrator integrator(pendulum, withTolerance(1e-4));
  REQUIRE(integrator.start(0, pendulum.equations.q0, pendulum.equations.v0).ok);
  REQUIRE(integrator.advance(1.0, endless).event);
  CHECK(std::abs(integrator.time() - 0.3) <= 1e-13);
  CHECK(integrator.events()[0] == 1);
}

TEST_CASE("Root functions that are not finite end in a report with the state as before") {
  Problem<Undefined> pendulum;
  Integrator integrator(pendulum, withTolerance(1e-6));
  REQUIRE(integrator.start(0, pendulum.equations.q0, pendulum.equations.v0).ok);
  std::vector<double> before, after;
  integrator.save(before);
  const Report report = integrator.advance(3.0, endless);
  CHECK_FALSE(report.ok);
  CHECK_THAT(report.message, Catch::Contains("root functions are not finite"));
  integrator.save(after);
  CHECK(before == after);
}

}  // namespace trammel
