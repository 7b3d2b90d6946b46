#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fmu_src/status.hpp"
#include "models/variable_arrays.hpp"

namespace trammel::fmi {

/// The variables that an importer of FMI 3 sees, arrays among them; to one of FMI 2 all variables
/// are scalars. Value references are those of the description, which a change of the structure
/// does not change; those of the elements are the model's own.
class ArrayReferences {
 public:
  ArrayReferences() = default;
  /// Number of elements by value reference; 0: inside an array.
  explicit ArrayReferences(std::vector<std::size_t> counts) : counts_(std::move(counts)) {
    for (std::uint32_t i = 0; i < counts_.size(); ++i) firsts_.push_back(i);
    maps_ = std::any_of(counts_.begin(), counts_.end(), [](std::size_t n) { return n != 1; });
  }
  /// Variables as described, and the same ones as they are numbered now.
  ArrayReferences(const std::vector<VariableArray>& described,
                  const std::vector<VariableArray>& present) {
    for (std::size_t k = 0; k < described.size(); ++k) {
      counts_.push_back(present[k].count);
      counts_.insert(counts_.end(), described[k].count - 1, 0);
      firsts_.insert(firsts_.end(), described[k].count, present[k].first);
      maps_ = maps_ || described[k].isArray;
    }
  }

  bool any() const { return maps_; }  // there are arrays

  /// Number of values of a variable.
  std::size_t count(std::uint32_t valueReference) const {
    if (!maps_) return 1;
    if (valueReference >= counts_.size() || counts_[valueReference] == 0)
      throwUnknown(valueReference);
    return counts_[valueReference];
  }

  /// Value references with arrays replaced by their elements: those in `storage`, or the original
  /// ones where nothing is to be replaced.
  std::span<const std::uint32_t> elements(std::span<const std::uint32_t> valueReferences,
                                          std::vector<std::uint32_t>& storage) const {
    if (areElements(valueReferences)) return valueReferences;
    storage.clear();
    for (const std::uint32_t valueReference : valueReferences) {
      const std::size_t elementCount = count(valueReference);
      for (std::uint32_t i = 0; i < elementCount; ++i)
        storage.push_back(firsts_[valueReference] + i);
    }
    return storage;
  }
  /// The same in storage that lives until the next list.
  std::span<const std::uint32_t> elements(std::span<const std::uint32_t> valueReferences) {
    return maps_ ? remembered(valueReferences) : valueReferences;
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
  bool areElements(std::span<const std::uint32_t> valueReferences) const {
    const auto isElement = [this](std::uint32_t valueReference) {
      return valueReference < counts_.size() && counts_[valueReference] == 1 &&
             firsts_[valueReference] == valueReference;
    };
    return !maps_ || std::all_of(valueReferences.begin(), valueReferences.end(), isElement);
  }
  std::span<const std::uint32_t> remembered(std::span<const std::uint32_t> valueReferences);
  [[noreturn, gnu::cold]] void throwUnknown(std::uint32_t valueReference) const;

  std::vector<std::size_t> counts_;    // by value reference; 0: inside an array
  std::vector<std::uint32_t> firsts_;  // by value reference: of the first element, the model's own
  bool maps_ = false;                  // there are arrays
  // Workspace: the last list with arrays and its elements.
  std::vector<std::uint32_t> last_, lastElements_;
};

}  // namespace trammel::fmi
