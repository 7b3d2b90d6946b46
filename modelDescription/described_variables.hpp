#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/variable_arrays.hpp"

namespace trammel::fmi {

/// The variables of a table as one version of FMI sees them: FMI 3 has arrays and refers to
/// variables by value reference, FMI 2 has scalars and refers to them by the position in
/// ModelVariables, which counts from 1.
class DescribedVariables {
 public:
  DescribedVariables(const VariableTable& table, bool fmi3);

  const std::vector<VariableArray>& all() const { return arrays_; }
  const Variable& first(const VariableArray& array) const { return table_.variables[array.first]; }
  const VariableTable& table() const { return table_; }

  /// How an attribute refers to the variable that holds this one.
  std::string reference(std::uint32_t valueReference) const;

 private:
  const VariableTable& table_;
  const bool fmi3_;
  std::vector<VariableArray> arrays_;
  std::vector<std::uint32_t> holder_;  // value reference of the array that a variable is in
};

}  // namespace trammel::fmi
