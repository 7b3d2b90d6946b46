#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "solver/ggl_iteration.hpp"
#include "solver/initial_values.hpp"
#include "solver/split_iteration.hpp"
#include "tests/solver/run.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel {
namespace {

using test::Problem;

constexpr std::array methods{Method::ggl, Method::gglStar, Method::cs, Method::cm};

SolverOptions optionsFor(Method method, Mode mode, double tolerance) {
  SolverOptions options;
  options.method = method;
  options.mode = mode;
  options.tolerance = tolerance;
  return options;
}

double correctDigits(const Vector& got, const Vector& reference) {
  return -std::log10(((got - reference).array() / reference.array()).abs().maxCoeff());
}

/// A point near the start of a problem, off its constraints, with derivatives and multipliers that
/// belong to nothing: all terms of a Jacobian are alive there.
struct Anywhere {
  template <class Equations>
  Anywhere(const Equations& equations, Index companions) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    const Index n = equations.q0.size();
    y = derivative = Vector::NullaryExpr(2 * n + companions, [&] { return uniform(generator); });
    y.head(n) = equations.q0 + 0.1 * y.head(n);
    derivative *= 3;
  }
  StepPoint at(double t, double cj) { return {t, cj, y, derivative}; }
  Vector y, derivative;
};

/// Largest difference between a formulation's Newton matrix and central differences of its residual
/// with y' = cj y + const, relative to the largest entry of the row.
template <class Iteration>
double jacobianError(Iteration& iteration, Anywhere& where) {
  const double t = 0.3;
  const double cj = 20;
  StepPoint point = where.at(t, cj);
  REQUIRE(iteration.refresh(point, Vector::Zero(0)));
  const Matrix J = iteration.jacobian();
  Matrix differences = Matrix::Zero(J.rows(), J.cols());
  Vector r(J.rows());
  const double step = 1e-6;
  for (Index j = 0; j < J.cols(); ++j) {
    for (const double side : {1.0, -1.0}) {
      Anywhere moved = where;
      moved.y[j] += side * step;
      moved.derivative[j] += cj * side * step;
      iteration.residual(moved.at(t, cj), r);
      differences.col(j) += side / (2 * step) * r;
    }
  }
  const Vector size = J.cwiseAbs().rowwise().maxCoeff();
  return (size.cwiseInverse().asDiagonal() * (J - differences)).cwiseAbs().maxCoeff();
}

template <class Equations>
void checkJacobians() {
  Problem<Equations> problem;
  SolverOptions options;
  Anywhere split(problem.equations, 0);
  SplitIteration cs(problem, options, SplitProjector::current);
  SplitIteration cm(problem, options, SplitProjector::frozen);
  // Central differences with steps of 1e-6: error about 1e-10 of the residual's size, 1e-7 is safe.
  CHECK(jacobianError(cs, split) <= 1e-7);
  CHECK(jacobianError(cm, split) <= 1e-7);
  if (cs.rank() < problem.constraintCount()) return;
  Anywhere stabilised(problem.equations, 2 * problem.constraintCount());
  GglIteration ggl(problem, options, MultiplierTest::included);
  CHECK(jacobianError(ggl, stabilised) <= 1e-7);
}

}  // namespace

TEST_CASE("Newton matrices of ggl, cs and cm are the derivatives of their residuals") {
  checkJacobians<test::SpringCircle>();
  checkJacobians<test::CarAxis>();  // constraint depends on time
  checkJacobians<test::Andrews>();  // mass depends on positions
  checkJacobians<test::Bushing<>>();
  checkJacobians<test::Bushing<true>>();  // redundant rows
}

TEST_CASE("Table 5.2 of Yen and Petzold in plain mode has the counts of the prototype") {
  // numerics.md section 3, column "prototype": steps, residuals, Jacobians, error-test and
  // convergence failures; 10 % are allowed, and one count where 10 % is less.
  struct Row {
    double tolerance, eps;
    Method method;
    std::array<long, 5> counts;
  };
  const std::array rows{Row{1e-3, 1e-4, Method::ggl, {90, 307, 55, 10, 0}},
                        Row{1e-3, 1e-4, Method::gglStar, {90, 262, 48, 10, 0}},
                        Row{1e-3, 1e-4, Method::cs, {139, 394, 57, 16, 0}},
                        Row{1e-3, 1e-4, Method::cm, {87, 250, 42, 9, 0}},
                        Row{1e-3, 1e-5, Method::ggl, {103, 380, 73, 7, 1}},
                        Row{1e-3, 1e-5, Method::gglStar, {103, 304, 52, 7, 1}},
                        Row{1e-3, 1e-5, Method::cs, {140, 420, 65, 12, 0}},
                        Row{1e-3, 1e-5, Method::cm, {73, 195, 44, 3, 0}},
                        Row{1e-4, 1e-4, Method::ggl, {841, 2561, 355, 82, 0}},
                        Row{1e-4, 1e-4, Method::gglStar, {846, 2630, 256, 84, 0}},
                        Row{1e-4, 1e-4, Method::cs, {956, 2738, 234, 69, 0}},
                        Row{1e-4, 1e-4, Method::cm, {180, 475, 69, 16, 0}}};
  for (const Row& row : rows) {
    Problem<test::SpringCircle> circle;
    circle.equations.eps = row.eps;
    const test::Run run = test::integrate(circle, circle.equations.interval,
                                          optionsFor(row.method, Mode::plain, row.tolerance));
    REQUIRE(run.report.ok);
    const Statistics& s = run.statistics;
    const std::array<long, 5> got{s.steps, s.residuals, s.linearisations, s.errorFailures,
                                  s.convergenceFailures};
    CAPTURE(nameOf(row.method), row.tolerance, row.eps, got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      CHECK(std::abs(static_cast<double>(got[i] - row.counts[i])) <=
            std::max(1.0, 0.1 * static_cast<double>(row.counts[i])));
    }
  }
}

TEST_CASE("ggl* integrates Andrews' squeezer and the car axis at every tolerance") {
  // No failure is the acceptance; digits at 1e-6 and 1e-8 as asked of cml. Measured: 2.9, 4.8, 6.8,
  // 8.5 and 2.6, 5.0, 6.3, 7.8 in 427 … 3740 and 914 … 6968 steps.
  Problem<test::Andrews> andrews;
  Problem<test::CarAxis> axis;
  for (const auto& [tolerance, digits] :
       {std::pair{1e-4, 2.0}, std::pair{1e-6, 4.0}, std::pair{1e-8, 5.5}, std::pair{1e-10, 7.0}}) {
    const SolverOptions options = optionsFor(Method::gglStar, Mode::follow, tolerance);
    const test::Run squeezer = test::integrate(andrews, andrews.equations.interval, options);
    REQUIRE(squeezer.report.ok);
    CHECK(correctDigits(squeezer.end.q, andrews.equations.reference) >= digits);
    const test::Run car = test::integrate(axis, axis.equations.interval, options);
    REQUIRE(car.report.ok);
    CHECK(correctDigits(car.end.q, axis.equations.reference) >= digits);
  }
}

TEST_CASE("cs integrates Andrews' squeezer with the accuracy of ggl*") {
  Problem<test::Andrews> andrews;
  const test::Run run = test::integrate(andrews, andrews.equations.interval,
                                        optionsFor(Method::cs, Mode::follow, 1e-8));
  REQUIRE(run.report.ok);
  CHECK(correctDigits(run.end.q, andrews.equations.reference) >= 5.5);
}

TEST_CASE("Redundant constraints leave the motion of cs and cm as it is") {
  // numerics.md section 1: RED has rank 5 of 7 rows; section 5: 56/102/21/6/0, slow value −9.81e-3.
  for (const Method method : {Method::cs, Method::cm}) {
    Problem<test::Bushing<true>> bushing;
    const test::Run run = test::integrate(bushing, 1.0, optionsFor(method, Mode::plain, 1e-4));
    REQUIRE(run.report.ok);
    CHECK(std::abs(run.end.q[4] + 9.81e-3) <= 4e-5);
    CHECK(run.statistics.steps <= 62);
  }
  Problem<test::Bushing<true>> bushing;
  SplitIteration split(bushing, SolverOptions(), SplitProjector::current);
  Anywhere where(bushing.equations, 0);
  StepPoint point = where.at(0, 1);
  REQUIRE(split.refresh(point, Vector::Zero(0)));
  CHECK(split.rank() == 5);
}

TEST_CASE("Under preload cs keeps the motion and the frozen projector of cm loses it") {
  // PRE: y(1) = −0.73037169 whatever the stiffness; numerics.md section 4, E2: cm is wrong there
  // without any failure, which is why it serves comparison only.
  Problem<test::Bushing<>> preload;
  preload.equations.eps = 1e-6;
  preload.equations.arm = 0.5;
  const auto error = [&](Method method) {
    const test::Run run = test::integrate(preload, 1.0, optionsFor(method, Mode::plain, 1e-4));
    REQUIRE(run.report.ok);
    return std::abs(run.end.q[4] + 0.73037169);
  };
  CHECK(error(Method::cs) <= 2e-3);
  CHECK(error(Method::ggl) <= 2e-3);
  CHECK(error(Method::gglStar) <= 2e-3);
  CHECK(error(Method::cm) >= 0.1);
}

TEST_CASE("Damp mode ends on the slow solution with ggl, ggl*, cs and cm") {
  // Table 5.4: y2 = −9.81e-6; section 8 of numerics.md: at most 10 steps, error 1e-10.
  for (const Method method : methods) {
    Problem<test::Bushing<>> bushing;
    bushing.equations.eps = 1e-6;
    const test::Run run = test::integrate(bushing, 1.0, optionsFor(method, Mode::damp, 1e-4));
    REQUIRE(run.report.ok);
    CHECK(std::abs(run.end.q[4] + 9.81e-6) <= 1e-10);
    CHECK(run.statistics.steps <= 10);
  }
}

TEST_CASE("The multipliers of a split step are those of the force balance") {
  Problem<test::Andrews> andrews;
  const Index n = andrews.coordinateCount();
  ConsistencySolver consistency(andrews, LinearAlgebra::dense);
  Vector q = andrews.equations.q0, v = andrews.equations.v0, a(n), lambda(6), found(6);
  REQUIRE(consistency.projectPosition(0, q).ok);
  REQUIRE(consistency.accelerate(0, q, v, a, lambda).ok);
  Vector y(2 * n), derivative(2 * n);
  y << q, v;
  derivative << v, a;
  StepPoint point{0, 1, y, derivative};
  SplitIteration split(andrews, SolverOptions(), SplitProjector::current);
  REQUIRE(split.refresh(point, Vector::Zero(0)));
  split.finish(point, found);
  // λ is about 1e3 here, and Gᵀ is solved for it by normal equations: ten digits are left.
  CHECK((found - lambda).lpNorm<Eigen::Infinity>() <= 1e-8 * lambda.lpNorm<Eigen::Infinity>());
}

TEST_CASE("Memory saved under ggl, cs and cm continues bit for bit") {
  const double endless = std::numeric_limits<double>::infinity();
  for (const Method method : methods) {
    Problem<test::Bushing<>> bushing;
    const SolverOptions options = optionsFor(method, Mode::follow, 1e-5);
    Integrator first(bushing, options), second(bushing, options);
    REQUIRE(first.start(0, bushing.equations.q0, bushing.equations.v0).ok);
    REQUIRE(first.advance(0.2, endless).ok);
    std::vector<double> memory;
    first.save(memory);
    REQUIRE(first.advance(1.0, endless).ok);
    REQUIRE(second.restore(memory));
    REQUIRE(second.advance(1.0, endless).ok);
    std::vector<double> end, other;
    first.save(end);
    second.save(other);
    CHECK(end == other);
  }
}

}  // namespace trammel
