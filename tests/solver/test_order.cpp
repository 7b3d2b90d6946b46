#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/bdf_history.hpp"
#include "solver/corrector.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel {
namespace {

using test::Problem;

/// The pendulum of gravity 1 released at (1, 0), by RK4 for its angle with steps of 1e-4 s (error
/// below 1e-14): y = (q, v, λ) with λ = v² − y for unit mass and length.
class ExactPendulum {
 public:
  static constexpr double end = 2.0;
  ExactPendulum() {
    double angle = 0, speed = 0;
    for (std::size_t i = 0; i < angles_.size(); ++i) {
      angles_[i] = angle;
      speeds_[i] = speed;
      const double h = step;
      const double k1 = speed, l1 = -std::cos(angle);
      const double k2 = speed + h / 2 * l1, l2 = -std::cos(angle + h / 2 * k1);
      const double k3 = speed + h / 2 * l2, l3 = -std::cos(angle + h / 2 * k2);
      const double k4 = speed + h * l3, l4 = -std::cos(angle + h * k3);
      angle += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      speed += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
  }
  /// Pre: t is a multiple of 1e-4 s.
  Vector at(double t) const {
    const auto i = static_cast<std::size_t>(std::lround(t / step));
    const double c = std::cos(angles_[i]), s = std::sin(angles_[i]), w = speeds_[i];
    return Vector{{c, s, -s * w, c * w, w * w - s}};
  }

 private:
  static constexpr double step = 1e-4;
  std::array<double, 20001> angles_{}, speeds_{};
};

struct Errors {
  double q = 0, v = 0, lambda = 0;
};

/// RMS of the errors over the second half of [0, 2] at order k with constant steps h, from exact
/// starting values; the largest ones would be those in which roundoff happens to add up.
Errors errorsAt(Method method, int k, double h) {
  const ExactPendulum exact;
  Problem<test::Pendulum> pendulum;
  SolverOptions options;
  options.method = method;
  Corrector corrector(pendulum, options);
  BdfHistory history(5, highestOrder);
  history.restart(0, exact.at(0), Vector{{0, 0, 0, -1, 0}}, h);
  Vector y(5), derivative(5), predicted(5), delta(5), multipliers(1);
  const Vector weights = Vector::Ones(5);
  Errors errors;
  const long steps = std::lround(ExactPendulum::end / h);
  for (long step = 1; step <= steps; ++step) {
    const double t = static_cast<double>(step) * h;
    history.begin(h, std::min(history.lastOrder() + 1, k));
    history.predict(y, derivative, 0, 0);
    predicted = y;
    if (step <= k + 1) {
      y = exact.at(t);
    } else {
      StepPoint point{t, history.leadingCoefficient(), y, derivative};
      multipliers = y.tail(1);
      REQUIRE(corrector.refresh(point, multipliers));
      corrector.begin(point);
      for (int i = 0; i < 12; ++i) corrector.iterate(point, weights, delta);
      corrector.finish(point, multipliers);
    }
    history.accept(y - predicted);
    if (2 * step < steps) continue;
    const Vector error = y - exact.at(t);
    errors.q += error.head(2).squaredNorm();
    errors.v += error.segment(2, 2).squaredNorm();
    errors.lambda += error[4] * error[4];
  }
  for (double* sum : {&errors.q, &errors.v, &errors.lambda})
    *sum = std::sqrt(2 * *sum / static_cast<double>(steps));
  return errors;
}

}  // namespace

TEST_CASE("Positions, velocities and multipliers converge with the order of the method") {
  // Step sizes: small enough for the leading term of the error, large enough for it to stand above
  // roundoff, which in the multipliers of cml is that of positions times cj². At order 6 the two
  // leave no room for those.
  for (const auto& [method, highest] : {std::pair{Method::cml, 5}, std::pair{Method::index1, 6}}) {
    for (int k = 1; k <= highest; ++k) {
      CAPTURE(nameOf(method), k);
      const double h = k == 1 ? 1e-3 : k <= 5 ? 5e-3 : 4e-3;
      const Errors coarse = errorsAt(method, k, 2 * h), fine = errorsAt(method, k, h);
      CHECK(std::abs(std::log2(coarse.q / fine.q) - k) <= 0.1);
      CHECK(std::abs(std::log2(coarse.v / fine.v) - k) <= 0.1);
      CHECK(std::abs(std::log2(coarse.lambda / fine.lambda) - k) <= 0.1);
    }
  }
}

}  // namespace trammel
