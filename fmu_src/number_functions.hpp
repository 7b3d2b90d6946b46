#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fmu_src/arguments.hpp"
#include "fmu_src/handle.hpp"

// Get and set of the types whose values are numbers, the same in both versions.
namespace trammel::fmi {

/// What both versions hand over; `valueCount` is that of all elements of arrays.
template <class Value>
struct NumberArguments {
  const std::uint32_t* valueReferences;
  std::size_t referenceCount;
  Value* values;
  std::size_t valueCount;
};

template <class Value>
void getNumbers(Handle& fmu, Type type, const NumberArguments<Value>& arguments) {
  const auto references =
      arrayArgument(arguments.valueReferences, arguments.referenceCount, "valueReferences");
  const auto values = arrayArgument(arguments.values, arguments.valueCount, "values");
  std::vector<double> numbers(values.size());
  fmu.instance.getNumbers(type, fmu.elements(references), numbers);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Value>(numbers[i]);
}

template <class Value>
void setNumbers(Handle& fmu, Type type, const NumberArguments<const Value>& arguments) {
  const auto references =
      arrayArgument(arguments.valueReferences, arguments.referenceCount, "valueReferences");
  const auto values = arrayArgument(arguments.values, arguments.valueCount, "values");
  std::vector<double> numbers(values.begin(), values.end());
  if (type == Type::boolean)  // whatever the C type of a Boolean, all but 0 is true
    for (double& number : numbers) number = number != 0 ? 1 : 0;
  fmu.instance.setNumbers(type, fmu.elements(references), numbers);
}

}  // namespace trammel::fmi
