#include "coupling/multiplier_iteration.hpp"

#include <Eigen/Dense>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "coupling/interface_operator.hpp"
#include "coupling/scheme.hpp"
#include "solver/error.hpp"

using namespace trammel;
using namespace trammel::coupling;

namespace {

/// R = b − K x with the preconditioner P.
struct LinearProblem {
  Matrix K, P;
  Vector b;
  int evaluations = 0;

  IterationProblem problem() {
    return {[this](const Vector& x, Vector& R) {
              ++evaluations;
              R = b - K * x;
              return true;
            },
            {},
            [this](const Vector& R, Vector& e) { e = P * R; },
            {},
            [](const Vector&, const Vector& e) { return e.lpNorm<Eigen::Infinity>() / 1e-10; }};
  }
};

LinearProblem threeUnknowns(double error) {
  LinearProblem p;
  p.K = Matrix{{4, 1, 0}, {1, 3, -1}, {0, -1, 2}};
  p.P = (p.K + error * Matrix{{0, 1, 2}, {-1, 0, 1}, {1, 1, 0}}).inverse();
  p.b = Eigen::Vector3d(1, -2, 3);
  return p;
}

}  // namespace

TEST_CASE("an exact preconditioner converges in one correction") {
  LinearProblem p = threeUnknowns(0);
  Vector x = Vector::Zero(3);
  const IterationReport report = MultiplierIteration().solve(p.problem(), x);
  CHECK(report.converged());
  CHECK(report.evaluations == 2);
  CHECK((p.K * x - p.b).norm() < 1e-12);
}

TEST_CASE("secants solve n linear equations in at most n + 2 evaluations and are reused") {
  LinearProblem p = threeUnknowns(0.4);
  MultiplierIteration iteration;
  Vector x = Vector::Zero(3);
  CHECK(iteration.solve(p.problem(), x).evaluations <= 5);
  p.b = Eigen::Vector3d(-3, 1, 1);  // the next step: same equations, other right-hand side
  const IterationReport second = iteration.solve(p.problem(), x);
  CHECK(second.converged());
  CHECK(second.evaluations == 2);
  iteration.forget();
  x.setZero();
  CHECK(iteration.solve(p.problem(), x).evaluations > 2);
}

TEST_CASE("relaxation converges where the plain correction diverges") {
  LinearProblem p;  // K = 1 with P = 3: the error is multiplied by 1 − 3 ω
  p.K = Matrix::Ones(1, 1);
  p.P = 3 * Matrix::Ones(1, 1);
  p.b = Vector::Ones(1);
  IterationOptions options;
  options.acceleration = Acceleration::relaxation;
  options.maxEvaluations = 60;
  Vector x = Vector::Zero(1);
  CHECK(MultiplierIteration(options).solve(p.problem(), x).end == IterationEnd::diverged);
  options.relaxation = 0.3;
  x.setZero();
  CHECK(MultiplierIteration(options).solve(p.problem(), x).converged());
  options.relaxation = 1;
  options.acceleration = Acceleration::aitken;
  x.setZero();
  const IterationReport aitken = MultiplierIteration(options).solve(p.problem(), x);
  CHECK(aitken.converged());
  CHECK(aitken.evaluations == 3);  // one secant solves one linear equation
}

TEST_CASE("trials that fail, numbers that are not finite and exhausted trials are told apart") {
  LinearProblem p = threeUnknowns(0.4);
  IterationProblem problem = p.problem();
  IterationOptions options;
  options.maxEvaluations = 2;
  Vector x = Vector::Zero(3);
  CHECK(MultiplierIteration(options).solve(problem, x).end == IterationEnd::tooManyTrials);
  problem.residual = [](const Vector&, Vector& R) {
    R = Vector::Constant(3, std::nan(""));
    return true;
  };
  CHECK(MultiplierIteration().solve(problem, x).end == IterationEnd::notFinite);
  problem.residual = [](const Vector&, Vector&) { return false; };
  CHECK(MultiplierIteration().solve(problem, x).end == IterationEnd::trialFailed);
  options.maxEvaluations = 0;
  CHECK_THROWS_AS(MultiplierIteration(options), Error);
}

TEST_CASE("noise ends the iteration with the best trial if that is bearable") {
  LinearProblem p = threeUnknowns(0);
  IterationProblem problem = p.problem();
  int count = 0;
  problem.residual = [&](const Vector& x, Vector& R) {
    ++count;
    R = p.b - p.K * x + 1e-6 * Vector::Constant(3, std::sin(7.0 * count));
    return true;
  };
  Vector x = Vector::Zero(3);
  IterationOptions options;
  options.maxEvaluations = 30;
  CHECK_FALSE(MultiplierIteration(options).solve(problem, x).accepted());
  problem.bearable = [] { return true; };
  x.setZero();
  const IterationReport report = MultiplierIteration(options).solve(problem, x);
  CHECK(report.end == IterationEnd::stagnated);
  CHECK(report.evaluations < 20);
  CHECK((p.K * x - p.b).norm() < 1e-5);
}

TEST_CASE("secants that mislead are dropped") {
  LinearProblem p = threeUnknowns(0.1);
  MultiplierIteration iteration;
  Vector x = Vector::Zero(3);
  REQUIRE(iteration.solve(p.problem(), x).converged());
  p.K = -0.5 * p.K;  // a step quite unlike the last one, with its own preconditioner
  p.P = p.K.inverse();
  p.b = Eigen::Vector3d(5, 1, -2);
  CHECK(iteration.solve(p.problem(), x).converged());
}

TEST_CASE("large interface matrices are factored sparsely to the same solution") {
  const Index m = 200;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < m; ++i) {
    entries.emplace_back(i, i, 2.5 + 0.01 * static_cast<double>(i));
    if (i > 0) entries.emplace_back(i, i - 1, -1);
    if (i > 0) entries.emplace_back(i - 1, i, -1);
  }
  SparseMatrix S(m, m);
  S.setFromTriplets(entries.begin(), entries.end());
  InterfaceSolver solver;
  solver.factor(S);
  const Vector r = Vector::LinSpaced(m, -1, 1);
  Vector x(m);
  solver.solve(r, x);
  CHECK((S * x - r).norm() < 1e-12);
  CHECK_FALSE(solver.isRankDeficient());
  // Two equal rows: S is singular and the sparse factors give way to the pseudo-inverse.
  SparseMatrix G(m + 1, m);
  G.reserve(m + 1);
  for (Index i = 0; i < m; ++i) G.insert(i, i) = 1;
  G.insert(m, 17) = 1;
  const SparseMatrix redundant = G * S * SparseMatrix(G.transpose());
  solver.factor(redundant);
  CHECK(solver.rank() == m);
  CHECK(dependentRows(redundant) == std::vector<Index>{17, m});
}

TEST_CASE("rows that nothing can move get no multiplier and leave the others as they are") {
  // As the third row of a ball joint between members that move in a plane; sparse and dense.
  for (const Index m : {6, 90}) {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index i = 0; i < m; ++i) {
      const bool isIdle = i % 3 == 2;
      entries.emplace_back(i, i, isIdle ? 1e-17 : 2);
      if (i >= 3 && !isIdle) entries.emplace_back(i, i - 3, -0.5);
      if (i >= 3 && !isIdle) entries.emplace_back(i - 3, i, -0.5);
    }
    SparseMatrix S(m, m);
    S.setFromTriplets(entries.begin(), entries.end());
    InterfaceSolver solver;
    solver.factor(S);
    CHECK(solver.rank() == 2 * m / 3);
    CHECK(solver.isRankDeficient());
    Vector r = Vector::LinSpaced(m, -1, 1), x(m);
    for (Index i = 2; i < m; i += 3) r[i] = 0;
    solver.solve(r, x);
    CHECK((S * x - r).norm() < 1e-12);
    for (Index i = 2; i < m; i += 3) CHECK(x[i] == 0);
    const std::vector<Index> idle = dependentRows(S);
    CHECK(std::ssize(idle) == m / 3);
    CHECK(idle.front() == 2);
    CHECK(*contractionFactor(S, S / 2) == Approx(1));
  }
}

TEST_CASE("the step factors are those of a double integrator under the course of lambda") {
  // q'' = −S λ(τ): r(1)/H² and v(1)/H by exact integration of the polynomials.
  const auto response = [](double c0, double c1) {
    return Eigen::Vector2d(c0 / 2 + c1 / 6, c0 + c1 / 2);
  };
  const Matrix T = SchemeStep{Scheme::pv1, 0.1, 0}.stepFactor(0.1);
  CHECK((T.col(0) - response(1, 0)).norm() < 1e-15);
  CHECK((T.col(1) - response(0, 1)).norm() < 1e-15);
  const Matrix C = SchemeStep{Scheme::pc2, 0.1, 0}.stepFactor(0.1);
  CHECK(C(0, 0) == 3. / 8);  // a push in the first half acts for longer
  CHECK(C.row(1).sum() == 1);
  const double a = 3, H = 0.1;
  // B2: λ = c (τ + τ²)/2: λ(1) = 1, ∫λ = 5/12, ∫(1 − τ) λ = 1/8.
  CHECK(SchemeStep{Scheme::b2, H, a}.stepFactor(H)(0, 0) ==
        Approx(1 + 2 * a * H * 5 / 12 + a * a * H * H / 8));
  // Its first step, through λ in the middle: λ = c (2 τ² − τ): ∫λ = 1/6, ∫(1 − τ) λ = 0.
  CHECK(SchemeStep{Scheme::b2, H, a}.stepFactor(-H / 2)(0, 0) == Approx(1 + 2 * a * H / 6));
  MultiplierMemory memory;
  memory.restart(Vector::Constant(1, 2));
  memory.beforeLast[0] = 3;
  memory.lastStep = -H / 2;
  const Matrix course = SchemeStep{Scheme::b2, H, a}.coefficients(Vector::Constant(1, 7), memory);
  CHECK(valueAt(course, 0)[0] == Approx(2));
  CHECK(valueAt(course, 0.5)[0] == Approx(3));
  CHECK(valueAt(course, 1)[0] == Approx(7));
}

TEST_CASE("secants that bring less than the preconditioner alone are set aside") {
  // Corrections are 7 % too large and too small in turn, so that what one step teaches is wrong by
  // twice as much in the next: 1.5 instead of the 0.7 that P alone leaves of a change by 10.
  double b = 0, part = 0.07;
  const IterationProblem problem{[&](const Vector& x, Vector& R) {
                                   R = Vector::Constant(1, b) - x;
                                   return true;
                                 },
                                 {},
                                 [&](const Vector& R, Vector& e) { e = (1 + part) * R; },
                                 {},
                                 [](const Vector&, const Vector& e) { return std::abs(e[0]); }};
  MultiplierIteration iteration;
  int evaluations = 0;
  for (int step = 0; step < 40; ++step) {
    const double change = step == 0 ? 30 : 10;  // at first more, so that there are secants
    b += change;
    part = -part;
    Vector x = Vector::Constant(1, b - change);
    const IterationReport report = iteration.solve(problem, x);
    CHECK(report.converged());
    evaluations += report.evaluations;
  }
  CHECK(evaluations <= 84);
}

TEST_CASE("multipliers are extrapolated by the polynomial that has missed least") {
  const std::array steps{0.01, 0.02, 0.01, 0.015, 0.01, 0.01, 0.02, 0.01, 0.01, 0.01, 0.01, 0.01};
  const auto miss = [&](const auto& course, MultiplierMemory& memory) {
    double t = 0;
    memory.restart(Vector::Constant(1, course(t)));
    for (const double H : steps) {
      const std::array tau{0.2 * H, 0.8 * H};
      memory.take({{tau[0], Vector::Constant(1, course(t + tau[0]))},
                   {tau[1], Vector::Constant(1, course(t + tau[1]))}},
                  H, Vector::Ones(1));
      t += H;
    }
    return std::abs(memory.extrapolated(0.005)[0] - course(t + 0.005));
  };
  MultiplierMemory memory;
  CHECK(miss([](double t) { return 2 - 3 * t + 40 * t * t - 500 * t * t * t; }, memory) < 1e-10);
  CHECK(extrapolations[static_cast<std::size_t>(memory.chosen)].degree >= 3);
  // What jitters is not followed by polynomials through the samples: those lie between them.
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  CHECK(miss([&](double t) { return 2 - 3 * t + 1e-3 * uniform(generator); }, memory) < 4e-3);
  const Extrapolation& chosen = extrapolations[static_cast<std::size_t>(memory.chosen)];
  CHECK(chosen.count > chosen.degree + 1);
}
