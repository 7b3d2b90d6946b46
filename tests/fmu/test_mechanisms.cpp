#include <catch2/catch.hpp>
#include <cmath>

#include "tests/fmu/instance_run.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

InstanceRun started(StepOptions options = {}, double tolerance = 1e-8) {
  InstanceRun run(stoppedRodText, tolerance, std::move(options));
  run.exit();
  return run;
}

}  // namespace

TEST_CASE("a step ends early at a stop and goes on after event mode") {
  StepOptions options;
  options.eventModeUsed = options.earlyReturnAllowed = true;
  InstanceRun run = started(options), inside = started();
  run.instance.enterStepMode();
  const StepResult first = run.instance.doStep(0, 1);
  CHECK(first.status == Status::ok);
  CHECK(first.eventHandlingNeeded);
  CHECK(first.earlyReturn);
  CHECK(first.lastSuccessfulTime == run.instance.time());
  CHECK(run.get("angle") == Approx(-1).margin(1e-9));  // where the stop begins

  double t = first.lastSuccessfulTime;
  int events = 1;
  while (t < 1) {
    run.instance.enterEventMode();
    run.instance.updateDiscreteStates();
    run.instance.enterStepMode();
    const StepResult next = run.instance.doStep(t, 1 - t);
    REQUIRE(next.status == Status::ok);
    REQUIRE(next.lastSuccessfulTime > t);
    if (next.eventHandlingNeeded) ++events;
    t = next.lastSuccessfulTime;
  }
  CHECK(events >= 2);  // into the stop and out of it
  // Without event mode the same events are handled inside the step.
  const StepResult whole = inside.instance.doStep(0, 1);
  CHECK_FALSE((whole.eventHandlingNeeded || whole.earlyReturn));
  CHECK(whole.lastSuccessfulTime == 1);
  CHECK(run.get("angle") == Approx(inside.get("angle")).margin(1e-9));
}

TEST_CASE("an event that nobody handles is handled by the next step") {
  StepOptions options;
  options.eventModeUsed = options.earlyReturnAllowed = true;
  InstanceRun run = started(options), inside = started();
  run.instance.enterStepMode();
  for (double t = 0; t < 1;) t = run.instance.doStep(t, 1 - t).lastSuccessfulTime;
  inside.instance.doStep(0, 1);
  CHECK(run.get("angle") == Approx(inside.get("angle")).margin(1e-9));
}

TEST_CASE("events that the integrator meets ahead of short steps are handled at their times") {
  InstanceRun whole = started(), small = started();
  whole.instance.doStep(0, 1);
  constexpr int count = 10000;
  for (int i = 0; i < count; ++i)
    REQUIRE(small.instance.doStep(i * 1.0 / count, 1.0 / count).status == Status::ok);
  CHECK(small.instance.statistics().steps == whole.instance.statistics().steps);
  CHECK(small.get("angle") == Approx(whole.get("angle")).margin(1e-9));
}

TEST_CASE("a state saved at an event continues bit for bit") {
  StepOptions options;
  options.eventModeUsed = options.earlyReturnAllowed = true;
  InstanceRun run = started(options), other = started(options);
  run.instance.enterStepMode();
  const double t = run.instance.doStep(0, 1).lastSuccessfulTime;
  other.instance.deserialize(run.instance.serialize());
  for (InstanceRun* each : {&run, &other}) {
    each->instance.enterEventMode();
    each->instance.updateDiscreteStates();
    each->instance.enterStepMode();
    each->instance.doStep(t, 0.05);
  }
  CHECK(run.instance.serialize() == other.instance.serialize());
}

TEST_CASE("derivatives of a port's acceleration are those of an FMU that runs anew") {
  InstanceRun run = started();
  REQUIRE(run.instance.doStep(0, 0.2).status == Status::ok);
  const std::vector<std::string> unknowns = {"tip.a[1]", "tip.a[2]", "drive.z", "tip.v[1]"};
  Snapshot there;
  run.instance.save(there);
  for (const char* known : {"tip.F[1]", "tip.F[2]", "drive.tau"}) {
    const auto at = [&](double value) {
      run.instance.restore(there);
      run.set(known, value);
      REQUIRE(run.instance.doStep(0.2, 1e-13).status == Status::ok);
      return run.get(unknowns);
    };
    const auto plus = at(1), minus = at(-1);
    run.instance.restore(there);
    const auto derivative = run.directional(unknowns, {known}, {1});
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      INFO(unknowns[i] << " by " << known);
      CHECK(derivative[i] == Approx((plus[i] - minus[i]) / 2).epsilon(1e-6).margin(1e-9));
    }
  }
}

TEST_CASE("the rate of a port's force is its slope from the communication point on") {
  InstanceRun byVariable = started(), byDerivative = started(), byTwo = started();
  byVariable.set("drive.tau_der1", 3);
  byVariable.set("drive.tau", 1);
  byDerivative.set("drive.tau", 1);
  byDerivative.setDerivative("drive.tau", 1, 3);
  byTwo.set("drive.tau", 1);
  byTwo.set("drive.tau_der1", 3);
  for (InstanceRun* run : {&byVariable, &byDerivative, &byTwo}) {
    REQUIRE(run->instance.doStep(0, 0.1).status == Status::ok);
    CHECK(run->get("drive.tau") == Approx(1.3).epsilon(1e-12));
  }
  CHECK(byVariable.get("angle") == Approx(byDerivative.get("angle")).epsilon(1e-12));
  CHECK(byTwo.get("angle") == byVariable.get("angle"));
}

TEST_CASE(
    "with the second rate the force of a port is a parabola from the communication point on") {
  InstanceRun byVariable = started(), byDerivative = started();
  byVariable.set("drive.tau_der2", 40);
  byVariable.set("drive.tau_der1", 3);
  byVariable.set("drive.tau", 1);
  byDerivative.set("drive.tau", 1);
  byDerivative.setDerivative("drive.tau", 1, 3);
  byDerivative.setDerivative("drive.tau", 2, 40);
  for (InstanceRun* run : {&byVariable, &byDerivative}) {
    REQUIRE(run->instance.doStep(0, 0.1).status == Status::ok);
    CHECK(run->get("drive.tau") == Approx(1.5).epsilon(1e-12));  // 1 + 3 · 0.1 + 40 · 0.1²/2
  }
  CHECK(byVariable.get("angle") == Approx(byDerivative.get("angle")).epsilon(1e-12));
}

TEST_CASE("vectors of a mechanism are arrays to FMI 3") {
  const CompiledModel model = compiled(stoppedRodText);
  bool found = false;
  for (const VariableArray& array : variableArrays(model.variables()))
    if (array.name == "tip.F") found = array.count == 3;
  CHECK(found);
}
