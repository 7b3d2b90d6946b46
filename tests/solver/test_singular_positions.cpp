#include <Eigen/SVD>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "solver/kkt_solver.hpp"
#include "tests/solver/run.hpp"
#include "tests/solver/seed_problems.hpp"

// Positions in which G loses rank, at tolerances where the roundoff of g over the vanishing
// singular value is larger than the tolerance; docs/theory.md, "Singular positions".
namespace trammel {
namespace {

using test::Problem;
using test::Run;

constexpr double endless = std::numeric_limits<double>::infinity();

SolverOptions optionsOf(double tolerance, LinearAlgebra algebra) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.linearAlgebra = algebra;
  return options;
}

/// θ'' = −k cos θ, θ(0) = π/2, θ'(0) = −1 of the cranks of `bays` parallelograms, by Runge and
/// Kutta.
double crankAngle(int bays, double until) {
  const double k = 9.81 * (0.5 * (bays + 1) + bays) / ((bays + 1) / 3.0 + bays);
  const auto a = [k](double angle) { return -k * std::cos(angle); };
  constexpr int steps = 20000;
  const double h = until / steps;
  double angle = std::acos(-1.0) / 2, rate = -1;
  for (int i = 0; i < steps; ++i) {
    const double a1 = a(angle), a2 = a(angle + h / 2 * rate);
    const double a3 = a(angle + h / 2 * rate + h * h / 4 * a1);
    const double a4 = a(angle + h * rate + h * h / 2 * a2);
    angle += h * rate + h * h / 6 * (a1 + a2 + a3);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return angle;
}

/// All cranks within `limit` of the exact angle after the whole interval, without loss of control
/// on the way.
template <std::size_t bays>
void checkPasses(double tolerance, LinearAlgebra algebra, double limit) {
  INFO(bays << " four-bars, tolerance " << tolerance);
  const auto bars = std::make_unique<Problem<test::FourBars<bays>>>();
  const double until = bars->equations.interval;
  const Run run = integrate(*bars, until, optionsOf(tolerance, algebra));
  INFO(run.report.message);
  REQUIRE(run.report.ok);
  const double exact = crankAngle(bays, until);
  for (std::size_t i = 0; i <= bays; ++i)
    CHECK(std::abs(run.end.q[static_cast<Index>(3 * i + 2)] - exact) <= limit);
  CHECK(run.statistics.errorFailures <= 25);  // own runs: at most 8
  CHECK(run.statistics.convergenceFailures <= 10);
}

/// The parallelogram with its crank at `angle`.
Vector bay(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return Vector{{c / 2, s / 2, angle, 1 + c / 2, s / 2, angle, c + 0.5, s, 0}};
}

}  // namespace

TEST_CASE("Four-bars follow the parallelogram through singular positions at tight tolerances") {
  // The error at the end is that of some 20 passes: own runs 4.5e-6 and 6e-7.
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    checkPasses<1>(1e-9, algebra, 2e-5);
    checkPasses<1>(1e-10, algebra, 3e-6);
    checkPasses<2>(1e-9, algebra, 2e-5);
    checkPasses<2>(1e-10, algebra, 3e-6);
  }
}

TEST_CASE("Five four-bars follow the parallelogram with the sparse factor") {
  checkPasses<5>(1e-9, LinearAlgebra::sparse, 2e-5);
  checkPasses<5>(1e-10, LinearAlgebra::sparse, 3e-6);
}

TEST_CASE("A slider-crank of equal lengths passes its singular position at tight tolerances") {
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    for (const double tolerance : {1e-8, 1e-9, 3e-10, 1e-10}) {
      Problem<test::PointSliderCrank> crank(test::PointSliderCrank(0.5, 1.0, 1.0));
      crank.equations.gravity = 9.81;
      const Run run = integrate(crank, 10.0, optionsOf(tolerance, algebra));
      REQUIRE(run.report.ok);
      const auto energy = [&](const Vector& q, const Vector& v) {
        return 0.5 * v.squaredNorm() + 9.81 * q[1];
      };
      const double start = energy(crank.equations.q0, crank.equations.v0);
      CHECK(std::abs(energy(run.end.q, run.end.v) - start) <= 1e4 * tolerance);
      CHECK(run.end.q[2] == Approx(2 * run.end.q[0]).margin(1e-9));  // the slider has passed
    }
  }
}

TEST_CASE("Near a loss of rank a saved memory continues bit for bit") {
  Problem<test::FourBars<2>> bars;
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    SolverOptions options = optionsOf(1e-10, algebra);
    options.horizon = 1.3;
    Integrator integrator(bars, options), other(bars, options);
    REQUIRE(integrator.start(0, bars.equations.q0, bars.equations.v0).ok);
    REQUIRE(integrator.advance(0.69, endless).ok);  // the singular position is at 0.714 s
    std::vector<double> memory, one, two;
    while (integrator.time() < 0.74) {
      integrator.save(memory);
      REQUIRE(integrator.advance(integrator.time() + 1e-9, endless).ok);
      integrator.save(one);
      REQUIRE(other.restore(memory));  // which stands elsewhere, or nowhere
      REQUIRE(other.advance(other.time() + 1e-9, endless).ok);
      other.save(two);
      REQUIRE(one == two);
      REQUIRE(integrator.restore(memory));  // and again where it stands
      REQUIRE(integrator.advance(integrator.time() + 1e-9, endless).ok);
      integrator.save(two);
      REQUIRE(one == two);
    }
  }
}

TEST_CASE("A start forgets what the motion before it has shown of the rank") {
  Problem<test::FourBars<2>> bars;
  const SolverOptions options = optionsOf(1e-10, LinearAlgebra::automatic);
  Integrator used(bars, options), fresh(bars, options);
  REQUIRE(used.start(0, bars.equations.q0, bars.equations.v0).ok);
  REQUIRE(used.advance(0.72, endless).ok);
  for (Integrator* integrator : {&used, &fresh}) {
    REQUIRE(integrator->start(0, bars.equations.q0, bars.equations.v0).ok);
    REQUIRE(integrator->advance(0.8, endless).ok);
  }
  CHECK(used.statistics().residuals == fresh.statistics().residuals);
  std::vector<double> one, two;
  used.save(one);
  fresh.save(two);
  CHECK(one == two);
}

TEST_CASE("Factors see how far the constraints are from a loss of rank") {
  Problem<test::FourBars<1>> bars;
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    Linearisation at = shapeOf(bars);
    KktSolver kkt(at, algebra);
    const auto factor = [&](double angle) {
      bars.massAndGradient(0, bay(angle), at);
      REQUIRE(kkt.factorise(at, {}));
    };
    factor(1.0);
    const double usual = kkt.rankMeasure();
    for (const double angle : {1e-1, 1e-2, 1e-3}) {
      factor(angle);
      CHECK(kkt.rankMeasure() <= 5 * angle * angle * usual);
      // Rows of G M^(−1/2) of length one: what the equilibration makes of them.
      const Vector inverseRoots = Matrix(at.M).diagonal().cwiseSqrt().cwiseInverse();
      Matrix scaled = Matrix(at.G) * inverseRoots.asDiagonal();
      scaled.rowwise().normalize();
      const double sigma = Eigen::JacobiSVD<Matrix>(scaled).singularValues().tail(1)[0];
      const double estimate = kkt.smallestSingularValueSquared();
      CHECK(estimate >= 0.999 * sigma * sigma);
      CHECK(estimate <= 1.2 * sigma * sigma);  // the other ones are not far above at 0.1
    }
  }
}

TEST_CASE("A refined solve knows nothing of the regularisation") {
  Problem<test::FourBars<1>> bars;
  Linearisation at = shapeOf(bars);
  bars.massAndGradient(0, bay(0.5), at);
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse}) {
    KktSolver kkt(at, algebra);
    REQUIRE(kkt.factorise(at, {}));
    Vector rhs = Vector::LinSpaced(17, -1, 1);
    const Vector target = rhs;
    kkt.solveRefined(rhs, 3);
    const Vector x = rhs.head(9), mu = rhs.tail(8);
    CHECK((at.M * x + at.G.transpose() * mu - target.head(9)).norm() <= 1e-12);
    CHECK((at.G * x - target.tail(8)).norm() <= 1e-12);
  }
}

}  // namespace trammel
