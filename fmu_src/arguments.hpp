#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "fmu_src/status.hpp"

namespace trammel::fmi {

// Apart from the checks, which all calls run through, also in memory.
[[noreturn, gnu::cold]] inline void throwNullArgument(const char* name) {
  throw Error("argument " + std::string(name) + " is NULL");
}
[[noreturn, gnu::cold]] inline void throwNullArray(const char* name, std::size_t count) {
  throw Error("argument " + std::string(name) + " is NULL, expected " + std::to_string(count) +
              " elements");
}

/// The array argument of a C function; NULL is allowed only where it is empty.
template <class T>
std::span<T> arrayArgument(T* data, std::size_t count, const char* name) {
  if (data == nullptr && count > 0) throwNullArray(name, count);
  return {data, count};
}

/// The pointer argument of a C function that must not be NULL.
template <class T>
T& pointerArgument(T* pointer, const char* name) {
  if (pointer == nullptr) throwNullArgument(name);
  return *pointer;
}

/// The models have no variables of this type yet: only an empty list of them is right.
template <class ValueReference>
void requireNoVariables(const ValueReference* valueReferences, std::size_t count,
                        const char* type) {
  const auto references = arrayArgument(valueReferences, count, "valueReferences");
  if (!references.empty())
    throw Error("value reference " + std::to_string(references[0]) + " is not a variable of type " +
                type);
}

}  // namespace trammel::fmi
