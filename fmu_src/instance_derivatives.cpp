#include <algorithm>
#include <cmath>
#include <limits>

#include "fmu_src/difference_stencil.hpp"
#include "fmu_src/instance_implementation.hpp"
#include "fmu_src/number_text.hpp"
#include "fmu_src/variable_kinds.hpp"
#include "solver/assembly.hpp"

namespace trammel::fmi {
namespace {

// Initial values are found to 1e-12 of their size: wider steps than those of smooth functions.
constexpr double startStep = 2e-3;
constexpr double infinity = std::numeric_limits<double>::infinity();

void requireSameSize(std::size_t values, std::size_t references, const char* what) {
  if (values != references)
    throw Error(std::to_string(values) + " " + what + " for " + std::to_string(references) +
                " value references");
}

void requireFinite(std::span<const double> values, const char* what) {
  for (const double value : values)
    if (!std::isfinite(value))
      throw Error(std::string(what) + " must be finite, is " + numberText(value));
}

void requireOrder(const Variable& variable, std::int32_t order) {
  if (order != 1 && order != 2)
    throw Error(quoted(variable) + ": order of the derivative must be 1 or 2, is " +
                std::to_string(order));
}

}  // namespace

std::vector<const Variable*> Instance::Implementation::unknowns(
    std::span<const std::uint32_t> valueReferences) const {
  std::vector<const Variable*> variables;
  for (const std::uint32_t valueReference : valueReferences) {
    const Variable& variable = lookUp(model, valueReference);
    const bool derivative =
        variable.quantity == Quantity::acceleration || variable.quantity == Quantity::velocity;
    const bool real = variable.type == Type::float64 || variable.type == Type::float32;
    if (!real || (variable.causality != Causality::output && !derivative))
      throw Error(quoted(variable) + " is not an unknown: expected an output or a derivative");
    variables.push_back(&variable);
  }
  return variables;
}

void Instance::Implementation::checkKnown(const Variable& variable) const {
  const bool initializing = snapshot.mode == Mode::initialization;
  const bool known = variable.quantity == Quantity::time || variable.quantity == Quantity::input ||
                     (variable.quantity == Quantity::parameter &&
                      (initializing || variable.variability == Variability::tunable)) ||
                     (initializing ? isStartValue(variable)
                                   : variable.quantity == Quantity::position ||
                                         variable.quantity == Quantity::velocity);
  if (!known || isDiscrete(variable.type))
    throw Error(quoted(variable) + " is not a known: expected a real input, a " +
                (initializing ? "parameter or a start value" : "tunable parameter or a state"));
}

void Instance::Implementation::linearise() {
  evaluate(Evaluated::forces);
  if (upToDate.linearisation) return;
  if (!derivatives) derivatives.emplace(model, *system);
  const Report report = derivatives->linearise(motion, snapshot.applied);
  if (!report.ok) throw Discarded("no derivatives: " + report.message);
  upToDate.linearisation = true;
}

/// The change of the consistent initial q and v with a known: differences of the assembly. A start
/// value acts as if it were set, which keeps it.
void Instance::Implementation::addInitialValues(const Variable& known, KnownColumn& column) {
  Assembly assembly(*system, model.solverOptions().linearAlgebra);
  const auto add = [&](const StencilNode& node, StartValues start) {
    const Report report = assembly.assemble(start);
    if (!report.ok)
      throw Discarded("no derivative with respect to " + quoted(known) + ": " + report.message);
    column.motion.q += node.weight * start.q;
    column.motion.v += node.weight * start.v;
  };
  if (isStartValue(known)) {
    const bool position = known.quantity == Quantity::position;
    const double value = (position ? motion.q : motion.v)[known.index];
    const double size = std::max(std::abs(value), system->coordinateNominal(known.index));
    column.motion.q.setZero();
    column.motion.v.setZero();
    for (const StencilNode& node : DifferenceStencil(value, startStep * size)) {
      StartValues start = startValues();
      (position ? start.q : start.v)[known.index] = value + node.move;
      (position ? start.keepPosition : start.keepVelocity)[at(known)] = true;
      add(node, std::move(start));
    }
  } else if (known.quantity != Quantity::time) {
    PartialDerivatives::Trial trial(*system, snapshot.applied, snapshot.time, known);
    const DifferenceStencil stencil(trial.value(), trial.step(startStep),
                                    known.min.value_or(-infinity), known.max.value_or(infinity));
    for (const StencilNode& node : stencil) {
      trial.use(trial.value() + node.move);
      add(node, startValues());
    }
  }
}

std::vector<KnownColumn> Instance::Implementation::columns(std::span<const std::uint32_t> knowns) {
  for (const std::uint32_t valueReference : knowns) checkKnown(lookUp(model, valueReference));
  linearise();
  std::vector<KnownColumn> all;
  for (const std::uint32_t valueReference : knowns) {
    const Variable& known = lookUp(model, valueReference);
    all.push_back(derivatives->column(known));
    if (snapshot.mode == Mode::initialization) addInitialValues(known, all.back());
  }
  return all;
}

void Instance::directionalDerivative(std::span<const std::uint32_t> unknowns,
                                     std::span<const std::uint32_t> knowns,
                                     std::span<const double> seed, std::span<double> sensitivity) {
  requireSameSize(seed.size(), knowns.size(), "seeds");
  requireSameSize(sensitivity.size(), unknowns.size(), "sensitivities");
  requireFinite(seed, "seed");
  Implementation& self = *implementation_;
  const auto variables = self.unknowns(unknowns);
  const auto columns = self.columns(knowns);
  self.derivatives->directional(variables, columns, seed, sensitivity);
}

void Instance::adjointDerivative(std::span<const std::uint32_t> unknowns,
                                 std::span<const std::uint32_t> knowns,
                                 std::span<const double> seed, std::span<double> sensitivity) {
  requireSameSize(seed.size(), unknowns.size(), "seeds");
  requireSameSize(sensitivity.size(), knowns.size(), "sensitivities");
  requireFinite(seed, "seed");
  Implementation& self = *implementation_;
  const auto variables = self.unknowns(unknowns);
  const auto columns = self.columns(knowns);
  self.derivatives->adjoint(variables, columns, seed, sensitivity);
}

/// Time derivatives of a, λ and the outputs along the motion. a' and λ' through the KKT solve; the
/// rest by differences along the motion's Taylor polynomial
///   q(s) = q + v s + a s²/2 + a' s³/6,   v(s) = v + a s + a' s²/2,
/// with a(s), λ(s) solved for. Its errors in s⁴ and (v) s³ cancel in
///   y' ≈ (8 (y₁ − y₋₁) − (y₂ − y₋₂))/12h,   y'' ≈ (16 (y₁ + y₋₁) − (y₂ + y₋₂) − 30 y)/12h².
void Instance::Implementation::evaluateRates() {
  linearise();
  if (upToDate.rates) return;
  KnownColumn along = derivatives->timeColumn();
  along.motion.q = motion.v;
  along.motion.v = motion.a;
  rates.first = derivatives->respond(along.motion);
  const Vector jerk = rates.first.a;

  // Short against the fastest change of any coordinate, measured by its nominal.
  double omega = 5e-3 / model.defaultExperiment().stepSize;
  for (Index i = 0; i < motion.q.size(); ++i) {
    const double nominal = system->coordinateNominal(i);
    omega = std::max({omega, std::abs(motion.v[i]) / nominal,
                      std::sqrt(std::abs(motion.a[i]) / nominal),
                      std::cbrt(std::abs(jerk[i]) / nominal)});
  }
  const double h = 5e-3 / omega;
  ConsistencySolver consistency(*system, model.solverOptions().linearAlgebra);
  Motion there = motion;
  std::vector<double> values(outputs.size());
  evaluate(Evaluated::outputs);
  const double centre = -30 / (12 * h * h);
  rates.second = {centre * motion.a, centre * motion.lambda};
  rates.outputs1.assign(outputs.size(), 0.0);
  rates.outputs2.assign(outputs.size(), 0.0);
  for (std::size_t i = 0; i < outputs.size(); ++i) rates.outputs2[i] = centre * outputs[i];
  for (const double k : {-2.0, -1.0, 1.0, 2.0}) {
    const double s = k * h;
    const double weight1 = (k > 0 ? 1 : -1) * (std::abs(k) == 1 ? 8 : -1) / (12 * h);
    const double weight2 = (std::abs(k) == 1 ? 16 : -1) / (12 * h * h);
    there.t = motion.t + s;
    there.q = motion.q + s * (motion.v + s / 2 * (motion.a + s / 3 * jerk));
    there.v = motion.v + s * (motion.a + s / 2 * jerk);
    const Report report = consistency.accelerate(there.t, there.q, there.v, there.a, there.lambda);
    if (!report.ok) throw Discarded("no output derivatives: " + report.message);
    rates.second.a += weight2 * there.a;
    rates.second.lambda += weight2 * there.lambda;
    system->outputs(there.t, there.q, there.v, there.a, there.lambda, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      rates.outputs1[i] += weight1 * values[i];
      rates.outputs2[i] += weight2 * values[i];
    }
  }
  upToDate.rates = true;
}

void Instance::outputDerivatives(std::span<const std::uint32_t> valueReferences,
                                 std::span<const std::int32_t> orders, std::span<double> values) {
  requireSameSize(orders.size(), valueReferences.size(), "orders");
  requireSameSize(values.size(), valueReferences.size(), "values");
  Implementation& self = *implementation_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = lookUp(self.model, valueReferences[i]);
    if (variable.causality != Causality::output || variable.variability != Variability::continuous)
      throw Error(quoted(variable) + " has no derivatives: expected a continuous output");
    requireOrder(variable, orders[i]);
    self.checkIntermediate(variable);
  }
  if (values.empty()) return;
  self.evaluateRates();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = lookUp(self.model, valueReferences[i]);
    const bool first = orders[i] == 1;
    const Index j = variable.index;
    switch (variable.quantity) {
      case Quantity::position:
        values[i] = first ? self.motion.v[j] : self.motion.a[j];
        break;
      case Quantity::velocity:
        values[i] = first ? self.motion.a[j] : self.rates.first.a[j];
        break;
      case Quantity::acceleration:
        values[i] = (first ? self.rates.first : self.rates.second).a[j];
        break;
      case Quantity::multiplier:
        values[i] = (first ? self.rates.first : self.rates.second).lambda[j];
        break;
      default:
        values[i] = (first ? self.rates.outputs1 : self.rates.outputs2)[at(variable)];
    }
  }
}

void Instance::setInputDerivatives(std::span<const std::uint32_t> valueReferences,
                                   std::span<const std::int32_t> orders,
                                   std::span<const double> values) {
  requireSameSize(orders.size(), valueReferences.size(), "orders");
  requireSameSize(values.size(), valueReferences.size(), "values");
  requireFinite(values, "derivative of an input");
  Implementation& self = *implementation_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = lookUp(self.model, valueReferences[i]);
    if (variable.quantity != Quantity::input || isDiscrete(variable.type))
      throw Error(quoted(variable) +
                  " is not a real input, only real inputs have derivatives to be set");
    requireOrder(variable, orders[i]);
  }
  self.besides.mayDiffer = true;
  for (std::size_t i = 0; i < values.size(); ++i)
    self.setInputDerivative(at(lookUp(self.model, valueReferences[i])), orders[i], values[i]);
  self.changed();
}

}  // namespace trammel::fmi
