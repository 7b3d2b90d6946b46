#include "models/mechanism/planar_turns.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

namespace trammel {
namespace {

std::vector<PlanarTurn> turnsOf(const std::vector<double>& angles) {
  std::vector<int> indices;
  for (std::size_t i = 0; i < angles.size(); ++i) indices.push_back(static_cast<int>(i));
  std::vector<PlanarTurn> turns(angles.size());
  setTurns(angles.data(), indices, turns.data());
  return turns;
}

/// In units in the last place of 1, against the C library with more digits.
double worstError(const std::vector<double>& angles) {
  const std::vector<PlanarTurn> turns = turnsOf(angles);
  long double worst = 0;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const long double angle = angles[i];
    worst = std::max({worst, std::abs(std::cos(angle) - turns[i].cosine),
                      std::abs(std::sin(angle) - turns[i].sine)});
  }
  return static_cast<double>(worst) / std::numeric_limits<double>::epsilon();
}

}  // namespace

TEST_CASE("Turns of many angles are cosine and sine to the last digits") {
  std::mt19937 random(3);
  for (const double largest : {0.1, 4.0, 100.0, 1e4, 1e6, 1e9}) {
    std::uniform_real_distribution<double> draw(-largest, largest);
    std::vector<double> angles(20011);  // not a multiple of those done at once
    for (double& angle : angles) angle = draw(random);
    INFO("angles up to " << largest);
    CHECK(worstError(angles) <= 1.2);
  }
}

TEST_CASE("Turns do not depend on how many are done at once") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> draw(-50, 50);
  std::vector<double> angles(103);
  for (double& angle : angles) angle = draw(random);
  const std::vector<PlanarTurn> turns = turnsOf(angles);
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const PlanarTurn alone = turnsOf({angles[i]})[0];
    CHECK(turns[i].cosine == alone.cosine);
    CHECK(turns[i].sine == alone.sine);
  }
}

TEST_CASE("Turns are right at quarters and around, where one of the two is small") {
  const double quarter = std::acos(0.0);
  std::vector<double> angles = {0.0, -0.0, 1e-300, -1e-9};
  for (int k = -40; k <= 40; ++k) {
    for (const double offset : {-1e-3, -1e-9, 0.0, 1e-12, 0.4999999, 0.5})
      angles.push_back((k + offset) * quarter);
  }
  CHECK(worstError(angles) <= 1.2);
  const std::vector<PlanarTurn> turns = turnsOf(angles);
  CHECK(turns[0].sine == 0);
  CHECK(turns[0].cosine == 1);
  CHECK(turns[2].sine == 1e-300);
  for (std::size_t i = 0; i < angles.size(); ++i) {  // relative to what is small
    const double exact = static_cast<double>(std::sin(static_cast<long double>(angles[i])));
    CHECK(std::abs(turns[i].sine - exact) <= 4e-16 * std::abs(exact));
  }
}

TEST_CASE("An angle that is no number spoils no other turn") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> angles(20, 1.0);
  angles[3] = nan;
  angles[5] = std::numeric_limits<double>::infinity();
  angles[18] = nan;
  const std::vector<PlanarTurn> turns = turnsOf(angles);
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const bool finite = std::isfinite(angles[i]);
    CHECK(std::isfinite(turns[i].cosine) == finite);
    if (finite) CHECK(std::abs(turns[i].sine - std::sin(1.0)) <= 2.3e-16);
  }
}

}  // namespace trammel
