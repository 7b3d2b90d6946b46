#include "modelDescription/unit_definitions.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "solver/error.hpp"

namespace trammel::fmi {
namespace {

const Unit& findUnit(const UnitTable& units, const std::string& name) {
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
  if (found == units.end()) throw Error("unit \"" + name + "\" is missing in the model's units");
  return *found;
}

/// SI = factor × value + offset holds for both; solved for what is shown.
DisplayUnit displayUnit(const Unit& unit, const Unit& shown) {
  return {shown.name, unit.factor / shown.factor, (unit.offset - shown.offset) / shown.factor};
}

}  // namespace

std::vector<UnitDefinition> unitDefinitions(const VariableTable& variables,
                                            const UnitTable& units) {
  std::map<std::string, std::set<std::string>> displayNames;  // unit -> its display units
  for (const Variable& variable : variables.variables) {
    if (variable.unit.empty()) continue;
    std::set<std::string>& names = displayNames[variable.unit];
    if (!variable.displayUnit.empty()) names.insert(variable.displayUnit);
  }
  std::vector<UnitDefinition> definitions;
  for (const auto& [name, names] : displayNames) {
    UnitDefinition definition{findUnit(units, name), {}};
    for (const std::string& shown : names) {
      definition.displayUnits.push_back(displayUnit(definition.unit, findUnit(units, shown)));
    }
    definitions.push_back(std::move(definition));
  }
  return definitions;
}

}  // namespace trammel::fmi
