#include "fmu_src/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fmu_src/instance_implementation.hpp"
#include "fmu_src/number_text.hpp"

namespace trammel::fmi {
namespace {

/// Importers accumulate times or multiply them: a communication time may be off by rounding, here
/// by a billionth of the step and by 16 units in the last place.
double timeTolerance(double t, double step) {
  const double ulp =
      std::nextafter(std::abs(t), std::numeric_limits<double>::infinity()) - std::abs(t);
  return 1e-9 * step + 16 * ulp;
}

std::vector<double> startsOf(const CompiledModel& model, Quantity quantity, Index count) {
  std::vector<double> starts(static_cast<std::size_t>(count), 0.0);
  for (const Variable& variable : model.variables().variables)
    if (variable.quantity == quantity)
      starts[static_cast<std::size_t>(variable.index)] = variable.start.value_or(0);
  return starts;
}

}  // namespace

Instance::Implementation::Implementation(CompiledModel compiledModel, Log sink)
    : model(std::move(compiledModel)), log(std::move(sink)), system(model.makeSystem()) {
  outputs.resize(static_cast<std::size_t>(model.outputCount()));
  for (Vector* constraints : {&residuals, &g, &rate, &gAfter, &rateAfter})
    constraints->setZero(model.constraintCount());
  clear();
}

void Instance::Implementation::makeIntegrator(double tolerance) {
  SolverOptions options = model.solverOptions();
  const DefaultExperiment& experiment = model.defaultExperiment();
  options.tolerance = tolerance;
  if (experiment.stopTime > experiment.startTime)
    options.horizon = experiment.stopTime - experiment.startTime;
  options.validate();
  integrator.emplace(*system, options);
  integrator->save(rollback);
  memorySize = rollback.size();
}

void Instance::Implementation::clear() {
  const DefaultExperiment& experiment = model.defaultExperiment();
  const auto n = static_cast<std::size_t>(model.coordinateCount());
  Snapshot fresh;
  fresh.experiment = {.tolerance = model.solverOptions().tolerance,
                      .startTime = experiment.startTime,
                      .stopTime = std::nullopt};
  fresh.time = experiment.startTime;
  fresh.set.parameters = startsOf(model, Quantity::parameter, model.parameterCount());
  fresh.set.inputs = startsOf(model, Quantity::input, model.inputCount());
  fresh.applied = fresh.set;
  fresh.q0.resize(n);
  fresh.v0.resize(n);
  fresh.q0Set.resize(n);
  fresh.v0Set.resize(n);
  snapshot = std::move(fresh);
  lastStepStatus = Status::ok;
  makeIntegrator(snapshot.experiment.tolerance);
  applyOutsideValues();
  forget();
}

void Instance::Implementation::applyOutsideValues() {
  system->setParameters(snapshot.applied.parameters);
  system->setInputs(snapshot.applied.inputs);
}

Report Instance::Implementation::solveInitialValues() {
  if (snapshot.started) return {};
  snapshot.applied = snapshot.set;
  applyOutsideValues();
  Vector q, v;
  startGuess(q, v);
  Report report = integrator->start(snapshot.time, q, v);
  snapshot.started = report.ok;
  forget();
  return report;
}

/// The stop time may be passed by rounding: the accumulated one of many steps (a thousandth of a
/// step is allowed), and by the whole step of an importer that sees itself just before the stop
/// time because of it.
bool Instance::Implementation::meetsStopTime(double currentTime, double stepSize) const {
  if (!snapshot.experiment.stopTime) return true;
  const double stop = *snapshot.experiment.stopTime;
  const double rounding =
      1e-3 * std::max(stepSize, snapshot.lastStepSize) + timeTolerance(stop, stepSize);
  const bool endsAtStop = currentTime + stepSize - stop <= rounding;
  const bool startsJustBefore = currentTime < stop && stop - currentTime <= rounding;
  return endsAtStop || startsJustBefore;
}

void Instance::Implementation::checkStep(double currentTime, double stepSize) const {
  if (!std::isfinite(currentTime))
    throw Error("communication point must be finite, is " + numberText(currentTime));
  if (!(stepSize > 0) || !std::isfinite(stepSize))
    throw Error("communication step size must be > 0 s and finite, is " + numberText(stepSize));
  const double tolerance = timeTolerance(std::max(std::abs(currentTime), std::abs(snapshot.time)),
                                         std::max(stepSize, snapshot.lastStepSize));
  if (std::abs(currentTime - snapshot.time) > tolerance)
    throw Error("communication point is " + numberText(currentTime) + " s, expected " +
                numberText(snapshot.time) + " s");
  if (!meetsStopTime(currentTime, stepSize))
    throw Error("step from " + numberText(currentTime) + " s by " + numberText(stepSize) +
                " s passes the stop time " + numberText(*snapshot.experiment.stopTime) + " s");
}

/// Gives the integrator the inputs and parameters set since the last step. The forces jump at the
/// communication time: the history is shifted, (E20). Right after the start there is none to shift,
/// and it is of no use where a parameter moves the constraints: then the integrator starts anew
/// from the present q and v.
Report Instance::Implementation::applyChanges() {
  if (snapshot.applied == snapshot.set) return {};
  const double t = snapshot.time;
  Report report = integrator->motion(t, true, before);
  if (!report.ok) return report;
  report = integrator->returnTo(t);
  if (!report.ok) return report;

  system->constraint(t, before.q, g);
  system->constraintRate(t, before.q, before.v, rate);
  snapshot.applied = snapshot.set;
  applyOutsideValues();
  system->constraint(t, before.q, gAfter);
  system->constraintRate(t, before.q, before.v, rateAfter);

  const bool sameConstraints = g == gAfter && rate == rateAfter;
  const bool hasHistory = integrator->statistics().steps > 0;
  return sameConstraints && hasHistory ? integrator->shift(before)
                                       : integrator->start(t, before.q, before.v);
}

Report Instance::Implementation::tryStep(double target) {
  Report report = applyChanges();
  if (!report.ok || target <= integrator->time()) return report;
  const bool inputsMayJump = model.inputCount() > 0;
  return integrator->advance(target,
                             inputsMayJump ? target : std::numeric_limits<double>::infinity());
}

Instance::Instance(CompiledModel model, Log log)
    : implementation_(std::make_unique<Implementation>(std::move(model), std::move(log))) {}
Instance::Instance(Instance&&) noexcept = default;
Instance::~Instance() = default;

const CompiledModel& Instance::model() const { return implementation_->model; }
Mode Instance::mode() const { return implementation_->snapshot.mode; }
Log& Instance::log() { return implementation_->log; }
double Instance::time() const { return implementation_->snapshot.time; }
Status Instance::lastStepStatus() const { return implementation_->lastStepStatus; }
const Statistics& Instance::statistics() const { return implementation_->integrator->statistics(); }

void Instance::setupExperiment(std::optional<double> tolerance, double startTime,
                               std::optional<double> stopTime) {
  if (tolerance && (!(*tolerance > 0) || !std::isfinite(*tolerance)))
    throw Error("tolerance must be > 0 and finite, is " + numberText(*tolerance));
  if (!std::isfinite(startTime))
    throw Error("start time must be finite, is " + numberText(startTime));
  if (stopTime && !(*stopTime >= startTime))
    throw Error("stop time must not lie before the start time " + numberText(startTime) +
                " s, is " + numberText(*stopTime));
  Implementation& self = *implementation_;
  Experiment experiment{.tolerance = tolerance.value_or(self.model.solverOptions().tolerance),
                        .startTime = startTime,
                        .stopTime = stopTime};
  if (experiment.tolerance != self.snapshot.experiment.tolerance)
    self.makeIntegrator(experiment.tolerance);
  self.snapshot.experiment = experiment;
  self.snapshot.time = startTime;
  self.snapshot.started = false;
  self.forget();
}

void Instance::enterInitializationMode() { implementation_->snapshot.mode = Mode::initialization; }

void Instance::enterInitializationMode(std::optional<double> tolerance, double startTime,
                                       std::optional<double> stopTime) {
  setupExperiment(tolerance, startTime, stopTime);
  enterInitializationMode();
}

void Instance::exitInitializationMode() {
  const Report report = implementation_->solveInitialValues();
  if (!report.ok) throw Error("no consistent initial values: " + report.message);
  if (!report.message.empty()) implementation_->log.write(Status::ok, report.message);
  implementation_->snapshot.mode = Mode::step;
}

StepResult Instance::doStep(double currentTime, double stepSize) {
  Implementation& self = *implementation_;
  self.checkStep(currentTime, stepSize);
  // From the arguments, so that nothing accumulates here; rounding must not lead backwards.
  const double target = std::max(currentTime + stepSize, self.snapshot.time);

  const bool changes = !(self.snapshot.applied == self.snapshot.set);
  if (changes) {
    self.formerlyApplied = self.snapshot.applied;
    self.integrator->save(self.rollback);
  }
  const Report report = self.tryStep(target);
  if (!report.ok) {
    // advance() has left the integrator alone, but it may have been shifted.
    if (changes) {
      self.snapshot.applied = self.formerlyApplied;
      self.applyOutsideValues();
      self.integrator->restore(self.rollback);
    }
    self.lastStepStatus = Status::discard;
    self.log.write(Status::discard, "step from " + numberText(currentTime) + " s by " +
                                        numberText(stepSize) +
                                        " s discarded, the state is as before: " + report.message);
    return {Status::discard, self.snapshot.time};
  }
  self.snapshot.time = target;
  self.snapshot.lastStepSize = stepSize;
  self.lastStepStatus = Status::ok;
  self.forget();
  return {Status::ok, target};
}

void Instance::terminate() { implementation_->snapshot.mode = Mode::terminated; }

void Instance::reset() { implementation_->clear(); }

void Instance::fail(const char* where, const char* message) noexcept {
  implementation_->log.write(Status::error, where, message);
  implementation_->snapshot.mode = Mode::failed;
}

void Instance::save(Snapshot& out) const {
  const Implementation& self = *implementation_;
  std::vector<double> memory = std::move(out.memory);
  out = self.snapshot;
  out.memory = std::move(memory);
  out.memory.clear();
  if (self.snapshot.started) self.integrator->save(out.memory);
}

void Instance::restore(const Snapshot& saved) {
  Implementation& self = *implementation_;
  if (saved.started && saved.memory.size() != self.memorySize)
    throw Error("state: integrator memory has " + std::to_string(saved.memory.size()) +
                " numbers, expected " + std::to_string(self.memorySize));
  self.acceptParameters(saved.applied.parameters);
  Snapshot next = saved;
  next.memory.clear();
  if (saved.experiment.tolerance != self.snapshot.experiment.tolerance)
    self.makeIntegrator(saved.experiment.tolerance);
  if (saved.started) self.integrator->restore(saved.memory);
  self.snapshot = std::move(next);
  self.applyOutsideValues();
  self.forget();
}

std::vector<std::byte> Instance::serialize() const {
  Snapshot snapshot;
  save(snapshot);
  return serialize(snapshot);
}

std::vector<std::byte> Instance::serialize(const Snapshot& snapshot) const {
  return serializeSnapshot(snapshot, implementation_->model.token());
}

Snapshot Instance::readSnapshot(std::span<const std::byte> bytes) const {
  const Snapshot& own = implementation_->snapshot;
  return deserializeSnapshot(bytes, implementation_->model.token(),
                             {.parameters = own.set.parameters.size(),
                              .inputs = own.set.inputs.size(),
                              .coordinates = own.q0.size(),
                              .memory = implementation_->memorySize});
}

void Instance::deserialize(std::span<const std::byte> bytes) { restore(readSnapshot(bytes)); }

}  // namespace trammel::fmi
