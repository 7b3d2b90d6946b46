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

Vector cubic(double t) { return Vector{{t * t * t, 3 * t * t}}; }

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

namespace {

/// A history of order k of numbers from a fixed seed, with a step begun.
BdfHistory filled(Index rows, int k) {
  BdfHistory history(rows, 5);
  std::srand(5);
  history.restart(0, Vector::Random(rows), Vector::Random(rows), 0.1);
  for (int i = 0; i < 8; ++i) {
    history.begin(0.1, std::min(history.lastOrder() + 1, k));
    history.accept(Vector::Random(rows));
  }
  history.begin(0.1, k);
  return history;
}

}  // namespace

TEST_CASE("An error is completed and measured at its order and the two below, all in one pass") {
  const Index rows = 1501,
              tested = 1003;  // more than a block, and not a multiple of what is done at once
  for (int k = 1; k <= 5; ++k) {
    CAPTURE(k);
    const BdfHistory history = filled(rows, k);
    const Vector y = Vector::Random(rows), start = Vector::Random(rows);
    const Vector inverse = Vector::LinSpaced(tested, 1, 2);
    Vector E = start;
    const BdfHistory::Squares squares = history.completeError(y, E, inverse);
    CHECK(E == start + y);
    const auto sum = [&](const Vector& x) {
      return (x.head(tested).array() * inverse.array()).square().sum();
    };
    CHECK(squares.atOrder == Approx(sum(E)).epsilon(1e-12));
    CHECK(squares.below == Approx(k > 1 ? sum(E + history.difference(k + 1)) : 0).epsilon(1e-12));
    CHECK(squares.twoBelow ==
          Approx(k > 2 ? sum(E + history.difference(k + 1) + history.difference(k)) : 0)
              .epsilon(1e-12));
  }
}

TEST_CASE("Companions are entered by their value as by its difference to the prediction") {
  const Index rows = 1007, companions = 603;
  for (int k = 1; k <= 5; ++k) {
    CAPTURE(k);
    BdfHistory byValue = filled(rows, k), byError = byValue;
    Vector predicted(rows), derivative(rows), partly(rows);
    byValue.predict(predicted, derivative, 0, 0);
    const Vector y = Vector::Random(rows);
    const BdfHistory before = byValue;
    Vector E = y - predicted;
    const BdfHistory::Leftovers squares = byValue.accept(E, y.tail(companions));
    byError.accept(y - predicted);
    for (int j = 1; j <= k + 2; ++j)
      CHECK((byValue.difference(j) - byError.difference(j)).norm() <= 1e-12 * y.norm());
    CHECK((byValue.current() - y).norm() <= 1e-12 * y.norm());
    for (int j = 1; j <= k + 1; ++j) {
      before.predict(partly, derivative, companions, j - 1);
      CHECK((partly - predicted).head(rows - companions).norm() == 0);
      CHECK(squares[static_cast<std::size_t>(j)] ==
            Approx((y - partly).tail(companions).squaredNorm()).epsilon(1e-10));
    }
  }
}

TEST_CASE("A step that waits to be entered is predicted from as one that was asked for") {
  const Index rows = 1007, companions = 603;  // the others end inside a block
  for (int k = 1; k <= 5; ++k) {
    CAPTURE(k);
    BdfHistory waiting = filled(rows, k), settled = waiting;
    Vector E = Vector::Random(rows), sameE = E;
    const Vector values = Vector::Random(companions);
    waiting.accept(E, values);
    settled.accept(sameE, values);
    settled.current();  // asks for all rows
    Vector y(rows), derivative(rows), minusY(rows), expected(rows), expectedDerivative(rows);
    for (BdfHistory* history : {&waiting, &settled}) history->begin(0.07, k);
    settled.difference(k + 1);  // asks for them with the new step size
    waiting.predict({y, derivative, minusY.head(rows - companions)}, companions, k);
    settled.predict(expected, expectedDerivative, companions, k);
    CHECK(y == expected);
    CHECK(derivative.head(rows - companions) == expectedDerivative.head(rows - companions));
    CHECK(minusY.head(rows - companions) == -y.head(rows - companions));
    for (int j = 1; j <= k + 2; ++j) CHECK(waiting.difference(j) == settled.difference(j));
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

namespace {

/// Two rows (q, v) = (t³, 3t²) up to t = 1.3, steps of different sizes.
BdfHistory cubicHistory(int order) {
  BdfHistory history(2, 5);
  Vector y(2), derivative(2);
  history.restart(0.5, cubic(0.5), Vector{{0.75, 3.0}}, 0.1);
  for (int i = 0; i < 8; ++i) {
    history.begin(i % 2 == 0 ? 0.08 : 0.12, std::min(history.lastOrder() + 1, order));
    history.predict(y, derivative, 0, 0);
    history.accept(cubic(history.time()) - y);
  }
  return history;
}

}  // namespace

TEST_CASE("The acceleration shift gives the past it would have had under the new acceleration") {
  // From the present time on the acceleration is larger by 2.
  BdfHistory history = cubicHistory(4);
  Vector y(2), derivative(2);
  const double now = history.time();
  history.shiftAcceleration(Vector::Constant(1, 2.0));
  const double ahead = 0.07;
  history.begin(ahead, 4);
  history.predict(y, derivative, 0, 0);
  CHECK(y[0] == Approx(cubic(now + ahead)[0] + ahead * ahead).epsilon(1e-11));
  CHECK(y[1] == Approx(cubic(now + ahead)[1] + 2 * ahead).epsilon(1e-11));
}

TEST_CASE("The jerk shift gives the past it would have had under the new jerk") {
  // From the present time on the jerk is larger by 6, so q by 6 s³/6 and v by 6 s²/2. Order 3 is
  // the lowest that holds a cubic.
  for (const int order : {3, 4, 5}) {
    BdfHistory history = cubicHistory(order);
    Vector y(2), derivative(2);
    const double now = history.time(), ahead = 0.07;
    history.shiftJerk(Vector::Constant(1, 6.0));
    history.begin(ahead, order);
    history.predict(y, derivative, 0, 0);
    CHECK(y[0] == Approx(cubic(now + ahead)[0] + ahead * ahead * ahead).epsilon(1e-11));
    CHECK(y[1] == Approx(cubic(now + ahead)[1] + 3 * ahead * ahead).epsilon(1e-11));
  }
}

TEST_CASE("Rows are shifted by a constant and a slope") {
  BdfHistory history = cubicHistory(4);
  Vector y(2), derivative(2);
  const double now = history.time(), ahead = 0.07;
  history.shiftValue(1, Vector::Constant(1, 0.5));
  history.shiftSlope(1, Vector::Constant(1, 3.0));
  history.begin(ahead, 4);
  history.predict(y, derivative, 0, 0);
  CHECK(y[0] == Approx(cubic(now + ahead)[0]).epsilon(1e-11));
  CHECK(y[1] == Approx(cubic(now + ahead)[1] + 0.5 + 3 * ahead).epsilon(1e-11));
}

}  // namespace trammel
