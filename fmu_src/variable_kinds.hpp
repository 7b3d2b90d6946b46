#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fmu_src/status.hpp"
#include "models/compiled_model.hpp"

// Questions about variables that several parts of an instance ask.
namespace trammel::fmi {

inline const Variable& lookUp(const CompiledModel& model, std::uint32_t valueReference) {
  const std::vector<Variable>& all = model.variables().variables;  // sorted, without gaps
  if (valueReference < all.size()) return all[valueReference];
  throw Error("value reference " + std::to_string(valueReference) +
              " is not known, the model has 0 to " + std::to_string(all.size() - 1));
}

inline const char* nameOf(Type type) {
  constexpr const char* names[] = {"Real", "Float32", "Integer", "Boolean", "String", "UInt64"};
  return names[static_cast<std::size_t>(type)];
}

/// The variable, which must be of this type.
inline const Variable& lookUp(const CompiledModel& model, std::uint32_t valueReference, Type type) {
  const Variable& variable = lookUp(model, valueReference);
  if (variable.type != type)
    throw Error("value reference " + std::to_string(valueReference) +
                " is not a variable of type " + nameOf(type) + " but \"" + variable.name +
                "\" of type " + nameOf(variable.type));
  return variable;
}

inline void requireSameSize(std::size_t values, std::size_t references) {
  if (values != references)
    throw Error(std::to_string(values) + " values for " + std::to_string(references) +
                " value references");
}

inline std::string quoted(const Variable& variable) { return "variable \"" + variable.name + "\""; }

inline std::size_t at(const Variable& variable) { return static_cast<std::size_t>(variable.index); }

/// A position or velocity whose start value the importer may set.
inline bool isStartValue(const Variable& variable) {
  const bool state =
      variable.quantity == Quantity::position || variable.quantity == Quantity::velocity;
  return state && (variable.initial == Initial::exact || variable.initial == Initial::approx);
}

}  // namespace trammel::fmi
