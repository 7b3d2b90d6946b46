#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/variable_table.hpp"

namespace trammel::fmi {

/// A scalar variable of a model or FMU that can be run; elements of arrays have names like "r[2]".
struct RunVariable {
  std::string name, unit, description;
  Causality causality = Causality::local;
  Type type = Type::float64;
  std::uint32_t valueReference = 0;
  std::size_t element = 0;  // within an array of an FMU
};

/// The value of an assignment "name=value", with what it is for.
struct StartValue {
  const RunVariable* variable = nullptr;
  double number = 0;  // in the unit of the variable; Booleans are 0 and 1
  std::string text;   // of a string
};

/// Reads "name=value"; a number may have a unit behind it, "L=300 mm". Throws InputError naming the
/// assignment that is wrong.
StartValue parseStartValue(const std::string& assignment, std::span<const RunVariable> variables);

/// The variables of these names, in their order; `*` in a name stands for any characters. Without
/// names all outputs. Throws InputError for a name that fits nothing.
std::vector<const RunVariable*> chooseVariables(std::span<const std::string> names,
                                                std::span<const RunVariable> variables);

/// Throws InputError with `where` and a suggestion if there is none of this name.
const RunVariable& findVariable(const std::string& name, std::span<const RunVariable> variables,
                                const std::string& where);

}  // namespace trammel::fmi
