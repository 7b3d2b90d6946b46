#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fmu_src/status.hpp"
#include "models/variable_arrays.hpp"

namespace trammel::fmi {

/// Value references with arrays replaced by their elements. Looks at the original ones where there
/// is no array among them.
class ElementReferences {
 public:
  explicit ElementReferences(std::span<const std::uint32_t> same) : view_(same) {}
  explicit ElementReferences(std::vector<std::uint32_t> elements)
      : elements_(std::move(elements)), view_(elements_) {}
  ElementReferences(const ElementReferences&) = delete;
  ElementReferences& operator=(const ElementReferences&) = delete;

  operator std::span<const std::uint32_t>() const { return view_; }

 private:
  std::vector<std::uint32_t> elements_;
  std::span<const std::uint32_t> view_;
};

/// The arrays that an importer of FMI 3 sees; to one of FMI 2 all variables are scalars.
class ArrayReferences {
 public:
  ArrayReferences() = default;
  /// Number of elements by value reference; 0: inside an array.
  explicit ArrayReferences(std::vector<std::size_t> counts) : counts_(std::move(counts)) {
    any_ = std::any_of(counts_.begin(), counts_.end(), [](std::size_t n) { return n != 1; });
  }
  explicit ArrayReferences(const VariableTable& table) : counts_(table.variables.size(), 0) {
    for (const VariableArray& array : variableArrays(table)) {
      counts_[array.first] = array.count;
      any_ = any_ || array.isArray;
    }
  }

  /// Number of values of a variable; an unknown one counts as a scalar, so that it is refused
  /// later.
  std::size_t count(std::uint32_t valueReference) const {
    if (!any_ || valueReference >= counts_.size()) return 1;
    if (counts_[valueReference] == 0)
      throw Error("value reference " + std::to_string(valueReference) +
                  " is not known: it is an element inside an array");
    return counts_[valueReference];
  }

  ElementReferences elements(std::span<const std::uint32_t> valueReferences) const {
    if (!any_) return ElementReferences(valueReferences);
    std::vector<std::uint32_t> all;
    for (const std::uint32_t valueReference : valueReferences)
      for (std::uint32_t i = 0; i < count(valueReference); ++i) all.push_back(valueReference + i);
    return ElementReferences(std::move(all));
  }

  /// One value for each element from one for each variable.
  template <class T>
  std::vector<T> spread(std::span<const std::uint32_t> valueReferences,
                        std::span<const T> values) const {
    std::vector<T> all;
    for (std::size_t i = 0; i < valueReferences.size(); ++i)
      all.insert(all.end(), count(valueReferences[i]), values[i]);
    return all;
  }

 private:
  std::vector<std::size_t> counts_;  // by value reference; 0: inside an array
  bool any_ = false;
};

}  // namespace trammel::fmi
