#include <algorithm>
#include <cmath>
#include <limits>

#include "fmu_src/instance_implementation.hpp"
#include "fmu_src/number_text.hpp"

namespace trammel::fmi {
namespace {

constexpr int mostEvents = 10000;  // in one step: more are no motion any more

/// Importers accumulate times or multiply them: a communication time may be off by rounding, here
/// by a billionth of the step and by 16 units in the last place.
double timeTolerance(double t, double step) {
  return 1e-9 * step + 16 * std::numeric_limits<double>::epsilon() * std::abs(t);
}

/// A time so little later that the integrator does exactly one step to reach it.
double justAfter(double t) { return t + 1e-14 * std::max(1.0, std::abs(t)); }

}  // namespace

/// Pre: there is one. The stop time may be passed by rounding: the accumulated one of many steps (a
/// thousandth of a step is allowed), and by the whole step of an importer that sees itself just
/// before the stop time because of it.
bool Instance::Implementation::meetsStopTime(double currentTime, double stepSize) const {
  const double stop = *snapshot.experiment.stopTime;
  const double rounding =
      1e-3 * std::max(stepSize, snapshot.lastStepSize) + timeTolerance(stop, stepSize);
  const bool endsAtStop = currentTime + stepSize - stop <= rounding;
  const bool startsJustBefore = currentTime < stop && stop - currentTime <= rounding;
  return endsAtStop || startsJustBefore;
}

/// Pre: stepSize > 0. Where one of both is not finite the tolerance is not either.
bool Instance::Implementation::meetsTime(double currentTime, double stepSize) const {
  const double tolerance = timeTolerance(std::max(std::abs(currentTime), std::abs(snapshot.time)),
                                         std::max(stepSize, snapshot.lastStepSize));
  return std::abs(currentTime - snapshot.time) <= tolerance &&
         tolerance < std::numeric_limits<double>::infinity();
}

/// The usual step, told from others by few operations: it meets the time within a billionth of its
/// size, which is > 0 and finite, ends before the stop time, and nothing happens besides.
inline bool Instance::Implementation::isUsual(double currentTime, double stepSize) const {
  return std::abs(currentTime - snapshot.time) < 1e-9 * stepSize &&
         currentTime + stepSize <= latestEnd && !besides.any();
}

void Instance::Implementation::checkStep(double currentTime, double stepSize) const {
  const bool meets = stepSize > 0 && meetsTime(currentTime, stepSize);
  const bool hasStop = snapshot.experiment.stopTime.has_value();
  if (!meets || (hasStop && !meetsStopTime(currentTime, stepSize)))
    throwWrongStep(currentTime, stepSize);
}

void Instance::Implementation::throwWrongStep(double currentTime, double stepSize) const {
  if (!std::isfinite(currentTime))
    throw Error("communication point must be finite, is " + numberText(currentTime));
  if (!(stepSize > 0) || !std::isfinite(stepSize))
    throw Error("communication step size must be > 0 s and finite, is " + numberText(stepSize));
  if (!meetsTime(currentTime, stepSize))
    throw Error("communication point is " + numberText(currentTime) + " s, expected " +
                numberText(snapshot.time) + " s");
  throw Error("step from " + numberText(currentTime) + " s by " + numberText(stepSize) +
              " s passes the stop time " + numberText(*snapshot.experiment.stopTime) + " s");
}

/// Whether the integrator works with other values than those set. Compares them only where
/// something was set since they were last found equal: this is asked at every step.
bool Instance::Implementation::hasChanges() {
  if (besides.mayDiffer) besides.mayDiffer = !(snapshot.applied == snapshot.set);
  return besides.mayDiffer;
}

/// Gives the integrator the inputs and parameters set since the last step. The forces jump at the
/// communication time: the history is shifted, (E20), where inputs have slopes by the jerk too.
/// Right after the start there is none to shift, and it is of no use where a parameter or input
/// moves the constraints: then the integrator starts anew from the present q and v.
Report Instance::Implementation::applyChanges() {
  valuesChanged = true;
  const double t = snapshot.time;
  Report report = integrator->motion(t, true, before);
  if (!report.ok) return report;
  report = integrator->returnTo(t);
  if (!report.ok) return report;
  const bool slopesJump =
      !snapshot.applied.inputs.isConstant() || !snapshot.set.inputs.isConstant();
  if (slopesJump) report = integrator->rates(before, ratesBefore);
  if (!report.ok) return report;

  system->constraint(t, before.q, g);
  system->constraintRate(t, before.q, before.v, rate);
  snapshot.applied = snapshot.set;
  applyOutsideValues();
  system->constraint(t, before.q, gAfter);
  system->constraintRate(t, before.q, before.v, rateAfter);

  const bool sameConstraints = g == gAfter && rate == rateAfter;
  const bool hasHistory = integrator->statistics().steps > 0;
  if (!sameConstraints || !hasHistory) return integrator->restart(before.q, before.v);
  return slopesJump ? integrator->shift(before, ratesBefore) : integrator->shift(before);
}

/// The forces have another law from the event on: nothing of the history holds there.
Report Instance::Implementation::handleEvent() {
  Report report = integrator->motion(integrator->time(), false, before);
  if (report.ok) report = integrator->restart(before.q, before.v);
  if (report.ok) snapshot.eventPending = false;
  return report;
}

bool Instance::Implementation::reportsEvents() const {
  return stepOptions.eventModeUsed && stepOptions.earlyReturnAllowed;
}

bool Instance::Implementation::looksIn() const {
  return stepOptions.intermediateUpdate &&
         (stepOptions.earlyReturnAllowed || !stepOptions.intermediateVariables.empty());
}

std::optional<double> Instance::Implementation::lookIn(const IntermediatePoint& point) {
  snapshot.mode = Mode::intermediateUpdate;
  intermediateTime = point.time;
  intermediateGetAllowed = point.getAllowed;
  forget();
  const std::optional<double> wished = stepOptions.intermediateUpdate(point);
  if (snapshot.mode == Mode::failed) throw Error("a call in the intermediate update has failed");
  snapshot.mode = Mode::step;
  forget();
  return wished && std::isfinite(*wished) ? wished : std::nullopt;
}

/// Asks for the inputs in the middle and at the end of the step to come; with the value at its
/// beginning they make u(t) a parabola:
///   u' = (−3 u₀ + 4 u½ − u₁)/H,   u'' = 4 (u₀ − 2 u½ + u₁)/H².
void Instance::Implementation::sampleInputs(double from, double to) {
  std::vector<std::size_t> wanted;
  for (const std::uint32_t valueReference : stepOptions.intermediateVariables) {
    const Variable& variable = *model.variables().find(valueReference);
    if (variable.quantity == Quantity::input)
      wanted.push_back(static_cast<std::size_t>(variable.index));
  }
  const double H = to - from;
  if (wanted.empty() || H <= timeTolerance(from, 0)) return;  // nothing changes in so short a time
  std::vector<double> middle, end;
  for (std::vector<double>* values : {&middle, &end}) {
    const double t = values == &middle ? from + H / 2 : to;
    sampled.clear();
    for (std::size_t i = 0; i < snapshot.set.inputs.size(); ++i)
      sampled.push_back(snapshot.set.inputs.at(i, t));
    lookIn({.time = t, .setRequested = true});
    *values = sampled;
  }
  for (const std::size_t i : wanted) {
    const double u0 = snapshot.set.inputs.at(i, from), u1 = end[i], um = middle[i];
    if (um == snapshot.set.inputs.at(i, from + H / 2) && u1 == snapshot.set.inputs.at(i, to))
      continue;  // as it goes on anyway
    besides.mayDiffer = true;
    snapshot.set.inputs.set(i, from, u0, (-3 * u0 + 4 * um - u1) / H,
                            4 * (u0 - 2 * um + u1) / (H * H));
  }
}

/// How far the integrator may go to reach the end of a step. Where nothing was changed nothing may
/// change at the end either: it may pass it, in mode damp up to the stop time. There the last steps
/// are as long as the run, and it is their end that is damped, not what lies inside. In other modes
/// importers that define no stop time get the same values.
double Instance::Implementation::farthest(double target) const {
  if (valuesChanged || snapshot.settings.repeatable) return target;
  return std::max(farthestUsually, target);
}

/// Goes on to `target`, which an importer that looks in may bring nearer.
Report Instance::Implementation::advance(double& target, StepResult& result) {
  const double limit = farthest(target);
  for (int events = 0; events < mostEvents;) {
    const bool stepwise = looksIn() && integrator->time() < target;
    const double next = stepwise ? std::min(justAfter(integrator->time()), target) : target;
    Report report = integrator->advance(next, std::max(limit, next));
    if (!report.ok) return report;
    if (report.event) {
      ++events;
      snapshot.eventPending = true;
      if (reportsEvents()) {
        result.eventHandlingNeeded = true;
        target = std::min(target, integrator->time());
        return {};
      }
      if (Report handled = handleEvent(); !handled.ok) return handled;
      continue;
    }
    if (!stepwise) return {};
    const bool arrived = next == target;
    const double reached = arrived ? target : std::min(integrator->time(), target);
    const bool canReturn = stepOptions.earlyReturnAllowed && reached < target;
    const auto wished = lookIn(
        {.time = reached, .setRequested = false, .getAllowed = true, .canReturnEarly = canReturn});
    if (canReturn && wished) target = std::clamp(*wished, reached, target);
    if (arrived || reached >= target) return {};
  }
  return {false, "more than " + std::to_string(mostEvents) + " events in one step"};
}

/// Whether the motion at this time is known, so that a step to it has nothing to do. An event that
/// the integrator has met lies at its own time and is yet to be handled.
bool Instance::Implementation::hasPassed(double t) const {
  return (hasRoots ? justAfter(t) : t) <= integrator->time();
}

Report Instance::Implementation::tryStep(double target, StepResult& result) {
  if (looksIn()) sampleInputs(snapshot.time, target);
  if (snapshot.eventPending) {
    if (Report report = handleEvent(); !report.ok) return report;
  }
  if (hasChanges()) {
    if (Report report = applyChanges(); !report.ok) return report;
  }
  double reached = target;
  Report report = advance(reached, result);
  result.lastSuccessfulTime = reached;
  result.earlyReturn = reached < target;
  return report;
}

void Instance::Implementation::forgetRenewals() {
  if (!besides.mayBeRenewed) return;
  std::fill(snapshot.inputRenewed.begin(), snapshot.inputRenewed.end(), 0);
  besides.mayBeRenewed = false;
}

inline void Instance::Implementation::arriveAt(double time, double stepSize) {
  snapshot.time = time;
  snapshot.lastStepSize = stepSize;
  lastStepStatus = Status::ok;
  forcesExpected = forcesRead;
  forcesRead = false;
  forget();
}

/// tryStep() that leaves all as it was where it fails.
Report Instance::Implementation::tryStepOrReturn(double target, StepResult& result) {
  integrator->save(rollback);
  formerlyApplied = snapshot.applied;
  formerlySet = snapshot.set;
  const bool eventPending = snapshot.eventPending;
  Report report = tryStep(target, result);
  if (report.ok) return report;
  snapshot.applied = formerlyApplied;
  snapshot.set = formerlySet;
  snapshot.eventPending = eventPending;
  besides.mayDiffer = true;
  applyOutsideValues();
  integrator->restore(rollback);
  forget();
  return report;
}

StepResult Instance::Implementation::discard(const CommunicationStep& step, const Report& why) {
  lastStepStatus = Status::discard;
  log.write(Status::discard, "step from " + numberText(step.from) + " s by " +
                                 numberText(step.size) +
                                 " s discarded, the state is as before: " + why.message);
  return {.status = Status::discard, .lastSuccessfulTime = snapshot.time};
}

/// A step in which more may happen than that time goes on.
StepResult Instance::Implementation::doFullStep(const CommunicationStep& step) {
  const double target = endOf(step);
  StepResult result{.lastSuccessfulTime = target};
  const bool changes = hasChanges() || snapshot.eventPending || looksIn();
  if (changes || !hasPassed(target)) {
    valuesChanged = false;
    const Report report = tryStepOrReturn(target, result);
    if (!report.ok) return discard(step, report);
  }
  forgetRenewals();
  arriveAt(result.lastSuccessfulTime, step.size);
  return result;
}

/// A step that is not a usual one. Throws Error where it is wrong.
StepResult Instance::Implementation::doOtherStep(double currentTime, double stepSize) {
  checkStep(currentTime, stepSize);
  const CommunicationStep step{currentTime, stepSize};
  if (besides.special || hasChanges()) return doFullStep(step);
  const double target = endOf(step);
  valuesChanged = false;
  if (target > integrator->time()) {
    const Report report = integrator->advance(target, farthest(target));
    if (!report.ok) return discard(step, report);
  }
  forgetRenewals();
  arriveAt(target, stepSize);
  return {.lastSuccessfulTime = target};
}

/// In a usual step time goes on, and that is all: what tells others from it is short, and what
/// those need out of the way.
[[gnu::hot]] StepResult Instance::doStep(double currentTime, double stepSize) {
  Implementation& self = *implementation_;
  if (!self.isUsual(currentTime, stepSize)) [[unlikely]]
    return self.doOtherStep(currentTime, stepSize);
  const CommunicationStep step{currentTime, stepSize};
  const double target = self.endOf(step);
  if (target > self.integrator->time()) [[likely]] {
    self.valuesChanged = false;
    // The integrator looks after itself: where it fails it is as before.
    const Report report = self.integrator->advance(target, self.farthestUsually);
    if (!report.ok) [[unlikely]]
      return self.discard(step, report);
  }
  self.arriveAt(target, stepSize);
  return {.lastSuccessfulTime = target};
}

void Instance::enterEventMode() {
  if (!implementation_->stepOptions.eventModeUsed)
    throw Error("eventModeUsed was false when the instance was made");
  implementation_->snapshot.mode = Mode::event;
}

void Instance::updateDiscreteStates() {
  Implementation& self = *implementation_;
  if (!self.snapshot.eventPending) return;
  const Report report = self.handleEvent();
  if (!report.ok) throw Error("no motion after the event: " + report.message);
  self.forget();
}

void Instance::enterStepMode() { implementation_->snapshot.mode = Mode::step; }

}  // namespace trammel::fmi
