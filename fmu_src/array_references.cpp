#include "fmu_src/array_references.hpp"

#include <string>

namespace trammel::fmi {

/// Importers read the same at each step: the last list with arrays is not taken apart again.
std::span<const std::uint32_t> ArrayReferences::remembered(
    std::span<const std::uint32_t> valueReferences) {
  if (!last_.empty() && std::ranges::equal(valueReferences, last_)) return lastElements_;
  if (areElements(valueReferences)) return valueReferences;
  last_.clear();  // a reference may not be known
  elements(valueReferences, lastElements_);
  last_.assign(valueReferences.begin(), valueReferences.end());
  return lastElements_;
}

void ArrayReferences::throwUnknown(std::uint32_t valueReference) const {
  const std::string unknown = "value reference " + std::to_string(valueReference) + " is not known";
  if (valueReference < counts_.size()) throw Error(unknown + ": it is an element inside an array");
  throw Error(unknown + ", the model has 0 to " + std::to_string(counts_.size() - 1));
}

}  // namespace trammel::fmi
