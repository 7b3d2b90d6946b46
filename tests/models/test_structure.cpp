#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "models/compiled_model.hpp"
#include "models/variable_arrays.hpp"

using namespace trammel;

namespace {

/// A string of n beads between two walls, one of which moves.
const std::string beads = R"toml(
trammel = 1
kind = "equations"
name = "Beads"

[structure]
n = { value = 4, min = 2, max = 20 }

[parameters]
k = 100.0

[coordinates.y]
count = "n"
before = "0.1*sin(time)"
after = 0.0
start = "0.01*i"
mass = 0.5
force = "k*(y[i-1] - 2*y[i] + y[i+1])"

[outputs.stretch]
count = "n"
expression = "y[i] - y[i-1]"

[outputs.middle]
expression = "sum(n, y[i])/n"
)toml";

CompiledModel compiled(const std::string& text) { return compile(parseModel(text, "test.toml")); }

std::string with(const std::string& from, const std::string& to) {
  std::string text = beads;
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("Entries with a count become elements whose variables lie side by side") {
  const CompiledModel model = compiled(beads);
  CHECK(model.structure() == std::vector<std::uint64_t>{4});
  CHECK(model.coordinateCount() == 4);
  std::vector<std::string> arrays;
  for (const VariableArray& array : variableArrays(model.variables()))
    if (array.isArray) {
      arrays.push_back(array.name);
      CHECK(array.count == 4);
      const Variable& first = model.variables().variables[array.first];
      REQUIRE(first.dimension);
      CHECK(model.variables().variables[*first.dimension].name == "n");
    }
  CHECK(arrays == std::vector<std::string>{"y", "der(y)", "der(y,2)", "stretch"});
  const Variable* velocity = model.variables().find("der(y[3])");
  REQUIRE(velocity != nullptr);
  REQUIRE(velocity->derivativeOf);
  CHECK(model.variables().variables[*velocity->derivativeOf].name == "y[3]");
}

TEST_CASE("Elements see their neighbours and, at the ends, what stands before and after") {
  const CompiledModel model = compiled(beads).withStructure(std::vector<std::uint64_t>{3});
  const auto system = model.makeSystem();
  Vector q(3), v = Vector::Zero(3), a = Vector::Zero(3), none(0), r(3);
  system->startValues(q, v);
  CHECK(q[2] == 0.03);
  const double t = 0.5, wall = 0.1 * std::sin(t);
  system->forceBalance(t, q, v, a, none, r);  // r = M a − f
  CHECK(r[0] == Approx(-100 * (wall - 0.02 + 0.02)).epsilon(1e-12));
  CHECK(r[1] == Approx(0).margin(1e-12));
  CHECK(r[2] == Approx(-100 * (0.02 - 0.06)).epsilon(1e-12));
  std::vector<double> outputs(4);
  system->outputs(t, q, v, a, none, outputs);
  CHECK(outputs[0] == Approx(0.01 - wall).epsilon(1e-12));
  CHECK(outputs[3] == Approx(0.02).epsilon(1e-12));
}

TEST_CASE("The number of elements keeps to its bounds") {
  const CompiledModel model = compiled(beads);
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{21}, ~std::uint64_t{0}})
    CHECK_THROWS_WITH(model.withStructure(std::vector<std::uint64_t>{n}),
                      Catch::Contains("structural parameter \"n\": value must be in [2, 20]"));
  CHECK_THROWS_WITH(model.withStructure({}), Catch::Contains("got 0 values, expected 1"));
  CHECK(model.withStructure(std::vector<std::uint64_t>{20}).coordinateCount() == 20);
  CHECK(model.withStructure(std::vector<std::uint64_t>{20}).token() == model.token());
}

TEST_CASE("A wrong structure is refused with the line it stands on") {
  struct Wrong {
    std::string text, message;
  };
  const std::vector<Wrong> all = {
      {with("value = 4", "value = 4.5"), "test.toml:7: structure \"n\": value must be a whole"},
      {with("value = 4", "value = 1"), "value must be a whole number from 2"},
      {with("value = 4", "value = 21"), "value must be <= max = 20, is 21"},
      {with("max = 20", "max = 1"), "max must be a whole number from 2"},
      {with("count = \"n\"", "count = \"m\""),
       "test.toml:13: coordinate \"y\": count is \"m\", expected the name of an entry of"},
      {with("count = \"n\"\nbefore", "before"), "before is only for coordinates with count"},
      {with("y[i] - y[i-1]", "y - 1"), "\"y\" has several elements"},
      {with("y[i] - y[i-1]", "y[i+2]"), "\"y\" has no element [6]"},
      {with("y[i] - y[i-1]", "y[i/3]"), "number of an element is no whole number"},
      {with("y[i] - y[i-1]", "y[k]"), "number of an element is no whole number"},
      {with("y[i] - y[i-1]", "der(y[0])"), "der needs a coordinate, got \"y[0]\""},
      {with("y[i] - y[i-1]", "y[i"), "ends too early"},
      {with("sum(n, y[i])/n", "y[i]"), "unknown name \"i\""},
      {with("sum(n, y[i])/n", "sum(0, i)"), "number of terms must be > 0"},
      {with("sum(n, y[i])/n", "sum(1000, sum(1000, i))"), "has too many terms"},
      {with("k = 100.0", "k = 100.0\ni = 1.0"), "i is the number of an element"},
      {with("k = 100.0", "k = 100.0\nn = 1.0"), "the name is taken by the structural parameter"},
      {with("[outputs.middle]", "[outputs.y]"), "the name is taken by the coordinate"},
  };
  for (const Wrong& wrong : all) {
    INFO(wrong.message);
    CHECK_THROWS_WITH(compiled(wrong.text), Catch::Contains(wrong.message));
  }
}
