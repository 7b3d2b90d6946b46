#include <cmath>
#include <utility>

#include "fmu_src/instance.hpp"
#include "fmu_src/instance_implementation.hpp"
#include "fmu_src/number_text.hpp"

namespace trammel::fmi {
namespace {

const Variable& lookUp(const CompiledModel& model, std::uint32_t valueReference) {
  if (const Variable* variable = model.variables().find(valueReference)) return *variable;
  throw Error("value reference " + std::to_string(valueReference) +
              " is not known, the model has 0 to " +
              std::to_string(model.variables().variables.size() - 1));
}

std::string quoted(const Variable& variable) { return "variable \"" + variable.name + "\""; }

bool needsForces(Quantity quantity) {
  return quantity == Quantity::acceleration || quantity == Quantity::multiplier ||
         quantity == Quantity::output;
}

bool isStartValue(const Variable& variable) {
  const bool state =
      variable.quantity == Quantity::position || variable.quantity == Quantity::velocity;
  return state && (variable.initial == Initial::exact || variable.initial == Initial::approx);
}

std::size_t at(const Variable& variable) { return static_cast<std::size_t>(variable.index); }

}  // namespace

bool Instance::Implementation::beforeStep() const {
  return snapshot.mode == Mode::instantiated || snapshot.mode == Mode::initialization;
}

void Instance::Implementation::checkSettable(const Variable& variable, double value) const {
  if (!std::isfinite(value))
    throw Error(quoted(variable) + ": value must be finite, is " + numberText(value));
  const bool isParameter = variable.quantity == Quantity::parameter;
  if (!isParameter && variable.quantity != Quantity::input && !isStartValue(variable))
    throw Error(quoted(variable) + " cannot be set: it is calculated by the model");
  if (isParameter && variable.variability != Variability::tunable && !beforeStep())
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
    snapshot.set.inputs[i] = value;
  } else if (variable.quantity == Quantity::position) {
    snapshot.q0[i] = value;
    snapshot.q0Set[i] = 1;
  } else if (variable.quantity == Quantity::velocity) {
    snapshot.v0[i] = value;
    snapshot.v0Set[i] = 1;
  }
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

void Instance::Implementation::startGuess(Vector& q, Vector& v) {
  const auto n = static_cast<std::size_t>(model.coordinateCount());
  q.resize(model.coordinateCount());
  v.resize(model.coordinateCount());
  system->startValues(q, v);
  for (std::size_t i = 0; i < n; ++i) {
    if (snapshot.q0Set[i] != 0) q[static_cast<Index>(i)] = snapshot.q0[i];
    if (snapshot.v0Set[i] != 0) v[static_cast<Index>(i)] = snapshot.v0[i];
  }
}

void Instance::Implementation::forget() {
  evaluated = Evaluated::nothing;
  outputsEvaluated = false;
  residualsEvaluated = false;
}

void Instance::Implementation::evaluate(bool withForces) {
  if (evaluated == Evaluated::forces || (evaluated == Evaluated::kinematics && !withForces)) return;
  Report report = solveInitialValues();
  if (!report.ok) throw Discarded("no consistent initial values: " + report.message);
  report = integrator->motion(snapshot.time, withForces, motion);
  if (!report.ok)
    throw Discarded("no motion at " + numberText(snapshot.time) + " s: " + report.message);
  evaluated = withForces ? Evaluated::forces : Evaluated::kinematics;
}

void Instance::Implementation::evaluateOutputs() {
  if (outputsEvaluated) return;
  system->outputs(snapshot.time, motion.q, motion.v, motion.a, motion.lambda, outputs);
  outputsEvaluated = true;
}

void Instance::Implementation::evaluateResiduals() {
  if (residualsEvaluated) return;
  system->constraint(snapshot.time, motion.q, residuals);
  residualsEvaluated = true;
}

double Instance::Implementation::value(const Variable& variable) {
  const std::size_t i = at(variable);
  switch (variable.quantity) {
    case Quantity::time:
      return snapshot.time;
    case Quantity::parameter:
      return snapshot.set.parameters[i];
    case Quantity::input:
      return snapshot.set.inputs[i];
    default:
      break;
  }
  if (snapshot.mode == Mode::instantiated && isStartValue(variable)) {
    startGuess(motion.q, motion.v);
    evaluated = Evaluated::nothing;
    return (variable.quantity == Quantity::position ? motion.q : motion.v)[variable.index];
  }
  evaluate(needsForces(variable.quantity));
  switch (variable.quantity) {
    case Quantity::position:
      return motion.q[variable.index];
    case Quantity::velocity:
      return motion.v[variable.index];
    case Quantity::acceleration:
      return motion.a[variable.index];
    case Quantity::multiplier:
      return motion.lambda[variable.index];
    case Quantity::residual:
      evaluateResiduals();
      return residuals[variable.index];
    default:
      evaluateOutputs();
      return outputs[i];
  }
}

void Instance::setReal(std::span<const std::uint32_t> valueReferences,
                       std::span<const double> values) {
  if (valueReferences.size() != values.size())
    throw Error(std::to_string(values.size()) + " values for " +
                std::to_string(valueReferences.size()) + " value references");
  Implementation& self = *implementation_;
  bool parametersSet = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = lookUp(self.model, valueReferences[i]);
    self.checkSettable(variable, values[i]);
    parametersSet = parametersSet || variable.quantity == Quantity::parameter;
  }
  if (parametersSet) {
    std::vector<double> candidate = self.snapshot.set.parameters;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Variable& variable = lookUp(self.model, valueReferences[i]);
      if (variable.quantity == Quantity::parameter) candidate[at(variable)] = values[i];
    }
    self.acceptParameters(candidate);
    self.snapshot.set.parameters = std::move(candidate);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    self.assign(lookUp(self.model, valueReferences[i]), values[i]);
  if (!self.beforeStep()) return;
  self.snapshot.applied = self.snapshot.set;
  self.applyOutsideValues();
  self.snapshot.started = false;
  self.forget();
}

void Instance::getReal(std::span<const std::uint32_t> valueReferences, std::span<double> values) {
  if (valueReferences.size() != values.size())
    throw Error(std::to_string(values.size()) + " values for " +
                std::to_string(valueReferences.size()) + " value references");
  Implementation& self = *implementation_;
  bool withForces = false;
  for (const std::uint32_t valueReference : valueReferences) {
    const Variable& variable = lookUp(self.model, valueReference);
    withForces = withForces || needsForces(variable.quantity);
  }
  if (withForces) self.evaluate(true);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = self.value(lookUp(self.model, valueReferences[i]));
}

}  // namespace trammel::fmi
