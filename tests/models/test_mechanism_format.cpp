#include <catch2/catch.hpp>

#include "models/dimensions.hpp"
#include "simulation.hpp"

namespace trammel {
namespace {

std::string arm(const std::string& lines) {
  return R"toml(trammel = 1
kind = "mechanism"
name = "Arm"
[parameters]
m = { value = 2.0, unit = "kg" }
L = { value = 500.0, unit = "mm" }
t0 = { value = 1.0, unit = "s" }
n = 3.0
[bodies.arm]
)toml" + lines;
}

}  // namespace

TEST_CASE("Numbers with units are read in SI") {
  const CompiledModel model = compileText(arm(
      "mass = \"1500 g\"\ninertia = [\"20 kg.cm2\", 0.003, 0.004]\nposition = [\"5 cm\", \"L\", "
      "0.0]\n"));
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  Vector q(7), v(7);
  system->startValues(q, v);
  CHECK(q[0] == Approx(0.05).epsilon(1e-15));
  CHECK(q[1] == Approx(0.5).epsilon(1e-15));
  Linearisation linear = shapeOf(*system);
  system->massAndGradient(0, q, linear);
  CHECK(linear.M.coeff(0, 0) == Approx(1.5).epsilon(1e-15));
  CHECK(linear.M.coeff(4, 4) == Approx(4 * 0.002).epsilon(1e-14));  // 4 Jxx at p = (1, 0, 0, 0)
}

TEST_CASE("A quantity of the wrong dimension is refused") {
  const auto errorOf = [](const std::string& mass) {
    return compileError(arm("mass = " + mass + "\ninertia = [1.0, 1.0, 1.0]\n"));
  };
  CHECK(errorOf("\"2*m + 0.5\"").empty());
  CHECK(errorOf("\"n*m\"").empty());      // n has no declared unit: nothing is known
  CHECK(errorOf("\"0.5*L^3\"").empty());  // 0.5 may be a density
  CHECK(errorOf("\"3 mm\"") ==
        "test.toml:10: body \"arm\": mass must have the dimension of \"kg\", is in \"mm\"");
  CHECK(errorOf("\"L/2\"") ==
        "test.toml:10: body \"arm\": mass must have the dimension of \"kg\", is in \"m\"");
  CHECK(errorOf("\"m*L/t0^2\"") ==
        "test.toml:10: body \"arm\": mass must have the dimension of \"kg\", is in \"kg.m/s2\"");
  CHECK(errorOf("\"m + L\"") ==
        "test.toml:10: body \"arm\": mass adds or compares \"kg\" and \"m\"");
  CHECK(errorOf("\"m*sin(L)\"") ==
        "test.toml:10: body \"arm\": mass takes a function of a quantity in \"m\", expected a "
        "number");
}

TEST_CASE("A dimension is written as a unit") {
  CHECK(dimensionText({1, 2, -2}) == "kg.m2/s2");
  CHECK(dimensionText({0, 0, -1, -1}) == "1/(s.A)");
  CHECK(dimensionText({}) == "1");
}

TEST_CASE("Assembly keeps what the model asks for and moves the rest") {
  const auto model = [](const std::string& keep) {
    return R"toml(trammel = 1
kind = "mechanism"
name = "Keep"
planar = true
[bodies.one]
type = "point"
mass = 1.0
position = [0.0, 0.0]
)toml" + keep +
           R"toml([bodies.two]
type = "point"
mass = 1.0
position = [1.5, 0.0]
[joints.rod]
type = "distance"
a = "one"
b = "two"
length = 1.0
)toml";
  };
  const Simulation free(model(""), 1e-6);
  CHECK(free.motion.q[0] == Approx(0.25).epsilon(1e-9));
  CHECK(free.motion.q[2] == Approx(1.25).epsilon(1e-9));
  const Simulation kept(model("keep = [\"position\"]\n"), 1e-6);
  CHECK(kept.motion.q[0] == 0);
  CHECK(kept.motion.q[2] == Approx(1).epsilon(1e-9));
}

}  // namespace trammel
