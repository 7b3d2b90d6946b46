#include <catch2/catch.hpp>
#include <cmath>

#include "tests/fmu/instance_run.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

/// A mass on which a force acts: x'' = F. Its motion under a polynomial force is known exactly.
const char* const massText = R"toml(
trammel = 1
kind = "equations"
name = "Mass"

[inputs]
F = { unit = "N" }

[coordinates.x]
unit = "m"
mass = 1.0
force = "F"
)toml";

}  // namespace

TEST_CASE("derivatives of an input act from the communication point on") {
  InstanceRun run(massText, 1e-9);
  run.exit();
  // F = 1 + 2 t + 6 t²/2: x = t²/2 + t³/3 + t⁴/4
  run.setDerivative("F", 1, 2);
  run.setDerivative("F", 2, 6);
  run.set("F", 1);
  REQUIRE(run.instance.doStep(0, 1).status == Status::ok);
  CHECK(run.get("x") == Approx(0.5 + 1.0 / 3 + 0.25).epsilon(1e-6));
  CHECK(run.get("F") == Approx(6).epsilon(1e-12));
  CHECK(run.derivative("der(x)", 2) == Approx(8).epsilon(1e-6));  // F' = 2 + 6 t
}

TEST_CASE("an input that is not set again goes on as it was") {
  InstanceRun run(massText, 1e-9), whole(massText, 1e-9);
  for (InstanceRun* each : {&run, &whole}) {
    each->exit();
    each->set("F", 1);
    each->setDerivative("F", 1, 2);
  }
  for (int i = 0; i < 10; ++i) REQUIRE(run.instance.doStep(i * 0.1, 0.1).status == Status::ok);
  whole.instance.doStep(0, 1);
  CHECK(run.get("x") == Approx(0.5 + 1.0 / 3).epsilon(1e-6));
  CHECK(whole.get("x") == Approx(0.5 + 1.0 / 3).epsilon(1e-6));
}

TEST_CASE("a value without derivatives makes the input constant again") {
  InstanceRun run(massText, 1e-9);
  run.exit();
  run.set("F", 1);
  run.setDerivative("F", 1, 2);
  run.instance.doStep(0, 1);
  run.set("F", 0);
  CHECK(run.get("F") == 0);
  const double x = run.get("x"), v = run.get("der(x)");
  run.instance.doStep(1, 1);
  CHECK(run.get("x") == Approx(x + v).epsilon(1e-6));
}

TEST_CASE("a restored state knows which derivatives were set for the step to come") {
  InstanceRun run(massText, 1e-9);
  run.exit();
  run.setDerivative("F", 1, 2);
  Snapshot saved;
  run.instance.save(saved);
  InstanceRun other(massText, 1e-9);
  other.exit();
  for (InstanceRun* each : {&run, &other}) {
    each->instance.restore(saved);
    each->set("F", 1);  // beside the derivative
    REQUIRE(each->instance.doStep(0, 1).status == Status::ok);
    CHECK(each->get("F") == Approx(3).epsilon(1e-12));
    each->set("F", 1);  // without it
    REQUIRE(each->instance.doStep(1, 1).status == Status::ok);
    CHECK(each->get("F") == 1);
  }
}

TEST_CASE("order and variable of an input derivative are checked") {
  InstanceRun run(massText);
  run.exit();
  CHECK_THROWS_WITH(run.setDerivative("F", 3, 1), Catch::Contains("must be 1 or 2"));
  CHECK_THROWS_WITH(run.setDerivative("x", 1, 1), Catch::Contains("\"x\" is not a real input"));
  CHECK_THROWS_WITH(run.setDerivative("F", 1, NAN), Catch::Contains("must be finite"));

  std::string text = massText;
  text.insert(text.find("[coordinates"), "[inputs.gear]\ntype = \"integer\"\n\n");
  InstanceRun discrete(text);
  CHECK_THROWS_WITH(discrete.setDerivative("gear", 1, 1),
                    Catch::Contains("\"gear\" is not a real input"));
}

TEST_CASE("inputs asked for inside a step make a parabola of it") {
  StepOptions options;
  InstanceRun* self = nullptr;
  std::vector<double> asked, finished;
  const CompiledModel model = compiled(massText);
  options.intermediateVariables = {reference(model, "F"), reference(model, "x")};
  options.intermediateUpdate = [&](const IntermediatePoint& point) -> std::optional<double> {
    if (point.setRequested) {
      asked.push_back(point.time);
      self->set("F", 1 + 2 * point.time + 3 * point.time * point.time);
    } else {
      finished.push_back(point.time);
      CHECK(self->get("x") >= 0);
      CHECK(self->get("time") == point.time);
    }
    return std::nullopt;
  };
  InstanceRun run(massText, 1e-9, options);
  self = &run;
  run.exit();
  run.set("F", 1);
  REQUIRE(run.instance.doStep(0, 1).status == Status::ok);
  CHECK(asked == std::vector<double>{0.5, 1});
  REQUIRE_FALSE(finished.empty());
  CHECK(std::is_sorted(finished.begin(), finished.end()));
  CHECK(finished.back() == 1);
  CHECK(run.get("x") == Approx(0.5 + 1.0 / 3 + 0.25).epsilon(1e-6));
  REQUIRE(run.instance.doStep(1, 1).status == Status::ok);
  CHECK(run.get("x") == Approx(2 + 8.0 / 3 + 4).epsilon(1e-6));
}

TEST_CASE("an importer that looks in may end a step early") {
  StepOptions options;
  options.earlyReturnAllowed = true;
  options.intermediateUpdate = [](const IntermediatePoint& point) {
    return point.canReturnEarly && point.time < 0.3 ? std::optional<double>(0.3) : std::nullopt;
  };
  InstanceRun run(pendulumText(), 1e-6, options), plain(pendulumText(), 1e-6);
  run.exit();
  plain.exit();
  const StepResult result = run.instance.doStep(0, 1);
  CHECK(result.status == Status::ok);
  CHECK(result.earlyReturn);
  CHECK(result.lastSuccessfulTime == 0.3);
  CHECK(run.instance.time() == 0.3);
  plain.instance.doStep(0, 0.3);
  CHECK(run.get("x") == plain.get("x"));
}
