#include "coupling/fmi3_component.hpp"

#include <fmi3Functions.h>

#include <algorithm>

#include "coupling/fmu_error.hpp"

namespace trammel::coupling {
namespace {

FmuStatus toStatus(fmi3Status status) {
  switch (status) {
    case fmi3OK:
      return FmuStatus::ok;
    case fmi3Warning:
      return FmuStatus::warning;
    case fmi3Discard:
      return FmuStatus::discard;
    case fmi3Error:
      return FmuStatus::error;
    case fmi3Fatal:
      return FmuStatus::fatal;
  }
  return FmuStatus::error;
}

constexpr int mostEventIterations = 1000;

/// What the FMU gives back to its callbacks: the log, and the inputs that run along lines.
struct Environment {
  FmuLog* log = nullptr;
  fmi3Instance instance = nullptr;
  fmi3SetFloat64TYPE* setFloat64 = nullptr;
  double stepTime = 0;  // t_n [s]
  std::vector<fmi3ValueReference> references;
  std::vector<double> value, first, now;
};

void logMessage(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                fmi3String message) {
  if (environment != nullptr) {
    static_cast<Environment*>(environment)->log->add(toStatus(status), category, message);
  }
}

/// u(t) = value + first (t − t_n) at an intermediate time of the step.
void intermediateUpdate(fmi3InstanceEnvironment environment, fmi3Float64 time,
                        fmi3Boolean setRequested, fmi3Boolean, fmi3Boolean, fmi3Boolean,
                        fmi3Boolean* earlyReturnRequested, fmi3Float64* earlyReturnTime) {
  if (earlyReturnRequested != nullptr) *earlyReturnRequested = fmi3False;
  if (earlyReturnTime != nullptr) *earlyReturnTime = time;
  if (environment == nullptr || !setRequested) return;
  Environment& e = *static_cast<Environment*>(environment);
  if (e.references.empty()) return;
  for (std::size_t i = 0; i < e.now.size(); ++i) {
    e.now[i] = e.value[i] + e.first[i] * (time - e.stepTime);
  }
  e.setFloat64(e.instance, e.references.data(), e.references.size(), e.now.data(), e.now.size());
}

/// Inputs that the FMU lets be set within a step.
std::vector<fmi3ValueReference> intermediateInputs(const FmuDescription& description) {
  std::vector<fmi3ValueReference> references;
  if (!description.capabilities.intermediateUpdate) return references;
  for (const FmuVariable& variable : description.variables) {
    if (variable.intermediateUpdate && variable.causality == FmuCausality::input) {
      references.push_back(variable.valueReference);
    }
  }
  return references;
}

}  // namespace

struct Fmi3Component::Implementation {
  fmi3InstantiateCoSimulationTYPE* instantiate = nullptr;
  fmi3FreeInstanceTYPE* freeInstance = nullptr;
  fmi3EnterInitializationModeTYPE* enterInitializationMode = nullptr;
  fmi3ExitInitializationModeTYPE* exitInitializationMode = nullptr;
  fmi3TerminateTYPE* terminate = nullptr;
  fmi3ResetTYPE* reset = nullptr;
  fmi3GetFloat64TYPE* getFloat64 = nullptr;
  fmi3SetFloat64TYPE* setFloat64 = nullptr;
  fmi3GetFloat32TYPE* getFloat32 = nullptr;
  fmi3SetFloat32TYPE* setFloat32 = nullptr;
  fmi3GetInt32TYPE* getInt32 = nullptr;
  fmi3SetInt32TYPE* setInt32 = nullptr;
  fmi3GetBooleanTYPE* getBoolean = nullptr;
  fmi3SetBooleanTYPE* setBoolean = nullptr;
  fmi3GetStringTYPE* getText = nullptr;
  fmi3SetStringTYPE* setText = nullptr;
  fmi3DoStepTYPE* doStep = nullptr;
  fmi3EnterEventModeTYPE* enterEventMode = nullptr;  // these three only where events are reported
  fmi3UpdateDiscreteStatesTYPE* updateDiscreteStates = nullptr;
  fmi3EnterStepModeTYPE* enterStepMode = nullptr;
  fmi3GetDirectionalDerivativeTYPE* getDirectionalDerivative = nullptr;  // only where declared
  fmi3GetFMUStateTYPE* getState =
      nullptr;  // this and the next two only where the state can be saved
  fmi3SetFMUStateTYPE* setState = nullptr;
  fmi3FreeFMUStateTYPE* freeState = nullptr;
  fmi3SerializedFMUStateSizeTYPE* serializedSize =
      nullptr;  // these three only where it can be serialized
  fmi3SerializeFMUStateTYPE* serialize = nullptr;
  fmi3DeserializeFMUStateTYPE* deserialize = nullptr;

  fmi3Instance instance = nullptr;
  Environment environment;  // the FMU keeps its address
  bool canSaveState = false;
  bool reportsEvents = false;

  /// From event mode to step mode.
  FmuStatus finishEvent(bool& wantsToEnd) {
    fmi3Boolean again = fmi3True;
    for (int pass = 0; again && pass < mostEventIterations; ++pass) {
      fmi3Boolean asksForEnd = fmi3False, nominalsChanged = fmi3False, valuesChanged = fmi3False,
                  hasNextTime = fmi3False;
      fmi3Float64 nextTime = 0;
      const FmuStatus status =
          toStatus(updateDiscreteStates(instance, &again, &asksForEnd, &nominalsChanged,
                                        &valuesChanged, &hasNextTime, &nextTime));
      if (status != FmuStatus::ok && status != FmuStatus::warning) return status;
      wantsToEnd = wantsToEnd || asksForEnd;
    }
    if (again) return FmuStatus::error;
    return toStatus(enterStepMode(instance));
  }

  void resolve(const Fmu& fmu) {
    const SharedLibrary& library = fmu.library();
    library.resolve(instantiate, "fmi3InstantiateCoSimulation");
    library.resolve(freeInstance, "fmi3FreeInstance");
    library.resolve(enterInitializationMode, "fmi3EnterInitializationMode");
    library.resolve(exitInitializationMode, "fmi3ExitInitializationMode");
    library.resolve(terminate, "fmi3Terminate");
    library.resolve(reset, "fmi3Reset");
    library.resolve(getFloat64, "fmi3GetFloat64");
    library.resolve(setFloat64, "fmi3SetFloat64");
    library.look(getFloat32, "fmi3GetFloat32");
    library.look(setFloat32, "fmi3SetFloat32");
    library.look(getInt32, "fmi3GetInt32");
    library.look(setInt32, "fmi3SetInt32");
    library.look(getBoolean, "fmi3GetBoolean");
    library.look(setBoolean, "fmi3SetBoolean");
    library.look(getText, "fmi3GetString");
    library.look(setText, "fmi3SetString");
    library.resolve(doStep, "fmi3DoStep");
    if (reportsEvents) {
      library.resolve(enterEventMode, "fmi3EnterEventMode");
      library.resolve(updateDiscreteStates, "fmi3UpdateDiscreteStates");
      library.resolve(enterStepMode, "fmi3EnterStepMode");
    }
    if (fmu.description().capabilities.directionalDerivatives) {
      library.resolve(getDirectionalDerivative, "fmi3GetDirectionalDerivative");
    }
    canSaveState = fmu.description().capabilities.saveState;
    if (canSaveState) {
      library.resolve(getState, "fmi3GetFMUState");
      library.resolve(setState, "fmi3SetFMUState");
      library.resolve(freeState, "fmi3FreeFMUState");
    }
    if (fmu.description().capabilities.serializeState) {
      library.resolve(serializedSize, "fmi3SerializedFMUStateSize");
      library.resolve(serialize, "fmi3SerializeFMUState");
      library.resolve(deserialize, "fmi3DeserializeFMUState");
    }
  }
};

Fmi3Component::Fmi3Component(const Fmu& fmu, const std::string& instanceName, FmuLog& log,
                             EventHandling events)
    : implementation_(std::make_unique<Implementation>()) {
  Implementation& c = *implementation_;
  c.reportsEvents = events == EventHandling::reported;
  c.resolve(fmu);
  // A native path that ends with a separator, or NULL where the FMU has no resources.
  const std::u8string path = (fmu.resources() / "").u8string();
  const std::string resources(path.begin(), path.end());
  const bool hasResources = std::filesystem::is_directory(fmu.resources());
  const std::vector<fmi3ValueReference> intermediate = intermediateInputs(fmu.description());
  c.environment.log = &log;
  c.environment.setFloat64 = c.setFloat64;
  c.instance = c.instantiate(
      instanceName.c_str(), fmu.description().token.c_str(),
      hasResources ? resources.c_str() : nullptr, fmi3False, fmi3True, c.reportsEvents,
      c.reportsEvents, intermediate.empty() ? nullptr : intermediate.data(), intermediate.size(),
      &c.environment, &logMessage, intermediate.empty() ? nullptr : &intermediateUpdate);
  c.environment.instance = c.instance;
  if (c.instance == nullptr) {
    throw FmuError(fmu.file().string() +
                   ": fmi3InstantiateCoSimulation returned NULL: " + log.tail());
  }
}

Fmi3Component::~Fmi3Component() {
  if (implementation_ && implementation_->instance != nullptr) {
    implementation_->freeInstance(implementation_->instance);
  }
}

Fmi3Component::Fmi3Component(Fmi3Component&&) noexcept = default;

std::string Fmi3Component::functionName(const std::string& neutral) {
  if (neutral == "GetReal") return "fmi3GetFloat64";
  if (neutral == "SetReal") return "fmi3SetFloat64";
  if (neutral == "GetInteger") return "fmi3GetInt32";
  if (neutral == "SetInteger") return "fmi3SetInt32";
  if (neutral == "DeSerializeFMUstate") return "fmi3DeserializeFMUState";
  const std::size_t state = neutral.find("FMUstate");
  return "fmi3" + (state == std::string::npos ? neutral : neutral.substr(0, state) + "FMUState");
}

FmuStatus Fmi3Component::enterInitializationMode(const FmuExperiment& experiment) {
  return toStatus(implementation_->enterInitializationMode(
      implementation_->instance, experiment.tolerance.has_value(), experiment.tolerance.value_or(0),
      experiment.startTime, experiment.stopTime.has_value(), experiment.stopTime.value_or(0)));
}

FmuStatus Fmi3Component::exitInitializationMode() {
  Implementation& c = *implementation_;
  const FmuStatus status = toStatus(c.exitInitializationMode(c.instance));
  const bool isDone = status == FmuStatus::ok || status == FmuStatus::warning;
  bool terminate = false;  // asked for again after the first step
  return isDone && c.reportsEvents ? c.finishEvent(terminate) : status;
}

FmuStatus Fmi3Component::handleEvent(bool& terminate) {
  Implementation& c = *implementation_;
  const FmuStatus status = toStatus(c.enterEventMode(c.instance));
  const bool isDone = status == FmuStatus::ok || status == FmuStatus::warning;
  return isDone ? c.finishEvent(terminate) : status;
}

FmuStatus Fmi3Component::setReal(std::span<const std::uint32_t> valueReferences,
                                 std::span<const double> values) {
  return toStatus(implementation_->setFloat64(implementation_->instance, valueReferences.data(),
                                              valueReferences.size(), values.data(),
                                              values.size()));
}

FmuStatus Fmi3Component::getReal(std::span<const std::uint32_t> valueReferences,
                                 std::span<double> values) {
  return toStatus(implementation_->getFloat64(implementation_->instance, valueReferences.data(),
                                              valueReferences.size(), values.data(),
                                              values.size()));
}

FmuStatus Fmi3Component::setNumbers(FmuNumber type, std::span<const std::uint32_t> valueReferences,
                                    std::span<const double> values) {
  const Implementation& c = *implementation_;
  const auto set = [&]<class Value>(auto* function, const std::vector<Value>& typed) {
    if (function == nullptr) return FmuStatus::error;
    return toStatus(function(c.instance, valueReferences.data(), valueReferences.size(),
                             typed.data(), typed.size()));
  };
  switch (type) {
    case FmuNumber::float32:
      return set(c.setFloat32, std::vector<fmi3Float32>(values.begin(), values.end()));
    case FmuNumber::int32:
      return set(c.setInt32, std::vector<fmi3Int32>(values.begin(), values.end()));
    case FmuNumber::boolean:
      break;
  }
  if (c.setBoolean == nullptr) return FmuStatus::error;
  const auto flags = std::make_unique<fmi3Boolean[]>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) flags[i] = values[i] != 0;
  return toStatus(c.setBoolean(c.instance, valueReferences.data(), valueReferences.size(),
                               flags.get(), values.size()));
}

FmuStatus Fmi3Component::getNumbers(FmuNumber type, std::span<const std::uint32_t> valueReferences,
                                    std::span<double> values) {
  const Implementation& c = *implementation_;
  const auto get = [&]<class Value>(auto* function, Value) {
    if (function == nullptr) return FmuStatus::error;
    const auto typed = std::make_unique<Value[]>(values.size());
    const FmuStatus status = toStatus(function(c.instance, valueReferences.data(),
                                               valueReferences.size(), typed.get(), values.size()));
    std::copy(typed.get(), typed.get() + values.size(), values.begin());
    return status;
  };
  switch (type) {
    case FmuNumber::float32:
      return get(c.getFloat32, fmi3Float32());
    case FmuNumber::int32:
      return get(c.getInt32, fmi3Int32());
    case FmuNumber::boolean:
      break;
  }
  return get(c.getBoolean, fmi3Boolean());
}

FmuStatus Fmi3Component::setString(std::uint32_t valueReference, const std::string& value) {
  if (implementation_->setText == nullptr) return FmuStatus::error;
  const fmi3String text = value.c_str();
  return toStatus(
      implementation_->setText(implementation_->instance, &valueReference, 1, &text, 1));
}

FmuStatus Fmi3Component::getString(std::uint32_t valueReference, std::string& value) {
  if (implementation_->getText == nullptr) return FmuStatus::error;
  fmi3String text = nullptr;
  const FmuStatus status =
      toStatus(implementation_->getText(implementation_->instance, &valueReference, 1, &text, 1));
  value = text == nullptr ? "" : text;
  return status;
}

FmuStatus Fmi3Component::getDirectionalDerivative(const DerivativeRequest& request,
                                                  std::span<double> result) {
  return toStatus(implementation_->getDirectionalDerivative(
      implementation_->instance, request.unknowns.data(), request.unknowns.size(),
      request.knowns.data(), request.knowns.size(), request.seed.data(), request.seed.size(),
      result.data(), result.size()));
}

FmuStatus Fmi3Component::setInputLines(const InputLines& lines) {
  Environment& e = implementation_->environment;
  e.references.assign(lines.valueReferences.begin(), lines.valueReferences.end());
  e.value.assign(lines.value.begin(), lines.value.end());
  e.first.assign(lines.first.begin(), lines.first.end());
  e.now.resize(lines.value.size());
  return setReal(lines.valueReferences, lines.value);
}

FmuStep Fmi3Component::doStep(double currentTime, double stepSize) {
  Implementation& c = *implementation_;
  c.environment.stepTime = currentTime;
  fmi3Boolean eventHandlingNeeded = fmi3False;
  fmi3Boolean terminateSimulation = fmi3False;
  fmi3Boolean earlyReturn = fmi3False;
  fmi3Float64 lastSuccessfulTime = currentTime;
  FmuStep step;
  step.status =
      toStatus(c.doStep(c.instance, currentTime, stepSize, !c.canSaveState, &eventHandlingNeeded,
                        &terminateSimulation, &earlyReturn, &lastSuccessfulTime));
  step.lastSuccessfulTime = lastSuccessfulTime;
  step.terminate = terminateSimulation;
  step.event = c.reportsEvents && (eventHandlingNeeded || earlyReturn);
  return step;
}

FmuStatus Fmi3Component::getState(void*& state) {
  return toStatus(implementation_->getState(implementation_->instance, &state));
}

FmuStatus Fmi3Component::setState(void* state) {
  return toStatus(implementation_->setState(implementation_->instance, state));
}

FmuStatus Fmi3Component::freeState(void*& state) {
  return toStatus(implementation_->freeState(implementation_->instance, &state));
}

FmuStatus Fmi3Component::serialize(void* state, std::vector<std::byte>& bytes) {
  Implementation& c = *implementation_;
  std::size_t size = 0;
  const FmuStatus status = toStatus(c.serializedSize(c.instance, state, &size));
  if (status != FmuStatus::ok && status != FmuStatus::warning) return status;
  bytes.resize(size);
  return toStatus(c.serialize(c.instance, state, reinterpret_cast<fmi3Byte*>(bytes.data()), size));
}

FmuStatus Fmi3Component::deserialize(std::span<const std::byte> bytes, void*& state) {
  return toStatus(implementation_->deserialize(implementation_->instance,
                                               reinterpret_cast<const fmi3Byte*>(bytes.data()),
                                               bytes.size(), &state));
}

FmuStatus Fmi3Component::terminate() {
  return toStatus(implementation_->terminate(implementation_->instance));
}

FmuStatus Fmi3Component::reset() {
  return toStatus(implementation_->reset(implementation_->instance));
}

}  // namespace trammel::coupling
