#include <catch2/catch.hpp>
#include <cmath>

#include "tests/fmu/instance_run.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

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

TEST_CASE("output derivatives agree with differences of the outputs over time") {
  for (const char* name : {"andrews", "car_axis", "double_pendulum", "pendulum", "slider_crank"}) {
    InstanceRun run(readText(cataloguePath(name)), 1e-11);
    run.exit();
    const double stepSize = run.instance.model().defaultExperiment().stepSize;
    const double t = 3 * stepSize, h = stepSize / 20;
    REQUIRE(run.instance.doStep(0, t).status == Status::ok);
    std::vector<std::string> outputs;
    for (const Variable& v : run.instance.model().variables().variables)
      if (v.quantity == Quantity::output) outputs.push_back(v.name);
    Snapshot there;
    run.instance.save(there);
    std::vector<double> first, second;
    for (const std::string& output : outputs) {
      first.push_back(run.derivative(output, 1));
      second.push_back(run.derivative(output, 2));
    }
    // Differences ahead of t: central about t + h.
    std::vector<std::vector<double>> at = {run.get(outputs)};
    for (int k = 1; k <= 4; ++k) {
      REQUIRE(run.instance.doStep(t + (k - 1) * h, h).status == Status::ok);
      at.push_back(run.get(outputs));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double y0 = at[0][i], y1 = at[1][i], y2 = at[2][i], y3 = at[3][i], y4 = at[4][i];
      const double d1 = (-25 * y0 + 48 * y1 - 36 * y2 + 16 * y3 - 3 * y4) / (12 * h);
      const double d2 = (35 * y0 - 104 * y1 + 114 * y2 - 56 * y3 + 11 * y4) / (12 * h * h);
      INFO(name << " " << outputs[i]);
      // Energies are differences of larger terms: 1e-6 J is their size at rest.
      const double size =
          1e-6 + std::abs(y0) + std::abs(d1) * stepSize + std::abs(d2) * stepSize * stepSize;
      CHECK(std::abs(first[i] - d1) * stepSize <= 1e-4 * size);
      CHECK(std::abs(second[i] - d2) * stepSize * stepSize <= 1e-3 * size);
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
