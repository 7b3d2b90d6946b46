#include <catch2/catch.hpp>

#include "tests/fmu/instance_run.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

TEST_CASE("with event mode initialization ends there, and values set in it are seen at once") {
  StepOptions options;
  options.eventModeUsed = true;
  options.earlyReturnAllowed = true;
  InstanceRun run(drivenPendulumText, 1e-6, options), plain(drivenPendulumText, 1e-6);
  run.exit();
  plain.exit();
  CHECK(run.instance.mode() == fmi::Mode::event);
  run.instance.updateDiscreteStates();
  run.instance.enterStepMode();
  for (InstanceRun* each : {&run, &plain}) each->instance.doStep(0, 0.5);

  run.instance.enterEventMode();
  const double before = run.get("pull"), x = run.get("x");
  run.set("F", 2.5);
  CHECK(run.get("pull") == Approx(before + 2 * x).epsilon(1e-9));  // λ = F x + …
  run.set("F", 0.5);
  CHECK(run.get("pull") == Approx(before).epsilon(1e-9));
  run.set("F", 1);
  run.instance.enterStepMode();
  plain.set("F", 1);
  for (InstanceRun* each : {&run, &plain}) {
    REQUIRE(each->instance.doStep(0.5, 0.5).status == Status::ok);
  }
  CHECK(run.get("x") == Approx(plain.get("x")).margin(1e-5));
}

TEST_CASE("event mode is refused where it was not announced") {
  InstanceRun run(pendulumText());
  run.exit();
  CHECK(run.instance.mode() == fmi::Mode::step);
  CHECK_THROWS_WITH(run.instance.enterEventMode(), Catch::Contains("eventModeUsed was false"));
}
