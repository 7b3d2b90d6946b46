#include "modelDescription/described_variables.hpp"

namespace trammel::fmi {
namespace {

std::vector<VariableArray> scalars(const VariableTable& table) {
  std::vector<VariableArray> all;
  for (const Variable& variable : table.variables)
    all.push_back({variable.name, variable.valueReference, 1, false});
  return all;
}

}  // namespace

DescribedVariables::DescribedVariables(const VariableTable& table, bool fmi3)
    : table_(table), fmi3_(fmi3), arrays_(fmi3 ? variableArrays(table) : scalars(table)) {
  for (const VariableArray& array : arrays_)
    holder_.insert(holder_.end(), array.count, array.first);
}

std::string DescribedVariables::reference(std::uint32_t valueReference) const {
  return std::to_string(fmi3_ ? holder_[valueReference] : valueReference + 1);
}

}  // namespace trammel::fmi
