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

/// What a call finds an instance doing.
enum class Standing : std::uint8_t {
  inStepMode,   // no call is under way
  inOtherMode,  // likewise
  underWay      // another call; this one comes out of a callback of it
};

/// The version and the standing are in it, so that one comparison tells the usual case.
constexpr std::uint64_t livingMarker(Version version, Standing standing) {
  return 0x7472616d6d656c00U + 16 * static_cast<std::uint64_t>(version) +
         static_cast<std::uint64_t>(standing);
}

/// What fmi2Component and fmi3Instance point to.
struct Handle {
  Handle(Version versionOfCaller, std::unique_ptr<Component> versionNeutral);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  std::uint64_t marker;  // tells an instance from another pointer and from a freed instance
  std::unique_ptr<Component> component;
  Component& instance;  // the same
  SavedStates states;

  Standing standing() const { return static_cast<Standing>(marker % 16); }
  void setStanding(Standing standing) {
    marker = marker - marker % 16 + static_cast<std::uint64_t>(standing);
  }
  void endCall() {
    setStanding(instance.mode() == Mode::step ? Standing::inStepMode : Standing::inOtherMode);
  }

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
  constexpr std::uint64_t anyStanding = 15;
  const bool lives = handle != nullptr && (handle->marker | anyStanding) ==
                                              (livingMarker(version, Standing{}) | anyStanding);
  return lives ? handle : nullptr;
}
/// The same for an instance in step mode without a call under way, else nullptr.
inline Handle* handleInStep(void* pointer, Version version) noexcept {
  auto* const handle = static_cast<Handle*>(pointer);
  const bool isUsual =
      handle != nullptr && handle->marker == livingMarker(version, Standing::inStepMode);
  return isUsual ? handle : nullptr;
}

}  // namespace trammel::fmi
