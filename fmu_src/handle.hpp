#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fmu_src/array_references.hpp"
#include "fmu_src/call_table.hpp"
#include "fmu_src/component.hpp"

namespace trammel::fmi {

/// States handed out through the C interface. They belong to the instance and go with it.
class SavedStates {
 public:
  /// Saves into `state` if it is not null (it must be one of these), else into a new one.
  void* save(const Component& component, void* state);
  void* add(std::unique_ptr<ComponentState> state);
  const ComponentState& get(const void* state) const;  // throws Error if it is none of these
  void free(void* state);                              // null is ignored

 private:
  std::map<const void*, std::unique_ptr<ComponentState>> states_;
};

/// The version is in it, so that one comparison tells both.
constexpr std::uint64_t livingMarker(Version version) {
  return 0x7472616d6d656c30U + static_cast<std::uint64_t>(version);
}

/// What fmi2Component and fmi3Instance point to.
struct Handle {
  Handle(Version versionOfCaller, std::unique_ptr<Component> versionNeutral);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  std::uint64_t marker;   // tells an instance from another pointer and from a freed instance
  int callsUnderWay = 0;  // the importer's callbacks run inside one
  std::unique_ptr<Component> component;
  Component& instance;  // the same
  SavedStates states;

  ArrayReferences& arrays() {  // as the version sees them
    return seesArrays_ ? instance.arrays() : noArrays_;
  }
  /// Arrays replaced by their elements; the list lives until the next one.
  std::span<const std::uint32_t> elements(std::span<const std::uint32_t> valueReferences) {
    return seesArrays_ ? instance.arrays().elements(valueReferences) : valueReferences;
  }

 private:
  bool seesArrays_;  // whatever the structure: a variable stays an array
  ArrayReferences noArrays_;
};

/// What both standards ask for when they instantiate.
struct InstantiationArguments {
  Version version = Version::fmi3;
  const char* function = "";  // for messages
  const char* instanceName = nullptr;
  const char* token = nullptr;
  const char* resources = nullptr;  // FMI 2: URI, FMI 3: path; nullptr: beside the binary
  const char* refusal =
      nullptr;  // why the FMU does not serve what else was asked for; nullptr: it does
  const std::uint32_t* intermediateVariables = nullptr;  // FMI 3
  std::size_t intermediateVariableCount = 0;
};

/// nullptr, after logging why, if there can be no such instance.
Handle* instantiate(const InstantiationArguments& arguments, const Log& log,
                    const StepOptions& options = {}) noexcept;
void freeInstance(void* handle) noexcept;  // null is ignored

/// nullptr if the pointer is null or is no living instance of this version.
inline Handle* livingHandle(void* pointer, Version version) noexcept {
  auto* const handle = static_cast<Handle*>(pointer);
  const bool lives = handle != nullptr && handle->marker == livingMarker(version);
  return lives ? handle : nullptr;
}

}  // namespace trammel::fmi
