#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "solver/bdf_history.hpp"

namespace trammel {
namespace {

/// A polynomial of degree k is reproduced exactly by a history of order k.
struct Polynomial {
  int degree;
  double value(double t) const { return std::pow(t, degree) + 0.5 * t + 1; }
  double slope(double t) const { return degree * std::pow(t, degree - 1) + 0.5; }
};

/// Feeds exact values with step sizes from a fixed seed until the history has the wanted order.
BdfHistory fed(const Polynomial& p, int steps) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> factor(0.7, 1.4);
  BdfHistory history(1, 5);
  const double start = 0.2;
  double h = 0.1;
  history.restart(start, Vector::Constant(1, p.value(start)), Vector::Constant(1, p.slope(start)),
                  h);
  Vector y(1), derivative(1);
  for (int i = 0; i < steps; ++i) {
    history.begin(h, std::min({history.lastOrder() + 1, p.degree, 5}));
    history.predict(y, derivative, 0, 0);
    const Vector E = Vector::Constant(1, p.value(history.time())) - y;
    history.accept(E);
    h = 0.1 * factor(random);
  }
  return history;
}

}  // namespace

TEST_CASE(
    "A history of order k predicts and interpolates polynomials of degree k exactly at varying "
    "steps") {
  for (int degree = 1; degree <= 5; ++degree) {
    const Polynomial p{degree};
    BdfHistory history = fed(p, 12);
    REQUIRE(history.lastOrder() == degree);
    Vector y(1), derivative(1);
    const double inside = history.time() - 0.3 * history.lastStep();
    history.interpolate(inside, y);
    CHECK(y[0] == Approx(p.value(inside)).epsilon(1e-12));
    history.begin(0.11, degree);
    history.predict(y, derivative, 0, 0);
    CHECK(y[0] == Approx(p.value(history.time())).epsilon(1e-12));
    CHECK(derivative[0] == Approx(p.slope(history.time())).epsilon(1e-11));
  }
}

TEST_CASE("A rejected step leaves the history as it was up to roundoff") {
  const Polynomial p{4};
  BdfHistory history = fed(p, 12);
  const BdfHistory before = history;
  history.begin(0.03, 4);
  history.reject();
  CHECK(history.time() == Approx(before.time()).epsilon(1e-15));
  for (int i = 1; i <= 5; ++i)
    CHECK(history.difference(i)[0] == Approx(before.difference(i)[0]).epsilon(1e-13));
}

TEST_CASE("A rebased history is the same polynomial about an earlier time") {
  const Polynomial p{5};
  BdfHistory history = fed(p, 14);
  const double t = history.time() - 0.4 * history.lastStep();
  Matrix scratch;
  history.rebase(t, scratch);
  CHECK(history.time() == t);
  Vector y(1), derivative(1);
  history.begin(0.08, 5);
  history.predict(y, derivative, 0, 0);
  CHECK(y[0] == Approx(p.value(t + 0.08)).epsilon(1e-11));
}

TEST_CASE("The acceleration shift gives the past it would have had under the new acceleration") {
  // Two rows (q, v): q = t³, v = 3t²; from the present time on the acceleration is larger by 2.
  BdfHistory history(2, 5);
  Vector y(2), derivative(2);
  const auto q = [](double t) { return Vector{{t * t * t, 3 * t * t}}; };
  history.restart(0.5, q(0.5), Vector{{0.75, 3.0}}, 0.1);
  for (int i = 0; i < 8; ++i) {
    history.begin(0.1, std::min(history.lastOrder() + 1, 4));
    history.predict(y, derivative, 0, 0);
    history.accept(q(history.time()) - y);
  }
  const double now = history.time();
  history.shiftAcceleration(Vector::Constant(1, 2.0));
  const double ahead = 0.07;
  history.begin(ahead, 4);
  history.predict(y, derivative, 0, 0);
  CHECK(y[0] == Approx(q(now + ahead)[0] + ahead * ahead).epsilon(1e-11));
  CHECK(y[1] == Approx(q(now + ahead)[1] + 2 * ahead).epsilon(1e-11));
}

}  // namespace trammel
