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
  stepControl.validate();
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
  memory.restart(Vector::Zero(m));
  sentAtEnd = memory.last;
  u = Vector::Zero(std::ssize(system.connections));
  uBefore = uLargest = u;
  statistics.joints.resize(joints.joints().size());
}

/// The trials of one step of size H. Pre: all subsystems are at t, saved where they can be.
IterationReport Master::Implementation::iterate(double H, MultiplierIteration& by, Vector& x) {
  const SchemeStep step{scheme, H, gain(H)};
  const bool iterated = connectionMode == ConnectionMode::iterated && u.size() > 0;
  const Index n = unknownsOfJoints(scheme);
  x.resize(n + (iterated ? u.size() : 0));
  x << step.predicted(memory), (iterated ? u : Vector());
  // To an event: the last trial, which has found it, went nearly as far.
  const bool isRetried = eventTime > t && eventsInRow > 1 && tried.size() == x.size();
  if (isRetried) x = tried;
  stepForces = std::make_unique<StepForces>(joints, motions, H);
  isFirstTrial = true;
  correction = Vector::Zero(x.size());
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
      [&](const Vector& trialX, const Vector&) {
        return isTiny(H) && bearable() ? 0 : error(step, trialX, correction);
      },
      [&](const Vector& trialX, const Vector& difference) {
        return error(step, trialX, difference);
      }};
  return by.solve(problem, x);
}

/// B2 starts with no λ_{n−1}: one trial of half a step, which is taken back, finds λ in the middle
/// of the first step to O(H³), and the step runs along a parabola like all others. False: there is
/// no way back. Pre: as for iterate().
bool Master::Implementation::findSecondPoint(double H) {
  memory.beforeLast = memory.last;
  memory.lastStep = 0;
  const bool isLine = !allFollowParabolas || !allVaryStep || eventTime > t || isTiny(H);
  if (scheme != Scheme::b2 || isLine || joints.rowCount() == 0) return true;
  IterationOptions once;
  once.maxEvaluations = 1;
  MultiplierIteration single(once);
  Vector x;
  const IterationReport report = iterate(H / 2, single, x);
  statistics.evaluations += report.evaluations;
  const bool isKnown = !report.errors.empty() && correction.allFinite();
  if (isKnown) {
    memory.beforeLast = (tried + correction).head(joints.rowCount());
    memory.lastStep = -H / 2;
  }
  return restoreAll();
}

/// λ = λ_set + (f S)⁻¹ (g'' + a g'/H + b g/H²) from what is known at t, then one step. f > 1 makes
/// λ follow late; where it is held it leads by the part 1 − 1/f of its last change, which is as
/// late as with S itself.
bool Master::Implementation::explicitStep(double H) {
  const Index m = joints.rowCount();
  InterfaceValues now;
  joints.evaluate(motions, now);
  renewInterface(now);
  Vector residual = explicitRate / H * now.gv + explicitGap / (H * H) * now.g;
  if (allAccelerate) residual += now.ga;
  Vector change(m);
  solver.solve(residual / options.mobilityFactor, change);
  const Vector lambda = allAccelerate ? Vector(memory.last + change) : change;
  // memory.last: λ at the end of the last step; beforeLast: λ at its beginning.
  Vector slope = Vector::Zero(m);
  if (!memory.isFirst()) slope = (lambda - memory.beforeLast) * (H / memory.lastStep);
  Matrix C(m, 2);
  if (scheme == Scheme::explicitLine) {
    C << lambda, slope;
  } else {
    const double lead = allAccelerate ? 1 - 1 / options.mobilityFactor : 0;
    C << lambda + lead * slope, Vector::Zero(m);
  }
  const ForcePolynomial F = StepForces(joints, motions, H).line(C);
  for (std::size_t k = 0; k < system.subsystems.size(); ++k) {
    const bool isSet = carriedOut(k, [&] { setInputsOf(k, u, {0, 1, H}); });
    if (!isSet || !stepOne(k, F, t, H, t + H)) return false;
  }
  joints.evaluate(last.motions, last.interface);
  memory.beforeLast = lambda;
  memory.last = C.col(0) + C.col(1);
  memory.lastStep = H;
  return true;
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
    s.largestPower = std::max(s.largestPower, std::abs(memory.last.segment(begin, size).dot(gv)));
  }
}

void Master::Implementation::accept(const SchemeStep& step, const Vector& x,
                                    const IterationReport& report) {
  if (isIterated(step.scheme)) {
    const Index m = joints.rowCount();
    const Index n = unknownsOfJoints(step.scheme);
    Vector c = x.head(n), corrected = c + correction.head(n);
    for (Index b = 0; b < blockCount(step.scheme); ++b) {
      removeIdlePart(c.segment(b * m, m));
      removeIdlePart(corrected.segment(b * m, m));
    }
    step.accept(c, corrected, toleratedErrors(step, c), memory);
    // From samples that lie close together nothing can be extrapolated.
    if (isTiny(step.H)) memory.restart(Vector(memory.last));
    sentAtEnd = step.scheme == Scheme::pc2 ? Vector(c.tail(m)) : step.endValue(c);
    if (!allFollowParabolas) memory.lastStep = 0;  // B2 then runs along lines
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
  uBefore = std::exchange(u, connectedValues(outputs));
  uStep = step.H;
  uLargest = uLargest.cwiseMax(u.cwiseAbs());
  if (u.size() > 0) largestInput = std::max(largestInput, u.lpNorm<Eigen::Infinity>());
  if (memory.last.size() > 0) {
    largestMultiplier = std::max(largestMultiplier, memory.last.lpNorm<Eigen::Infinity>());
  }
  if (!isTiny(step.H)) eventsInRow = 0;
  const bool isSmallest = statistics.steps == 0 || step.H < statistics.smallestStep;
  if (isSmallest) statistics.smallestStep = step.H;
  statistics.largestStep = std::max(statistics.largestStep, step.H);
  count(report);
  mobilityIsStale = report.evaluations > 6;
  acceptedErrors = report.errors;
}

IterationReport Master::Implementation::attempt(double h, Vector& x) {
  last.subsystem = -1;
  IterationReport report;
  report.end = IterationEnd::trialFailed;
  if (beforeStep) beforeStep(t);
  if (isIterated(scheme) || joints.rowCount() == 0) {
    if (allRollBack && !saveAll()) return report;
    if (allRollBack && mobilityIsStale) probeMobilities(h, Probe::stale);
    if (memory.isFirst() && !findSecondPoint(h)) return report;
    report = iterate(h, iteration, x);
  } else {
    report = {explicitStep(h) ? IterationEnd::converged : IterationEnd::trialFailed, 1, {}};
  }
  statistics.evaluations += report.evaluations;
  if (!report.accepted() && !last.endedEarly()) ++statistics.failures;
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

void Master::Implementation::prepareAdvance(double H) {
  nominalStep = H;
  const double most = options.stepControl.isOn() && options.stepControl.maxStep > 0
                          ? std::min(options.stepControl.maxStep, H)
                          : H;
  if (presentStep <= 0 || presentStep > (1 - 1e-9) * most) presentStep = most;
}

MasterStep Master::advance(double targetTime) {
  Implementation& i = *implementation_;
  MasterStep result;
  const double H = targetTime - i.t;
  const bool controlsError = i.options.stepControl.isOn();
  i.prepareAdvance(H);
  while (result.completed && !result.wantsToEnd && targetTime - i.t > 1e-9 * H) {
    const double left = targetTime - i.t, h = i.nextStep(left);
    Vector x;
    const IterationReport report = i.attempt(h, x);
    result.evaluations += report.evaluations;
    const SchemeStep step{i.scheme, h, i.gain(h)};
    StepVerdict verdict;
    if (report.accepted() && controlsError) verdict = i.verdict(step, x);
    const bool isTooInexact = verdict.error > 1 && h > (1 + 1e-9) * i.smallestStep(H);
    if (report.accepted() && !isTooInexact) {
      i.accept(step, x, report);
      i.t = h == left ? targetTime : i.t + h;
      ++result.steps;
      result.completed = i.handleEvents();
      if (controlsError) {
        i.adapt(h, verdict);
      } else {
        i.growStep(H);
      }
      result.wantsToEnd = i.last.wantsToEnd;
    } else if (report.accepted()) {
      result.completed = i.reject(h, verdict);
    } else if (i.last.endedEarly()) {
      result.completed = i.goToEvent();
    } else {
      ++result.failures;
      result.history = report.errors;
      result.failure = i.failureText(h, report);
      result.completed = i.canRetry(h, H);
      // The restoring may fail too, and is what there is to be told then.
      if (!i.shrinkStep(h)) {
        result.completed = false;
        result.failure.clear();
      }
    }
    if (!result.completed && result.failure.empty()) result.failure = i.failureText(h, report);
    result.subsystem = i.last.subsystem < 0 ? "" : i.nameOf(i.last.subsystem);
  }
  result.reachedTime = i.t;
  if (result.completed) result.failure.clear();
  return result;
}

void Master::setBeforeStep(std::function<void(double t)> function) {
  implementation_->beforeStep = std::move(function);
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
const Vector& Master::multipliers() const { return implementation_->memory.last; }
const MasterStatistics& Master::statistics() const { return implementation_->statistics; }

}  // namespace trammel::coupling
