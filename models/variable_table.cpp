#include "models/variable_table.hpp"

#include <algorithm>

namespace trammel {

const Variable* VariableTable::find(std::uint32_t valueReference) const {
  return valueReference < variables.size() ? &variables[valueReference] : nullptr;
}

const Variable* VariableTable::find(const std::string& name) const {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const Variable& v) { return v.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

}  // namespace trammel
