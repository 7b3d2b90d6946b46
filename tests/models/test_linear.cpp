#include <catch2/catch.hpp>

#include "simulation.hpp"

namespace trammel {
namespace {

/// The model of Wang, Hou and Modnak, (11), (12) and the joint x2 = 2 y1, as one linear system.
const char* const wangHou = R"toml(trammel = 1
kind = "linear"
name = "WangHou"
coordinates = ["x1", "x2", "y1", "y2"]
A = [[4.0, 1.0, 0.0, 0.0], [1.0, 3.0, 0.0, 0.0], [0.0, 0.0, 5.0, 2.0], [0.0, 0.0, 2.0, 4.0]]
C = [[-2.0, -1.0, 0.0, 0.0], [-1.0, -2.0, 0.0, 0.0], [0.0, 0.0, -1.0, -2.0], [0.0, 0.0, 0.0, -2.0]]
r = [6.0, 7.0, 10.0, 4.0]
D = [[0.0, 1.0, -2.0, 0.0]]
B = [[0.0], [1.0], [-2.0], [0.0]]
[outputs.x2]
expression = "x2"
[outputs.lambda]
expression = "constraint.lambda"
)toml";

}  // namespace

TEST_CASE("A linear model of matrices moves as the same one in equations") {
  std::string text = wangHou;
  text.replace(text.find("[outputs.x2]"), 12, "[outputs.second]");
  text.replace(text.find("[outputs.lambda]"), 16, "[outputs.multiplier]");
  Simulation linear(text, 1e-8);
  // λ(0) = −22/15 (design notes on the paper, from its equations (17))
  CHECK(linear["multiplier"] == Approx(-22.0 / 15).epsilon(1e-12));
  Simulation equations(compileCatalogue("wang_hou"), 1e-8);
  linear.run(2);
  equations.run(2);
  CHECK((linear.motion.q - equations.motion.q).norm() <= 1e-12 * equations.motion.q.norm());
}

TEST_CASE("A linear model with damping, inputs and a driven constraint is right") {
  // x'' + 2 x' + 5 x = u, u = 10: x → 2; y'' = 3 by its constraint: y = 3 t²/2, λ = 2 u − 3.
  Simulation model(R"toml(trammel = 1
kind = "linear"
name = "Damped"
coordinates = ["x", "y"]
A = [[1.0, 0.0], [0.0, 1.0]]
C = [[5.0, 0.0], [0.0, 0.0]]
E = [["2*d", 0.0], [0.0, 0.0]]
H = [[1.0], [2.0]]
D = [[0.0, 1.0]]
d = [3.0]
[parameters]
d = 1.0
[inputs]
u = { start = 10.0 }
[outputs.reaction]
expression = "constraint.lambda"
)toml",
                   1e-8);
  model.run(20);
  CHECK(model.motion.q[0] == Approx(2).epsilon(1e-6));
  CHECK(model.motion.q[1] == Approx(600).epsilon(1e-9));
  CHECK(model["reaction"] == Approx(17).epsilon(1e-9));
}

TEST_CASE("A wrong matrix of a linear model is named") {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = wangHou;
    text.replace(text.find(from), from.size(), to);
    return compileError(text);
  };
  CHECK(with("A = [[4.0, 1.0,", "A = [[4.0, 2.0,") ==
        "test.toml:5: A must be symmetric, is 2 and 1 in rows 1 and 2");
  CHECK(with("r = [6.0, 7.0, 10.0, 4.0]", "r = [6.0, 7.0]") ==
        "test.toml:7: r must have 4 numbers in each row, has 2");
  CHECK(with("B = [[0.0]", "B = [[1.0]") ==
        "test.toml:9: B must be the transpose of D, is 1 where D has 0");
  CHECK(with("coordinates = [\"x1\", ", "coordinates = [\"1x\", ").rfind("test.toml:4: ", 0) == 0);
}

}  // namespace trammel
