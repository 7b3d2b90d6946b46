#include "fmu_src/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fmu_src/instance_implementation.hpp"
#include "fmu_src/number_text.hpp"
#include "fmu_src/variable_kinds.hpp"

namespace trammel::fmi {
namespace {

std::vector<double> startsOf(const CompiledModel& model, Quantity quantity, Index count) {
  std::vector<double> starts(static_cast<std::size_t>(count), 0.0);
  for (const Variable& variable : model.variables().variables)
    if (variable.quantity == quantity)
      starts[static_cast<std::size_t>(variable.index)] = variable.start.value_or(0);
  return starts;
}

/// An input that is the rate of another one makes that one a polynomial.
std::vector<DerivativeInputs> derivativeInputsOf(const CompiledModel& model) {
  std::vector<DerivativeInputs> all(static_cast<std::size_t>(model.inputCount()));
  for (const InputRate& pair : model.inputRates()) {
    all[static_cast<std::size_t>(pair.input)].rate = pair.rate;
    all[static_cast<std::size_t>(pair.input)].secondRate = pair.secondRate;
    for (const Index rate : {pair.rate, pair.secondRate})
      all[static_cast<std::size_t>(rate)].base = pair.input;
  }
  return all;
}

Evaluated neededFor(Quantity quantity) {
  switch (quantity) {
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::residual:
      return Evaluated::kinematics;
    case Quantity::acceleration:
    case Quantity::multiplier:
      return Evaluated::forces;
    case Quantity::output:
      return Evaluated::outputs;
    default:
      return Evaluated::nothing;
  }
}

std::vector<Reading> readingsOf(const CompiledModel& model) {
  std::vector<Reading> all;
  for (const Variable& variable : model.variables().variables)
    all.push_back({variable.type, variable.quantity, neededFor(variable.quantity),
                   static_cast<std::uint32_t>(variable.index), nullptr});
  return all;
}

struct SavedSnapshot final : ComponentState {
  Snapshot snapshot;
};

SnapshotShape shapeOf(const CompiledModel& model) {
  return {.parameters = static_cast<std::size_t>(model.parameterCount()),
          .inputs = static_cast<std::size_t>(model.inputCount()),
          .coordinates = static_cast<std::size_t>(model.coordinateCount())};
}

/// Value references of elements with other numbers of them: those of whole variables.
std::vector<std::uint32_t> renumbered(std::span<const std::uint32_t> valueReferences,
                                      const std::vector<VariableArray>& from,
                                      const std::vector<VariableArray>& to) {
  std::vector<std::uint32_t> all;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const bool wanted = std::any_of(valueReferences.begin(), valueReferences.end(), [&](auto r) {
      return r >= from[k].first && r - from[k].first < from[k].count;
    });
    for (std::uint32_t i = 0; wanted && i < to[k].count; ++i) all.push_back(to[k].first + i);
  }
  return all;
}

void checkIntermediateVariables(const CompiledModel& model,
                                std::span<const std::uint32_t> valueReferences) {
  for (const std::uint32_t valueReference : valueReferences) {
    const Variable* variable = model.variables().find(valueReference);
    if (variable == nullptr || !hasIntermediateUpdate(*variable))
      throw Error("required intermediate variable " + std::to_string(valueReference) +
                  " is not one with intermediateUpdate: a continuous input or output");
  }
}

}  // namespace

Instance::Implementation::Implementation(CompiledModel compiledModel, Log sink, StepOptions options)
    : model(std::move(compiledModel)),
      log(std::move(sink)),
      stepOptions(std::move(options)),
      system(model.makeSystem()),
      hasRoots(system->rootCount() > 0),
      described(variableArrays(model.variables())),
      firstStructure(model.structure()),
      arrays(described, described),
      derivativeInputs(derivativeInputsOf(model)),
      readings(readingsOf(model)) {
  checkIntermediateVariables(model, stepOptions.intermediateVariables);
  besides.special = hasRoots || looksIn();
  outputs.resize(static_cast<std::size_t>(model.outputCount()));
  allOutputs = outputs;
  for (Vector* constraints : {&residuals, &g, &rate, &gAfter, &rateAfter})
    constraints->setZero(model.constraintCount());
  for (Vector* values : {&motion.q, &motion.v, &motion.a}) values->setZero(model.coordinateCount());
  motion.lambda.setZero(model.constraintCount());
  setPlaces();
  clear();
}

std::unique_ptr<Instance::Implementation> Instance::Implementation::restructured(
    const std::vector<std::uint64_t>& structure) const {
  CompiledModel changed = model.withStructure(structure);
  const std::vector<VariableArray> present = variableArrays(changed.variables());
  StepOptions options = stepOptions;
  options.intermediateVariables =
      renumbered(stepOptions.intermediateVariables, variableArrays(model.variables()), present);
  auto other = std::make_unique<Implementation>(std::move(changed), log, std::move(options));
  other->described = described;
  other->firstStructure = firstStructure;
  other->arrays = ArrayReferences(described, present);
  return other;
}

SolverOptions Instance::Implementation::solverOptions(const Snapshot& of) const {
  SolverOptions options = model.solverOptions();
  const DefaultExperiment& experiment = model.defaultExperiment();
  options.method = of.settings.method;
  options.mode = of.settings.mode;
  options.maxOrder = of.settings.maxOrder;
  options.repeatable = of.settings.repeatable;
  options.errorTest = of.settings.errorTest;
  options.maxStep =
      of.settings.maxStep > 0 ? of.settings.maxStep : std::numeric_limits<double>::infinity();
  options.tolerance = of.settings.tolerance.value_or(of.experiment.tolerance);
  if (experiment.stopTime > experiment.startTime)
    options.horizon = experiment.stopTime - experiment.startTime;
  options.validate();
  return options;
}

void Instance::Implementation::makeIntegrator() {
  integrator.emplace(*system, solverOptions(snapshot));
  besides.endsThere = snapshot.settings.repeatable;
  setBounds();
  integrator->save(rollback);
  memorySize = rollback.size();
}

void Instance::Implementation::setBounds() {
  constexpr double largest = std::numeric_limits<double>::max();  // an end is finite
  const std::optional<double>& stop = snapshot.experiment.stopTime;
  latestEnd = std::min(stop.value_or(largest), largest);
  const bool endsRun = stop && snapshot.settings.mode == trammel::Mode::damp;
  farthestUsually = endsRun ? *stop : std::numeric_limits<double>::infinity();
}

void Instance::Implementation::clear() {
  const DefaultExperiment& experiment = model.defaultExperiment();
  const auto n = static_cast<std::size_t>(model.coordinateCount());
  Snapshot fresh;
  fresh.experiment = {.tolerance = model.solverOptions().tolerance,
                      .startTime = experiment.startTime,
                      .stopTime = std::nullopt};
  const SolverOptions& options = model.solverOptions();
  fresh.settings = {.method = options.method,
                    .mode = options.mode,
                    .maxOrder = options.maxOrder,
                    .maxStep = std::isfinite(options.maxStep) ? options.maxStep : 0.0,
                    .tolerance = std::nullopt,
                    .repeatable = options.repeatable,
                    .errorTest = options.errorTest};
  fresh.structure = fresh.structureSet = model.structure();
  fresh.time = experiment.startTime;
  fresh.set.parameters = startsOf(model, Quantity::parameter, model.parameterCount());
  fresh.set.inputs = InputSignals(startsOf(model, Quantity::input, model.inputCount()));
  fresh.inputRenewed.resize(fresh.set.inputs.size());
  fresh.applied = fresh.set;
  fresh.q0.resize(n);
  fresh.v0.resize(n);
  fresh.q0Set.resize(n);
  fresh.v0Set.resize(n);
  snapshot = std::move(fresh);
  setBounds();
  besides.mayDiffer = true;
  lastStepStatus = Status::ok;
  makeIntegrator();
  applyOutsideValues();
  forget();
}

void Instance::Implementation::applyOutsideValues() {
  system->setParameters(snapshot.applied.parameters);
  system->setInputs(snapshot.applied.inputs.polynomials());
}

Report Instance::Implementation::solveInitialValues() {
  if (snapshot.started) return {};
  snapshot.applied = snapshot.set;
  applyOutsideValues();
  Report report = integrator->start(startValues());
  snapshot.started = report.ok;
  forget();
  if (report.ok && report.message != startNote) {
    startNote = report.message;
    if (!startNote.empty()) log.write(Status::ok, startNote);
  }
  return report;
}

Instance::Instance(CompiledModel model, Log log)
    : Instance(std::move(model), std::move(log), StepOptions()) {}
Instance::Instance(CompiledModel model, Log log, StepOptions options)
    : Instance(
          std::make_unique<Implementation>(std::move(model), std::move(log), std::move(options))) {}
Instance::Instance(std::unique_ptr<Implementation> implementation)
    : Component(&implementation->snapshot.mode), implementation_(std::move(implementation)) {}
Instance::Instance(Instance&&) noexcept = default;
Instance::~Instance() = default;

const CompiledModel& Instance::model() const { return implementation_->model; }
Log& Instance::log() { return implementation_->log; }
ArrayReferences& Instance::arrays() { return implementation_->arrays; }
double Instance::time() const { return implementation_->snapshot.time; }
Status Instance::lastStepStatus() const { return implementation_->lastStepStatus; }
const Statistics& Instance::statistics() const { return implementation_->integrator->statistics(); }

/// Goes on with another structure.
void Instance::replace(std::unique_ptr<Implementation> other) {
  implementation_ = std::move(other);
  setMode(&implementation_->snapshot.mode);
  lastRead_.clear();
}

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
  const bool sameTolerance = experiment.tolerance == self.snapshot.experiment.tolerance;
  self.snapshot.experiment = experiment;
  self.setBounds();
  if (!sameTolerance) self.makeIntegrator();
  self.snapshot.time = startTime;
  self.snapshot.started = false;
  self.forget();
}

void Instance::enterConfigurationMode() {
  if (model().structure().empty()) throw Error("the model has no structural parameters");
  implementation_->snapshot.mode = Mode::configuration;
}

void Instance::exitConfigurationMode() {
  Snapshot& own = implementation_->snapshot;
  if (own.structureSet != own.structure) {
    auto other = implementation_->restructured(own.structureSet);
    other->snapshot.settings = own.settings;
    other->snapshot.set = own.set;
    other->besides.mayDiffer = true;
    other->makeIntegrator();
    other->changed();
    replace(std::move(other));
  }
  implementation_->snapshot.mode = Mode::instantiated;
}

void Instance::enterInitializationMode() { implementation_->snapshot.mode = Mode::initialization; }

void Instance::exitInitializationMode() {
  const Report report = implementation_->solveInitialValues();
  if (!report.ok) throw Error("no consistent initial values: " + report.message);
  implementation_->snapshot.mode =
      implementation_->stepOptions.eventModeUsed ? Mode::event : Mode::step;
}

void Instance::terminate() { implementation_->snapshot.mode = Mode::terminated; }

void Instance::reset() {
  const Implementation& self = *implementation_;
  if (self.snapshot.structure == self.firstStructure) {
    implementation_->clear();
  } else {
    replace(self.restructured(self.firstStructure));
  }
}

void Instance::fail(const char* where, const char* message) noexcept {
  implementation_->log.write(Status::error, where, message);
  implementation_->snapshot.mode = Mode::failed;
}

void Instance::save(Snapshot& out) const {
  const Implementation& self = *implementation_;
  std::vector<double> memory = std::move(out.memory);
  out = self.snapshot;
  out.memory = std::move(memory);
  out.memory.resize(self.snapshot.started ? self.memorySize : 0);
  if (self.snapshot.started) self.integrator->save(out.memory);
}

void Instance::restore(const Snapshot& saved) {
  if (saved.structure == implementation_->snapshot.structure) {
    implementation_->restore(saved);
    return;
  }
  std::unique_ptr<Implementation> other = implementation_->restructured(saved.structure);
  other->restore(saved);
  replace(std::move(other));
}

void Instance::Implementation::restore(const Snapshot& saved) {
  const bool sameOptions = saved.settings == snapshot.settings &&
                           saved.experiment.tolerance == snapshot.experiment.tolerance;
  std::optional<Integrator> other;
  std::size_t expected = memorySize;
  if (!sameOptions) {
    other.emplace(*system, solverOptions(saved));
    other->save(rollback);
    expected = rollback.size();
  }
  if (saved.memory.size() != (saved.started ? expected : 0))
    throw Error("state: integrator memory has " + std::to_string(saved.memory.size()) +
                " numbers, expected " + std::to_string(saved.started ? expected : 0));
  acceptParameters(saved.applied.parameters);
  Snapshot next = saved;
  next.memory.clear();
  if (other) integrator.emplace(std::move(*other));
  memorySize = expected;
  if (saved.started) integrator->restore(saved.memory);
  snapshot = std::move(next);
  setBounds();
  besides = {.special = besides.special || snapshot.eventPending,
             .mayDiffer = true,
             .mayBeRenewed = true,
             .endsThere = snapshot.settings.repeatable};
  applyOutsideValues();
  forget();
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
  const CompiledModel& model = implementation_->model;
  const auto shapeWith = [&model](const std::vector<std::uint64_t>& structure) {
    return structure == model.structure() ? shapeOf(model)
                                          : shapeOf(model.withStructure(structure));
  };
  return deserializeSnapshot(bytes, model.token(), model.structure().size(), shapeWith);
}

void Instance::deserialize(std::span<const std::byte> bytes) { restore(readSnapshot(bytes)); }

void Instance::saveState(std::unique_ptr<ComponentState>& state) const {
  if (state == nullptr) state = std::make_unique<SavedSnapshot>();
  save(static_cast<SavedSnapshot&>(*state).snapshot);
}

void Instance::restoreState(const ComponentState& state) {
  restore(static_cast<const SavedSnapshot&>(state).snapshot);
}

std::vector<std::byte> Instance::serializeState(const ComponentState& state) const {
  return serialize(static_cast<const SavedSnapshot&>(state).snapshot);
}

std::unique_ptr<ComponentState> Instance::readState(std::span<const std::byte> bytes) const {
  auto state = std::make_unique<SavedSnapshot>();
  state->snapshot = readSnapshot(bytes);
  return state;
}

}  // namespace trammel::fmi
