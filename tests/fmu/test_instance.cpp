#include <algorithm>
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

double get(Instance& instance, const std::string& name) {
  const std::vector<std::uint32_t> vr = {reference(instance.model(), name)};
  std::vector<double> value(1);
  instance.getReal(vr, value);
  return value[0];
}

void set(Instance& instance, const std::string& name, double value) {
  const std::vector<std::uint32_t> vr = {reference(instance.model(), name)};
  instance.setReal(vr, std::vector<double>{value});
}

Instance driven() { return Instance(compiled(drivenPendulumText), Log()); }

}  // namespace

TEST_CASE("a fresh instance has the start values of its model") {
  Instance instance = driven();
  CHECK(instance.mode() == fmi::Mode::instantiated);
  CHECK(get(instance, "time") == 0);
  CHECK(get(instance, "m") == 1);
  CHECK(get(instance, "F") == 0.5);
  CHECK(get(instance, "x") == 1);
  CHECK(get(instance, "y") == 0);
}

TEST_CASE("initial values are consistent, and computed anew when something was set") {
  Instance instance = driven();
  instance.enterInitializationMode(1e-6, 0, std::nullopt);
  // At rest at (L, 0): m a_x + λ x = F with a_x = 0, so λ = F / L.
  CHECK(get(instance, "pull") == Approx(0.5).margin(1e-12));
  set(instance, "F", 2);
  CHECK(get(instance, "pull") == Approx(2).margin(1e-12));
  set(instance, "L", 2);
  CHECK(get(instance, "x") == Approx(2).margin(1e-12));
  CHECK(get(instance, "pull") == Approx(1).margin(1e-12));
}

TEST_CASE("start values that were set are kept, the others made to fit") {
  Instance instance = driven();
  set(instance, "y", -0.6);
  set(instance, "der(x)", 0.3);
  CHECK(get(instance, "y") == -0.6);
  CHECK(get(instance, "x") == 1);  // not fitted before initialization
  instance.enterInitializationMode(1e-6, 0, std::nullopt);
  CHECK(get(instance, "y") == -0.6);
  CHECK(get(instance, "x") == Approx(0.8).margin(1e-12));  // x² + y² = 1
  CHECK(get(instance, "der(x)") == 0.3);
  CHECK(get(instance, "der(y)") == Approx(0.4).margin(1e-12));  // x x' + y y' = 0
  set(instance, "y", -0.8);
  CHECK(get(instance, "x") == Approx(0.6).margin(1e-12));
  instance.exitInitializationMode();
  CHECK(get(instance, "y") == -0.8);
}

TEST_CASE("start values that contradict the constraints are reported with both names") {
  Instance instance = driven();
  set(instance, "x", 0.3);
  set(instance, "y", -1.1);
  instance.enterInitializationMode(1e-6, 0, std::nullopt);
  CHECK_THROWS_AS(get(instance, "x"), Discarded);
  CHECK_THROWS_WITH(instance.exitInitializationMode(), Catch::Contains("constraint \"rod\"") &&
                                                           Catch::Contains("\"x\"") &&
                                                           Catch::Contains("\"y\""));
  set(instance, "x", 0.6);
  set(instance, "y", -0.8);
  CHECK(get(instance, "y") == -0.8);

  Instance fast = driven();
  set(fast, "der(x)", 1);  // at (1, 0) the rod allows none
  fast.enterInitializationMode(1e-6, 0, std::nullopt);
  CHECK_THROWS_WITH(fast.exitInitializationMode(),
                    Catch::Contains("velocities") && Catch::Contains("\"rod\""));
}

TEST_CASE(
    "a start value that repeats the declared one is a guess, as importers write all of them") {
  Instance instance = driven();
  set(instance, "L", 2);
  for (const char* name : {"x", "y", "der(x)", "der(y)"})
    set(instance, name, *instance.model().variables().find(name)->start);
  instance.enterInitializationMode(1e-6, 0, std::nullopt);
  CHECK(get(instance, "x") == Approx(2).margin(1e-12));
}

TEST_CASE("initial values that cannot be are an error that names the constraint") {
  Instance instance(compiled(impossibleText), Log());
  instance.enterInitializationMode(1e-6, 0, std::nullopt);
  CHECK_THROWS_AS(get(instance, "x"), Discarded);
  CHECK_THROWS_WITH(instance.exitInitializationMode(), Catch::Contains("too_far"));
  CHECK(instance.mode() == fmi::Mode::initialization);
}

TEST_CASE("what may be set depends on the kind of variable and the mode") {
  Instance instance = driven();
  CHECK_THROWS_WITH(set(instance, "power", 1), Catch::Contains("\"power\" cannot be set"));
  CHECK_THROWS_WITH(set(instance, "time", 1), Catch::Contains("\"time\" cannot be set"));
  instance.enterInitializationMode(1e-6, 0, std::nullopt);
  CHECK_NOTHROW(set(instance, "m", 2));
  CHECK_NOTHROW(set(instance, "y", 0.1));
  instance.exitInitializationMode();
  CHECK_THROWS_WITH(set(instance, "m", 1), Catch::Contains("\"m\" is a fixed parameter"));
  CHECK_THROWS_WITH(set(instance, "x", 1),
                    Catch::Contains("\"x\"") && Catch::Contains("until initialization ends"));
  CHECK_NOTHROW(set(instance, "d", 1));
  CHECK_NOTHROW(set(instance, "F", 1));
}

TEST_CASE("values that are not finite or out of bounds are refused, all or nothing") {
  Instance instance = driven();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(set(instance, "F", nan),
                    Catch::Contains("\"F\": value must be finite, is nan"));
  CHECK_THROWS_WITH(set(instance, "F", 1 / 0.0), Catch::Contains("is inf"));
  CHECK_THROWS_WITH(set(instance, "d", -1), Catch::Contains("\"d\": value must be >= 0, is -1"));
  CHECK_THROWS_WITH(set(instance, "d", 11), Catch::Contains("\"d\": value must be <= 10, is 11"));

  const std::vector<std::uint32_t> vr = {reference(instance.model(), "F"),
                                         reference(instance.model(), "d")};
  CHECK_THROWS(instance.setReal(vr, std::vector<double>{7, -1}));
  CHECK(get(instance, "F") == 0.5);
  CHECK(get(instance, "d") == 0);
}

TEST_CASE("an unknown value reference is refused with the range there is") {
  Instance instance = driven();
  const std::vector<std::uint32_t> vr = {999};
  std::vector<double> value(1);
  CHECK_THROWS_WITH(instance.getReal(vr, value),
                    Catch::Contains("value reference 999 is not known"));
  CHECK_THROWS_WITH(instance.setReal(vr, value),
                    Catch::Contains("value reference 999 is not known"));
}

TEST_CASE("a list that is read again and again has the values of its variables each time") {
  Instance instance = driven();
  std::vector<std::uint32_t> all;
  for (const Variable& variable : instance.model().variables().variables)
    if (variable.type == Type::float64) all.push_back(variable.valueReference);
  REQUIRE(all.size() >= 8);
  const auto check = [&] {
    std::vector<double> together(all.size()), alone(1);
    instance.getReal(all, together);
    for (std::size_t i = 0; i < all.size(); ++i) {
      INFO("value reference " << all[i]);
      instance.getReal(std::span(&all[i], 1), alone);
      CHECK(together[i] == alone[0]);
    }
    std::vector<double> again(all.size());
    instance.getReal(all, again);
    CHECK(again == together);
    CHECK_THROWS_WITH(instance.getNumbers(Type::boolean, all, together),
                      Catch::Contains("not a variable of type Boolean"));
  };
  check();
  set(instance, "y", -0.6);
  check();
  CHECK(get(instance, "x") == 1);  // the start value, not the fitted one
  instance.enterInitializationMode(1e-6, 0, std::nullopt);
  check();
  CHECK(get(instance, "x") == Approx(0.8).margin(1e-12));
  instance.exitInitializationMode();
  check();
  Snapshot saved;
  instance.save(saved);
  const double before = get(instance, "x");
  instance.doStep(0, 0.1);
  check();
  CHECK(get(instance, "x") != before);
  set(instance, "F", 2);
  check();
  instance.doStep(0.1, 0.1);
  check();
  instance.restore(saved);
  check();
  CHECK(get(instance, "x") == before);
  instance.reset();
  check();
  CHECK(get(instance, "y") == 0);
}

TEST_CASE("lists in the same place of memory are told apart by what they hold") {
  Instance instance = driven();
  instance.enterInitializationMode(1e-6, 0, std::nullopt);
  instance.exitInitializationMode();
  std::vector<std::uint32_t> list;  // values evaluated and values set
  for (const char* const name : {"x", "F", "der(y)", "d", "y"})
    list.push_back(reference(instance.model(), name));
  std::vector<double> values(list.size());
  const auto check = [&] {
    for (int reading = 0; reading < 2; ++reading) {
      instance.getReal(list, values);
      for (std::size_t i = 0; i < list.size(); ++i) {
        double alone = 0;
        instance.getReal(std::span(&list[i], 1), std::span(&alone, 1));
        CHECK(values[i] == alone);
      }
    }
  };
  for (int step = 0; step < 4; ++step) {
    REQUIRE(instance.doStep(step * 0.1, 0.1).status == Status::ok);
    check();
    set(instance, "F", step);
    check();
    std::rotate(list.begin(), list.begin() + 1, list.end());
    check();
  }
  CHECK_THROWS_WITH(instance.getReal(list, std::span(values).first(4)),
                    Catch::Contains("4 values for 5 value references"));
  list.back() = 999;
  CHECK_THROWS_WITH(instance.getReal(list, values), Catch::Contains("999 is not known"));
}

TEST_CASE("an experiment that makes no sense is refused") {
  Instance instance = driven();
  CHECK_THROWS_WITH(instance.enterInitializationMode(0, 0, std::nullopt),
                    Catch::Contains("tolerance must be > 0"));
  CHECK_THROWS_WITH(instance.enterInitializationMode(1e-6, 2, 1),
                    Catch::Contains("stop time must not lie before"));
  CHECK_THROWS_WITH(instance.enterInitializationMode(1e-6, NAN, 1),
                    Catch::Contains("start time must be finite"));
  CHECK(instance.mode() == fmi::Mode::instantiated);
}

TEST_CASE("reset makes an instance as good as new") {
  Instance instance = driven();
  const auto fresh = instance.serialize();
  set(instance, "d", 1);
  set(instance, "y", 0.1);
  instance.enterInitializationMode(1e-3, 5, 9);
  instance.exitInitializationMode();
  instance.doStep(5, 0.1);
  CHECK(instance.serialize() != fresh);
  instance.reset();
  CHECK(instance.serialize() == fresh);
  CHECK(instance.mode() == fmi::Mode::instantiated);
}

TEST_CASE("redundant constraints are named in the log once, whoever asks for the start first") {
  std::vector<std::string> lines;
  const auto keep = [&](Status, const char* category, const std::string& text) {
    lines.push_back(std::string(category) + ": " + text);
  };
  Instance instance(compiled(R"toml(trammel = 1
kind = "equations"
name = "Twice"
[coordinates.x]
start = 1.0
mass = 1.0
[coordinates.y]
mass = 1.0
force = "-9.81"
[constraints.rod]
expression = "(x^2 + y^2 - 1)/2"
[constraints.again]
expression = "x^2 + y^2 - 1"
)toml"),
                    Log(keep, true));
  instance.enterInitializationMode(1e-6, 0, std::nullopt);
  CHECK(get(instance, "x") == 1);
  instance.exitInitializationMode();
  const std::string note = "logEvents: redundant constraints, again: 1 of 1 equation redundant";
  CHECK(std::count(lines.begin(), lines.end(), note) == 1);
}
