#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "fmu_src/array_references.hpp"
#include "tests/fmu/instance_run.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

Instance fresh() { return Instance(compiled(pendulumText()), Log()); }

std::uint32_t vr(const Instance& instance, const char* name) {
  return reference(instance.model(), name);
}

void setText(Instance& instance, const char* name, const char* text) {
  const std::vector<std::uint32_t> references = {vr(instance, name)};
  instance.setString(references, std::vector<const char*>{text});
}

std::string text(Instance& instance, const char* name) {
  const std::vector<std::uint32_t> references = {vr(instance, name)};
  std::vector<const char*> value(1);
  instance.getString(references, value);
  return value[0];
}

double number(Instance& instance, Type type, const char* name) {
  const std::vector<std::uint32_t> references = {vr(instance, name)};
  std::vector<double> value(1);
  instance.getNumbers(type, references, value);
  return value[0];
}

int integer(Instance& instance, const char* name) {
  return static_cast<int>(number(instance, Type::int32, name));
}

void setReal(Instance& instance, const char* name, double value) {
  const std::vector<std::uint32_t> references = {vr(instance, name)};
  instance.setReal(references, std::vector<double>{value});
}

double real(Instance& instance, const char* name) { return number(instance, Type::float64, name); }

void run(Instance& instance, double tolerance) {
  instance.enterInitializationMode(tolerance, 0, std::nullopt);
  instance.exitInitializationMode();
  for (int i = 0; i < 100; ++i) REQUIRE(instance.doStep(i * 0.02, 0.02).status == Status::ok);
}

}  // namespace

TEST_CASE("settings of the solver have the model's values until they are set") {
  Instance instance = fresh();
  CHECK(text(instance, "solver.method") == "cml");
  CHECK(text(instance, "solver.mode") == "follow");
  CHECK(text(instance, "solver.error_test") == "automatic");
  CHECK(integer(instance, "solver.max_order") == 5);
  CHECK(real(instance, "solver.max_step") == 0);
  CHECK(real(instance, "solver.tolerance") == instance.model().solverOptions().tolerance);
  setText(instance, "solver.method", "ggl");
  setText(instance, "solver.mode", "damp");
  CHECK(text(instance, "solver.method") == "ggl");
  CHECK(text(instance, "solver.mode") == "damp");
  setText(instance, "solver.error_test", "positions");
  CHECK(text(instance, "solver.error_test") == "positions");
  instance.reset();
  CHECK(text(instance, "solver.error_test") == "automatic");
  CHECK(text(instance, "solver.method") == "cml");
}

TEST_CASE("settings of the solver change how it works") {
  Instance plain = fresh(), limited = fresh(), low = fresh(), other = fresh(), tight = fresh(),
           positions = fresh();
  setReal(limited, "solver.max_step", 0.001);
  const std::vector<std::uint32_t> order = {vr(low, "solver.max_order")};
  low.setNumbers(Type::int32, order, std::vector<double>{2});
  setText(other, "solver.method", "index1");
  setText(positions, "solver.error_test", "positions");
  setReal(tight, "solver.tolerance", 1e-9);
  for (Instance* instance : {&plain, &limited, &low, &other, &tight, &positions})
    run(*instance, 1e-5);
  CHECK(limited.statistics().steps >= 2000);
  CHECK(low.statistics().steps > 2 * plain.statistics().steps);
  CHECK(real(other, "x") != real(plain, "x"));
  CHECK(positions.statistics().steps < plain.statistics().steps);
  // The tolerance that was set goes before that of the importer. The pendulum is back at x = 1.
  CHECK(real(tight, "solver.tolerance") == 1e-9);
  CHECK(std::abs(real(tight, "x") - 1) < 1e-6);
  CHECK(integer(plain, "solver.steps") == plain.statistics().steps);
  CHECK(integer(plain, "solver.residuals") == plain.statistics().residuals);
}

TEST_CASE("settings are fixed when initialization has ended, wrong ones are refused by name") {
  Instance instance = fresh();
  CHECK_THROWS_WITH(setText(instance, "solver.method", "euler"),
                    Catch::Contains("\"euler\" is not known"));
  CHECK_THROWS_WITH(setText(instance, "solver.error_test", "none"),
                    Catch::Contains("\"none\" is not known"));
  CHECK_THROWS_WITH(setText(instance, "solver.method", nullptr), Catch::Contains("NULL"));
  CHECK_THROWS(setReal(instance, "solver.tolerance", -1));
  CHECK_THROWS_WITH(setReal(instance, "solver.max_step", -1),
                    Catch::Contains("\"solver.max_step\": value must be >= 0"));
  CHECK_THROWS_WITH(setReal(instance, "solver.method", 1), Catch::Contains("of type String"));
  const std::vector<std::uint32_t> steps = {vr(instance, "solver.steps")};
  CHECK_THROWS_WITH(instance.setNumbers(Type::int32, steps, std::vector<double>{1}),
                    Catch::Contains("\"solver.steps\" cannot be set"));
  CHECK(real(instance, "solver.max_step") == 0);
  run(instance, 1e-5);
  CHECK_THROWS_WITH(setText(instance, "solver.mode", "damp"),
                    Catch::Contains("\"solver.mode\" is a fixed parameter"));
}

TEST_CASE("a state carries the settings with it") {
  Instance first = fresh(), second = fresh();
  setText(first, "solver.method", "index3");
  setText(first, "solver.error_test", "positions");
  setReal(first, "solver.max_step", 0.01);
  run(first, 1e-5);
  const auto bytes = first.serialize();
  second.deserialize(bytes);
  CHECK(text(second, "solver.method") == "index3");
  CHECK(text(second, "solver.error_test") == "positions");
  CHECK(second.serialize() == bytes);
  for (Instance* instance : {&first, &second}) instance->doStep(2, 1);
  CHECK(first.serialize() == second.serialize());
}

TEST_CASE("repeated steps are a smooth function of the input where they are asked to be") {
  // x(F) after a step of 50 ms in the course of a motion, F in steps of 1e-4 N: second differences
  // are 1e-8 x'' (about 1e-14 here) where x is smooth; a step, an order or an iteration more or
  // less shows as a jump of the size of the local error.
  const auto roughness = [](bool repeatable) {
    Instance instance(compile(parseModel(drivenPendulumText, "driven.toml")), Log());
    const std::vector<std::uint32_t> flag = {vr(instance, "solver.repeatable")};
    instance.setNumbers(Type::boolean, flag, std::vector<double>{repeatable ? 1.0 : 0.0});
    CHECK(number(instance, Type::boolean, "solver.repeatable") == (repeatable ? 1 : 0));
    instance.enterInitializationMode(1e-6, 0, std::nullopt);
    instance.exitInitializationMode();
    for (int i = 0; i < 10; ++i) {
      setReal(instance, "F", 0.5 + 0.1 * i);
      REQUIRE(instance.doStep(i * 0.05, 0.05).status == Status::ok);
    }
    Snapshot before;
    instance.save(before);
    std::vector<double> x;
    for (int k = 0; k <= 400; ++k) {
      instance.restore(before);
      setReal(instance, "F", 1.5 + 1e-4 * k);
      REQUIRE(instance.doStep(0.5, 0.05).status == Status::ok);
      x.push_back(real(instance, "x"));
    }
    double largest = 0;
    for (std::size_t k = 1; k + 1 < x.size(); ++k)
      largest = std::max(largest, std::abs(x[k + 1] - 2 * x[k] + x[k - 1]));
    return largest;
  };
  const double planned = roughness(true), free = roughness(false);
  INFO("planned " << planned << ", free " << free);
  CHECK(planned < 1e-12);
  CHECK(free > 10 * planned);
}

TEST_CASE("a call that sets a parameter and a wrong setting sets neither") {
  Instance instance(compiled(drivenPendulumText), Log());
  const std::vector<std::uint32_t> both = {reference(instance.model(), "m"),
                                           reference(instance.model(), "solver.tolerance")};
  std::vector<double> before(2), after(2);
  instance.getReal(both, before);
  CHECK_THROWS_AS(instance.setReal(both, std::vector<double>{2, -1}), Error);
  CHECK_THROWS_AS(
      instance.setReal(std::vector<std::uint32_t>{both[1], both[0]}, std::vector<double>{1e-3, -2}),
      Error);
  instance.getReal(both, after);
  CHECK(after == before);
}

TEST_CASE("elements that follow each other are one array to FMI 3") {
  VariableTable table;
  for (const char* name : {"time", "a[1]", "a[2]", "a[3]", "b[1]", "c", "a[1]", "a[2]"}) {
    table.variables.emplace_back();
    table.variables.back().name = name;
    table.variables.back().valueReference = static_cast<std::uint32_t>(table.variables.size() - 1);
  }
  const auto arrays = variableArrays(table);
  REQUIRE(arrays.size() == 5);
  CHECK(arrays[1].name == "a");
  CHECK(arrays[1].count == 3);
  CHECK(arrays[2].name == "b[1]");
  CHECK_FALSE(arrays[2].isArray);
  CHECK(arrays[4].count == 2);
  ArrayReferences references(arrays, arrays);
  const std::vector<std::uint32_t> vrs = {5, 1};
  std::vector<std::uint32_t> storage;
  const std::span<const std::uint32_t> all = references.elements(vrs, storage);
  CHECK(std::vector<std::uint32_t>(all.begin(), all.end()) ==
        std::vector<std::uint32_t>{5, 1, 2, 3});
  const std::vector<std::uint32_t> scalars = {5, 4};
  CHECK(references.elements(scalars, storage).data() == scalars.data());
  CHECK_THROWS_WITH(references.elements(std::vector<std::uint32_t>{2}, storage),
                    Catch::Contains("inside an array"));

  // The last list is remembered, whatever comes in between.
  const auto elements = [&references](const std::vector<std::uint32_t>& list) {
    const auto found = references.elements(list);
    return std::vector<std::uint32_t>(found.begin(), found.end());
  };
  const std::vector<std::uint32_t> expected = {5, 1, 2, 3};
  CHECK(elements({}).empty());
  CHECK(elements(vrs) == expected);
  CHECK(elements(vrs) == expected);
  CHECK(elements(scalars) == scalars);
  CHECK(elements({}).empty());
  CHECK(elements(vrs) == expected);
  CHECK_THROWS_WITH(elements({1, 2}), Catch::Contains("inside an array"));
  CHECK_THROWS_WITH(elements({1, 2}), Catch::Contains("inside an array"));
  CHECK_THROWS_WITH(elements({1, 99}), Catch::Contains("the model has 0 to 7"));
  CHECK(elements({}).empty());
  CHECK(elements({1, 5}) == std::vector<std::uint32_t>{1, 2, 3, 5});
  CHECK(elements(vrs) == expected);
}
