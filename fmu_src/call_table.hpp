#pragma once

#include <cstddef>
#include <span>

#include "fmu_src/status.hpp"

namespace trammel::fmi {

/// Every function of both standards that takes an instance, besides FreeInstance; functions that
/// mean the same share a call.
enum class Call {
  setDebugLogging,
  setupExperiment,
  enterInitializationMode,
  exitInitializationMode,
  terminate,
  reset,
  getFloat64,
  getInt32,
  getBoolean,
  getString,
  setFloat64,
  setInt32,
  setBoolean,
  setString,
  getFloat32,
  getInt8,
  getUInt8,
  getInt16,
  getUInt16,
  getUInt32,
  getInt64,
  getUInt64,
  getBinary,
  getClock,
  setFloat32,
  setInt8,
  setUInt8,
  setInt16,
  setUInt16,
  setUInt32,
  setInt64,
  setUInt64,
  setBinary,
  setClock,
  getFMUState,
  setFMUState,
  freeFMUState,
  serializedFMUStateSize,
  serializeFMUState,
  deserializeFMUState,
  doStep,
  cancelStep,
  getStatus,
  getRealStatus,
  getIntegerStatus,
  getBooleanStatus,
  getStringStatus,
  getDirectionalDerivative,
  getAdjointDerivative,
  setInputDerivatives,
  getOutputDerivatives,
  getNumberOfVariableDependencies,
  getVariableDependencies,
  enterConfigurationMode,
  exitConfigurationMode,
  enterEventMode,
  newDiscreteStates,
  evaluateDiscreteStates,
  enterStepMode,
  getIntervalDecimal,
  getIntervalFraction,
  getShiftDecimal,
  getShiftFraction,
  setIntervalDecimal,
  setIntervalFraction,
  setShiftDecimal,
  setShiftFraction,
  enterContinuousTimeMode,
  completedIntegratorStep,
  setTime,
  setContinuousStates,
  getContinuousStateDerivatives,
  getEventIndicators,
  getContinuousStates,
  getNominalsOfContinuousStates,
  getNumberOfEventIndicators,
  getNumberOfContinuousStates,
  activateModelPartition,
};

/// A set of modes.
class Modes {
 public:
  template <class... M>
  constexpr explicit Modes(M... modes) : bits_((0U | ... | (1U << static_cast<unsigned>(modes)))) {}
  constexpr bool contains(Mode mode) const {
    return (bits_ & (1U << static_cast<unsigned>(mode))) != 0U;
  }

 private:
  unsigned bits_;
};

/// One row of the table: the function's name and the modes that allow it, for each version.
struct CallRule {
  Call call;
  const char* fmi2;  // nullptr: FMI 2 has no such function
  Modes fmi2Modes;
  const char* fmi3;  // nullptr: FMI 3 has no such function
  Modes fmi3Modes;
  const char* refusal = nullptr;  // why the call is refused in every mode; nullptr: it is served

  constexpr const char* name(Version version) const {
    return version == Version::fmi2 ? fmi2 : fmi3;
  }
  constexpr bool allows(Version version, Mode mode) const {
    return refusal == nullptr && (version == Version::fmi2 ? fmi2Modes : fmi3Modes).contains(mode);
  }
};

std::span<const CallRule> callTable();  // in the order of Call
const CallRule& ruleOf(Call call);
const char* modeName(Mode mode);

/// Throws Error saying why the call is not legal in the mode. Pre: it is not.
[[noreturn]] void throwIllegal(Call call, Version version, Mode mode);

/// Throws Error where the call is not legal in the mode, saying why.
inline void requireLegal(Call call, Version version, Mode mode) {
  if (!ruleOf(call).allows(version, mode)) throwIllegal(call, version, mode);
}

}  // namespace trammel::fmi
