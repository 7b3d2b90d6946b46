#include <catch2/catch.hpp>

#include "model_support.hpp"

namespace trammel {

namespace {

using References = std::vector<std::uint32_t>;

struct Expected {
  const char* name;
  Causality causality;
  Variability variability;
  Initial initial;
  Quantity quantity;
  Index index;
  const char* unit;
  const char* displayUnit;
};

void checkTable(const VariableTable& table, std::span<const Expected> expected) {
  const std::size_t solverVariables = 9;  // behind those of the model
  REQUIRE(table.variables.size() == expected.size() + solverVariables);
  CHECK(table.variables[expected.size()].name == "solver.method");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Variable& variable = table.variables[i];
    INFO(expected[i].name);
    CHECK(variable.name == expected[i].name);
    CHECK(variable.valueReference == i);
    CHECK(variable.causality == expected[i].causality);
    CHECK(variable.variability == expected[i].variability);
    CHECK(variable.initial == expected[i].initial);
    CHECK(variable.quantity == expected[i].quantity);
    CHECK(variable.index == expected[i].index);
    CHECK(variable.unit == expected[i].unit);
    CHECK(variable.displayUnit == expected[i].displayUnit);
    CHECK(table.find(static_cast<std::uint32_t>(i)) == &variable);
    CHECK(table.find(variable.name) == &variable);
    // FMI 3.0, 2.4.7.5: start is there exactly where initial is exact or approx, and for inputs and
    // parameters.
    const bool needsStart = variable.initial == Initial::exact ||
                            variable.initial == Initial::approx ||
                            variable.causality == Causality::input;
    CHECK(variable.start.has_value() == needsStart);
  }
}

}  // namespace

TEST_CASE("The pendulum has these variables in this order") {
  using C = Causality;
  using V = Variability;
  using I = Initial;
  using Q = Quantity;
  const CompiledModel model = compileCatalogue("pendulum");
  const Expected expected[] = {
      {"time", C::independent, V::continuous, I::none, Q::time, 0, "s", ""},
      {"m", C::parameter, V::fixed, I::exact, Q::parameter, 0, "kg", ""},
      {"L", C::parameter, V::fixed, I::exact, Q::parameter, 1, "m", ""},
      {"g", C::parameter, V::fixed, I::exact, Q::parameter, 2, "m/s2", ""},
      {"x", C::output, V::continuous, I::approx, Q::position, 0, "m", ""},
      {"der(x)", C::output, V::continuous, I::approx, Q::velocity, 0, "m/s", ""},
      {"der(x,2)", C::local, V::continuous, I::calculated, Q::acceleration, 0, "m/s2", ""},
      {"y", C::output, V::continuous, I::approx, Q::position, 1, "m", ""},
      {"der(y)", C::output, V::continuous, I::approx, Q::velocity, 1, "m/s", ""},
      {"der(y,2)", C::local, V::continuous, I::calculated, Q::acceleration, 1, "m/s2", ""},
      {"rod.lambda", C::local, V::continuous, I::calculated, Q::multiplier, 0, "N/m", ""},
      {"rod.g", C::local, V::continuous, I::calculated, Q::residual, 0, "m2", ""},
      {"energy", C::output, V::continuous, I::calculated, Q::output, 0, "J", ""},
      {"rod_force", C::output, V::continuous, I::calculated, Q::output, 1, "N", ""},
      {"angle", C::output, V::continuous, I::calculated, Q::output, 2, "rad", "deg"},
  };
  checkTable(model.variables(), expected);
  CHECK(*model.variables().find("x")->start == 1);
  CHECK(*model.variables().find("g")->start == 13.7503716373294544);
  CHECK(*model.variables().find("m")->min == 0);
  CHECK(model.parameterCount() == 3);
  CHECK(model.inputCount() == 0);
  CHECK(model.outputCount() == 3);
  CHECK(model.coordinateCount() == 2);
  CHECK(model.constraintCount() == 1);
  CHECK(model.defaultExperiment().stopTime == 10);
  CHECK(model.defaultExperiment().stepSize == 0.01);
  CHECK(model.defaultExperiment().tolerance == 1e-6);
}

TEST_CASE("Velocities and accelerations are linked to what they are the derivative of") {
  const VariableTable table = compileCatalogue("slider_crank").variables();
  for (const Variable& variable : table.variables) {
    INFO(variable.name);
    if (variable.quantity == Quantity::velocity || variable.quantity == Quantity::acceleration) {
      REQUIRE(variable.derivativeOf);
      const Variable* integral = table.find(*variable.derivativeOf);
      REQUIRE(integral != nullptr);
      CHECK(integral->index == variable.index);
      CHECK(integral->quantity ==
            (variable.quantity == Quantity::velocity ? Quantity::position : Quantity::velocity));
    } else {
      CHECK_FALSE(variable.derivativeOf);
    }
  }
}

TEST_CASE("Outputs depend on the inputs they contain directly or through accelerations") {
  const CompiledModel model = compileCatalogue("slider_crank");
  const VariableTable& table = model.variables();
  const std::uint32_t F = table.find("F")->valueReference, T = table.find("T")->valueReference;
  CHECK(table.find("s")->dependencies == References{});
  CHECK(table.find("der(s)")->dependencies == References{});
  CHECK(table.find("der(s,2)")->dependencies == References{F, T});
  CHECK(table.find("slider_pin_y.lambda")->dependencies == References{F, T});
  CHECK(table.find("slider_pin_y.g")->dependencies == References{});
  CHECK(table.find("stroke")->dependencies == References{});
  CHECK(table.find("speed")->dependencies == References{});
  CHECK(table.find("guide_force")->dependencies == References{F, T});
  CHECK(table.find("slider_acceleration")->dependencies == References{F, T});
  CHECK(table.find("power")->dependencies == References{F, T});
}

TEST_CASE("Explicit time is a dependency") {
  const CompiledModel model = compileCatalogue("car_axis");
  const VariableTable& table = model.variables();
  CHECK(table.find("xl")->dependencies == References{});
  CHECK(table.find("der(xl,2)")->dependencies == References{0});
  CHECK(table.find("left.lambda")->dependencies == References{0});
  CHECK(table.find("left.g")->dependencies == References{0});
  CHECK(table.find("axis.g")->dependencies == References{});
  CHECK(table.find("road")->dependencies == References{0});
  CHECK(table.find("tilt")->dependencies == References{});
  CHECK(table.find("xl")->unit.empty());
  CHECK(table.find("der(xl)")->unit.empty());
}

TEST_CASE("An input that only one output contains is no dependency of the others") {
  const CompiledModel model = compileText(
      freeMass("force = \"-x\"\n[inputs]\nr = { unit = \"m\" }\n[outputs.e]\n"
               "expression = \"x - r\"\n[outputs.f]\nexpression = \"2*x + der(x,2)\"\n"));
  const VariableTable& table = model.variables();
  CHECK(table.find("e")->dependencies == References{table.find("r")->valueReference});
  CHECK(table.find("f")->dependencies == References{});
}

TEST_CASE("An input in a constraint is a dependency of the whole motion") {
  const CompiledModel model =
      compileText(freeMass("[coordinates.y]\nmass = 1\n[inputs]\nr = {}\nF = {}\n[constraints.c]\n"
                           "expression = \"x - y - r\"\n[outputs.e]\nexpression = \"2*y\"\n"));
  const VariableTable& table = model.variables();
  const References r{table.find("r")->valueReference};
  for (const char* name : {"x", "der(y)", "der(x,2)", "c.g", "c.lambda", "e"})
    CHECK(table.find(name)->dependencies == r);
}

TEST_CASE("The unit table holds every unit of the variables once, in order") {
  for (const char* name : {"pendulum", "slider_crank", "andrews", "car_axis", "double_pendulum"}) {
    const CompiledModel model = compileCatalogue(name);
    const UnitTable& units = model.units();
    INFO(name);
    for (std::size_t i = 1; i < units.size(); ++i) CHECK(units[i - 1].name < units[i].name);
    const auto has = [&](const std::string& unit) {
      return std::any_of(units.begin(), units.end(), [&](const Unit& u) { return u.name == unit; });
    };
    for (const Variable& variable : model.variables().variables) {
      INFO(variable.name);
      if (!variable.unit.empty()) CHECK(has(variable.unit));
      if (variable.displayUnit.empty()) continue;
      CHECK(has(variable.displayUnit));
      CHECK(parseUnit(variable.displayUnit)->exponents == parseUnit(variable.unit)->exponents);
    }
  }
}

TEST_CASE("References and names that are not there are not found") {
  const VariableTable table = compileCatalogue("pendulum").variables();
  CHECK(table.find(static_cast<std::uint32_t>(table.variables.size())) == nullptr);
  CHECK(table.find(0xFFFFFFFFU) == nullptr);
  CHECK(table.find("z") == nullptr);
}

}  // namespace trammel
