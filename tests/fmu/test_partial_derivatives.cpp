#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/fmu/instance_run.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

std::vector<std::string> namesOf(const CompiledModel& model, auto condition) {
  std::vector<std::string> names;
  for (const Variable& variable : model.variables().variables)
    if (condition(variable)) names.push_back(variable.name);
  return names;
}

bool isUnknown(const Variable& v) {
  return v.causality == Causality::output || v.quantity == Quantity::acceleration;
}

bool isOutside(const Variable& v, bool fixedToo) {
  return v.quantity == Quantity::input ||
         (v.quantity == Quantity::parameter && (fixedToo || v.variability == Variability::tunable));
}

struct Differences {
  std::vector<double> values;
  double roundoff = 0;  // of the largest value, in a difference
};

/// Central differences of values that `valuesAt` computes with an FMU that runs anew.
Differences differences(double value, double h, auto valuesAt) {
  std::vector<double> plus = valuesAt(value + h), minus = valuesAt(value - h);
  double largest = 0;
  for (std::size_t i = 0; i < plus.size(); ++i) {
    largest = std::max(largest, std::abs(plus[i]));
    plus[i] = (plus[i] - minus[i]) / (2 * h);
  }
  return {plus, 1e-14 * largest / h};
}

/// `limit` of the largest derivative with respect to this known, where the differences are that
/// good.
void checkClose(const std::vector<double>& got, const Differences& expected,
                const std::vector<std::string>& names, double limit = 1e-6) {
  double size = 0;
  for (const double x : expected.values) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO(names[i] << ": " << got[i] << ", by differences " << expected.values[i]);
    CHECK(std::abs(got[i] - expected.values[i]) <= limit * size + expected.roundoff + 1e-9);
  }
}

/// Of both kinds, with and without inputs, planar and in space.
const std::vector<std::string> models = {"andrews",
                                         "car_axis",
                                         "crane",
                                         "double_pendulum",
                                         "four_bar",
                                         "pendulum",
                                         "quarter_car",
                                         "slider_crank",
                                         "spatial_slider_crank",
                                         "spherical_pendulum",
                                         "trammel_of_archimedes",
                                         "wang_hou_x"};

std::string textOf(const std::string& name) {
  return name == "driven" ? std::string(drivenPendulumText) : readText(cataloguePath(name));
}

}  // namespace

TEST_CASE("directional derivatives of the driven pendulum are the exact ones") {
  InstanceRun run(drivenPendulumText);
  run.exit();
  // At rest at (L, 0): a = (0, −9.81), λ = F/L; power = F x'.
  const auto byF = run.directional({"der(x,2)", "der(y,2)", "pull", "power", "x"}, {"F"}, {2});
  CHECK(std::abs(byF[0]) < 1e-12);
  CHECK(std::abs(byF[1]) < 1e-12);
  CHECK(byF[2] == Approx(2).epsilon(1e-12));
  CHECK(std::abs(byF[3]) < 1e-12);
  CHECK(byF[4] == 0);
}

TEST_CASE("directional derivatives in step mode are those of an FMU that runs anew") {
  std::vector<std::string> all = models;
  all.push_back("driven");
  for (const std::string& model : all) {
    InstanceRun run(textOf(model));
    run.exit();
    const double start = run.instance.time();
    REQUIRE(run.instance.doStep(start, 0.3).status == Status::ok);
    const auto unknowns = namesOf(run.instance.model(), isUnknown);
    const auto knowns =
        namesOf(run.instance.model(), [](const Variable& v) { return isOutside(v, false); });
    Snapshot there;
    run.instance.save(there);
    for (const std::string& known : knowns) {
      INFO(model << ", " << known);
      // A step of 1e-13 s applies what was set and leaves the motion where it is.
      const auto valuesAt = [&](double value) {
        run.instance.restore(there);
        run.set(known, value);
        REQUIRE(run.instance.doStep(start + 0.3, 1e-13).status == Status::ok);
        return run.get(unknowns);
      };
      const double value = run.get(known), h = 1e-2 * std::max(std::abs(value), 0.1);
      const double centre = std::max(value, known == "d" ? h : value);  // d ≥ 0
      const Differences expected = differences(centre, h, valuesAt);
      run.instance.restore(there);
      // A parameter that moves constraints moves the positions before the next step.
      const auto position = std::find_if(unknowns.begin(), unknowns.end(), [&](const auto& name) {
        return run.instance.model().variables().find(name)->quantity == Quantity::position;
      });
      if (std::abs(expected.values[static_cast<std::size_t>(position - unknowns.begin())]) > 1e-6)
        continue;
      checkClose(run.directional(unknowns, {known}, {1}), expected, unknowns);
    }
  }
}

TEST_CASE("directional derivatives in initialization mode are those of an FMU that runs anew") {
  std::vector<std::string> all = models;
  all.push_back("driven");
  for (const std::string& model : all) {
    InstanceRun run(textOf(model));
    const auto unknowns = namesOf(run.instance.model(), isUnknown);
    const auto knowns =
        namesOf(run.instance.model(), [](const Variable& v) { return isOutside(v, true); });
    for (const std::string& known : knowns) {
      INFO(model << ", " << known);
      const auto valuesAt = [&](double value) {
        InstanceRun anew(textOf(model));
        anew.set(known, value);
        return anew.get(unknowns);
      };
      const double value = run.get(known);
      if (value == 0) continue;  // at its bound, no central difference
      const Differences expected = differences(value, 1e-4 * std::abs(value), valuesAt);
      checkClose(run.directional(unknowns, {known}, {1}), expected, unknowns);
    }
  }
}

TEST_CASE("a start value acts on all that must fit to it") {
  InstanceRun run(drivenPendulumText);
  run.set("y", -0.6);
  // x = √(1 − y²): dx/dy = −y/x = 0.75.
  const auto byY = run.directional({"x", "y"}, {"y"}, {1});
  CHECK(byY[0] == Approx(0.75).epsilon(1e-8));
  CHECK(byY[1] == Approx(1).epsilon(1e-8));
  // x x' + y y' = 0: dy'/dx' = −x/y = 4/3.
  const auto byV = run.directional({"der(y)"}, {"der(x)"}, {1});
  CHECK(byV[0] == Approx(4.0 / 3).epsilon(1e-8));

  const std::vector<std::string> unknowns = {"x", "der(x,2)", "der(y,2)", "pull"};
  const auto valuesAt = [&](double y) {
    InstanceRun anew(drivenPendulumText);
    anew.set("y", y);
    return anew.get(unknowns);
  };
  checkClose(run.directional(unknowns, {"y"}, {1}), differences(-0.6, 1e-4, valuesAt), unknowns);
}

TEST_CASE("directional and adjoint derivatives are transposes of each other") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::string> all = models;
  all.push_back("driven");
  for (const bool initializing : {true, false}) {
    for (const std::string& model : all) {
      InstanceRun run(textOf(model), 1e-6);
      if (!initializing) {
        run.exit();
        REQUIRE(run.instance.doStep(0, 0.01).status == Status::ok);
      }
      const auto unknowns = namesOf(run.instance.model(), isUnknown);
      const auto knowns = namesOf(run.instance.model(), [&](const Variable& v) {
        return v.quantity == Quantity::time || isOutside(v, initializing) ||
               (!initializing && v.quantity == Quantity::position);
      });
      std::vector<double> seed(knowns.size()), weights(unknowns.size());
      for (double& x : seed) x = uniform(random);
      for (double& x : weights) x = uniform(random);
      const auto forward = run.directional(unknowns, knowns, seed);
      const auto backward = run.adjoint(unknowns, knowns, weights);
      double left = 0, right = 0, size = 0;
      for (std::size_t i = 0; i < unknowns.size(); ++i) {
        left += weights[i] * forward[i];
        size += std::abs(weights[i] * forward[i]);
      }
      for (std::size_t k = 0; k < knowns.size(); ++k) {
        right += seed[k] * backward[k];
        size += std::abs(seed[k] * backward[k]);
      }
      INFO(model << (initializing ? ", initialization" : ", step") << ": " << left << " " << right);
      CHECK(size > 0);
      CHECK(std::abs(left - right) <= 1e-12 * size);
    }
  }
}

TEST_CASE("asking for derivatives changes nothing") {
  InstanceRun run(drivenPendulumText), other(drivenPendulumText);
  for (InstanceRun* each : {&run, &other}) {
    each->exit();
    each->instance.doStep(0, 0.1);
  }
  run.directional({"power"}, {"F", "d", "L"}, {1, 1, 1});
  run.adjoint({"power"}, {"F", "d", "L"}, {1});
  run.derivative("power", 2);
  for (InstanceRun* each : {&run, &other}) each->instance.doStep(0.1, 0.1);
  CHECK(run.instance.serialize() == other.instance.serialize());
}

TEST_CASE("variables that are no knowns or unknowns are refused by name") {
  InstanceRun run(drivenPendulumText);
  CHECK_THROWS_WITH(run.directional({"F"}, {"F"}, {1}), Catch::Contains("\"F\" is not an unknown"));
  CHECK_THROWS_WITH(run.directional({"x"}, {"power"}, {1}),
                    Catch::Contains("\"power\" is not a known"));
  run.exit();
  CHECK_THROWS_WITH(run.directional({"x"}, {"m"}, {1}), Catch::Contains("\"m\" is not a known"));
  CHECK_THROWS_WITH(run.directional({"x"}, {"F"}, {NAN}), Catch::Contains("seed must be finite"));
}
