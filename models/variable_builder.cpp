#include "models/variable_builder.hpp"

#include <algorithm>

namespace trammel {
namespace {

std::string unitName(const NamedEntry& entry) {
  return entry.unit ? entry.unit->value : std::string{};
}

double inSi(const NamedEntry& entry, double value) {
  return entry.unit ? toSi(*parseUnit(entry.unit->value), value) : value;
}

std::optional<double> inSi(const NamedEntry& entry, const std::optional<Located<double>>& value) {
  if (!value) return std::nullopt;
  return inSi(entry, value->value);
}

/// Start value and bounds as the type of the variable can hold them.
template <class Entry>
void setRange(const Entry& entry, double start, Variable& variable) {
  const auto inRange = [&](const std::optional<Located<double>>& value) {
    std::optional<double> si = inSi(entry, value);
    if (si) si = rounded(entry.type, *si);
    return si;
  };
  variable.type = entry.type;
  variable.start = rounded(entry.type, inSi(entry, start));
  variable.min = inRange(entry.min);
  variable.max = inRange(entry.max);
}

/// A size, to which an offset does not apply.
std::optional<double> sizeInSi(const NamedEntry& entry,
                               const std::optional<Located<double>>& value) {
  if (!value) return std::nullopt;
  return entry.unit ? parseUnit(entry.unit->value)->factor * value->value : value->value;
}

}  // namespace

VariableBuilder::VariableBuilder() {
  Variable time;
  time.name = "time";
  time.description = "Simulation time";
  time.causality = Causality::independent;
  setUnit(time, "s");
  table_.variables.push_back(std::move(time));
}

Variable& VariableBuilder::add(Quantity quantity, std::string name, const NamedEntry& entry) {
  Variable variable;
  variable.name = std::move(name);
  variable.description = entry.description;
  variable.valueReference = static_cast<std::uint32_t>(table_.variables.size());
  variable.quantity = quantity;
  variable.index = counts_[static_cast<std::size_t>(quantity)]++;
  table_.variables.push_back(std::move(variable));
  return table_.variables.back();
}

void VariableBuilder::setUnit(Variable& variable, const std::string& fileUnit) {
  if (fileUnit.empty() || !parseUnit(fileUnit)) return;
  variable.unit = coherentUnit(fileUnit);
  if (variable.unit != fileUnit) variable.displayUnit = fileUnit;
  useUnit(variable.unit);
  useUnit(variable.displayUnit);
}

void VariableBuilder::useUnit(const std::string& name) {
  if (name.empty()) return;
  const auto place =
      std::lower_bound(units_.begin(), units_.end(), name,
                       [](const Unit& unit, const std::string& n) { return unit.name < n; });
  if (place != units_.end() && place->name == name) return;
  if (const std::optional<Unit> unit = parseUnit(name)) units_.insert(place, *unit);
}

void VariableBuilder::addParameter(const ParameterEntry& entry) {
  Variable& variable = add(Quantity::parameter, entry.name, entry);
  variable.causality = Causality::parameter;
  variable.variability = entry.tunable ? Variability::tunable : Variability::fixed;
  variable.initial = Initial::exact;
  setRange(entry, entry.value.value, variable);
  setUnit(variable, unitName(entry));
  firstInput_ = variable.valueReference + 1;
}

void VariableBuilder::addInput(const InputEntry& entry) {
  Variable& variable = add(Quantity::input, entry.name, entry);
  variable.causality = Causality::input;
  if (isDiscrete(entry.type)) variable.variability = Variability::discrete;
  setRange(entry, entry.start.value, variable);
  variable.nominal = sizeInSi(entry, entry.nominal);
  setUnit(variable, unitName(entry));
}

void VariableBuilder::addCoordinate(const CoordinateEntry& entry, double start,
                                    double startVelocity, const ValueReferences& dependencies,
                                    const ValueReferences& ofMotion) {
  const std::string unit = unitName(entry);
  Variable& position = add(Quantity::position, entry.name, entry);
  const std::uint32_t positionReference = position.valueReference;
  position.causality = Causality::output;
  position.initial = Initial::approx;
  position.start = start;
  position.nominal = sizeInSi(entry, entry.nominal);
  position.dependencies = ofMotion;
  setUnit(position, unit);

  NamedEntry derived;
  derived.description = "Velocity of " + entry.name;
  Variable& velocity = add(Quantity::velocity, "der(" + entry.name + ")", derived);
  const std::uint32_t velocityReference = velocity.valueReference;
  velocity.causality = Causality::output;
  velocity.initial = Initial::approx;
  velocity.start = startVelocity;
  velocity.derivativeOf = positionReference;
  velocity.dependencies = ofMotion;
  setUnit(velocity, derivativeUnit(unit));

  derived.description = "Acceleration of " + entry.name;
  Variable& acceleration = add(Quantity::acceleration, "der(" + entry.name + ",2)", derived);
  acceleration.initial = Initial::calculated;
  acceleration.derivativeOf = velocityReference;
  acceleration.dependencies = dependencies;
  setUnit(acceleration, derivativeUnit(derivativeUnit(unit)));
}

void VariableBuilder::addConstraint(const ConstraintEntry& entry, const std::string& element,
                                    const ValueReferences& ofMultiplier,
                                    const ValueReferences& ofResidual) {
  const std::string unit = unitName(entry);
  NamedEntry derived;
  derived.description = "Multiplier of constraint " + entry.name;
  Variable& multiplier = add(Quantity::multiplier, entry.name + ".lambda" + element, derived);
  multiplier.initial = Initial::calculated;
  multiplier.dependencies = ofMultiplier;
  setUnit(multiplier, multiplierUnit(coherentUnit(unit)));

  derived.description = "Residual of constraint " + entry.name;
  Variable& residual = add(Quantity::residual, entry.name + ".g" + element, derived);
  residual.initial = Initial::calculated;
  residual.dependencies = ofResidual;
  setUnit(residual, unit);
}

void VariableBuilder::addOutput(const OutputEntry& entry, const ValueReferences& dependencies) {
  Variable& variable = add(Quantity::output, entry.name, entry);
  variable.causality = Causality::output;
  variable.initial = Initial::calculated;
  variable.nominal = sizeInSi(entry, entry.nominal);
  variable.dependencies = dependencies;
  setUnit(variable, unitName(entry));
}

UnitTable VariableBuilder::takeUnits() { return std::move(units_); }

}  // namespace trammel
