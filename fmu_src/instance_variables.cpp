#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "fmu_src/instance.hpp"
#include "fmu_src/instance_implementation.hpp"
#include "fmu_src/number_text.hpp"
#include "fmu_src/variable_kinds.hpp"

namespace trammel::fmi {

bool Instance::Implementation::beforeStep() const {
  return snapshot.mode == Mode::instantiated || snapshot.mode == Mode::initialization;
}

/// In an intermediate update only the variables that the importer has asked for are there.
void Instance::Implementation::checkIntermediate(const Variable& variable) const {
  if (snapshot.mode != Mode::intermediateUpdate || variable.quantity == Quantity::time) return;
  const auto& known = stepOptions.intermediateVariables;
  if (std::find(known.begin(), known.end(), variable.valueReference) == known.end())
    throw Error(quoted(variable) + " is not among the required intermediate variables");
}

/// From the communication time on, input i has this value; its derivatives are those set at this
/// time, or the values of inputs that are its derivatives, or zero.
void Instance::Implementation::setInput(std::size_t i, double value) {
  if (snapshot.mode == Mode::intermediateUpdate) {
    sampled[i] = value;
    return;
  }
  InputSignals& inputs = snapshot.set.inputs;
  const double t = snapshot.time;
  if (derivativeInputs[i].base >= 0) {
    const auto base = static_cast<std::size_t>(derivativeInputs[i].base);
    inputs.set(i, t, value, 0, 0);
    setInput(base, inputs.at(base, t));
    return;
  }
  if (snapshot.inputRenewed[i] != 0) {
    inputs.set(i, t, value, inputs.first(i), inputs.second(i));
    return;
  }
  const auto now = [&](std::ptrdiff_t input) {
    return input < 0 ? 0.0 : inputs.at(static_cast<std::size_t>(input), t);
  };
  inputs.set(i, t, value, now(derivativeInputs[i].rate), now(derivativeInputs[i].secondRate));
}

void Instance::Implementation::setInputDerivative(std::size_t i, std::int32_t order, double value) {
  InputSignals& inputs = snapshot.set.inputs;
  const bool renewed = snapshot.inputRenewed[i] != 0;
  const double first = order == 1 ? value : renewed ? inputs.first(i) : 0.0;
  const double second = order == 2 ? value : renewed ? inputs.second(i) : 0.0;
  inputs.set(i, snapshot.time, inputs.at(i, snapshot.time), first, second);
  snapshot.inputRenewed[i] = 1;
  besides.mayBeRenewed = true;
}

void Instance::Implementation::checkSettable(const Variable& variable, double value) const {
  checkIntermediate(variable);
  if (snapshot.mode == Mode::intermediateUpdate && intermediateGetAllowed)
    throw Error(quoted(variable) + " cannot be set now: inputs are not asked for");
  if (!std::isfinite(value))
    throw Error(quoted(variable) + ": value must be finite, is " + numberText(value));
  const bool isStructure = variable.quantity == Quantity::structure;
  if (isStructure && snapshot.mode != Mode::configuration)
    throw Error(quoted(variable) +
                " is a structural parameter: it can be set only in configuration mode");
  const bool isParameter = isStructure || variable.quantity == Quantity::parameter ||
                           variable.quantity == Quantity::setting;
  if (!isParameter && variable.quantity != Quantity::input && !isStartValue(variable))
    throw Error(quoted(variable) + " cannot be set: it is calculated by the model");
  if (isParameter && !isStructure && variable.variability != Variability::tunable && !beforeStep())
    throw Error(quoted(variable) +
                " is a fixed parameter: it can be set only until initialization ends");
  if (isStartValue(variable) && !beforeStep())
    throw Error(quoted(variable) +
                " has a start value that can be set only until initialization ends");
  if (!isParameter) return;
  if (variable.min && value < *variable.min)
    throw Error(quoted(variable) + ": value must be >= " + numberText(*variable.min) + ", is " +
                numberText(value));
  if (variable.max && value > *variable.max)
    throw Error(quoted(variable) + ": value must be <= " + numberText(*variable.max) + ", is " +
                numberText(value));
}

void Instance::Implementation::assign(const Variable& variable, double value) {
  const std::size_t i = at(variable);
  if (variable.quantity == Quantity::input) {
    setInput(i, value);
  } else if (variable.quantity == Quantity::position) {
    snapshot.q0[i] = value;
    snapshot.q0Set[i] = 1;
  } else if (variable.quantity == Quantity::velocity) {
    snapshot.v0[i] = value;
    snapshot.v0Set[i] = 1;
  } else if (variable.quantity == Quantity::structure) {
    snapshot.structureSet[i] = static_cast<std::uint64_t>(value);
  }
}

void Instance::Implementation::changed() {
  if (!beforeStep()) return;
  snapshot.applied = snapshot.set;
  applyOutsideValues();
  snapshot.started = false;
  forget();
}

/// Lets the system check the values together; it goes on with those applied before, whatever the
/// outcome.
void Instance::Implementation::acceptParameters(const std::vector<double>& candidate) {
  struct Reapply {
    ModelSystem& system;
    const std::vector<double>& values;  // accepted before
    ~Reapply() { system.setParameters(values); }
  } const reapply{*system, snapshot.applied.parameters};
  system->setParameters(candidate);
}

/// What the motion starts from: values that were set are kept. A value that only repeats the
/// declared start is a guess like it, as importers write all start values that they read.
StartValues Instance::Implementation::startValues() {
  const Index n = model.coordinateCount();
  StartValues start{snapshot.time, Vector(n), Vector(n), {}, {}};
  system->startValues(start.q, start.v);
  start.keepPosition.resize(static_cast<std::size_t>(n));
  start.keepVelocity.resize(static_cast<std::size_t>(n));
  system->keptStart(start.keepPosition, start.keepVelocity);
  for (const Variable& variable : model.variables().variables) {
    if (!isStartValue(variable)) continue;
    const std::size_t i = at(variable);
    const bool position = variable.quantity == Quantity::position;
    if ((position ? snapshot.q0Set : snapshot.v0Set)[i] == 0) continue;
    const double value = (position ? snapshot.q0 : snapshot.v0)[i];
    (position ? start.q : start.v)[variable.index] = value;
    if (value != variable.start) (position ? start.keepPosition : start.keepVelocity)[i] = true;
  }
  return start;
}

double Instance::Implementation::startValue(const Reading& reading) {
  const StartValues start = startValues();
  return (reading.quantity == Quantity::position ? start.q : start.v)[reading.index];
}

void Instance::Implementation::setPlaces() {
  for (Reading& reading : readings) {
    const auto placeIn = [&reading](const auto& numbers) { return numbers.data() + reading.index; };
    switch (reading.quantity) {
      case Quantity::position:
        reading.place = placeIn(motion.q);
        break;
      case Quantity::velocity:
        reading.place = placeIn(motion.v);
        break;
      case Quantity::acceleration:
        reading.place = placeIn(motion.a);
        break;
      case Quantity::multiplier:
        reading.place = placeIn(motion.lambda);
        break;
      case Quantity::output:
        reading.place = placeIn(outputs);
        break;
      default:
        break;
    }
  }
}

bool Instance::Implementation::readsStart(std::uint32_t valueReference) const {
  return snapshot.mode == Mode::instantiated &&
         isStartValue(model.variables().variables[valueReference]);
}

void Instance::Implementation::throwNoMotion(const Report& why) const {
  throw Discarded("no motion at " + numberText(time()) + " s: " + why.message);
}

/// What the mode asks for before values are read.
void Instance::Implementation::meetMode() {
  if (snapshot.mode == Mode::intermediateUpdate && !intermediateGetAllowed)
    throw Error("outputs cannot be read while inputs are asked for");
  if (snapshot.mode == Mode::event && hasChanges()) {
    const Report report = applyChanges();
    if (!report.ok) throw Discarded("no motion with the values set: " + report.message);
    forget();
  }
}

void Instance::Implementation::evaluateInStep(Evaluated needed) {
  forcesRead = forcesRead || needed >= Evaluated::forces;
  if (upToDate.values < needed) evaluateUpTo(needed);
}

void Instance::Implementation::evaluate(Evaluated needed) {
  if (needed == Evaluated::nothing) return;
  if (snapshot.mode != Mode::step) meetMode();
  evaluateInStep(needed);
}

void Instance::Implementation::startMotion() {
  const Report report = solveInitialValues();
  if (!report.ok) throw Discarded("no consistent initial values: " + report.message);
}

/// An importer that reads variable by variable and wanted forces at the last point will want them
/// again: with them at once the motion is projected once.
inline void Instance::Implementation::evaluateMotion(Evaluated needed) {
  if (!snapshot.started) [[unlikely]]
    startMotion();
  const bool withForces = needed >= Evaluated::forces || forcesExpected;
  const Report report = integrator->motion(time(), withForces, motion);
  if (!report.ok) [[unlikely]]
    return evaluateWithoutForces(needed, report);
  upToDate.values = withForces ? Evaluated::forces : Evaluated::kinematics;
  assert(std::ranges::all_of(readings, [this](const Reading& reading) {
    return reading.quantity != Quantity::position || reading.place == &motion.q[reading.index];
  }));
}

/// There is no motion with forces, but those may only have been expected.
void Instance::Implementation::evaluateWithoutForces(Evaluated needed, const Report& withForces) {
  if (needed >= Evaluated::forces || !forcesExpected) throwNoMotion(withForces);
  const Report report = integrator->motion(time(), false, motion);
  if (!report.ok) throwNoMotion(report);
  upToDate.values = Evaluated::kinematics;
}

void Instance::Implementation::evaluateUpTo(Evaluated needed) {
  if (upToDate.values < Evaluated::forces) evaluateMotion(needed);
  if (needed >= Evaluated::outputs) evaluateOutputs();
}

inline void Instance::Implementation::evaluateOutputs() {
  system->outputs(motion.t, motion.q, motion.v, motion.a, motion.lambda, allOutputs);
  upToDate.values = Evaluated::outputs;
}

/// Whether the last list needs all that there is, and nothing of it is known.
inline bool Instance::Implementation::needsAll() const {
  if (lastNeeded != Evaluated::outputs) [[unlikely]]
    return false;
  if (upToDate.values >= Evaluated::forces) [[unlikely]]
    return false;
  return snapshot.started;
}

/// evaluateInStep() without the questions. Pre: needsAll().
inline void Instance::Implementation::evaluateAll() {
  forcesRead = true;
  if (const Report report = integrator->motion(snapshot.time, true, motion); !report.ok)
    throwNoMotion(report);
  evaluateOutputs();
}

void Instance::Implementation::evaluateResiduals() {
  if (upToDate.residuals) return;
  system->constraint(time(), motion.q, residuals);
  upToDate.residuals = true;
}

/// Pre: what its reading needs is evaluated.
double Instance::Implementation::value(std::uint32_t valueReference) {
  const Reading& reading = readings[valueReference];
  const std::uint32_t i = reading.index;
  switch (reading.quantity) {
    case Quantity::time:
      return time();
    case Quantity::parameter:
      return snapshot.set.parameters[i];
    case Quantity::input:
      return snapshot.mode == Mode::intermediateUpdate && !intermediateGetAllowed
                 ? sampled[i]
                 : snapshot.set.inputs.at(i, time());
    case Quantity::setting:
    case Quantity::statistic:
      return solverNumber(model.variables().variables[valueReference]);
    case Quantity::structure:
      return static_cast<double>(snapshot.structureSet[i]);
    case Quantity::position:
      return readsStart(valueReference) ? startValue(reading) : motion.q[i];
    case Quantity::velocity:
      return readsStart(valueReference) ? startValue(reading) : motion.v[i];
    case Quantity::acceleration:
      return motion.a[i];
    case Quantity::multiplier:
      return motion.lambda[i];
    case Quantity::residual:
      evaluateResiduals();
      return residuals[i];
    case Quantity::output:
      return outputs[i];
  }
  return 0;
}

/// The variable, which must be of this type as the importer sees it.
const Variable& Instance::Implementation::lookUpAs(Type type, std::uint32_t valueReference) const {
  const Variable& variable = lookUp(model, valueReference);
  if (variable.type == type) return variable;
  const bool asReal = variable.type == Type::float32 && type == Type::float64;
  const bool asInteger = variable.type == Type::uint64 && type == Type::int32;
  const bool same = !stepOptions.knowsTypes && (asReal || asInteger);
  return same ? variable : lookUp(model, valueReference, type);
}

void Instance::setNumbers(Type type, std::span<const std::uint32_t> valueReferences,
                          std::span<const double> values) {
  requireSameSize(values.size(), valueReferences.size());
  Implementation& self = *implementation_;
  self.besides.mayDiffer = true;
  bool parametersSet = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = self.lookUpAs(type, valueReferences[i]);
    self.checkSettable(variable, rounded(variable.type, values[i]));
    parametersSet = parametersSet || variable.quantity == Quantity::parameter;
  }
  SolverSettings settings = self.snapshot.settings;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = lookUp(self.model, valueReferences[i]);
    if (variable.quantity == Quantity::setting) changeSetting(settings, variable, values[i]);
  }
  self.checkSettings(settings);
  if (parametersSet) {
    std::vector<double> candidate = self.snapshot.set.parameters;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Variable& variable = lookUp(self.model, valueReferences[i]);
      if (variable.quantity == Quantity::parameter)
        candidate[at(variable)] = rounded(variable.type, values[i]);
    }
    self.acceptParameters(candidate);
    self.snapshot.set.parameters = std::move(candidate);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = lookUp(self.model, valueReferences[i]);
    self.assign(variable, rounded(variable.type, values[i]));
  }
  self.use(settings);
  if (!values.empty()) self.changed();
}

/// What reading a variable takes. Throws Error where it cannot be read now, or not as of this type.
Evaluated Instance::Implementation::needOf(Type type, std::uint32_t valueReference) const {
  const bool known = valueReference < readings.size() && readings[valueReference].type == type;
  if (!known || snapshot.mode == Mode::intermediateUpdate)
    checkIntermediate(lookUpAs(type, valueReference));
  return readsStart(valueReference) ? Evaluated::nothing : readings[valueReference].needed;
}

Evaluated Instance::Implementation::needsOf(Type type,
                                            std::span<const std::uint32_t> valueReferences) const {
  Evaluated needed = Evaluated::nothing;
  for (const std::uint32_t valueReference : valueReferences)
    needed = std::max(needed, needOf(type, valueReference));
  return needed;
}

void Instance::readNumbers(Type type, std::span<const std::uint32_t> valueReferences,
                           std::span<double> values) {
  requireSameSize(values.size(), valueReferences.size());
  Implementation& self = *implementation_;
  const Evaluated needed = self.needsOf(type, valueReferences);
  self.evaluate(needed);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = self.value(valueReferences[i]);
  if (type != Type::float64 || values.size() < ReadList::fewest || self.hasSpecialReading()) return;
  self.lastNeeded = needed;
  remember(valueReferences);
}

void Instance::remember(std::span<const std::uint32_t> valueReferences) {
  lastRead_.clear();
  for (std::size_t i = 0; i < valueReferences.size(); ++i) {
    const double* const place = implementation_->readings[valueReferences[i]].place;
    lastRead_.places.push_back(place != nullptr ? place : &implementation_->motion.t);
    if (place == nullptr) lastRead_.others.push_back(i);
  }
  lastRead_.setValueReferences(valueReferences);
}

/// The usual list has outputs that are not known yet.
[[gnu::hot]] void Instance::readAgain(double* values) {
  Implementation& self = *implementation_;
  if (!self.needsAll()) [[unlikely]] {
    self.evaluateInStep(self.lastNeeded);
  } else {
    self.evaluateAll();
  }
  lastRead_.copyTo(values);
  if (!lastRead_.others.empty()) [[unlikely]]
    readOthers(values);
}

void Instance::readOthers(double* values) {
  for (const std::size_t i : lastRead_.others)
    values[i] = implementation_->value(lastRead_.valueReferences[i]);
}

}  // namespace trammel::fmi
