#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "solver/implied_constraints.hpp"
#include "tests/solver/run.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel {
namespace {

using test::Problem;

/// A point on the circle c = (x² + y² − 1)/2 = 0, z = 0, without forces. Each of the three rows is
/// another mixture of c and z, turned by 0, θ and −2θ: two imply the third, but no two do all
/// around.
struct ThreeRows {
  static constexpr std::size_t n = 3, m = 3;
  Vector q0{{std::cos(0.3), std::sin(0.3), 0.0}}, v0{{-std::sin(0.3), std::cos(0.3), 0.0}};
  template <class S>
  void mass(const S*, S* M) const {
    M[0] = M[4] = M[8] = S(1.0);
  }
  template <class S>
  void force(S, const S*, const S*, S* f) const {
    f[0] = f[1] = f[2] = S(0.0);
  }
  template <class S>
  void constraint(S, const S* q, S* g) const {
    const S c = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    g[0] = c;
    g[1] = q[0] * c + q[1] * q[2];
    g[2] = (q[0] * q[0] - q[1] * q[1]) * c - 2.0 * q[0] * q[1] * q[2];
  }
};

double sum(const std::optional<Vector>& flags) {
  REQUIRE(flags.has_value());
  return flags->sum();
}

}  // namespace

TEST_CASE("Rows that depend on others everywhere are implied, those of a singular position not") {
  const auto algebra = GENERATE(LinearAlgebra::dense, LinearAlgebra::sparse);
  Problem<test::Bushing<true>> seven;  // RED of the seeds: rank 5
  CHECK(sum(impliedConstraints(seven, 0, seven.equations.q0, algebra)) == 2);
  Problem<test::Bushing<false>> five;
  CHECK(sum(impliedConstraints(five, 0, five.equations.q0, algebra)) == 0);

  Problem<test::FourBars<1>> bars;
  CHECK(sum(impliedConstraints(bars, 0, bars.equations.q0, algebra)) == 0);
  Vector flat = bars.equations.q0;  // all rods along the x axis, where G loses a rank
  for (const Index crank : {0, 1}) {
    flat[3 * crank] += 0.5;
    flat[3 * crank + 1] = flat[3 * crank + 2] = 0;
  }
  flat[6] += 1;
  flat[7] = 0;
  CHECK(sum(impliedConstraints(bars, 0, flat, algebra)) == 0);
}

TEST_CASE("A start says which constraints are redundant") {
  Problem<test::Bushing<true>> seven;
  Integrator integrator(seven, SolverOptions{});
  const Report report = integrator.start(0, seven.equations.q0, seven.equations.v0);
  CHECK(report.ok);
  CHECK(report.message ==
        "redundant constraints, g5: 1 of 1 equation redundant, g6: 1 of 1 equation redundant");
  Problem<test::Bushing<false>> five;
  Integrator sound(five, SolverOptions{});
  CHECK(sound.start(0, five.equations.q0, five.equations.v0).message.empty());
}

TEST_CASE("The implied row changes where the others come close to a dependency") {
  // Exact: the angle grows by 1 rad/s. Ten turns pass 60 places where two of the rows are parallel.
  // Own runs: 0.11, 2.6e-3, 2.4e-5 in 392, 713, 1667 steps at 1e-4, 1e-6, 1e-8; the one row that it
  // needs alone takes 311, 829, 1853 steps.
  Problem<ThreeRows> problem;
  CHECK(sum(impliedConstraints(problem, 0, problem.equations.q0, LinearAlgebra::automatic)) == 1);
  const double until = 20 * 3.141592653589793;
  for (const auto& [tolerance, limit] :
       {std::pair{1e-4, 2e-1}, std::pair{1e-6, 5e-3}, std::pair{1e-8, 1e-4}}) {
    CAPTURE(tolerance);
    SolverOptions options;
    options.tolerance = tolerance;
    const test::Run run = integrate(problem, until, options);
    INFO(run.report.message);
    REQUIRE(run.report.ok);
    Problem<test::Pendulum> plain;  // the same point with the one row that it needs
    plain.equations.gravity = 0;
    plain.equations.q0 = problem.equations.q0.head(2);
    plain.equations.v0 = problem.equations.v0.head(2);
    const test::Run alone = integrate(plain, until, options);
    CHECK((run.end.q - problem.equations.q0).norm() <= limit);
    CHECK(std::abs(run.end.q[2]) <= 1e-12);
    CHECK(2 * run.statistics.steps <= 3 * alone.statistics.steps);
  }
}

}  // namespace trammel
