// Steps that end at events of the subsystems.
#include <catch2/catch.hpp>
#include <cmath>

#include "coupling/function_subsystem.hpp"
#include "coupling/master.hpp"

using namespace trammel;
using namespace trammel::coupling;

namespace {

enum class Manner { silent, reports, discards };

constexpr double stiffness = 18, push = 5, eventTime = 0.537;  // [N/m], [N], [s]

/// A mass of 1 kg on a spring, pushed from an event on.
class SwitchedMass {
 public:
  explicit SwitchedMass(Manner theManner) : manner_(theManner) {}

  std::unique_ptr<Subsystem> subsystem() {
    FunctionSubsystemData data;
    data.name = "switched";
    data.ports = {{"p"}};
    data.capabilities.variableStep = true;
    data.capabilities.forceOrder = 2;
    data.capabilities.acceleration = true;
    state_.force.setZero(1);
    SubsystemFunctions f;
    f.setForces = [this](const ForcePolynomial& F) { state_.force = F; };
    f.step = [this](double t, double H) { return step(t, H); };
    f.handleEvent = [this] {
      state_.isPushed = true;
      return false;
    };
    f.readMotion = [this](std::span<PortMotion> motions) {
      motions[0].r[0] = state_.x;
      motions[0].v[0] = state_.v;
      motions[0].a[0] = acceleration(state_.x, state_.lastSpan);
    };
    f.mobility = [](Matrix& W) { W = Matrix::Ones(1, 1); };
    f.save = [this] { saved_ = state_; };
    f.restore = [this] { state_ = saved_; };
    return std::make_unique<FunctionSubsystem>(std::move(data), std::move(f));
  }

  double position() const { return state_.x; }

 private:
  struct State {
    double x = 1, v = 0;
    bool isPushed = false;
    ForcePolynomial force;
    double lastSpan = 0;  // of the step that ended at the present time
  };

  double acceleration(double x, double dt) const {
    const double F =
        state_.force.value[0] + state_.force.first[0] * dt + state_.force.second[0] * dt * dt / 2;
    return F - stiffness * x + (state_.isPushed ? push : 0);
  }

  /// Runge-Kutta of order 4; forces run from the beginning of the communication step.
  void integrate(double from, double to) {
    constexpr int substeps = 20;
    const double h = (to - from) / substeps;
    for (int i = 0; i < substeps; ++i) {
      const double dt = from + i * h;
      const auto rate = [&](double x, double s) { return acceleration(x, dt + s); };
      State& q = state_;
      const double k1 = rate(q.x, 0), k2 = rate(q.x + h / 2 * q.v, h / 2);
      const double k3 = rate(q.x + h / 2 * q.v + h * h / 4 * k1, h / 2);
      const double k4 = rate(q.x + h * q.v + h * h / 2 * k2, h);
      q.x += h * q.v + h * h / 6 * (k1 + k2 + k3);
      q.v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    state_.lastSpan = to;
  }

  SubsystemStep step(double t, double H) {
    const double toEvent = eventTime - t;
    if (!state_.isPushed && manner_ == Manner::discards && toEvent <= 1e-12) state_.isPushed = true;
    const bool isWithin = !state_.isPushed && toEvent < H;
    if (!isWithin) {
      integrate(0, H);
      return {.reachedTime = t + H};
    }
    if (manner_ == Manner::discards) {
      return {.outcome = StepOutcome::discarded, .reachedTime = eventTime, .message = "an event"};
    }
    integrate(0, std::max(toEvent, 0.0));
    if (manner_ == Manner::reports) return {.reachedTime = t + toEvent, .event = true};
    state_.isPushed = true;
    integrate(std::max(toEvent, 0.0), H);
    return {.reachedTime = t + H};
  }

  Manner manner_;
  State state_, saved_;
};

/// 2 x'' = −k x + push, with the push from the event on.
double exactPosition(double t) {
  const double omega = std::sqrt(stiffness / 2), rest = push / stiffness;
  if (t <= eventTime) return std::cos(omega * t);
  const double x = std::cos(omega * eventTime) - rest, v = -omega * std::sin(omega * eventTime);
  const double s = t - eventTime;
  return rest + x * std::cos(omega * s) + v / omega * std::sin(omega * s);
}

struct Outcome {
  double error = 0;
  MasterStatistics statistics;
};

/// Two masses tied together, the first one is switched and on a spring, the other is free.
Outcome run(Manner manner, double H, Scheme scheme = Scheme::pv1) {
  SwitchedMass switched(manner);
  struct {
    double x = 1, v = 0;
  } free, saved;
  ForcePolynomial force;
  force.setZero(1);
  double span = 0;
  FunctionSubsystemData data;
  data.name = "free";
  data.ports = {{"p"}};
  data.capabilities = {.rollback = true,
                       .variableStep = true,
                       .forceOrder = 2,
                       .inputOrder = 0,
                       .acceleration = true};
  const auto acceleration = [&](double dt) {
    return force.value[0] + force.first[0] * dt + force.second[0] * dt * dt / 2;
  };
  SubsystemFunctions f;
  f.setForces = [&](const ForcePolynomial& F) { force = F; };
  f.step = [&](double t, double size) -> SubsystemStep {
    // Exact: its acceleration is a polynomial.
    const double F0 = force.value[0], F1 = force.first[0], F2 = force.second[0], h = size;
    free.x += h * free.v + h * h * (F0 / 2 + h * (F1 / 6 + h * F2 / 24));
    free.v += h * (F0 + h * (F1 / 2 + h * F2 / 6));
    span = size;
    return {.reachedTime = t + size};
  };
  f.readMotion = [&](std::span<PortMotion> motions) {
    motions[0].r[0] = free.x;
    motions[0].v[0] = free.v;
    motions[0].a[0] = acceleration(span);
  };
  f.mobility = [](Matrix& W) { W = Matrix::Ones(1, 1); };
  f.save = [&] { saved = free; };
  f.restore = [&] { free = saved; };
  CoupledSystem system;
  system.subsystems.push_back(switched.subsystem());
  system.subsystems.push_back(std::make_unique<FunctionSubsystem>(std::move(data), std::move(f)));
  system.joints = {shaftJoint("tie", {{0, 0}, {1, 0}})};
  MasterOptions options;
  options.scheme = scheme;
  options.relativeTolerance = 1e-9;
  Master master(std::move(system), options);
  master.initialize(0, 2, H);
  Outcome outcome;
  for (int n = 1; n <= std::lround(2 / H); ++n) {
    const MasterStep step = master.advance(n * H);
    INFO(step.failure);
    REQUIRE(step.completed);
    outcome.error = std::max(outcome.error, std::abs(switched.position() - exactPosition(n * H)));
  }
  outcome.statistics = master.statistics();
  return outcome;
}

}  // namespace

TEST_CASE("all subsystems step to an event that one of them reports") {
  const Scheme scheme = GENERATE(Scheme::pv1, Scheme::pc2, Scheme::b2);
  INFO(text(scheme));
  const Outcome silent = run(Manner::silent, 0.01, scheme),
                seen = run(Manner::reports, 0.01, scheme);
  INFO("silent " << silent.error << ", reported " << seen.error);
  CHECK(seen.statistics.events == 1);
  CHECK(silent.statistics.events == 0);
  CHECK(seen.statistics.failures == 0);
  CHECK(seen.error < silent.error / 10);
  CHECK(seen.statistics.steps == silent.statistics.steps + 1);  // to the event and from there
}

TEST_CASE("a step ends where a subsystem that discards it could go") {
  const Outcome outcome = run(Manner::discards, 0.05), seen = run(Manner::reports, 0.05);
  CHECK(outcome.statistics.failures == 1);
  CHECK(outcome.statistics.steps == seen.statistics.steps);
  CHECK(outcome.error == Approx(seen.error).epsilon(0.5));
}
