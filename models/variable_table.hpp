#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/types.hpp"

namespace trammel {

// The words are those of FMI; no FMI header is needed for them.
enum class Causality { parameter, input, output, local, independent, structuralParameter };
enum class Variability { fixed, tunable, discrete, continuous };
enum class Initial { none, exact, approx, calculated };
enum class Type : std::uint8_t { float64, float32, int32, boolean, string, uint64 };

/// Where the value of a variable lives in an instance.
enum class Quantity : std::uint8_t {
  time,
  parameter,
  input,
  position,
  velocity,
  acceleration,
  multiplier,
  residual,
  output,
  setting,    // of the solver, index: Setting
  statistic,  // of the solver, index: Statistic
  structure   // a number of elements
};

enum class Setting { method, mode, tolerance, maxStep, maxOrder, repeatable, errorTest };
enum class Statistic { steps, residuals };

/// One variable of the model, as it appears in modelDescription.xml and behind get and set.
struct Variable {
  std::string name;  // FMI structured name, e.g. "x", "der(x)", "rod.lambda"
  std::string description;
  std::uint32_t valueReference = 0;
  Type type = Type::float64;
  Causality causality = Causality::local;
  Variability variability = Variability::continuous;
  Initial initial = Initial::none;
  Quantity quantity = Quantity::time;
  Index index = 0;   // within the quantity
  std::string unit;  // of all values: coherent SI, a name in the model's UnitTable, empty: none
  std::string displayUnit;  // as the author wrote it where that is not coherent SI ("mm"), a name
                            // in the UnitTable, or empty
  std::optional<double> start, min, max, nominal;  // SI
  std::string startText;                           // of a string
  std::optional<std::uint32_t> derivativeOf;       // value reference
  std::optional<std::uint32_t> dimension;          // of an element: value reference of their number
  std::optional<std::vector<std::uint32_t>>
      dependencies;  // value references of inputs (and time); nullopt: not known
};

/// Integer and Boolean variables, which jump.
inline bool isDiscrete(Type type) {
  return type == Type::int32 || type == Type::boolean || type == Type::uint64;
}

/// What a variable of this type can hold that is nearest to the value.
inline double rounded(Type type, double value) {
  return type == Type::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/// Whether FMI 3 lets an importer set or read it inside a step.
inline bool hasIntermediateUpdate(const Variable& variable) {
  return variable.variability == Variability::continuous &&
         (variable.causality == Causality::input || variable.causality == Causality::output);
}

/// All variables, sorted by value reference, which count from 0 without gaps; 0 is time.
struct VariableTable {
  std::vector<Variable> variables;

  const Variable* find(std::uint32_t valueReference) const;  // nullptr: no such reference
  const Variable* find(const std::string& name) const;
};

}  // namespace trammel
