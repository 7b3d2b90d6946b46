#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fmu_src/arguments.hpp"
#include "fmu_src/guarded.hpp"
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

/// Arguments one by one as in C: they stay in the registers that they come in.
template <Version version>
[[gnu::noinline]] Status getOtherReals(void* handle, const std::uint32_t* valueReferences,
                                       std::size_t referenceCount, double* values,
                                       std::size_t valueCount) noexcept {
  return guarded(handle, CallOf<version>(Call::getFloat64), [&](Handle& fmu) {
    constexpr bool isFmi2 = version == Version::fmi2;
    const auto asked =
        arrayArgument(valueReferences, referenceCount, isFmi2 ? "vr" : "valueReferences");
    const auto elements = fmu.elements(asked);
    fmu.instance.getReal(elements, arrayArgument(values, valueCount, isFmi2 ? "value" : "values"),
                         asked);
  });
}

/// Importers read the same list of reals at each step: it takes the shortest way.
template <Version version>
Status getReals(void* handle, const std::uint32_t* valueReferences, std::size_t referenceCount,
                double* values, std::size_t valueCount) noexcept {
  Handle* const fmu = handleInStep(handle, version);
  if (fmu == nullptr || values == nullptr ||
      !fmu->instance.lastRead().isAsked(valueReferences, referenceCount, valueCount)) [[unlikely]]
    return getOtherReals<version>(handle, valueReferences, referenceCount, values, valueCount);
  return guardedInStep<version, Call::getFloat64>(*fmu, [&](Handle&) {
    fmu->instance.readAgain(values);
    return Status::ok;
  });
}

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
