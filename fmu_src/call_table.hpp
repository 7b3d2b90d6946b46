#pragma once

#include <array>
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
  constexpr Modes modes(Version version) const {  // that allow it
    if (refusal != nullptr) return Modes{};
    return version == Version::fmi2 ? fmi2Modes : fmi3Modes;
  }
  constexpr bool allows(Version version, Mode mode) const { return modes(version).contains(mode); }
};

/// The table, known where a call is compiled.
namespace call_rules {

using enum Mode;

inline constexpr Modes never{};
inline constexpr Modes always{instantiated, initialization, step,         terminated,
                              failed,       event,          configuration};
inline constexpr Modes inStep{step};
inline constexpr Modes settable2{instantiated, initialization, step};
inline constexpr Modes settable{instantiated, initialization, step, event};
// Inside a step the importer may set inputs and read outputs.
inline constexpr Modes settableReal{instantiated, initialization, step, event, intermediateUpdate};
// FMI 2 gives values from initialization on, FMI 3 also start values before; after an error both
// for debugging only.
inline constexpr Modes readable2{initialization, step, terminated, failed};
inline constexpr Modes readable3{instantiated, initialization, step, terminated, failed, event};
inline constexpr Modes readableReal{instantiated, initialization,    step, terminated, failed,
                                    event,        intermediateUpdate};
// Structural parameters are of type UInt64.
inline constexpr Modes settableCount{instantiated, initialization, step, event, configuration};
inline constexpr Modes readableCount{instantiated, initialization, step,         terminated,
                                     failed,       event,          configuration};
inline constexpr Modes inquirable{step, terminated};
inline constexpr Modes differentiable2{initialization, step, terminated};
inline constexpr Modes differentiable3{initialization, step, event, terminated};

inline constexpr const char* modelExchange =
    "belongs to model exchange, this is a co-simulation FMU";
inline constexpr const char* noEventMode = "providesEvaluateDiscreteStates is false";
inline constexpr const char* noClocks = "the model has no clocks";
inline constexpr const char* noDependencies = "providesPerElementDependencies is false";

inline constexpr std::array table = {
    CallRule{Call::setDebugLogging, "fmi2SetDebugLogging", always, "fmi3SetDebugLogging", always},
    CallRule{Call::setupExperiment, "fmi2SetupExperiment", Modes{instantiated}, nullptr, never},
    CallRule{Call::enterInitializationMode, "fmi2EnterInitializationMode", Modes{instantiated},
             "fmi3EnterInitializationMode", Modes{instantiated}},
    CallRule{Call::exitInitializationMode, "fmi2ExitInitializationMode", Modes{initialization},
             "fmi3ExitInitializationMode", Modes{initialization}},
    CallRule{Call::terminate, "fmi2Terminate", inStep, "fmi3Terminate", Modes{step, event}},
    CallRule{Call::reset, "fmi2Reset", always, "fmi3Reset", always},

    CallRule{Call::getFloat64, "fmi2GetReal", readable2, "fmi3GetFloat64", readableReal},
    CallRule{Call::getInt32, "fmi2GetInteger", readable2, "fmi3GetInt32", readable3},
    CallRule{Call::getBoolean, "fmi2GetBoolean", readable2, "fmi3GetBoolean", readable3},
    CallRule{Call::getString, "fmi2GetString", readable2, "fmi3GetString", readable3},
    CallRule{Call::setFloat64, "fmi2SetReal", settable2, "fmi3SetFloat64", settableReal},
    CallRule{Call::setInt32, "fmi2SetInteger", settable2, "fmi3SetInt32", settable},
    CallRule{Call::setBoolean, "fmi2SetBoolean", settable2, "fmi3SetBoolean", settable},
    CallRule{Call::setString, "fmi2SetString", settable2, "fmi3SetString", settable},
    CallRule{Call::getFloat32, nullptr, never, "fmi3GetFloat32", readable3},
    CallRule{Call::getInt8, nullptr, never, "fmi3GetInt8", readable3},
    CallRule{Call::getUInt8, nullptr, never, "fmi3GetUInt8", readable3},
    CallRule{Call::getInt16, nullptr, never, "fmi3GetInt16", readable3},
    CallRule{Call::getUInt16, nullptr, never, "fmi3GetUInt16", readable3},
    CallRule{Call::getUInt32, nullptr, never, "fmi3GetUInt32", readable3},
    CallRule{Call::getInt64, nullptr, never, "fmi3GetInt64", readable3},
    CallRule{Call::getUInt64, nullptr, never, "fmi3GetUInt64", readableCount},
    CallRule{Call::getBinary, nullptr, never, "fmi3GetBinary", readable3},
    CallRule{Call::getClock, nullptr, never, "fmi3GetClock", readable3},
    CallRule{Call::setFloat32, nullptr, never, "fmi3SetFloat32", settable},
    CallRule{Call::setInt8, nullptr, never, "fmi3SetInt8", settable},
    CallRule{Call::setUInt8, nullptr, never, "fmi3SetUInt8", settable},
    CallRule{Call::setInt16, nullptr, never, "fmi3SetInt16", settable},
    CallRule{Call::setUInt16, nullptr, never, "fmi3SetUInt16", settable},
    CallRule{Call::setUInt32, nullptr, never, "fmi3SetUInt32", settable},
    CallRule{Call::setInt64, nullptr, never, "fmi3SetInt64", settable},
    CallRule{Call::setUInt64, nullptr, never, "fmi3SetUInt64", settableCount},
    CallRule{Call::setBinary, nullptr, never, "fmi3SetBinary", settable},
    CallRule{Call::setClock, nullptr, never, "fmi3SetClock", settable},

    CallRule{Call::getFMUState, "fmi2GetFMUstate", always, "fmi3GetFMUState", always},
    CallRule{Call::setFMUState, "fmi2SetFMUstate", always, "fmi3SetFMUState", always},
    CallRule{Call::freeFMUState, "fmi2FreeFMUstate", always, "fmi3FreeFMUState", always},
    CallRule{Call::serializedFMUStateSize, "fmi2SerializedFMUstateSize", always,
             "fmi3SerializedFMUStateSize", always},
    CallRule{Call::serializeFMUState, "fmi2SerializeFMUstate", always, "fmi3SerializeFMUState",
             always},
    CallRule{Call::deserializeFMUState, "fmi2DeSerializeFMUstate", always,
             "fmi3DeserializeFMUState", always},

    CallRule{Call::doStep, "fmi2DoStep", inStep, "fmi3DoStep", inStep},
    CallRule{Call::cancelStep, "fmi2CancelStep", never, nullptr, never,
             "no step is under way: doStep returns when it is done"},
    CallRule{Call::getStatus, "fmi2GetStatus", inquirable, nullptr, never},
    CallRule{Call::getRealStatus, "fmi2GetRealStatus", inquirable, nullptr, never},
    CallRule{Call::getIntegerStatus, "fmi2GetIntegerStatus", inquirable, nullptr, never},
    CallRule{Call::getBooleanStatus, "fmi2GetBooleanStatus", inquirable, nullptr, never},
    CallRule{Call::getStringStatus, "fmi2GetStringStatus", inquirable, nullptr, never},

    CallRule{Call::getDirectionalDerivative, "fmi2GetDirectionalDerivative", differentiable2,
             "fmi3GetDirectionalDerivative", differentiable3},
    CallRule{Call::getAdjointDerivative, nullptr, never, "fmi3GetAdjointDerivative",
             differentiable3},
    CallRule{Call::setInputDerivatives, "fmi2SetRealInputDerivatives", Modes{initialization, step},
             nullptr, never},
    CallRule{Call::getOutputDerivatives, "fmi2GetRealOutputDerivatives", inquirable,
             "fmi3GetOutputDerivatives", Modes{step, terminated, intermediateUpdate}},
    CallRule{Call::getNumberOfVariableDependencies, nullptr, never,
             "fmi3GetNumberOfVariableDependencies", never, noDependencies},
    CallRule{Call::getVariableDependencies, nullptr, never, "fmi3GetVariableDependencies", never,
             noDependencies},
    CallRule{Call::enterConfigurationMode, nullptr, never, "fmi3EnterConfigurationMode",
             Modes{instantiated}},
    CallRule{Call::exitConfigurationMode, nullptr, never, "fmi3ExitConfigurationMode",
             Modes{configuration}},
    CallRule{Call::enterEventMode, "fmi2EnterEventMode", never, "fmi3EnterEventMode", inStep},
    CallRule{Call::newDiscreteStates, "fmi2NewDiscreteStates", never, "fmi3UpdateDiscreteStates",
             Modes{event}},
    CallRule{Call::evaluateDiscreteStates, nullptr, never, "fmi3EvaluateDiscreteStates", never,
             noEventMode},
    CallRule{Call::enterStepMode, nullptr, never, "fmi3EnterStepMode", Modes{event}},
    CallRule{Call::getIntervalDecimal, nullptr, never, "fmi3GetIntervalDecimal", never, noClocks},
    CallRule{Call::getIntervalFraction, nullptr, never, "fmi3GetIntervalFraction", never, noClocks},
    CallRule{Call::getShiftDecimal, nullptr, never, "fmi3GetShiftDecimal", never, noClocks},
    CallRule{Call::getShiftFraction, nullptr, never, "fmi3GetShiftFraction", never, noClocks},
    CallRule{Call::setIntervalDecimal, nullptr, never, "fmi3SetIntervalDecimal", never, noClocks},
    CallRule{Call::setIntervalFraction, nullptr, never, "fmi3SetIntervalFraction", never, noClocks},
    CallRule{Call::setShiftDecimal, nullptr, never, "fmi3SetShiftDecimal", never, noClocks},
    CallRule{Call::setShiftFraction, nullptr, never, "fmi3SetShiftFraction", never, noClocks},

    CallRule{Call::enterContinuousTimeMode, "fmi2EnterContinuousTimeMode", never,
             "fmi3EnterContinuousTimeMode", never, modelExchange},
    CallRule{Call::completedIntegratorStep, "fmi2CompletedIntegratorStep", never,
             "fmi3CompletedIntegratorStep", never, modelExchange},
    CallRule{Call::setTime, "fmi2SetTime", never, "fmi3SetTime", never, modelExchange},
    CallRule{Call::setContinuousStates, "fmi2SetContinuousStates", never, "fmi3SetContinuousStates",
             never, modelExchange},
    CallRule{Call::getContinuousStateDerivatives, "fmi2GetDerivatives", never,
             "fmi3GetContinuousStateDerivatives", never, modelExchange},
    CallRule{Call::getEventIndicators, "fmi2GetEventIndicators", never, "fmi3GetEventIndicators",
             never, modelExchange},
    CallRule{Call::getContinuousStates, "fmi2GetContinuousStates", never, "fmi3GetContinuousStates",
             never, modelExchange},
    CallRule{Call::getNominalsOfContinuousStates, "fmi2GetNominalsOfContinuousStates", never,
             "fmi3GetNominalsOfContinuousStates", never, modelExchange},
    CallRule{Call::getNumberOfEventIndicators, nullptr, never, "fmi3GetNumberOfEventIndicators",
             never, modelExchange},
    CallRule{Call::getNumberOfContinuousStates, nullptr, never, "fmi3GetNumberOfContinuousStates",
             never, modelExchange},
    CallRule{Call::activateModelPartition, nullptr, never, "fmi3ActivateModelPartition", never,
             "belongs to scheduled execution, this is a co-simulation FMU"},
};

constexpr bool inOrderOfCall() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].call) != i) return false;
  return table.size() == static_cast<std::size_t>(Call::activateModelPartition) + 1;
}
static_assert(inOrderOfCall(), "every call has one row, in the order of the enumeration");

}  // namespace call_rules

inline std::span<const CallRule> callTable() { return call_rules::table; }  // in the order of Call
constexpr const CallRule& ruleOf(Call call) {
  return call_rules::table[static_cast<std::size_t>(call)];
}
const char* modeName(Mode mode);

/// Throws Error saying why the call is not legal in the mode. Pre: it is not.
[[noreturn, gnu::cold]] void throwIllegal(Call call, Version version, Mode mode);

/// A call with the modes that allow it, looked up where the call is compiled: what is legal costs
/// one comparison of bits.
template <Version callersVersion>
struct CallOf {
  consteval CallOf(Call name)  // NOLINT(google-explicit-constructor): a call is what it is
      : call(name), modes(ruleOf(name).modes(version)) {}

  static constexpr Version version = callersVersion;
  Call call;
  Modes modes;
};

/// Throws Error where the call is not legal in the mode, saying why.
template <Version version>
void requireLegal(CallOf<version> call, Mode mode) {
  if (!call.modes.contains(mode)) throwIllegal(call.call, version, mode);
}

}  // namespace trammel::fmi
