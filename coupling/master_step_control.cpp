#include <algorithm>
#include <cmath>

#include "coupling/master_implementation.hpp"

// Communication steps of a size that follows from their error.
namespace trammel::coupling {
namespace {

constexpr double safety = 0.9;
constexpr double mostShrinking = 0.2;
constexpr double leastGrowth = 1.1;  // below it the size stays: secants then hold on

}  // namespace

void StepControl::validate() const {
  const auto check = [](bool ok, const char* what, double got) {
    if (!ok) throw CouplingError(std::string(what) + ", is " + std::to_string(got));
  };
  check(tolerance >= 0 && std::isfinite(tolerance), "error tolerance must be >= 0", tolerance);
  check(connectionTolerance > 0, "error tolerance of connections must be > 0", connectionTolerance);
  check(minStep >= 0, "smallest step must be >= 0 s", minStep);
  check(maxStep == 0 || maxStep >= minStep, "largest step must be >= the smallest one", maxStep);
}

void StepVerdict::consider(double partOfTolerance, double power) {
  error = std::max(error, partOfTolerance);
  if (partOfTolerance > 0) {
    growth = std::min(growth, safety * std::pow(partOfTolerance, -1 / power));
  }
}

void Master::Implementation::checkStepControl() const {
  if (!options.stepControl.isOn()) return;
  for (const auto& subsystem : system.subsystems) {
    const SubsystemCapabilities can = subsystem->capabilities();
    if (can.rollback && can.variableStep) continue;
    throw CouplingError("error control of the step: subsystem \"" + subsystem->name() +
                        (can.rollback ? "\" takes steps of one size only, expected any size"
                                      : "\" offers no rollback, which repeating a step needs"));
  }
  if (joints.rowCount() > 0 && !isIterated(scheme)) {
    throw CouplingError(std::string("error control of the step: scheme ") + coupling::text(scheme) +
                        " repeats no step, expected PV1, B2, PC2 or A1");
  }
}

double Master::Implementation::smallestStep(double H) const {
  const double asked = options.stepControl.minStep;
  return std::min(asked > 0 ? asked : 1e-3 * H, H);
}

/// The size planned, up to an event that is known, or what is left; rather two equal steps than one
/// and a small rest.
double Master::Implementation::nextStep(double left) const {
  const bool isEventAhead = eventTime > t && eventTime - t <= presentStep;
  const double h = isEventAhead ? eventTime - t : presentStep;
  if (h > left * (1 - 1e-9)) return left;
  const bool isHalved = options.stepControl.isOn() && !isEventAhead && 2 * h > left;
  return isHalved ? left / 2 : h;
}

/// How far the joints are open within the step, or at its end because of it [m, rad].
///
/// PV1 and PC2 close them at the end, where the λ that was sent differs from the exact one by
/// H² λ''/12 or H λ'/6: g'' = S δλ there, and on the way the gap reaches S λ'' H⁴/384 = g'' H²/32
/// or S λ' H³/324 = g'' H²/54. A1 and B2 leave what the integral of g'' beyond its line has opened.
double Master::Implementation::jointError(const SchemeStep& step, const Vector& c) const {
  const double H = step.H;
  const InterfaceValues& end = last.interface;
  if (blockCount(step.scheme) == 2) {
    const bool isLine = step.scheme == Scheme::pv1;
    const double part = H * H / (isLine ? 32 : 54);
    if (allAccelerate) return part * end.ga.lpNorm<Eigen::Infinity>();
    MultiplierMemory next = memory;
    step.accept(c, c, Vector::Ones(memory.last.size()), next);
    const Vector sent = isLine ? step.endValue(c) : Vector(c.tail(c.size() / 2));
    return part * (S * (next.last - sent)).lpNorm<Eigen::Infinity>();
  }
  InterfaceValues begin;
  joints.evaluate(motions, begin);
  const Vector opened = end.g - begin.g - H * begin.gv - H * H * (begin.ga / 3 + end.ga / 6);
  return opened.lpNorm<Eigen::Infinity>();
}

StepVerdict Master::Implementation::verdict(const SchemeStep& step, const Vector& x) const {
  StepVerdict verdict;
  const StepControl& control = options.stepControl;
  if (joints.rowCount() > 0) {
    const bool isParabola = step.scheme == Scheme::b2 && memory.hasTwoPoints();
    const double power = isParabola ? 5 : step.scheme == Scheme::pc2 ? 3 : 4;
    const Vector c = x.head(unknownsOfJoints(step.scheme));
    verdict.consider(jointError(step, c) / control.tolerance, power);
  }
  const Vector then = connectedValues(last.outputs);
  for (Index i = 0; i < then.size(); ++i) {
    const int to = system.connections[static_cast<std::size_t>(i)].to;
    const bool followsLine =
        connectionMode == ConnectionMode::iterated &&
        system.subsystems[static_cast<std::size_t>(to)]->capabilities().inputOrder >= 1;
    const double change = then[i] - u[i], H = step.H;
    // A line misses u'' H²/8 in its middle, a value that is held half of the change.
    double missed = std::abs(change) / (followsLine ? 8 : 2);
    if (followsLine && uStep > 0) {
      missed = std::abs(change - (u[i] - uBefore[i]) * H / uStep) * H / (4 * (H + uStep));
    }
    const double size = std::max({uLargest[i], std::abs(then[i]), 1e-9});
    verdict.consider(missed / (control.connectionTolerance * size), followsLine ? 2 : 1);
  }
  return verdict;
}

/// Back to t for a shorter step. False: there is no way back.
bool Master::Implementation::reject(double h, const StepVerdict& verdict) {
  ++statistics.rejected;
  if (!restoreAll()) return false;
  const double shrinking = std::clamp(verdict.growth, mostShrinking, safety);
  presentStep = std::max(shrinking * h, smallestStep(nominalStep));
  wasRejected = true;
  return true;
}

/// After an accepted step of size h: the size of the next one.
void Master::Implementation::adapt(double h, const StepVerdict& verdict) {
  if (verdict.error > 1) ++statistics.tooInexact;
  double growth = std::max(verdict.growth, mostShrinking);
  if (wasRejected) growth = std::min(growth, 1.0);
  if (growth >= 1 && growth < leastGrowth) growth = 1;
  wasRejected = false;
  const bool wasCut = h < (1 - 1e-9) * presentStep;  // what was planned has not been tried
  presentStep = wasCut && growth >= 1 ? std::max(presentStep, growth * h) : growth * h;
  const double most = options.stepControl.maxStep > 0
                          ? std::min(options.stepControl.maxStep, nominalStep)
                          : nominalStep;
  presentStep = std::clamp(presentStep, std::min(smallestStep(nominalStep), most), most);
}

}  // namespace trammel::coupling
