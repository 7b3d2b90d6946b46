#include "fmi3Functions.h"

#include <optional>
#include <string>
#include <vector>

#include "fmu_src/arguments.hpp"
#include "fmu_src/guarded.hpp"
#include "fmu_src/number_functions.hpp"
#include "fmu_src/state_functions.hpp"

// Every function of FMI 3.0. The declarations in fmi3Functions.h have C linkage, so a definition
// with another signature does not compile. docs/fmi.md says which functions are served.

using namespace trammel::fmi;  // NOLINT(google-build-using-namespace): those of FMI have none
using trammel::Type;

namespace {

static_assert(static_cast<int>(Status::ok) == fmi3OK &&
              static_cast<int>(Status::discard) == fmi3Discard &&
              static_cast<int>(Status::error) == fmi3Error &&
              static_cast<int>(Status::fatal) == fmi3Fatal);

fmi3Status toFmi3(Status status) { return static_cast<fmi3Status>(status); }

using Name = CallOf<Version::fmi3>;

template <class Body>
fmi3Status call(fmi3Instance instance, Name name, const Body& body) noexcept {
  return toFmi3(guarded(instance, name, body));
}

fmi3Status refuse(fmi3Instance instance, Name name) noexcept {
  return call(instance, name, [](Handle&) {});
}

fmi3Status noVariables(fmi3Instance instance, Name name, const char* type,
                       const fmi3ValueReference* vr, size_t nvr) noexcept {
  return call(instance, name, [&](Handle&) { requireNoVariables(vr, nvr, type); });
}

Log logOf(fmi3LogMessageCallback logMessage, fmi3InstanceEnvironment environment,
          bool loggingOn) noexcept {
  if (logMessage == nullptr) return Log();
  const auto sink = [logMessage, environment](Status status, const char* category,
                                              const std::string& message) {
    logMessage(environment, toFmi3(status), category, escapeMessage(message).c_str());
  };
  return Log(sink, loggingOn);
}

std::optional<double> optional(bool defined, double value) {
  return defined ? std::optional<double>(value) : std::nullopt;
}

StepOptions stepOptions(bool eventModeUsed, bool earlyReturnAllowed,
                        fmi3InstanceEnvironment environment,
                        fmi3IntermediateUpdateCallback intermediateUpdate) {
  StepOptions options;
  options.eventModeUsed = eventModeUsed;
  options.earlyReturnAllowed = earlyReturnAllowed;
  options.knowsTypes = true;
  if (intermediateUpdate == nullptr) return options;
  options.intermediateUpdate = [=](const IntermediatePoint& point) -> std::optional<double> {
    fmi3Boolean earlyReturnRequested = fmi3False;
    fmi3Float64 earlyReturnTime = point.time;
    intermediateUpdate(environment, point.time, point.setRequested, point.getAllowed,
                       point.getAllowed, point.canReturnEarly, &earlyReturnRequested,
                       &earlyReturnTime);
    return earlyReturnRequested ? std::optional<double>(earlyReturnTime) : std::nullopt;
  };
  return options;
}

struct StepOutcome {
  fmi3Boolean& eventHandlingNeeded;
  fmi3Boolean& terminateSimulation;
  fmi3Boolean& earlyReturn;
  fmi3Float64& lastSuccessfulTime;
};

void tell(const StepResult& result, const StepOutcome& outcome) {
  outcome.lastSuccessfulTime = result.lastSuccessfulTime;
  outcome.eventHandlingNeeded = result.eventHandlingNeeded;
  outcome.earlyReturn = result.earlyReturn;
  outcome.terminateSimulation = result.terminate;
}

Status step(Handle& fmu, double currentCommunicationPoint, double communicationStepSize,
            const StepOutcome& outcome) {
  try {
    const StepResult result = fmu.instance.doStep(currentCommunicationPoint, communicationStepSize);
    tell(result, outcome);
    return result.status;
  } catch (...) {
    tell({.lastSuccessfulTime = fmu.instance.time()}, outcome);
    throw;
  }
}

/// The way of an illegal call. Arguments one by one as in C: they stay in the registers that they
/// come in.
[[gnu::cold, gnu::noinline]] fmi3Status stepOtherwise(
    fmi3Instance instance, double currentCommunicationPoint, double communicationStepSize,
    fmi3Boolean* eventHandlingNeeded, fmi3Boolean* terminateSimulation, fmi3Boolean* earlyReturn,
    fmi3Float64* lastSuccessfulTime) noexcept {
  return call(instance, Call::doStep, [&](Handle& fmu) {
    return step(fmu, currentCommunicationPoint, communicationStepSize,
                {pointerArgument(eventHandlingNeeded, "eventHandlingNeeded"),
                 pointerArgument(terminateSimulation, "terminateSimulation"),
                 pointerArgument(earlyReturn, "earlyReturn"),
                 pointerArgument(lastSuccessfulTime, "lastSuccessfulTime")});
  });
}

}  // namespace

extern "C" {

const char* fmi3GetVersion(void) { return fmi3Version; }

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath, fmi3Boolean,
    fmi3Boolean loggingOn, fmi3Boolean eventModeUsed, fmi3Boolean earlyReturnAllowed,
    const fmi3ValueReference requiredIntermediateVariables[], size_t nRequiredIntermediateVariables,
    fmi3InstanceEnvironment instanceEnvironment, fmi3LogMessageCallback logMessage,
    fmi3IntermediateUpdateCallback intermediateUpdate) {
  return instantiate(
      {.version = Version::fmi3,
       .function = "fmi3InstantiateCoSimulation",
       .instanceName = instanceName,
       .token = instantiationToken,
       .resources = resourcePath,
       .intermediateVariables = requiredIntermediateVariables,
       .intermediateVariableCount = nRequiredIntermediateVariables},
      logOf(logMessage, instanceEnvironment, loggingOn),
      stepOptions(eventModeUsed, earlyReturnAllowed, instanceEnvironment, intermediateUpdate));
}
fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                          fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage) {
  return instantiate(
      {.function = "fmi3InstantiateModelExchange", .refusal = "model exchange is not supported"},
      logOf(logMessage, instanceEnvironment, loggingOn));
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                               fmi3Boolean loggingOn,
                                               fmi3InstanceEnvironment instanceEnvironment,
                                               fmi3LogMessageCallback logMessage,
                                               fmi3ClockUpdateCallback, fmi3LockPreemptionCallback,
                                               fmi3UnlockPreemptionCallback) {
  return instantiate({.function = "fmi3InstantiateScheduledExecution",
                      .refusal = "scheduled execution is not supported"},
                     logOf(logMessage, instanceEnvironment, loggingOn));
}
void fmi3FreeInstance(fmi3Instance instance) { freeInstance(instance); }

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean loggingOn, size_t nCategories,
                               const fmi3String categories[]) {
  return call(instance, Call::setDebugLogging, [&](Handle& fmu) {
    fmu.instance.log().setDebugLogging(loggingOn,
                                       arrayArgument(categories, nCategories, "categories"));
  });
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean toleranceDefined,
                                       fmi3Float64 tolerance, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime) {
  return call(instance, Call::enterInitializationMode, [&](Handle& fmu) {
    fmu.instance.enterInitializationMode(optional(toleranceDefined, tolerance), startTime,
                                         optional(stopTimeDefined, stopTime));
  });
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  return call(instance, Call::exitInitializationMode,
              [](Handle& fmu) { fmu.instance.exitInitializationMode(); });
}
fmi3Status fmi3Terminate(fmi3Instance instance) {
  return call(instance, Call::terminate, [](Handle& fmu) { fmu.instance.terminate(); });
}
fmi3Status fmi3Reset(fmi3Instance instance) {
  return call(instance, Call::reset, [](Handle& fmu) { fmu.instance.reset(); });
}

[[gnu::hot]] fmi3Status fmi3GetFloat64(fmi3Instance instance,
                                       const fmi3ValueReference valueReferences[],
                                       size_t nValueReferences, fmi3Float64 values[],
                                       size_t nValues) {
  return toFmi3(
      getReals<Version::fmi3>(instance, valueReferences, nValueReferences, values, nValues));
}
fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, const fmi3Float64 values[], size_t nValues) {
  return call(instance, Call::setFloat64, [&](Handle& fmu) {
    fmu.instance.setReal(
        fmu.elements(arrayArgument(valueReferences, nValueReferences, "valueReferences")),
        arrayArgument(values, nValues, "values"));
  });
}
fmi3Status fmi3GetFloat32(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                          fmi3Float32 values[], size_t nValues) {
  return call(instance, Call::getFloat32, [&](Handle& fmu) {
    getNumbers<fmi3Float32>(fmu, Type::float32, {vr, nvr, values, nValues});
  });
}
fmi3Status fmi3GetInt8(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr, fmi3Int8[],
                       size_t) {
  return noVariables(instance, Call::getInt8, "Int8", vr, nvr);
}
fmi3Status fmi3GetUInt8(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                        fmi3UInt8[], size_t) {
  return noVariables(instance, Call::getUInt8, "UInt8", vr, nvr);
}
fmi3Status fmi3GetInt16(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                        fmi3Int16[], size_t) {
  return noVariables(instance, Call::getInt16, "Int16", vr, nvr);
}
fmi3Status fmi3GetUInt16(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                         fmi3UInt16[], size_t) {
  return noVariables(instance, Call::getUInt16, "UInt16", vr, nvr);
}
fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                        fmi3Int32 values[], size_t nValues) {
  return call(instance, Call::getInt32, [&](Handle& fmu) {
    getNumbers<fmi3Int32>(fmu, Type::int32, {vr, nvr, values, nValues});
  });
}
fmi3Status fmi3GetUInt32(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                         fmi3UInt32[], size_t) {
  return noVariables(instance, Call::getUInt32, "UInt32", vr, nvr);
}
fmi3Status fmi3GetInt64(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                        fmi3Int64[], size_t) {
  return noVariables(instance, Call::getInt64, "Int64", vr, nvr);
}
fmi3Status fmi3GetUInt64(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                         fmi3UInt64 values[], size_t nValues) {
  return call(instance, Call::getUInt64, [&](Handle& fmu) {
    getNumbers<fmi3UInt64>(fmu, Type::uint64, {vr, nvr, values, nValues});
  });
}
fmi3Status fmi3GetBoolean(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                          fmi3Boolean values[], size_t nValues) {
  return call(instance, Call::getBoolean, [&](Handle& fmu) {
    getNumbers<fmi3Boolean>(fmu, Type::boolean, {vr, nvr, values, nValues});
  });
}
fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, fmi3String values[], size_t nValues) {
  return call(instance, Call::getString, [&](Handle& fmu) {
    fmu.instance.getString(
        fmu.elements(arrayArgument(valueReferences, nValueReferences, "valueReferences")),
        arrayArgument(values, nValues, "values"));
  });
}
fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr, size_t[],
                         fmi3Binary[], size_t) {
  return noVariables(instance, Call::getBinary, "Binary", vr, nvr);
}
fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                        fmi3Clock[]) {
  return noVariables(instance, Call::getClock, "Clock", vr, nvr);
}
fmi3Status fmi3SetFloat32(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                          const fmi3Float32 values[], size_t nValues) {
  return call(instance, Call::setFloat32, [&](Handle& fmu) {
    setNumbers<fmi3Float32>(fmu, Type::float32, {vr, nvr, values, nValues});
  });
}
fmi3Status fmi3SetInt8(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                       const fmi3Int8[], size_t) {
  return noVariables(instance, Call::setInt8, "Int8", vr, nvr);
}
fmi3Status fmi3SetUInt8(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                        const fmi3UInt8[], size_t) {
  return noVariables(instance, Call::setUInt8, "UInt8", vr, nvr);
}
fmi3Status fmi3SetInt16(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                        const fmi3Int16[], size_t) {
  return noVariables(instance, Call::setInt16, "Int16", vr, nvr);
}
fmi3Status fmi3SetUInt16(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                         const fmi3UInt16[], size_t) {
  return noVariables(instance, Call::setUInt16, "UInt16", vr, nvr);
}
fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                        const fmi3Int32 values[], size_t nValues) {
  return call(instance, Call::setInt32, [&](Handle& fmu) {
    setNumbers<fmi3Int32>(fmu, Type::int32, {vr, nvr, values, nValues});
  });
}
fmi3Status fmi3SetUInt32(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                         const fmi3UInt32[], size_t) {
  return noVariables(instance, Call::setUInt32, "UInt32", vr, nvr);
}
fmi3Status fmi3SetInt64(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                        const fmi3Int64[], size_t) {
  return noVariables(instance, Call::setInt64, "Int64", vr, nvr);
}
fmi3Status fmi3SetUInt64(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                         const fmi3UInt64 values[], size_t nValues) {
  return call(instance, Call::setUInt64, [&](Handle& fmu) {
    setNumbers<fmi3UInt64>(fmu, Type::uint64, {vr, nvr, values, nValues});
  });
}
fmi3Status fmi3SetBoolean(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                          const fmi3Boolean values[], size_t nValues) {
  return call(instance, Call::setBoolean, [&](Handle& fmu) {
    setNumbers<fmi3Boolean>(fmu, Type::boolean, {vr, nvr, values, nValues});
  });
}
fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, const fmi3String values[], size_t nValues) {
  return call(instance, Call::setString, [&](Handle& fmu) {
    fmu.instance.setString(
        fmu.elements(arrayArgument(valueReferences, nValueReferences, "valueReferences")),
        arrayArgument(values, nValues, "values"));
  });
}
fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                         const size_t[], const fmi3Binary[], size_t) {
  return noVariables(instance, Call::setBinary, "Binary", vr, nvr);
}
fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                        const fmi3Clock[]) {
  return noVariables(instance, Call::setClock, "Clock", vr, nvr);
}

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state) {
  return call(instance, Call::getFMUState, [&](Handle& fmu) { getState(fmu, state); });
}
fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
  return call(instance, Call::setFMUState, [&](Handle& fmu) { setState(fmu, state); });
}
fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state) {
  return call(instance, Call::freeFMUState, [&](Handle& fmu) { freeState(fmu, state); });
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t* size) {
  return call(instance, Call::serializedFMUStateSize,
              [&](Handle& fmu) { serializedStateSize(fmu, state, size); });
}
fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[],
                                 size_t size) {
  return call(instance, Call::serializeFMUState,
              [&](Handle& fmu) { serializeState(fmu, state, bytes, size); });
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState* state) {
  return call(instance, Call::deserializeFMUState,
              [&](Handle& fmu) { deserializeState(fmu, bytes, size, state); });
}

[[gnu::hot]] fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint,
                                   fmi3Float64 communicationStepSize, fmi3Boolean,
                                   fmi3Boolean* eventHandlingNeeded,
                                   fmi3Boolean* terminateSimulation, fmi3Boolean* earlyReturn,
                                   fmi3Float64* lastSuccessfulTime) {
  Handle* const fmu = handleInStep(instance, Version::fmi3);
  if (fmu == nullptr || eventHandlingNeeded == nullptr || terminateSimulation == nullptr ||
      earlyReturn == nullptr || lastSuccessfulTime == nullptr) [[unlikely]]
    return stepOtherwise(instance, currentCommunicationPoint, communicationStepSize,
                         eventHandlingNeeded, terminateSimulation, earlyReturn, lastSuccessfulTime);
  return toFmi3(guardedInStep<Version::fmi3, Call::doStep>(*fmu, [&](Handle& usual) {
    return step(usual, currentCommunicationPoint, communicationStepSize,
                {*eventHandlingNeeded, *terminateSimulation, *earlyReturn, *lastSuccessfulTime});
  }));
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance, fmi3ValueReference, size_t*) {
  return refuse(instance, Call::getNumberOfVariableDependencies);
}
fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference, size_t[],
                                       fmi3ValueReference[], size_t[], fmi3DependencyKind[],
                                       size_t) {
  return refuse(instance, Call::getVariableDependencies);
}
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t nUnknowns, const fmi3ValueReference knowns[],
                                        size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                        fmi3Float64 sensitivity[], size_t nSensitivity) {
  return call(instance, Call::getDirectionalDerivative, [&](Handle& fmu) {
    std::vector<fmi3ValueReference> knownElements;
    fmu.instance.directionalDerivative(
        fmu.elements(arrayArgument(unknowns, nUnknowns, "unknowns")),
        fmu.arrays().elements(arrayArgument(knowns, nKnowns, "knowns"), knownElements),
        arrayArgument(seed, nSeed, "seed"),
        arrayArgument(sensitivity, nSensitivity, "sensitivity"));
  });
}
fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                    size_t nUnknowns, const fmi3ValueReference knowns[],
                                    size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                    fmi3Float64 sensitivity[], size_t nSensitivity) {
  return call(instance, Call::getAdjointDerivative, [&](Handle& fmu) {
    std::vector<fmi3ValueReference> knownElements;
    fmu.instance.adjointDerivative(
        fmu.elements(arrayArgument(unknowns, nUnknowns, "unknowns")),
        fmu.arrays().elements(arrayArgument(knowns, nKnowns, "knowns"), knownElements),
        arrayArgument(seed, nSeed, "seed"),
        arrayArgument(sensitivity, nSensitivity, "sensitivity"));
  });
}
fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                    const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t nValues) {
  return call(instance, Call::getOutputDerivatives, [&](Handle& fmu) {
    const auto references = arrayArgument(valueReferences, nValueReferences, "valueReferences");
    fmu.instance.outputDerivatives(
        fmu.elements(references),
        fmu.arrays().spread(references, arrayArgument(orders, nValueReferences, "orders")),
        arrayArgument(values, nValues, "values"));
  });
}
fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
  return call(instance, Call::enterConfigurationMode,
              [](Handle& fmu) { fmu.instance.enterConfigurationMode(); });
}
fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
  return call(instance, Call::exitConfigurationMode,
              [](Handle& fmu) { fmu.instance.exitConfigurationMode(); });
}
fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
  return call(instance, Call::enterEventMode, [](Handle& fmu) { fmu.instance.enterEventMode(); });
}
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance) {
  return refuse(instance, Call::evaluateDiscreteStates);
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* discreteStatesNeedUpdate,
                                    fmi3Boolean* terminateSimulation,
                                    fmi3Boolean* nominalsOfContinuousStatesChanged,
                                    fmi3Boolean* valuesOfContinuousStatesChanged,
                                    fmi3Boolean* nextEventTimeDefined, fmi3Float64* nextEventTime) {
  return call(instance, Call::newDiscreteStates, [&](Handle& fmu) {
    pointerArgument(discreteStatesNeedUpdate, "discreteStatesNeedUpdate") = fmi3False;
    pointerArgument(terminateSimulation, "terminateSimulation") = fmi3False;
    pointerArgument(nominalsOfContinuousStatesChanged, "nominalsOfContinuousStatesChanged") =
        fmi3False;
    pointerArgument(valuesOfContinuousStatesChanged, "valuesOfContinuousStatesChanged") = fmi3False;
    pointerArgument(nextEventTimeDefined, "nextEventTimeDefined") = fmi3False;
    pointerArgument(nextEventTime, "nextEventTime") = 0;
    fmu.instance.updateDiscreteStates();
  });
}
fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
  return call(instance, Call::enterStepMode, [](Handle& fmu) { fmu.instance.enterStepMode(); });
}
fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                  fmi3Float64[], fmi3IntervalQualifier[]) {
  return refuse(instance, Call::getIntervalDecimal);
}
fmi3Status fmi3GetIntervalFraction(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                   fmi3UInt64[], fmi3UInt64[], fmi3IntervalQualifier[]) {
  return refuse(instance, Call::getIntervalFraction);
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t,
                               fmi3Float64[]) {
  return refuse(instance, Call::getShiftDecimal);
}
fmi3Status fmi3GetShiftFraction(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                fmi3UInt64[], fmi3UInt64[]) {
  return refuse(instance, Call::getShiftFraction);
}
fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                  const fmi3Float64[]) {
  return refuse(instance, Call::setIntervalDecimal);
}
fmi3Status fmi3SetIntervalFraction(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                   const fmi3UInt64[], const fmi3UInt64[]) {
  return refuse(instance, Call::setIntervalFraction);
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t,
                               const fmi3Float64[]) {
  return refuse(instance, Call::setShiftDecimal);
}
fmi3Status fmi3SetShiftFraction(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                const fmi3UInt64[], const fmi3UInt64[]) {
  return refuse(instance, Call::setShiftFraction);
}
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
  return refuse(instance, Call::enterContinuousTimeMode);
}
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean, fmi3Boolean*,
                                       fmi3Boolean*) {
  return refuse(instance, Call::completedIntegratorStep);
}
fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64) {
  return refuse(instance, Call::setTime);
}
fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64[], size_t) {
  return refuse(instance, Call::setContinuousStates);
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64[], size_t) {
  return refuse(instance, Call::getContinuousStateDerivatives);
}
fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64[], size_t) {
  return refuse(instance, Call::getEventIndicators);
}
fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64[], size_t) {
  return refuse(instance, Call::getContinuousStates);
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64[], size_t) {
  return refuse(instance, Call::getNominalsOfContinuousStates);
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t*) {
  return refuse(instance, Call::getNumberOfEventIndicators);
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t*) {
  return refuse(instance, Call::getNumberOfContinuousStates);
}
fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference, fmi3Float64) {
  return refuse(instance, Call::activateModelPartition);
}

}  // extern "C"
