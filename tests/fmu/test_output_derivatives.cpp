#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "tests/fmu/instance_run.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

/// Time derivatives of outputs by differences of sixth order of an FMU that runs anew from a saved
/// state, with steps that are halved from the longest one on.
class TimeDifferences {
 public:
  struct Value {
    double value, uncertainty;
  };

  /// The run stands at t − 3 longest, and again afterwards.
  TimeDifferences(InstanceRun& run, const std::vector<std::string>& outputs, double t,
                  double longest) {
    Snapshot there;
    run.instance.save(there);
    for (double h = longest; h > longest / 1000; h /= 2) {
      std::vector<std::vector<double>> at;
      run.instance.restore(there);
      if (h < longest)
        REQUIRE(run.instance.doStep(t - 3 * longest, 3 * (longest - h)).status == Status::ok);
      at.push_back(run.get(outputs));
      for (int k = -3; k < 3; ++k) {
        REQUIRE(run.instance.doStep(t + k * h, h).status == Status::ok);
        at.push_back(run.get(outputs));
      }
      steps_.push_back(h);
      values_.push_back(std::move(at));
    }
    run.instance.restore(there);
  }

  /// The one that differs least from that with twice the step.
  Value best(std::size_t output, int order) const {
    Value best{0, std::numeric_limits<double>::infinity()};
    for (std::size_t k = 0; k + 1 < steps_.size(); ++k) {
      const double value = difference(k + 1, output, order);
      const double uncertainty = std::abs(value - difference(k, output, order));
      if (uncertainty < best.uncertainty) best = {value, uncertainty};
    }
    return best;
  }

 private:
  double difference(std::size_t k, std::size_t output, int order) const {
    const auto y = [&](int place) {
      return values_[k][static_cast<std::size_t>(place) + 3][output];
    };
    const double h = steps_[k];
    if (order == 1) return (45 * (y(1) - y(-1)) - 9 * (y(2) - y(-2)) + (y(3) - y(-3))) / (60 * h);
    return (270 * (y(1) + y(-1)) - 27 * (y(2) + y(-2)) + 2 * (y(3) + y(-3)) - 490 * y(0)) /
           (180 * h * h);
  }

  std::vector<double> steps_;
  std::vector<std::vector<std::vector<double>>> values_;  // by step, place and output
};

}  // namespace

TEST_CASE("derivatives of positions and velocities are the next ones in the chain") {
  InstanceRun run(drivenPendulumText);
  run.exit();
  run.instance.doStep(0, 0.4);
  CHECK(run.derivative("x", 1) == run.get("der(x)"));
  CHECK(run.derivative("x", 2) == run.get("der(x,2)"));
  CHECK(run.derivative("der(y)", 1) == run.get("der(y,2)"));
}

TEST_CASE("output derivatives of the pendulum are those of its exact equations") {
  InstanceRun run(drivenPendulumText, 1e-10);
  run.exit();
  run.instance.doStep(0, 0.4);
  // With the angle from −y: θ' = ω, ω' = F cos θ − g sin θ (L = m = 1), x = sin θ, y = −cos θ.
  const double x = run.get("x"), y = run.get("y"), F = 0.5, g = 9.81;
  const double w = run.get("der(x)") / -y, a = -F * y - g * x;
  const double j = w * (-F * x + g * y);  // ω''
  // x''' = d/dt (a cos − ω² sin), cos = −y
  const double jerk = -j * y - 3 * w * a * x + w * w * w * y;
  CHECK(run.derivative("der(x)", 2) == Approx(jerk).epsilon(1e-7));
  // power = F x'
  CHECK(run.derivative("power", 1) == Approx(F * run.get("der(x,2)")).epsilon(1e-7));
  CHECK(run.derivative("power", 2) == Approx(F * jerk).epsilon(1e-7));
  // M a + Gᵀλ = f along the rod: λ = F x − g y + ω².
  CHECK(run.get("pull") == Approx(F * x - g * y + w * w).epsilon(1e-7));
  const double vx = run.get("der(x)"), vy = run.get("der(y)");
  CHECK(run.derivative("pull", 1) == Approx(F * vx - g * vy + 2 * w * a).epsilon(1e-7));
  CHECK(run.derivative("pull", 2) ==
        Approx(F * run.get("der(x,2)") - g * run.get("der(y,2)") + 2 * (a * a + w * j))
            .epsilon(1e-6));
}

TEST_CASE("output derivatives are those of an FMU that runs anew") {
  for (const char* name :
       {"andrews", "car_axis", "crane", "double_pendulum", "four_bar", "pendulum", "quarter_car",
        "slider_crank", "spatial_slider_crank", "spherical_pendulum", "trammel_of_archimedes"}) {
    InstanceRun run(readText(cataloguePath(name)), 1e-12);
    run.exit();
    const DefaultExperiment& experiment = run.instance.model().defaultExperiment();
    const double begin = experiment.startTime;
    const double t = begin + 0.1 * (experiment.stopTime - begin);
    const double longest = std::min(experiment.stepSize, (t - begin) / 4);
    REQUIRE(run.instance.doStep(begin, t - 3 * longest - begin).status == Status::ok);
    std::vector<std::string> outputs;
    for (const Variable& v : run.instance.model().variables().variables)
      if (v.causality == Causality::output && v.type == Type::float64) outputs.push_back(v.name);
    TimeDifferences differences(run, outputs, t, longest);
    REQUIRE(run.instance.doStep(t - 3 * longest, 3 * longest).status == Status::ok);
    const std::vector<double> values = run.get(outputs);
    for (const int order : {1, 2}) {
      std::vector<TimeDifferences::Value> expected;
      std::map<std::string, double> sizes;  // largest derivative of outputs with the same unit
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        expected.push_back(differences.best(i, order));
        double& size = sizes[run.instance.model().variables().find(outputs[i])->unit];
        // What is constant is compared with its change in ten steps if it did change, at least by
        // 0.1: energies near zero are differences of terms of 10 J.
        const double slow = (0.1 + std::abs(values[i])) / std::pow(10 * longest, order);
        size = std::max({size, std::abs(expected[i].value), slow});
      }
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const double got = run.derivative(outputs[i], order);
        const double size = sizes[run.instance.model().variables().find(outputs[i])->unit];
        INFO(name << " " << outputs[i] << ", order " << order << ": " << got << ", by differences "
                  << expected[i].value << " to " << expected[i].uncertainty << ", size " << size);
        CHECK(expected[i].uncertainty <= 5e-7 * size);
        CHECK(std::abs(got - expected[i].value) <= 1e-6 * size);
      }
    }
  }
}

TEST_CASE("only continuous outputs have derivatives, of order 1 and 2") {
  InstanceRun run(drivenPendulumText);
  run.exit();
  CHECK_THROWS_WITH(run.derivative("F", 1), Catch::Contains("\"F\" has no derivatives"));
  CHECK_THROWS_WITH(run.derivative("x", 3), Catch::Contains("must be 1 or 2, is 3"));
  CHECK_THROWS_WITH(run.derivative("x", 0), Catch::Contains("is 0"));
}
