#include "coupling/master.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "coupling/master_implementation.hpp"

namespace trammel::coupling {
namespace {

/// Pole of the explicit scheme: b = (1−p)², a = 2 − 2p − b/2 with p = 1/2.
constexpr double explicitGap = 0.25, explicitRate = 0.875;

}  // namespace

void MasterOptions::validate() const {
  const auto check = [](bool ok, const char* what, double got) {
    if (!ok) throw CouplingError(std::string(what) + ", is " + std::to_string(got));
  };
  check(relativeTolerance > 0 && relativeTolerance < 1, "relativeTolerance must be in (0, 1)",
        relativeTolerance);
  check(nominalMultiplier >= 0, "nominalMultiplier must be >= 0", nominalMultiplier);
  check(gain >= 0, "gain must be >= 0 1/s", gain);
  check(gapTolerance > 0, "gapTolerance must be > 0", gapTolerance);
  check(massEstimate >= 0, "massEstimate must be >= 0 kg", massEstimate);
  check(mobilityFactor >= 1, "mobilityFactor must be >= 1", mobilityFactor);
  check(maxHalvings >= 0 && maxHalvings <= 30, "maxHalvings must be 0 to 30", maxHalvings);
  iteration.validate();
}

Master::Implementation::Implementation(CoupledSystem theSystem, const MasterOptions& theOptions)
    : system(std::move(theSystem)),
      options(theOptions),
      joints(system.joints, system.subsystems),
      iteration(theOptions.iteration) {
  options.validate();
  for (const Connection& c : system.connections) {
    const auto inRange = [&](int k) { return k >= 0 && k < std::ssize(system.subsystems); };
    const bool ok =
        inRange(c.from) && inRange(c.to) && c.output >= 0 && c.input >= 0 &&
        c.output < std::ssize(system.subsystems[static_cast<std::size_t>(c.from)]->outputs()) &&
        c.input < std::ssize(system.subsystems[static_cast<std::size_t>(c.to)]->inputs());
    if (!ok) throw CouplingError("a connection names an output or input that does not exist");
  }
  for (const auto& subsystem : system.subsystems) {
    const SubsystemCapabilities can = subsystem->capabilities();
    allRollBack = allRollBack && can.rollback;
    allVaryStep = allVaryStep && can.variableStep;
    if (subsystem->forceSize() > 0) {
      allAccelerate = allAccelerate && can.acceleration;
      allFollowParabolas = allFollowParabolas && can.forceOrder >= 2;
    }
    motions.emplace_back(subsystem->ports().size());
    outputs.push_back(Vector::Zero(std::ssize(subsystem->outputs())));
  }
  W.resize(system.subsystems.size());
  last.motions = motions;
  last.outputs = outputs;
  connectionMode = options.connections;
  if (connectionMode == ConnectionMode::iterated && !allRollBack) {
    connectionMode = ConnectionMode::gaussSeidel;
  }
  const Index m = joints.rowCount();
  memory = {Vector::Zero(m), Vector::Zero(m), Vector::Zero(m), true};
  published = Vector::Zero(m);
  u = Vector::Zero(std::ssize(system.connections));
  statistics.joints.resize(joints.joints().size());
}

/// The trials of one step of size H. Pre: all subsystems are at t, saved where they can be.
IterationReport Master::Implementation::iterate(double H, Vector& x) {
  const SchemeStep step{scheme, H, gain(H)};
  const bool iterated = connectionMode == ConnectionMode::iterated && u.size() > 0;
  const Index n = unknownsOfJoints(scheme);
  x.resize(n + (iterated ? u.size() : 0));
  x << step.predicted(memory), (iterated ? u : Vector());
  stepForces = std::make_unique<StepForces>(joints, motions, H);
  isFirstTrial = true;
  Vector correction;
  // Below this an open joint is the noise of integrators, which no multiplier can remove.
  const auto bearable = [&] {
    const bool closed = joints.rowCount() == 0 ||
                        last.interface.g.lpNorm<Eigen::Infinity>() <= 10 * options.gapTolerance;
    return closed && blockCount(scheme) == 2 && !iterated;
  };
  const IterationProblem problem{
      [&](const Vector& trialX, Vector& R) { return trial(step, trialX, R); },
      [&] { renewInterface(last.interface); },
      [&](const Vector& R, Vector& e) {
        precondition(step, Preconditioner::mobility, R, correction);
        if (options.preconditioner == Preconditioner::mobility) {
          e = correction;
        } else {
          precondition(step, options.preconditioner, R, e);
        }
      },
      bearable,
      [&](const Vector& trialX, const Vector&) { return error(step, trialX, correction); }};
  return iteration.solve(problem, x);
}

/// λ = λ_set + (f S)⁻¹ (g'' + a g'/H + b g/H²) from what is known at t, then one step.
bool Master::Implementation::explicitStep(double H) {
  const Index m = joints.rowCount();
  InterfaceValues now;
  joints.evaluate(motions, now);
  renewInterface(now);
  Vector residual = explicitRate / H * now.gv + explicitGap / (H * H) * now.g;
  if (allAccelerate) residual += now.ga;
  Vector correction(m);
  solver.solve(residual / options.mobilityFactor, correction);
  const Vector lambda = allAccelerate ? Vector(memory.last + correction) : correction;
  // memory.last: λ at the end of the last step; beforeLast: λ at its beginning.
  const bool line = scheme == Scheme::explicitLine && !memory.isFirst;
  Matrix C(m, 2);
  C << lambda, (line ? Vector(lambda - memory.beforeLast) : Vector(Vector::Zero(m)));
  const ForcePolynomial F = StepForces(joints, motions, H).line(C);
  for (std::size_t k = 0; k < system.subsystems.size(); ++k) {
    const bool isSet = carriedOut(k, [&] { setInputsOf(k, u, {0, 1, H}); });
    if (!isSet || !stepOne(k, F, t, H)) return false;
  }
  joints.evaluate(last.motions, last.interface);
  memory.beforeLast = lambda;
  memory.last = C.col(0) + C.col(1);
  memory.isFirst = false;
  published = memory.last;
  return true;
}

/// Superconvergent points of PV1: τ = (1 ± 1/√3)/2. λ(1) by the parabola through both of this step
/// and the upper one of the last.
void Master::Implementation::publish(const SchemeStep& step, const Vector& c) {
  const Index m = joints.rowCount();
  published = step.endValue(c);
  if (step.scheme != Scheme::pv1) return;
  const double upper = (1 + 1 / std::sqrt(3)) / 2, lower = 1 - upper;
  const Vector atUpper = c.head(m) + upper * c.tail(m), atLower = c.head(m) + lower * c.tail(m);
  const bool sameStep = std::abs(upperGaussStep - step.H) <= 1e-9 * step.H;  // times are rounded
  if (upperGauss.size() == m && sameStep) {
    const double before = upper - 1;
    const auto weight = [](double x, double y, double z) {
      return (1 - y) * (1 - z) / ((x - y) * (x - z));
    };
    published = weight(before, lower, upper) * upperGauss + weight(lower, before, upper) * atLower +
                weight(upper, before, lower) * atUpper;
  }
  upperGauss = atUpper;
  upperGaussStep = step.H;
}

void Master::Implementation::count(const IterationReport& report) {
  ++statistics.steps;
  statistics.mostEvaluations = std::max(statistics.mostEvaluations, report.evaluations);
  for (std::size_t j = 0; j < statistics.joints.size(); ++j) {
    JointStatistics& s = statistics.joints[j];
    const Index begin = joints.rowOffset(j), size = joints.joints()[j].size();
    const auto g = last.interface.g.segment(begin, size);
    const auto gv = last.interface.gv.segment(begin, size);
    s.largestGap = std::max(s.largestGap, g.lpNorm<Eigen::Infinity>());
    s.largestGapRate = std::max(s.largestGapRate, gv.lpNorm<Eigen::Infinity>());
    s.largestPower = std::max(s.largestPower, std::abs(published.segment(begin, size).dot(gv)));
  }
}

void Master::Implementation::accept(const SchemeStep& step, const Vector& x,
                                    const IterationReport& report) {
  const Index n = unknownsOfJoints(step.scheme);
  if (isIterated(step.scheme)) {
    publish(step, x.head(n));
    step.accept(x.head(n), memory);
    for (Vector* l : {&memory.last, &memory.beforeLast, &memory.slope, &published}) {
      removeIdlePart(*l);
    }
    if (!allFollowParabolas) memory.isFirst = true;  // B2 then runs along lines
  }
  if (!allAccelerate) {  // the mean of the step stands in for what ports do not tell
    for (std::size_t k = 0; k < motions.size(); ++k) {
      for (std::size_t p = 0; p < motions[k].size(); ++p) {
        PortMotion& now = last.motions[k][p];
        now.a = (now.v - motions[k][p].v) / step.H;
        now.z = (now.w - motions[k][p].w) / step.H;
      }
    }
  }
  motions = last.motions;
  outputs = last.outputs;
  u = connectedValues(outputs);
  if (u.size() > 0) largestInput = std::max(largestInput, u.lpNorm<Eigen::Infinity>());
  if (memory.last.size() > 0) {
    largestMultiplier = std::max(largestMultiplier, memory.last.lpNorm<Eigen::Infinity>());
  }
  count(report);
  mobilityIsStale = report.evaluations > 6;
  acceptedErrors = report.errors;
}

IterationReport Master::Implementation::attempt(double h, Vector& x) {
  last.subsystem = -1;
  IterationReport report;
  report.end = IterationEnd::trialFailed;
  if (isIterated(scheme) || joints.rowCount() == 0) {
    if (allRollBack && !saveAll()) return report;
    if (allRollBack && mobilityIsStale) probeMobilities(h, Probe::stale);
    report = iterate(h, x);
  } else {
    report = {explicitStep(h) ? IterationEnd::converged : IterationEnd::trialFailed, 1, {}};
  }
  statistics.evaluations += report.evaluations;
  if (!report.accepted()) ++statistics.failures;
  if (report.end == IterationEnd::stagnated) ++statistics.stagnated;
  return report;
}

Master::Master(CoupledSystem system, const MasterOptions& options)
    : implementation_(std::make_unique<Implementation>(std::move(system), options)) {}

Master::~Master() = default;

const Certificate& Master::initialize(double startTime, std::optional<double> stopTime, double H) {
  enterInitialization(startTime, stopTime);
  findStart();
  return exitInitialization(H);
}

void Master::enterInitialization(double startTime, std::optional<double> stopTime) {
  implementation_->enterInitialization(startTime, stopTime);
}

void Master::findStart() { implementation_->findConsistentStart(); }

const Certificate& Master::exitInitialization(double H) {
  implementation_->exitInitialization(H);
  return implementation_->certificate;
}

MasterStep Master::advance(double targetTime) {
  Implementation& i = *implementation_;
  MasterStep result;
  const double H = targetTime - i.t;
  if (i.presentStep <= 0 || i.presentStep > (1 - 1e-9) * H) i.presentStep = H;
  while (result.completed && !result.wantsToEnd && targetTime - i.t > 1e-9 * H) {
    const double left = targetTime - i.t;
    const bool reachesTarget = i.presentStep > left * (1 - 1e-9);
    const double h = reachesTarget ? left : i.presentStep;
    Vector x;
    const IterationReport report = i.attempt(h, x);
    result.evaluations += report.evaluations;
    if (report.accepted()) {
      i.accept({i.scheme, h, i.gain(h)}, x, report);
      i.t = reachesTarget ? targetTime : i.t + h;
      ++result.steps;
      i.growStep(H);
      result.wantsToEnd = i.last.wantsToEnd;
    } else {
      ++result.failures;
      result.history = report.errors;
      result.completed = i.canRetry(h, H);
      result.failure = i.failureText(h, report);
      if (!i.shrinkStep(h)) {  // the restoring failed too
        result.completed = false;
        result.failure = i.failureText(h, report);
      }
    }
    result.subsystem = i.last.subsystem < 0 ? "" : i.nameOf(i.last.subsystem);
  }
  result.reachedTime = i.t;
  if (result.completed) result.failure.clear();
  return result;
}

void Master::terminate() {
  for (const auto& subsystem : implementation_->system.subsystems) subsystem->terminate();
}

double Master::time() const { return implementation_->t; }
const Certificate& Master::certificate() const { return implementation_->certificate; }
const JointSet& Master::joints() const { return implementation_->joints; }
const SubsystemList& Master::subsystems() const { return implementation_->system.subsystems; }
const Motions& Master::motions() const { return implementation_->motions; }
const std::vector<Vector>& Master::outputs() const { return implementation_->outputs; }
const Vector& Master::multipliers() const { return implementation_->published; }
const MasterStatistics& Master::statistics() const { return implementation_->statistics; }

}  // namespace trammel::coupling
