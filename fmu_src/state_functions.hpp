#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include "fmu_src/arguments.hpp"
#include "fmu_src/handle.hpp"

// The state functions of the C interface, the same in both versions.
namespace trammel::fmi {

inline void getState(Handle& fmu, void** state) {
  void*& out = pointerArgument(state, "FMUState");
  out = fmu.states.save(fmu.instance, out);
}

inline void setState(Handle& fmu, const void* state) {
  fmu.instance.restoreState(fmu.states.get(state));
}

inline void freeState(Handle& fmu, void** state) {
  if (state == nullptr) return;
  fmu.states.free(*state);
  *state = nullptr;
}

inline void serializedStateSize(Handle& fmu, const void* state, std::size_t* size) {
  pointerArgument(size, "size") = fmu.instance.serializeState(fmu.states.get(state)).size();
}

inline void serializeState(Handle& fmu, const void* state, void* bytes, std::size_t size) {
  const auto serialized = fmu.instance.serializeState(fmu.states.get(state));
  if (size < serialized.size())
    throw Error("size is " + std::to_string(size) + " bytes, expected " +
                std::to_string(serialized.size()));
  std::memcpy(&pointerArgument(static_cast<std::byte*>(bytes), "serializedState"),
              serialized.data(), serialized.size());
}

inline void deserializeState(Handle& fmu, const void* bytes, std::size_t size, void** state) {
  void*& out = pointerArgument(state, "FMUState");
  out = fmu.states.add(fmu.instance.readState(
      arrayArgument(static_cast<const std::byte*>(bytes), size, "serializedState")));
}

}  // namespace trammel::fmi
