#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/model_file.hpp"
#include "models/units.hpp"
#include "models/variable_table.hpp"

namespace trammel {

using ValueReferences = std::vector<std::uint32_t>;

/// Fills a VariableTable in the order of the value references: time, parameters, inputs,
/// coordinates, constraints, outputs.
class VariableBuilder {
 public:
  VariableBuilder();  // time is there already

  void addStructure(const StructureEntry& entry);  // before all others
  void addParameter(const ParameterEntry& entry);
  void addInput(const InputEntry& entry);
  /// x, der(x) and der(x,2); accelerations depend on `dependencies`. Start values in SI.
  /// Positions and velocities depend on `ofMotion`.
  void addCoordinate(const CoordinateEntry& entry, double start, double startVelocity,
                     const ValueReferences& dependencies, const ValueReferences& ofMotion = {});
  /// A single coordinate, or all elements of one: their positions, velocities, accelerations.
  void addCoordinates(std::span<const CoordinateEntry> entries, const Vector& start,
                      const Vector& startVelocity, const ValueReferences& dependencies);
  /// NAME.lambda depends on `ofMultiplier`, NAME.g on `ofResidual`; `element` is [k] where several
  /// equations have one name.
  void addConstraint(const ConstraintEntry& entry, const std::string& element,
                     const ValueReferences& ofMultiplier, const ValueReferences& ofResidual);
  /// A single constraint, or all elements of one: their multipliers, then their residuals.
  void addConstraints(std::span<const ConstraintEntry> entries,
                      const ValueReferences& ofMultipliers,
                      std::span<const ValueReferences> ofResiduals);
  void addOutput(const OutputEntry& entry, const ValueReferences& dependencies);

  std::uint32_t inputReference(std::size_t index) const {
    return firstInput_ + static_cast<std::uint32_t>(index);
  }

  VariableTable takeTable() { return std::move(table_); }
  UnitTable takeUnits();  // of all variables added, display units included

 private:
  Variable& add(Quantity quantity, std::string name, const NamedEntry& entry);
  Variable& addPosition(const CoordinateEntry& entry, double start,
                        const ValueReferences& dependencies);
  Variable& addVelocity(const CoordinateEntry& entry, double start, std::uint32_t position,
                        const ValueReferences& dependencies);
  void addAcceleration(const CoordinateEntry& entry, std::uint32_t velocity,
                       const ValueReferences& dependencies);
  void addMultiplier(const ConstraintEntry& entry, const std::string& name,
                     const ValueReferences& dependencies);
  void addResidual(const ConstraintEntry& entry, const std::string& name,
                   const ValueReferences& dependencies);
  void setUnit(Variable& variable, const std::string& fileUnit);
  void useUnit(const std::string& name);

  VariableTable table_;
  UnitTable units_;
  std::uint32_t firstInput_ = 1;
  std::map<std::string, std::uint32_t> structure_;  // value references by name
  Index counts_[static_cast<std::size_t>(Quantity::structure) + 1] = {};  // variables so far
};

}  // namespace trammel
