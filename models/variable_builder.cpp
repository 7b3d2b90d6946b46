#include "models/variable_builder.hpp"

#include <algorithm>

#include "models/structure.hpp"

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
  if (entry.element > 0) variable.dimension = structure_.at(entry.count->value);
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

void VariableBuilder::addStructure(const StructureEntry& entry) {
  Variable& variable = add(Quantity::structure, entry.name, entry);
  variable.type = Type::uint64;
  variable.causality = Causality::structuralParameter;
  variable.variability = Variability::fixed;
  variable.initial = Initial::exact;
  variable.start = entry.value.value;
  variable.min = entry.min.value;
  variable.max = entry.max.value;
  structure_.emplace(entry.name, variable.valueReference);
  firstInput_ = variable.valueReference + 1;
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

Variable& VariableBuilder::addPosition(const CoordinateEntry& entry, double start,
                                       const ValueReferences& dependencies) {
  Variable& position = add(Quantity::position, entry.name, entry);
  position.causality = Causality::output;
  position.initial = Initial::approx;
  position.start = start;
  position.nominal = sizeInSi(entry, entry.nominal);
  position.dependencies = dependencies;
  setUnit(position, unitName(entry));
  return position;
}

Variable& VariableBuilder::addVelocity(const CoordinateEntry& entry, double start,
                                       std::uint32_t position,
                                       const ValueReferences& dependencies) {
  Variable& velocity = add(Quantity::velocity, "der(" + entry.name + ")", entry);
  velocity.description = "Velocity of " + baseName(entry);
  velocity.causality = Causality::output;
  velocity.initial = Initial::approx;
  velocity.start = start;
  velocity.derivativeOf = position;
  velocity.dependencies = dependencies;
  setUnit(velocity, derivativeUnit(unitName(entry)));
  return velocity;
}

void VariableBuilder::addAcceleration(const CoordinateEntry& entry, std::uint32_t velocity,
                                      const ValueReferences& dependencies) {
  Variable& acceleration = add(Quantity::acceleration, "der(" + entry.name + ",2)", entry);
  acceleration.description = "Acceleration of " + baseName(entry);
  acceleration.initial = Initial::calculated;
  acceleration.derivativeOf = velocity;
  acceleration.dependencies = dependencies;
  setUnit(acceleration, derivativeUnit(derivativeUnit(unitName(entry))));
}

void VariableBuilder::addCoordinate(const CoordinateEntry& entry, double start,
                                    double startVelocity, const ValueReferences& dependencies,
                                    const ValueReferences& ofMotion) {
  const std::uint32_t position = addPosition(entry, start, ofMotion).valueReference;
  const std::uint32_t velocity =
      addVelocity(entry, startVelocity, position, ofMotion).valueReference;
  addAcceleration(entry, velocity, dependencies);
}

void VariableBuilder::addCoordinates(std::span<const CoordinateEntry> entries, const Vector& start,
                                     const Vector& startVelocity,
                                     const ValueReferences& dependencies) {
  const auto first = static_cast<std::uint32_t>(table_.variables.size());
  const auto count = static_cast<std::uint32_t>(entries.size());
  for (std::uint32_t k = 0; k < count; ++k) addPosition(entries[k], start[k], {});
  for (std::uint32_t k = 0; k < count; ++k)
    addVelocity(entries[k], startVelocity[k], first + k, {});
  for (std::uint32_t k = 0; k < count; ++k)
    addAcceleration(entries[k], first + count + k, dependencies);
}

void VariableBuilder::addMultiplier(const ConstraintEntry& entry, const std::string& name,
                                    const ValueReferences& dependencies) {
  Variable& multiplier = add(Quantity::multiplier, name, entry);
  multiplier.description = "Multiplier of constraint " + baseName(entry);
  multiplier.initial = Initial::calculated;
  multiplier.dependencies = dependencies;
  setUnit(multiplier, multiplierUnit(coherentUnit(unitName(entry))));
}

void VariableBuilder::addResidual(const ConstraintEntry& entry, const std::string& name,
                                  const ValueReferences& dependencies) {
  Variable& residual = add(Quantity::residual, name, entry);
  residual.description = "Residual of constraint " + baseName(entry);
  residual.initial = Initial::calculated;
  residual.dependencies = dependencies;
  setUnit(residual, unitName(entry));
}

void VariableBuilder::addConstraint(const ConstraintEntry& entry, const std::string& element,
                                    const ValueReferences& ofMultiplier,
                                    const ValueReferences& ofResidual) {
  addMultiplier(entry, entry.name + ".lambda" + element, ofMultiplier);
  addResidual(entry, entry.name + ".g" + element, ofResidual);
}

void VariableBuilder::addConstraints(std::span<const ConstraintEntry> entries,
                                     const ValueReferences& ofMultipliers,
                                     std::span<const ValueReferences> ofResiduals) {
  for (const ConstraintEntry& entry : entries)
    addMultiplier(entry, baseName(entry) + ".lambda" + elementText(entry), ofMultipliers);
  for (std::size_t k = 0; k < entries.size(); ++k)
    addResidual(entries[k], baseName(entries[k]) + ".g" + elementText(entries[k]), ofResiduals[k]);
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
