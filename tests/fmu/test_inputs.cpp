#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "fmu_src/instance.hpp"
#include "tests/fmu/test_models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

struct Run {
  explicit Run(const std::string& text, double tolerance) : instance(compiled(text), Log()) {
    instance.enterInitializationMode(tolerance, 0, std::nullopt);
    instance.exitInitializationMode();
  }
  void set(const std::string& name, double value) {
    instance.setReal(std::vector<std::uint32_t>{reference(instance.model(), name)},
                     std::vector<double>{value});
  }
  double get(const std::string& name) {
    std::vector<double> value(1);
    instance.getReal(std::vector<std::uint32_t>{reference(instance.model(), name)}, value);
    return value[0];
  }

  Instance instance;
};

/// The slider-crank of numerics.md, section 11: two points of mass 1, crank 1, rod 2, ω = 3 at 0.5
/// rad.
const char* const pointSliderCrankText = R"toml(
trammel = 1
kind = "equations"
name = "Slider-crank of points"

[parameters]
phi = 0.5
omega = 3.0

[inputs]
F = { unit = "N" }

[coordinates.x1]
start = "cos(phi)"
start_velocity = "-omega*sin(phi)"
mass = 1.0

[coordinates.y1]
start = "sin(phi)"
start_velocity = "omega*cos(phi)"
mass = 1.0
force = -1.0

[coordinates.x2]
start = "cos(phi) + sqrt(4 - sin(phi)^2)"
start_velocity = "-omega*(sin(phi) + sin(phi)*cos(phi)/sqrt(4 - sin(phi)^2))"
mass = 1.0
force = "F"

[coordinates.y2]
mass = 1.0

[constraints.crank]
expression = "(x1^2 + y1^2 - 1)/2"

[constraints.rod]
expression = "((x2 - x1)^2 + (y2 - y1)^2 - 4)/2"

[constraints.guide]
expression = "y2"
)toml";

/// The same with an integrator that starts anew from q and v wherever the input jumps.
class RestartingRun {
 public:
  RestartingRun(CompiledModel model, double tolerance)
      : model_(std::move(model)),
        system_(model_.makeSystem()),
        integrator_(*system_, optionsOf(model_, tolerance)) {
    StartValues start{
        0, Vector(model_.coordinateCount()), Vector(model_.coordinateCount()), {}, {}};
    system_->startValues(start.q, start.v);
    REQUIRE(integrator_.start(start).ok);
    REQUIRE(integrator_.motion(0, false, motion_).ok);
  }

  bool step(double t, double h, double input) {
    input_[0] = input;
    system_->setInputs(input_);
    return integrator_.restart(motion_.q, motion_.v).ok && integrator_.advance(t + h, t + h).ok &&
           integrator_.motion(t + h, false, motion_).ok;
  }
  double position(Index i) const { return motion_.q[i]; }
  long residuals() const { return integrator_.statistics().residuals; }

 private:
  static SolverOptions optionsOf(const CompiledModel& model, double tolerance) {
    SolverOptions options = model.solverOptions();
    options.tolerance = tolerance;
    return options;
  }

  CompiledModel model_;
  std::unique_ptr<ModelSystem> system_;
  Integrator integrator_;
  Motion motion_;
  std::vector<double> input_{0};
};

/// The angle of a driven pendulum that hangs at −y: θ'' = (F cos θ − 9.81 sin θ)/L − d θ', by
/// Runge–Kutta with small steps.
struct AngleReference {
  double theta = std::acos(0.0), omega = 0;

  void advance(double time, double force, double damping) {
    const int count = 200;
    const double h = time / count;
    const auto alpha = [&](double a, double w) {
      return force * std::cos(a) - 9.81 * std::sin(a) - damping * w;
    };
    for (int i = 0; i < count; ++i) {
      const double w1 = omega, a1 = alpha(theta, omega);
      const double w2 = omega + h / 2 * a1, a2 = alpha(theta + h / 2 * w1, w2);
      const double w3 = omega + h / 2 * a2, a3 = alpha(theta + h / 2 * w2, w3);
      const double w4 = omega + h * a3, a4 = alpha(theta + h * w3, w4);
      theta += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
      omega += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
  }
  double x() const { return std::sin(theta); }
  double y() const { return -std::cos(theta); }
};

}  // namespace

TEST_CASE("an input that jumps at communication points acts from there on") {
  Run run(drivenPendulumText, 1e-8);
  AngleReference exact;
  double worst = 0;
  for (int i = 0; i < 100; ++i) {
    const double force = 3 * std::sin(0.7 * i);
    run.set("F", force);
    REQUIRE(run.instance.doStep(i * 0.02, 0.02).status == Status::ok);
    exact.advance(0.02, force, 0);
    worst =
        std::max({worst, std::abs(run.get("x") - exact.x()), std::abs(run.get("y") - exact.y())});
  }
  // 100 jumps, each resolved to the tolerance; the motion itself amplifies errors only mildly over
  // one period.
  CHECK(worst < 1e-5);
}

TEST_CASE("a jump of an input does not restart the integrator") {
  // numerics.md, section 11: a restart costs more than 30 evaluations a step, a shift of the
  // history 2 to 6.
  Run run(drivenPendulumText, 1e-5);
  const int count = 500;
  for (int i = 0; i < count; ++i) {
    run.set("F", 0.5 * std::sin(0.3 * i));
    REQUIRE(run.instance.doStep(i * 0.01, 0.01).status == Status::ok);
  }
  CHECK(run.instance.statistics().residuals <= 6L * count);
}

TEST_CASE("a force on the slider-crank that jumps at every point costs few evaluations a step") {
  // numerics.md, section 11, its example: a force sampled at every communication step of 10 ms, 10
  // s, tolerance 1e-5. Prototype: 2.5 residual evaluations a step with shifts, 35 with restarts.
  const int count = 1000;
  Run jumping(pointSliderCrankText, 1e-5), exact(pointSliderCrankText, 1e-11);
  RestartingRun restarting(compiled(pointSliderCrankText), 1e-5);
  double ofJumping = 0, ofRestarting = 0;
  for (int i = 0; i < count; ++i) {
    const double t = i * 0.01;
    const double force = 2 * std::sin(4.39822971502571 * t) + 0.3 * std::sin(37 * t);
    for (Run* run : {&jumping, &exact}) {
      run->set("F", force);
      REQUIRE(run->instance.doStep(t, 0.01).status == Status::ok);
    }
    REQUIRE(restarting.step(t, 0.01, force));
    const double slider = exact.get("x2");
    ofJumping = std::max(ofJumping, std::abs(jumping.get("x2") - slider));
    ofRestarting = std::max(ofRestarting, std::abs(restarting.position(2) - slider));
  }
  CHECK(jumping.instance.statistics().residuals <= 5L * count);
  CHECK(restarting.residuals() > 10L * count);
  CHECK(ofJumping <= ofRestarting);
}

TEST_CASE("a force on the slider-crank that jumps at every point is followed to the tolerance") {
  const std::string text = readText(cataloguePath("slider_crank"));
  const int count = 1000;
  Run jumping(text, 1e-5), exact(text, 1e-10);
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const double t = i * 0.002;
    for (Run* run : {&jumping, &exact}) {
      run->set("F", 2 * std::sin(5 * t));
      REQUIRE(run->instance.doStep(t, 0.002).status == Status::ok);
    }
    worst = std::max(worst, std::abs(jumping.get("phi") - exact.get("phi")));
  }
  // A restart at each point would cost more than 20; own run: 2.1.
  CHECK(jumping.instance.statistics().residuals <= 3L * count);
  CHECK(worst <= 1e-3);  // [rad], a hundred times the tolerance after a thousand jumps
}

TEST_CASE("setting an input to the value it has is no change") {
  Run same(drivenPendulumText, 1e-6), untouched(drivenPendulumText, 1e-6);
  for (int i = 0; i < 50; ++i) {
    same.set("F", 0.5);
    same.instance.doStep(i * 0.01, 0.01);
    untouched.instance.doStep(i * 0.01, 0.01);
  }
  CHECK(same.get("x") == untouched.get("x"));
  CHECK(same.instance.statistics().residuals == untouched.instance.statistics().residuals);
}

TEST_CASE("a value set just before a state was saved acts when it is put back, elsewhere too") {
  Run straight(drivenPendulumText, 1e-6), other(drivenPendulumText, 1e-6);
  for (Run* run : {&straight, &other}) run->instance.doStep(0, 0.1);
  straight.set("F", 3);
  Snapshot saved;
  straight.instance.save(saved);
  straight.instance.doStep(0.1, 0.1);
  const auto after = straight.instance.serialize();
  for (Run* run : {&straight, &other}) {
    run->instance.restore(saved);
    run->instance.doStep(0.1, 0.1);
    CHECK(run->instance.serialize() == after);
  }
}

TEST_CASE("inputs without rates are no polynomials to the model") {
  InputSignals signals({2.0, 3.0});
  CHECK(signals.polynomials().first.empty());
  signals.set(1, 0.5, 4.0, 1.0, 0.0);
  REQUIRE(signals.polynomials().first.size() == 2);
  CHECK(signals.polynomials().origin == 0.5);
  signals.set(1, 0.5, 4.0, 0.0, 0.0);
  CHECK(signals.polynomials().first.empty());
  CHECK(signals.polynomials().value[1] == 4.0);
}

TEST_CASE("a tunable parameter acts from the next step on") {
  Run run(drivenPendulumText, 1e-8);
  AngleReference exact;
  run.instance.doStep(0, 0.5);
  exact.advance(0.5, 0.5, 0);
  run.set("d", 2);
  CHECK(run.get("d") == 2);
  run.instance.doStep(0.5, 0.5);
  exact.advance(0.5, 0.5, 2);
  CHECK(run.get("x") == Approx(exact.x()).margin(1e-6));
  CHECK(run.get("y") == Approx(exact.y()).margin(1e-6));
}

TEST_CASE("a tunable parameter of a constraint moves the motion onto the new constraint") {
  Run run(drivenPendulumText, 1e-6);
  run.instance.doStep(0, 0.5);
  run.set("L", 1.1);
  REQUIRE(run.instance.doStep(0.5, 0.01).status == Status::ok);
  CHECK(std::hypot(run.get("x"), run.get("y")) == Approx(1.1).epsilon(1e-8));
}

TEST_CASE("outputs are those of the communication point, with the inputs of the step before") {
  Run run(drivenPendulumText, 1e-8);
  run.set("F", 2);
  run.instance.doStep(0, 0.1);
  CHECK(run.get("power") == Approx(2 * run.get("der(x)")).epsilon(1e-12));
}

TEST_CASE(
    "an input set before a save and a step taken after the restore are those of the straight run") {
  Run straight(drivenPendulumText, 1e-6), saved(drivenPendulumText, 1e-6);
  for (Run* run : {&straight, &saved}) {
    run->instance.doStep(0, 0.1);
    run->set("F", 3);
  }
  const auto bytes = saved.instance.serialize();
  saved.instance.doStep(0.1, 0.4);
  saved.instance.deserialize(bytes);
  CHECK(saved.get("F") == 3);
  for (Run* run : {&straight, &saved}) run->instance.doStep(0.1, 0.1);
  CHECK(saved.instance.serialize() == straight.instance.serialize());
}
