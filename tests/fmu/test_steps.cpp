#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "fmu_src/instance.hpp"
#include "tests/fmu/test_models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

Instance started(const std::string& text, std::optional<double> stopTime = std::nullopt,
                 double tolerance = 1e-6) {
  Instance instance(compiled(text), Log());
  instance.enterInitializationMode(tolerance, 0, stopTime);
  instance.exitInitializationMode();
  return instance;
}

double get(Instance& instance, const std::string& name) {
  const std::vector<std::uint32_t> vr = {reference(instance.model(), name)};
  std::vector<double> value(1);
  instance.getReal(vr, value);
  return value[0];
}

}  // namespace

TEST_CASE("the pendulum returns to its start after every period") {
  // Eich, section 3.3: g is chosen such that the period is 2 s.
  Instance instance = started(pendulumText());
  double worstReturn = 0, worstLength = 0;
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(instance.doStep(i * 0.01, 0.01).status == Status::ok);
    const double x = get(instance, "x"), y = get(instance, "y");
    worstLength = std::max(worstLength, std::abs(x * x + y * y - 1));
    if ((i + 1) % 200 == 0) worstReturn = std::max({worstReturn, std::abs(x - 1), std::abs(y)});
  }
  CHECK(worstReturn <= 1e-4);
  CHECK(worstLength <= 1e-8);
  CHECK(instance.time() == 999 * 0.01 + 0.01);
}

TEST_CASE("the communication step does not change the cost, with inputs that nobody sets too") {
  for (const std::string& text :
       {pendulumText(), std::string(drivenPendulumText), std::string(chainText),
        readText(cataloguePath("slider_crank")), readText(cataloguePath("spinning_top"))}) {
    INFO(text.substr(0, 80));
    const auto residuals = [&](int count) {
      Instance instance = started(text);
      for (int i = 0; i < count; ++i) instance.doStep(i * 10.0 / count, 10.0 / count);
      return instance.statistics().residuals;
    };
    const auto one = static_cast<double>(residuals(1));
    for (const int count : {10, 100, 1000, 10000})
      CHECK(static_cast<double>(residuals(count)) <= 1.2 * one);
  }
}

TEST_CASE("mode damp does not pass the stop time, behind which a model need not be defined") {
  const char* const text = R"toml(
trammel = 1
kind = "equations"
name = "Square root"

[coordinates.x]
mass = 1.0
force = "sqrt(1.000001 - time)"

[solver]
mode = "damp"
)toml";
  const auto failures = [&](std::optional<double> stopTime) {
    Instance instance = started(text, stopTime);
    for (int i = 0; i < 10; ++i) REQUIRE(instance.doStep(i * 0.1, 0.1).status == Status::ok);
    CHECK(get(instance, "x") == Approx(0.4).epsilon(0.1));  // x'' = √(1 − t)
    return instance.statistics().convergenceFailures;
  };
  CHECK(failures(1.0) == 0);
  CHECK(failures(std::nullopt) > 0);
}

TEST_CASE("a run to the stop time of mode damp ends on it, so that its last step damps") {
  std::string text = readText(cataloguePath("yen_petzold_point_mass"));
  text.replace(text.find("1e-4"), 4, "1e-5");
  text += "\n[solver]\nmode = \"damp\"\n";
  Instance instance = started(text, 0.25, 1e-3);
  REQUIRE(instance.doStep(0, 0.25).status == Status::ok);
  CHECK(std::abs(get(instance, "x")) < 2e-8);  // 1e-7 by interpolation in a step that passes it
}

TEST_CASE("times that importers round are all borne") {
  SECTION("60 Hz for an hour, accumulated") {
    Instance instance = started(pendulumText(), 3600.0, 1e-4);
    double t = 0;
    const double h = 1.0 / 60;
    for (int i = 0; i < 216000; ++i, t += h) REQUIRE(instance.doStep(t, h).status == Status::ok);
    CHECK(std::abs(instance.time() - 3600) < 1e-6);
  }
  SECTION("60 Hz for an hour, multiplied") {
    Instance instance = started(pendulumText(), 3600.0, 1e-4);
    for (int i = 0; i < 216000; ++i)
      REQUIRE(instance.doStep(i / 60.0, 1.0 / 60).status == Status::ok);
    CHECK(instance.time() == 215999 / 60.0 + 1.0 / 60);
  }
  SECTION("accumulated to 0.9999999999999999, then the rest of 1e-16 s") {
    Instance instance = started(pendulumText(), 1.0);
    double t = 0;
    for (int i = 0; i < 10; ++i, t += 0.1) REQUIRE(instance.doStep(t, 0.1).status == Status::ok);
    REQUIRE(t < 1);
    CHECK(instance.doStep(t, 1 - t).status == Status::ok);
    CHECK(instance.time() == 1);
    CHECK(std::isfinite(get(instance, "rod_force")));
  }
  SECTION("a whole step from just before the stop time") {
    Instance instance = started(pendulumText(), 1.0);
    double t = 0;
    for (int i = 0; i < 10; ++i, t += 0.1) REQUIRE(instance.doStep(t, 0.1).status == Status::ok);
    CHECK(instance.doStep(t, 0.1).status == Status::ok);
  }
  SECTION("steps of 0.09999999999999998 s") {
    Instance instance = started(pendulumText(), 1.0);
    for (int i = 0; i < 10; ++i)
      REQUIRE(instance.doStep(i * 0.1, 0.09999999999999998).status == Status::ok);
  }
  SECTION("a first step of 1e-16 s") {
    Instance instance = started(pendulumText());
    CHECK(instance.doStep(0, 1e-16).status == Status::ok);
    CHECK(instance.doStep(1e-16, 0.1).status == Status::ok);
    CHECK(instance.time() == 0.1 + 1e-16);
  }
}

TEST_CASE("a step that makes no sense is an error and changes nothing") {
  Instance instance = started(pendulumText(), 1.0);
  instance.doStep(0, 0.25);
  const auto before = instance.serialize();
  CHECK_THROWS_WITH(instance.doStep(0.25, 0), Catch::Contains("must be > 0 s and finite, is 0"));
  CHECK_THROWS_WITH(instance.doStep(0.25, -0.1), Catch::Contains("is -0.1"));
  CHECK_THROWS_WITH(instance.doStep(0.25, NAN), Catch::Contains("is nan"));
  CHECK_THROWS_WITH(instance.doStep(0.25, std::numeric_limits<double>::infinity()),
                    Catch::Contains("is inf"));
  CHECK_THROWS_WITH(instance.doStep(0.3, 0.1), Catch::Contains("is 0.3 s, expected 0.25 s"));
  CHECK_THROWS_WITH(instance.doStep(0.25 + 1e-6, 0.1), Catch::Contains("expected 0.25 s"));
  for (const double t : {std::numeric_limits<double>::infinity(), -HUGE_VAL, double{NAN}})
    for (const double h : {0.1, HUGE_VAL, double{NAN}})
      CHECK_THROWS_WITH(instance.doStep(t, h), Catch::Contains("point must be finite"));
  CHECK_THROWS_WITH(instance.doStep(0.25, 1.0), Catch::Contains("passes the stop time 1 s"));
  CHECK(instance.serialize() == before);
}

TEST_CASE("a step from the stop time on is an error") {
  Instance instance = started(pendulumText(), 1.0);
  instance.doStep(0, 1);
  CHECK_THROWS_WITH(instance.doStep(1, 0.1), Catch::Contains("passes the stop time 1 s"));
}

TEST_CASE("a step that fails is discarded and leaves every bit as it was") {
  Instance tried = started(dyingText), plain = started(dyingText);
  for (Instance* instance : {&tried, &plain})
    REQUIRE(instance->doStep(0, 0.5).status == Status::ok);

  const auto before = tried.serialize();
  const StepResult result = tried.doStep(0.5, 1.0);
  CHECK(result.status == Status::discard);
  CHECK(result.lastSuccessfulTime == 0.5);
  CHECK(tried.lastStepStatus() == Status::discard);
  CHECK(tried.serialize() == before);

  for (Instance* instance : {&tried, &plain})
    CHECK(instance->doStep(0.5, 0.25).status == Status::ok);
  CHECK(tried.serialize() == plain.serialize());
}

TEST_CASE("a step that fails after a parameter was tuned keeps the new value for the next try") {
  Instance tried = started(dyingText), plain = started(dyingText);
  const std::vector<std::uint32_t> vr = {reference(tried.model(), "s")};
  for (Instance* instance : {&tried, &plain}) {
    instance->doStep(0, 0.5);
    instance->setReal(vr, std::vector<double>{2});
  }
  const auto before = tried.serialize();
  REQUIRE(tried.doStep(0.5, 1.0).status == Status::discard);
  CHECK(tried.serialize() == before);
  for (Instance* instance : {&tried, &plain})
    CHECK(instance->doStep(0.5, 0.25).status == Status::ok);
  CHECK(tried.serialize() == plain.serialize());
}

TEST_CASE("a restored state continues bit for bit, in another instance too") {
  Instance first = started(pendulumText()), second(compiled(pendulumText()), Log());
  for (int i = 0; i < 50; ++i) first.doStep(i * 0.01, 0.01);
  const auto saved = first.serialize();
  for (int i = 50; i < 100; ++i) first.doStep(i * 0.01, 0.01);
  const auto straight = first.serialize();

  for (Instance* instance : {&first, &second}) {
    instance->deserialize(saved);
    CHECK(instance->serialize() == saved);
    for (int i = 50; i < 100; ++i) instance->doStep(i * 0.01, 0.01);
    CHECK(instance->serialize() == straight);
  }
}

TEST_CASE("variables read one by one are those read together") {
  Instance together = started(pendulumText()), single = started(pendulumText());
  const CompiledModel& model = together.model();
  const std::vector<std::uint32_t> vrs = {reference(model, "x"), reference(model, "rod_force"),
                                          reference(model, "der(y)")};
  for (int i = 0; i < 20; ++i) {
    together.doStep(i * 0.01, 0.01);
    single.doStep(i * 0.01, 0.01);
    std::vector<double> values(3);
    together.getReal(vrs, values);
    CHECK(get(single, "x") == values[0]);
    if (i % 5 != 0) CHECK(get(single, "rod_force") == values[1]);
    CHECK(get(single, "der(y)") == values[2]);
  }
  CHECK(together.serialize() == single.serialize());
}

TEST_CASE("reading outputs does not change the future") {
  Instance reader = started(pendulumText()), other = started(pendulumText());
  for (int i = 0; i < 100; ++i) {
    reader.doStep(i * 0.01, 0.01);
    other.doStep(i * 0.01, 0.01);
    get(reader, "rod_force");
    get(reader, "energy");
  }
  CHECK(reader.serialize() == other.serialize());
}

TEST_CASE("a snapshot can be put back any number of times and is not changed by it") {
  Instance instance = started(pendulumText());
  instance.doStep(0, 0.3);
  Snapshot snapshot;
  instance.save(snapshot);
  const Snapshot copy = snapshot;
  std::vector<double> ends;
  for (int i = 0; i < 3; ++i) {
    instance.restore(snapshot);
    instance.doStep(0.3, 0.7);
    ends.push_back(get(instance, "x"));
  }
  CHECK(snapshot == copy);
  CHECK((ends[0] == ends[1] && ends[1] == ends[2]));
}
