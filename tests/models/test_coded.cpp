#include <catch2/catch.hpp>
#include <cmath>

#include "models/coded_file.hpp"
#include "models/coded_system.hpp"
#include "solver/error.hpp"

using namespace trammel;

namespace {

constexpr const char* interface = R"toml(trammel = 1
kind = "coded"
name = "Driven mass on a circle"

[parameters]
m = { value = 2000.0, unit = "g", min = 1.0 }

[inputs]
F = { start = 3.0, unit = "N" }

[coordinates]
x = { unit = "mm", start = 600.0, start_velocity = -80.0, nominal = 500.0 }
y = { unit = "m", start = 0.8, start_velocity = 0.06 }

[constraints.circle]
unit = "m2"

[outputs]
speed = { unit = "m/s" }
)toml";

/// M = m I, f = (F, −2 y'), g = (x² + y² − 1)/2.
class DrivenMass final : public CodedModel {
 public:
  void mass(const CodedValues& values, VectorIn /*q*/, Matrix& M) override {
    M.diagonal().setConstant(values.parameters[0]);
  }
  void force(const CodedValues& values, double /*t*/, VectorIn /*q*/, VectorIn v,
             VectorOut f) override {
    f[0] = values.inputs[0];
    f[1] = -2 * v[1];
  }
  void constraint(const CodedValues& /*values*/, double /*t*/, VectorIn q, VectorOut g) override {
    g[0] = (q.squaredNorm() - 1) / 2;
  }
  void outputs(const CodedValues& /*values*/, double /*t*/, VectorIn /*q*/, VectorIn v,
               VectorIn /*a*/, VectorIn /*lambda*/, std::span<double> y) override {
    y[0] = v.norm();
  }
};

}  // namespace

TEST_CASE("a coded model takes names, units and defaults from its file and equations from C++") {
  const CompiledModel model =
      compile(parseCodedFile(interface, "coded.toml").value(), codedBy<DrivenMass>());
  CHECK(model.variables().find(std::string("x"))->start == Approx(0.6));
  CHECK(model.variables().find(std::string("m"))->start == Approx(2.0));
  CHECK(model.variables().find(std::string("circle.lambda"))->unit == "N/m");
  const auto system = model.makeSystem();
  Vector q(2), v(2), g(1), rate(1), gamma(1), r(2);
  system->startValues(q, v);
  CHECK(v[0] == Approx(-0.08));
  system->constraint(0, q, g);
  CHECK(g[0] == Approx(0).margin(1e-15));
  system->constraintRate(0, q, v, rate);
  CHECK(rate[0] == Approx(0.6 * -0.08 + 0.8 * 0.06).margin(1e-10));  // x x' + y y'
  system->constraintAcceleration(0, q, v, gamma);
  CHECK(gamma[0] == Approx(0.08 * 0.08 + 0.06 * 0.06).epsilon(1e-6));  // x'² + y'²
  const Vector a{{1.0, -2.0}}, lambda{{5.0}};
  system->forceBalance(0, q, v, a, lambda, r);
  CHECK(r[0] == Approx(2 * 1.0 - 3.0 + 0.6 * 5.0));
  CHECK(r[1] == Approx(2 * -2.0 + 2 * 0.06 + 0.8 * 5.0));
  double speed = 0;
  system->outputs(0, q, v, a, lambda, {&speed, 1});
  CHECK(speed == Approx(0.1));
  const double mass = 4.0, force = -1.0;
  system->setParameters({&mass, 1});
  system->setInputs(std::span(&force, 1));
  system->forceBalance(0, q, v, a, lambda, r);
  CHECK(r[0] == Approx(4 * 1.0 + 1.0 + 0.6 * 5.0));
  const double tooLight = 0.0;
  CHECK_THROWS_AS(system->setParameters({&tooLight, 1}), Error);
}

TEST_CASE("the file of a coded model alone cannot run, and its mistakes have lines") {
  CHECK_THROWS_WITH(compile(parseCodedFile(interface, "coded.toml").value()).makeSystem(),
                    Catch::Contains("equations of this model are in C++"));
  CHECK_THROWS_WITH(parseModel(interface, "coded.toml"), Catch::Contains("kind is \"coded\""));
  const auto wrong = [](const std::string& from, const std::string& to) {
    std::string text = interface;
    text.replace(text.find(from), from.size(), to);
    return compile(parseCodedFile(text, "coded.toml").value());
  };
  CHECK_THROWS_WITH(wrong("start = 600.0", "start = \"L\""), Catch::StartsWith("coded.toml:12: "));
  CHECK_THROWS_WITH(wrong("unit = \"m2\"", "expression = \"x\""),
                    Catch::StartsWith("coded.toml:16: "));
  CHECK_THROWS_WITH(wrong("speed =", "x ="), Catch::StartsWith("coded.toml:19: "));
}
