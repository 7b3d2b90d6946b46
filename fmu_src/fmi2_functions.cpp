#include "fmi2Functions.h"

#include <optional>
#include <string>

#include "fmu_src/arguments.hpp"
#include "fmu_src/guarded.hpp"
#include "fmu_src/number_functions.hpp"
#include "fmu_src/state_functions.hpp"

// Every function of FMI 2.0. The declarations in fmi2Functions.h have C linkage, so a definition
// with another signature does not compile. docs/fmi.md says which functions are served.

using namespace trammel::fmi;  // NOLINT(google-build-using-namespace): those of FMI have none
using trammel::Type;

namespace {

static_assert(static_cast<int>(Status::ok) == fmi2OK &&
              static_cast<int>(Status::discard) == fmi2Discard &&
              static_cast<int>(Status::error) == fmi2Error &&
              static_cast<int>(Status::fatal) == fmi2Fatal);

fmi2Status toFmi2(Status status) { return static_cast<fmi2Status>(status); }

using Name = CallOf<Version::fmi2>;

template <class Body>
fmi2Status call(fmi2Component c, Name name, const Body& body) noexcept {
  return toFmi2(guarded(c, name, body));
}

fmi2Status refuse(fmi2Component c, Name name) noexcept {
  return call(c, name, [](Handle&) {});
}

/// The callbacks are copied: the importer's struct need not outlive fmi2Instantiate.
Log logOf(const fmi2CallbackFunctions* functions, fmi2String instanceName,
          bool loggingOn) noexcept {
  if (functions == nullptr || functions->logger == nullptr) return Log();
  const auto sink = [logger = functions->logger, environment = functions->componentEnvironment,
                     name = std::string(instanceName == nullptr ? "" : instanceName)](
                        Status status, const char* category, const std::string& message) {
    logger(environment, name.c_str(), toFmi2(status), category,
           escapePrintfMessage(message).c_str());
  };
  return Log(sink, loggingOn);
}

std::optional<double> optional(fmi2Boolean defined, double value) {
  return defined != fmi2False ? std::optional<double>(value) : std::nullopt;
}

[[noreturn]] void noStatus(const char* kinds) {
  throw Discarded("status kind is not known, expected " + std::string(kinds));
}

void realStatus(Handle& fmu, fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) noStatus("fmi2LastSuccessfulTime");
  pointerArgument(value, "value") = fmu.instance.time();
}

void booleanStatus(Handle& fmu, fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) noStatus("fmi2Terminated");
  pointerArgument(value, "value") = fmu.instance.wantsToEnd() ? fmi2True : fmi2False;
}

/// FMI 2 has no other way to ask for the end of the run than discard.
Status step(Handle& fmu, double currentTime, double stepSize) {
  const StepResult result = fmu.instance.doStep(currentTime, stepSize);
  return result.terminate ? Status::discard : result.status;
}

/// The way of an illegal call.
[[gnu::cold, gnu::noinline]] fmi2Status stepOtherwise(fmi2Component c, double currentTime,
                                                      double stepSize) noexcept {
  return call(c, Call::doStep, [&](Handle& fmu) { return step(fmu, currentTime, stepSize); });
}

void stepStatus(Handle& fmu, fmi2StatusKind kind, fmi2Status* value) {
  if (kind != fmi2DoStepStatus) noStatus("fmi2DoStepStatus");
  pointerArgument(value, "value") = toFmi2(fmu.instance.lastStepStatus());
}

void stringStatus(fmi2StatusKind kind, fmi2String* value) {
  if (kind != fmi2PendingStatus) noStatus("fmi2PendingStatus");
  pointerArgument(value, "value") = "";
}

}  // namespace

extern "C" {

const char* fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char* fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions* functions, fmi2Boolean,
                              fmi2Boolean loggingOn) {
  return instantiate(
      {.version = Version::fmi2,
       .function = "fmi2Instantiate",
       .instanceName = instanceName,
       .token = fmuGUID,
       .resources = fmuResourceLocation,
       .refusal = fmuType == fmi2CoSimulation ? nullptr : "model exchange is not supported"},
      logOf(functions, instanceName, loggingOn != fmi2False));
}
void fmi2FreeInstance(fmi2Component c) { freeInstance(c); }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[]) {
  return call(c, Call::setDebugLogging, [&](Handle& fmu) {
    fmu.instance.log().setDebugLogging(loggingOn != fmi2False,
                                       arrayArgument(categories, nCategories, "categories"));
  });
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime) {
  return call(c, Call::setupExperiment, [&](Handle& fmu) {
    fmu.instance.setupExperiment(optional(toleranceDefined, tolerance), startTime,
                                 optional(stopTimeDefined, stopTime));
  });
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return call(c, Call::enterInitializationMode,
              [](Handle& fmu) { fmu.instance.enterInitializationMode(); });
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return call(c, Call::exitInitializationMode,
              [](Handle& fmu) { fmu.instance.exitInitializationMode(); });
}
fmi2Status fmi2Terminate(fmi2Component c) {
  return call(c, Call::terminate, [](Handle& fmu) { fmu.instance.terminate(); });
}
fmi2Status fmi2Reset(fmi2Component c) {
  return call(c, Call::reset, [](Handle& fmu) { fmu.instance.reset(); });
}

[[gnu::hot]] fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                    fmi2Real value[]) {
  return toFmi2(getReals<Version::fmi2>(c, vr, nvr, value, nvr));
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          fmi2Integer value[]) {
  return call(c, Call::getInt32, [&](Handle& fmu) {
    getNumbers<fmi2Integer>(fmu, Type::int32, {vr, nvr, value, nvr});
  });
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          fmi2Boolean value[]) {
  return call(c, Call::getBoolean, [&](Handle& fmu) {
    getNumbers<fmi2Boolean>(fmu, Type::boolean, {vr, nvr, value, nvr});
  });
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                         fmi2String value[]) {
  return call(c, Call::getString, [&](Handle& fmu) {
    fmu.instance.getString(arrayArgument(vr, nvr, "vr"), arrayArgument(value, nvr, "value"));
  });
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                       const fmi2Real value[]) {
  return call(c, Call::setFloat64, [&](Handle& fmu) {
    fmu.instance.setReal(arrayArgument(vr, nvr, "vr"), arrayArgument(value, nvr, "value"));
  });
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Integer value[]) {
  return call(c, Call::setInt32, [&](Handle& fmu) {
    setNumbers<fmi2Integer>(fmu, Type::int32, {vr, nvr, value, nvr});
  });
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Boolean value[]) {
  return call(c, Call::setBoolean, [&](Handle& fmu) {
    setNumbers<fmi2Boolean>(fmu, Type::boolean, {vr, nvr, value, nvr});
  });
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                         const fmi2String value[]) {
  return call(c, Call::setString, [&](Handle& fmu) {
    fmu.instance.setString(arrayArgument(vr, nvr, "vr"), arrayArgument(value, nvr, "value"));
  });
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return call(c, Call::getFMUState, [&](Handle& fmu) { getState(fmu, state); });
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return call(c, Call::setFMUState, [&](Handle& fmu) { setState(fmu, state); });
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return call(c, Call::freeFMUState, [&](Handle& fmu) { freeState(fmu, state); });
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size) {
  return call(c, Call::serializedFMUStateSize,
              [&](Handle& fmu) { serializedStateSize(fmu, state, size); });
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[],
                                 size_t size) {
  return call(c, Call::serializeFMUState,
              [&](Handle& fmu) { serializeState(fmu, state, bytes, size); });
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate* state) {
  return call(c, Call::deserializeFMUState,
              [&](Handle& fmu) { deserializeState(fmu, bytes, size, state); });
}

[[gnu::hot]] fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint,
                                   fmi2Real communicationStepSize, fmi2Boolean) {
  Handle* const fmu = handleInStep(c, Version::fmi2);
  if (fmu == nullptr) [[unlikely]]
    return stepOtherwise(c, currentCommunicationPoint, communicationStepSize);
  return toFmi2(guardedInStep<Version::fmi2, Call::doStep>(*fmu, [&](Handle& usual) {
    return step(usual, currentCommunicationPoint, communicationStepSize);
  }));
}
fmi2Status fmi2CancelStep(fmi2Component c) { return refuse(c, Call::cancelStep); }
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status* value) {
  return call(c, Call::getStatus, [&](Handle& fmu) { stepStatus(fmu, s, value); });
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real* value) {
  return call(c, Call::getRealStatus, [&](Handle& fmu) { realStatus(fmu, s, value); });
}
fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind, fmi2Integer*) {
  return call(c, Call::getIntegerStatus,
              [](Handle&) { noStatus("none: there is no status of this type"); });
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean* value) {
  return call(c, Call::getBooleanStatus, [&](Handle& fmu) { booleanStatus(fmu, s, value); });
}
fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s, fmi2String* value) {
  return call(c, Call::getStringStatus, [&](Handle&) { stringStatus(s, value); });
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown[],
                                        size_t nUnknown, const fmi2ValueReference vKnown[],
                                        size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[]) {
  return call(c, Call::getDirectionalDerivative, [&](Handle& fmu) {
    fmu.instance.directionalDerivative(arrayArgument(vUnknown, nUnknown, "vUnknown_ref"),
                                       arrayArgument(vKnown, nKnown, "vKnown_ref"),
                                       arrayArgument(dvKnown, nKnown, "dvKnown"),
                                       arrayArgument(dvUnknown, nUnknown, "dvUnknown"));
  });
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[]) {
  return call(c, Call::setInputDerivatives, [&](Handle& fmu) {
    fmu.instance.setInputDerivatives(arrayArgument(vr, nvr, "vr"),
                                     arrayArgument(order, nvr, "order"),
                                     arrayArgument(value, nvr, "value"));
  });
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[]) {
  return call(c, Call::getOutputDerivatives, [&](Handle& fmu) {
    fmu.instance.outputDerivatives(arrayArgument(vr, nvr, "vr"), arrayArgument(order, nvr, "order"),
                                   arrayArgument(value, nvr, "value"));
  });
}

fmi2Status fmi2EnterEventMode(fmi2Component c) { return refuse(c, Call::enterEventMode); }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo*) {
  return refuse(c, Call::newDiscreteStates);
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  return refuse(c, Call::enterContinuousTimeMode);
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean, fmi2Boolean*, fmi2Boolean*) {
  return refuse(c, Call::completedIntegratorStep);
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real) { return refuse(c, Call::setTime); }
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real[], size_t) {
  return refuse(c, Call::setContinuousStates);
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real[], size_t) {
  return refuse(c, Call::getContinuousStateDerivatives);
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real[], size_t) {
  return refuse(c, Call::getEventIndicators);
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real[], size_t) {
  return refuse(c, Call::getContinuousStates);
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real[], size_t) {
  return refuse(c, Call::getNominalsOfContinuousStates);
}

}  // extern "C"
