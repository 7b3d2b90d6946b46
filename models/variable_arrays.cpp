#include "models/variable_arrays.hpp"

namespace trammel {
namespace {

/// "crank.r" of element k of "crank.r[k]", "der(x)" of "der(x[k])"; empty: it is none.
std::string arrayName(const Variable& variable, std::size_t k) {
  const std::string suffix = "[" + std::to_string(k) + "]";
  const std::string& name = variable.name;
  const std::size_t at = name.rfind(suffix);
  if (at == std::string::npos || at == 0) return {};
  const std::string rest = name.substr(at + suffix.size());
  const bool derivative = variable.dimension && (rest == ")" || rest == ",2)");
  return rest.empty() || derivative ? name.substr(0, at) + rest : std::string{};
}

bool sameKind(const Variable& a, const Variable& b) {
  return a.type == b.type && a.causality == b.causality && a.variability == b.variability &&
         a.initial == b.initial && a.quantity == b.quantity && a.unit == b.unit &&
         a.dimension == b.dimension && a.derivativeOf.has_value() == b.derivativeOf.has_value();
}

}  // namespace

std::vector<VariableArray> variableArrays(const VariableTable& table) {
  std::vector<VariableArray> arrays;
  const std::vector<Variable>& all = table.variables;
  for (std::size_t i = 0; i < all.size();) {
    VariableArray array{all[i].name, all[i].valueReference, 1, false};
    const std::string name = arrayName(all[i], 1);
    if (!name.empty()) {
      while (i + array.count < all.size() && sameKind(all[i], all[i + array.count]) &&
             arrayName(all[i + array.count], array.count + 1) == name)
        ++array.count;
      array.isArray = array.count > 1 || all[i].dimension;
      if (array.isArray) array.name = name;
    }
    i += array.count;
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace trammel
