#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "solver/corrector.hpp"
#include "solver/index3_scaling.hpp"
#include "tests/solver/planar_chain.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel {
namespace {

using test::Problem;

/// A point near a start position with random rates, of a fixed seed.
struct Anywhere {
  double t = 0.13;
  Vector q, v, a, lambda;
  Anywhere(const Vector& start, Index m) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> unit(-1, 1);
    const auto vector = [&](Index size, double scale) {
      return Vector(Vector::NullaryExpr(size, [&] { return scale * unit(random); }));
    };
    q = start + vector(start.size(), 0.05);
    v = vector(start.size(), 1);
    a = vector(start.size(), 1);
    lambda = vector(m, 1);
  }
};

/// Central differences of F with respect to x.
template <class Function>
Matrix differences(Function F, Vector x, Index rows) {
  Matrix J(rows, x.size());
  Vector up(rows), down(rows);
  for (Index j = 0; j < x.size(); ++j) {
    const double step = 1e-5 * std::max(1.0, std::abs(x[j])), kept = x[j];
    x[j] = kept + step;
    F(x, up);
    x[j] = kept - step;
    F(x, down);
    x[j] = kept;
    J.col(j) = (up - down) / (2 * step);
  }
  return J;
}

/// Entries agree to 1e-7 of the largest: differences of 1e-5 have an error of that order.
bool agree(const Matrix& exact, const Matrix& approximate) {
  const double size = std::max(exact.cwiseAbs().maxCoeff(), 1e-3);
  return (exact - approximate).cwiseAbs().maxCoeff() <= 1e-7 * size;
}

void checkLinearisation(MechanicalSystem& system, const Vector& start) {
  const Index n = system.coordinateCount(), m = system.constraintCount();
  const Anywhere at(start, m);
  Linearisation exact;
  system.shape(exact);
  system.linearise(at.t, at.q, at.v, at.a, at.lambda, exact);
  CHECK(agree(Matrix(exact.K), differences(
                                   [&](const Vector& x, Vector& r) {
                                     system.forceBalance(at.t, x, at.v, at.a, at.lambda, r);
                                   },
                                   at.q, n)));
  CHECK(agree(Matrix(exact.C), differences(
                                   [&](const Vector& x, Vector& r) {
                                     system.forceBalance(at.t, at.q, x, at.a, at.lambda, r);
                                   },
                                   at.v, n)));
  CHECK(agree(Matrix(exact.M), differences(
                                   [&](const Vector& x, Vector& r) {
                                     system.forceBalance(at.t, at.q, at.v, x, at.lambda, r);
                                   },
                                   at.a, n)));
  const Matrix G =
      differences([&](const Vector& x, Vector& g) { system.constraint(at.t, x, g); }, at.q, m);
  CHECK(agree(Matrix(exact.G), G));
  CHECK(agree(Matrix(exact.G).transpose(),
              differences([&](const Vector& x,
                              Vector& r) { system.forceBalance(at.t, at.q, at.v, at.a, x, r); },
                          at.lambda, n)));
  // dg/dt along the motion, and its derivative γ at constant v.
  const auto along = [&](const Vector& s) { return Vector(at.q + s[0] * at.v); };
  Vector rate(m), gamma(m);
  system.constraintRate(at.t, at.q, at.v, rate);
  CHECK(agree(rate, differences([&](const Vector& s,
                                    Vector& g) { system.constraint(at.t + s[0], along(s), g); },
                                Vector::Zero(1), m)));
  system.constraintAcceleration(at.t, at.q, at.v, gamma);
  CHECK(agree(gamma,
              differences([&](const Vector& s,
                              Vector& r) { system.constraintRate(at.t + s[0], along(s), at.v, r); },
                          Vector::Zero(1), m)));
}

template <class Equations>
void checkProblem(Equations equations) {
  Problem<Equations> problem(equations);
  checkLinearisation(problem, equations.q0);
}

/// (q' − v, M v' − f + Gᵀλ, g) of y = (q, v, λ) at constant past: q' and v' move by cj.
struct ThreeFields {
  MechanicalSystem& system;
  Anywhere at;
  double cj;
  Vector point() const {
    Vector y(2 * at.q.size() + at.lambda.size());
    y << at.q, at.v, at.lambda;
    return y;
  }
  void operator()(const Vector& y, Vector& r) const {
    const Index n = at.q.size(), m = at.lambda.size();
    const Vector q = y.head(n), v = y.segment(n, n), lambda = y.tail(m);
    const Vector a = at.a + cj * (v - at.v);
    Vector balance(n), g(m);
    system.forceBalance(at.t, q, v, a, lambda, balance);
    system.constraint(at.t, q, g);
    r << at.v + cj * (q - at.q) - v, balance, g;
  }
};

}  // namespace

TEST_CASE("The linearisation of every problem is that of finite differences") {
  checkProblem(test::StiffCircle{.eps = 1e-2});
  checkProblem(test::SpringCircle{.eps = 1e-2});
  checkProblem(test::Pendulum{.gravity = 9.81, .massX = 1, .massY = 4});
  checkProblem(test::Bushing<false>{});
  checkProblem(test::Bushing<true>{});
  checkProblem(test::PointSliderCrank(0.7, 1.0, 1.2));
  checkProblem(test::ElasticDoublePendulum{.eps = 1e-2});
  checkProblem(test::Andrews{});
  checkProblem(test::CarAxis{});
  checkProblem(test::FourBars<2>{});
  test::PlanarChain chain = test::PlanarChain::longChain(4);
  checkLinearisation(chain, chain.startPosition());
}

TEST_CASE("The index 3 matrices are those of finite differences, scaled by rows and columns") {
  Problem<test::Andrews> andrews;
  const Index n = 7, m = 6;
  const ThreeFields residual{andrews, Anywhere(andrews.equations.q0, m), 40.0};
  const Matrix J = differences(residual, residual.point(), 2 * n + m);
  Linearisation exact;
  andrews.shape(exact);
  const Anywhere& at = residual.at;
  andrews.linearise(at.t, at.q, at.v, at.a, at.lambda, exact);

  Matrix three(2 * n + m, 2 * n + m), two(n + m, n + m);
  assembleIndex3(exact, residual.cj, Index3Fields::three, {}, three);
  CHECK(agree(three, J));
  // δv = cj δq: the velocities condensed.
  Matrix condensed(n + m, n + m);
  condensed.leftCols(n) =
      J.bottomRows(n + m).leftCols(n) + residual.cj * J.bottomRows(n + m).middleCols(n, n);
  condensed.rightCols(m) = J.bottomRows(n + m).rightCols(m);
  assembleIndex3(exact, residual.cj, Index3Fields::two, {}, two);
  CHECK(agree(two, condensed));

  const Index3Scales scales{
      .kinematic = 3, .balance = 5, .constraint = 7, .velocity = 11, .multiplier = 13};
  Vector rows(2 * n + m), columns(2 * n + m);
  rows << Vector::Constant(n, 3), Vector::Constant(n, 5), Vector::Constant(m, 7);
  columns << Vector::Ones(n), Vector::Constant(n, 11), Vector::Constant(m, 13);
  Matrix scaled = three;
  assembleIndex3(exact, residual.cj, Index3Fields::three, scales, scaled);
  CHECK(scaled.isApprox(rows.asDiagonal() * three * columns.asDiagonal(), 1e-14));
}

TEST_CASE("Every form of index 3 makes the Newton correction of the finite-difference Jacobian") {
  Problem<test::Andrews> andrews;
  const Index n = 7, m = 6;
  const ThreeFields residual{andrews, Anywhere(andrews.equations.q0, m), 40.0};
  Vector y = residual.point(), r(2 * n + m), derivative(2 * n + m), delta(2 * n + m);
  residual(y, r);
  const Vector expected = -differences(residual, y, 2 * n + m).partialPivLu().solve(r);
  derivative << residual.at.v, residual.at.a, Vector::Zero(m);
  for (const Index3Fields fields : {Index3Fields::two, Index3Fields::three}) {
    for (const Index3Scaling scaling :
         {Index3Scaling::none, Index3Scaling::left, Index3Scaling::leftRight}) {
      SolverOptions options;
      options.method = Method::index3;
      options.index3Fields = fields;
      options.index3Scaling = scaling;
      Corrector corrector(andrews, options);
      Vector moved = y, rates = derivative;
      StepPoint point{residual.at.t, residual.cj, moved, rates};
      REQUIRE(corrector.refresh(point, residual.at.lambda));
      corrector.begin(point);
      corrector.iterate(point, Vector::Ones(2 * n + m), delta);
      CHECK((moved - y - expected).norm() <= 1e-5 * expected.norm());
    }
  }
}

TEST_CASE("An iteration measures the correction it makes, and v' follows v") {
  Problem<test::Andrews> andrews;
  const Index n = 7, m = 6;
  const Anywhere at(andrews.equations.q0, m);
  constexpr double cj = 1e3;
  const Vector inverseWeights = Vector::LinSpaced(2 * n + m, 1, 3);
  for (const Method method : {Method::cml, Method::index3, Method::ggl}) {
    CAPTURE(nameOf(method));
    SolverOptions options;
    options.method = method;
    Corrector corrector(andrews, options);
    const Index companions = corrector.traits().companions, rows = 2 * n + companions;
    const Index tested = corrector.traits().companionsInNewton ? rows : 2 * n;
    Vector y = Vector::Zero(rows), derivative = y, delta = y;
    y.head(2 * n + m) << at.q, at.v, at.lambda;
    derivative.head(2 * n) << at.v + Vector::Ones(n), at.a;  // so that q' is not v
    StepPoint point{at.t, cj, y, derivative};
    REQUIRE(corrector.refresh(point, at.lambda));
    corrector.begin(point);
    Vector weights = Vector::Ones(rows);
    weights.head(2 * n) = inverseWeights.head(2 * n);
    for (int i = 0; i < 2; ++i) {
      const Vector before = y, rateBefore = derivative;
      const double squares = corrector.iterate(point, weights, delta);
      const Vector moved = y - before;
      CHECK(moved.head(n).norm() > 0);
      CHECK(squares == Approx((moved.array() * weights.array()).head(tested).square().sum()));
      const Vector change = (derivative - rateBefore).segment(n, n);
      CHECK((change - cj * moved.segment(n, n)).norm() <= 1e-9 * cj * moved.segment(n, n).norm());
    }
  }
}

TEST_CASE("Index 1 converges at a rate that falls with the step, what its matrix leaves out") {
  // Left out are 2 Ġ/cj and G̈/cj² beside G: ten times the cj must give at most a tenth of the rate.
  Problem<test::Andrews> andrews;
  const Index n = 7, m = 6;
  const Anywhere at(andrews.equations.q0, m);
  double slower = 0;
  for (const double cj : {1e3, 1e4, 1e5}) {
    SolverOptions options;
    options.method = Method::index1;
    Corrector corrector(andrews, options);
    Vector y(2 * n + m), derivative(2 * n + m), first(2 * n + m), second(2 * n + m);
    y << at.q, at.v, at.lambda;
    derivative << at.v, at.a, Vector::Zero(m);
    StepPoint point{at.t, cj, y, derivative};
    REQUIRE(corrector.refresh(point, at.lambda));
    corrector.begin(point);
    const Vector weights = Vector::Ones(2 * n + m);
    corrector.iterate(point, weights, first);
    corrector.iterate(point, weights, second);
    const double rate = second.head(n).norm() / first.head(n).norm();
    if (slower > 0) CHECK(rate <= 0.12 * slower);
    slower = rate;
  }
  CHECK(slower <= 1e-3);
}

}  // namespace trammel
