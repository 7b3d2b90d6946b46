#pragma once

#include <cstdint>
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

  void addParameter(const ParameterEntry& entry);
  void addInput(const InputEntry& entry);
  /// x, der(x) and der(x,2); accelerations depend on `dependencies`. Start values in SI.
  /// Positions and velocities depend on `ofMotion`.
  void addCoordinate(const CoordinateEntry& entry, double start, double startVelocity,
                     const ValueReferences& dependencies, const ValueReferences& ofMotion = {});
  /// NAME.lambda depends on `ofMultiplier`, NAME.g on `ofResidual`; `element` is [k] where several
  /// equations have one name.
  void addConstraint(const ConstraintEntry& entry, const std::string& element,
                     const ValueReferences& ofMultiplier, const ValueReferences& ofResidual);
  void addOutput(const OutputEntry& entry, const ValueReferences& dependencies);

  std::uint32_t inputReference(std::size_t index) const {
    return firstInput_ + static_cast<std::uint32_t>(index);
  }

  VariableTable takeTable() { return std::move(table_); }
  UnitTable takeUnits();  // of all variables added, display units included

 private:
  Variable& add(Quantity quantity, std::string name, const NamedEntry& entry);
  void setUnit(Variable& variable, const std::string& fileUnit);
  void useUnit(const std::string& name);

  VariableTable table_;
  UnitTable units_;
  std::uint32_t firstInput_ = 1;
  Index counts_[9] = {};  // variables of each quantity so far
};

}  // namespace trammel
