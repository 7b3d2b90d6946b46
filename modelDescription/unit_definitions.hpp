#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/units.hpp"
#include "models/variable_table.hpp"

namespace trammel::fmi {

/// A unit to show values in: shown = factor × value + offset.
struct DisplayUnit {
  std::string name;
  double factor = 1;
  double offset = 0;
};

/// A unit of variables with all display units that variables in this unit ask for.
struct UnitDefinition {
  Unit unit;
  std::vector<DisplayUnit> displayUnits;  // sorted by name
};

/// Symbols of the base units in the order of Unit::exponents.
inline constexpr std::array<const char*, 8> baseUnitSymbols{"kg", "m",   "s",  "A",
                                                            "K",  "mol", "cd", "rad"};

/// UnitDefinitions of a model, sorted by name: every unit and display unit that a variable refers
/// to, no other.
std::vector<UnitDefinition> unitDefinitions(const VariableTable& variables, const UnitTable& units);

}  // namespace trammel::fmi
