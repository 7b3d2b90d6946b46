#include "coupling/fmi2_component.hpp"

#include <fmi2Functions.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "coupling/file_uri.hpp"
#include "coupling/fmu_error.hpp"

namespace trammel::coupling {
namespace {

FmuStatus toStatus(fmi2Status status) {
  switch (status) {
    case fmi2OK:
      return FmuStatus::ok;
    case fmi2Warning:
      return FmuStatus::warning;
    case fmi2Discard:
      return FmuStatus::discard;
    case fmi2Error:
      return FmuStatus::error;
    case fmi2Fatal:
      return FmuStatus::fatal;
    case fmi2Pending:
      return FmuStatus::pending;
  }
  return FmuStatus::error;
}

/// The logger of FMI 2 is variadic like printf.
void logMessage(fmi2ComponentEnvironment environment, fmi2String, fmi2Status status,
                fmi2String category, fmi2String message, ...) {
  if (environment == nullptr || message == nullptr) return;
  std::array<char, 4096> buffer{};
  va_list arguments;
  va_start(arguments, message);
  std::vsnprintf(buffer.data(), buffer.size(), message, arguments);
  va_end(arguments);
  static_cast<FmuLog*>(environment)->add(toStatus(status), category, buffer.data());
}

fmi2Boolean toFmi2(bool value) { return value ? fmi2True : fmi2False; }

}  // namespace

struct Fmi2Component::Implementation {
  fmi2InstantiateTYPE* instantiate = nullptr;
  fmi2FreeInstanceTYPE* freeInstance = nullptr;
  fmi2SetupExperimentTYPE* setupExperiment = nullptr;
  fmi2EnterInitializationModeTYPE* enterInitializationMode = nullptr;
  fmi2ExitInitializationModeTYPE* exitInitializationMode = nullptr;
  fmi2TerminateTYPE* terminate = nullptr;
  fmi2ResetTYPE* reset = nullptr;
  fmi2GetRealTYPE* getReal = nullptr;
  fmi2SetRealTYPE* setReal = nullptr;
  fmi2GetIntegerTYPE* getInteger = nullptr;
  fmi2SetIntegerTYPE* setInteger = nullptr;
  fmi2GetBooleanTYPE* getBoolean = nullptr;
  fmi2SetBooleanTYPE* setBoolean = nullptr;
  fmi2GetStringTYPE* getText = nullptr;
  fmi2SetStringTYPE* setText = nullptr;
  fmi2DoStepTYPE* doStep = nullptr;
  fmi2GetDirectionalDerivativeTYPE* getDirectionalDerivative = nullptr;  // only where declared
  fmi2SetRealInputDerivativesTYPE* setRealInputDerivatives = nullptr;    // only where declared
  fmi2GetRealStatusTYPE* getRealStatus = nullptr;
  fmi2GetBooleanStatusTYPE* getBooleanStatus = nullptr;
  fmi2GetFMUstateTYPE* getState =
      nullptr;  // this and the next two only where the state can be saved
  fmi2SetFMUstateTYPE* setState = nullptr;
  fmi2FreeFMUstateTYPE* freeState = nullptr;
  fmi2SerializedFMUstateSizeTYPE* serializedSize =
      nullptr;  // these three only where it can be serialized
  fmi2SerializeFMUstateTYPE* serialize = nullptr;
  fmi2DeSerializeFMUstateTYPE* deserialize = nullptr;

  fmi2CallbackFunctions callbacks{};  // the FMU may keep the pointer to it
  fmi2Component component = nullptr;
  bool canSaveState = false;

  void resolve(const Fmu& fmu) {
    const SharedLibrary& library = fmu.library();
    library.resolve(instantiate, "fmi2Instantiate");
    library.resolve(freeInstance, "fmi2FreeInstance");
    library.resolve(setupExperiment, "fmi2SetupExperiment");
    library.resolve(enterInitializationMode, "fmi2EnterInitializationMode");
    library.resolve(exitInitializationMode, "fmi2ExitInitializationMode");
    library.resolve(terminate, "fmi2Terminate");
    library.resolve(reset, "fmi2Reset");
    library.resolve(getReal, "fmi2GetReal");
    library.resolve(setReal, "fmi2SetReal");
    library.look(getInteger, "fmi2GetInteger");
    library.look(setInteger, "fmi2SetInteger");
    library.look(getBoolean, "fmi2GetBoolean");
    library.look(setBoolean, "fmi2SetBoolean");
    library.look(getText, "fmi2GetString");
    library.look(setText, "fmi2SetString");
    library.resolve(doStep, "fmi2DoStep");
    library.resolve(getRealStatus, "fmi2GetRealStatus");
    library.resolve(getBooleanStatus, "fmi2GetBooleanStatus");
    const FmuCapabilities& can = fmu.description().capabilities;
    if (can.directionalDerivatives) {
      library.resolve(getDirectionalDerivative, "fmi2GetDirectionalDerivative");
    }
    if (can.interpolatesInputs) {
      library.resolve(setRealInputDerivatives, "fmi2SetRealInputDerivatives");
    }
    canSaveState = fmu.description().capabilities.saveState;
    if (canSaveState) {
      library.resolve(getState, "fmi2GetFMUstate");
      library.resolve(setState, "fmi2SetFMUstate");
      library.resolve(freeState, "fmi2FreeFMUstate");
    }
    if (fmu.description().capabilities.serializeState) {
      library.resolve(serializedSize, "fmi2SerializedFMUstateSize");
      library.resolve(serialize, "fmi2SerializeFMUstate");
      library.resolve(deserialize, "fmi2DeSerializeFMUstate");
    }
  }
};

Fmi2Component::Fmi2Component(const Fmu& fmu, const std::string& instanceName, FmuLog& log)
    : implementation_(std::make_unique<Implementation>()) {
  Implementation& c = *implementation_;
  c.resolve(fmu);
  c.callbacks = {&logMessage, &std::calloc, &std::free, nullptr, &log};
  c.component =
      c.instantiate(instanceName.c_str(), fmi2CoSimulation, fmu.description().token.c_str(),
                    fileUri(fmu.resources()).c_str(), &c.callbacks, fmi2False, fmi2True);
  if (c.component == nullptr) {
    throw FmuError(fmu.file().string() + ": fmi2Instantiate returned NULL: " + log.tail());
  }
}

Fmi2Component::~Fmi2Component() {
  if (implementation_ && implementation_->component != nullptr) {
    implementation_->freeInstance(implementation_->component);
  }
}

Fmi2Component::Fmi2Component(Fmi2Component&&) noexcept = default;

std::string Fmi2Component::functionName(const std::string& neutral) { return "fmi2" + neutral; }

FmuStatus Fmi2Component::enterInitializationMode(const FmuExperiment& experiment) {
  Implementation& c = *implementation_;
  const FmuStatus status = toStatus(
      c.setupExperiment(c.component, toFmi2(experiment.tolerance.has_value()),
                        experiment.tolerance.value_or(0), experiment.startTime,
                        toFmi2(experiment.stopTime.has_value()), experiment.stopTime.value_or(0)));
  if (status != FmuStatus::ok && status != FmuStatus::warning) return status;
  return toStatus(c.enterInitializationMode(c.component));
}

FmuStatus Fmi2Component::exitInitializationMode() {
  return toStatus(implementation_->exitInitializationMode(implementation_->component));
}

FmuStatus Fmi2Component::setReal(std::span<const std::uint32_t> valueReferences,
                                 std::span<const double> values) {
  return toStatus(implementation_->setReal(implementation_->component, valueReferences.data(),
                                           valueReferences.size(), values.data()));
}

FmuStatus Fmi2Component::getReal(std::span<const std::uint32_t> valueReferences,
                                 std::span<double> values) {
  return toStatus(implementation_->getReal(implementation_->component, valueReferences.data(),
                                           valueReferences.size(), values.data()));
}

FmuStatus Fmi2Component::setNumbers(FmuNumber type, std::span<const std::uint32_t> valueReferences,
                                    std::span<const double> values) {
  const Implementation& c = *implementation_;
  const std::vector<int> whole(values.begin(), values.end());  // fmi2Integer and fmi2Boolean
  const auto set = type == FmuNumber::boolean ? c.setBoolean : c.setInteger;
  if (set == nullptr) return FmuStatus::error;
  return toStatus(set(c.component, valueReferences.data(), valueReferences.size(), whole.data()));
}

FmuStatus Fmi2Component::getNumbers(FmuNumber type, std::span<const std::uint32_t> valueReferences,
                                    std::span<double> values) {
  const Implementation& c = *implementation_;
  std::vector<int> whole(values.size());
  const auto get = type == FmuNumber::boolean ? c.getBoolean : c.getInteger;
  if (get == nullptr) return FmuStatus::error;
  const FmuStatus status =
      toStatus(get(c.component, valueReferences.data(), valueReferences.size(), whole.data()));
  std::copy(whole.begin(), whole.end(), values.begin());
  return status;
}

FmuStatus Fmi2Component::setString(std::uint32_t valueReference, const std::string& value) {
  if (implementation_->setText == nullptr) return FmuStatus::error;
  const fmi2String text = value.c_str();
  return toStatus(implementation_->setText(implementation_->component, &valueReference, 1, &text));
}

FmuStatus Fmi2Component::getString(std::uint32_t valueReference, std::string& value) {
  if (implementation_->getText == nullptr) return FmuStatus::error;
  fmi2String text = nullptr;
  const FmuStatus status =
      toStatus(implementation_->getText(implementation_->component, &valueReference, 1, &text));
  value = text == nullptr ? "" : text;
  return status;
}

FmuStatus Fmi2Component::getDirectionalDerivative(const DerivativeRequest& request,
                                                  std::span<double> result) {
  return toStatus(implementation_->getDirectionalDerivative(
      implementation_->component, request.unknowns.data(), request.unknowns.size(),
      request.knowns.data(), request.knowns.size(), request.seed.data(), result.data()));
}

FmuStatus Fmi2Component::setInputLines(const InputLines& lines) {
  const FmuStatus status = setReal(lines.valueReferences, lines.value);
  if (status != FmuStatus::ok && status != FmuStatus::warning) return status;
  const std::vector<fmi2Integer> order(lines.valueReferences.size(), 1);
  return toStatus(implementation_->setRealInputDerivatives(
      implementation_->component, lines.valueReferences.data(), lines.valueReferences.size(),
      order.data(), lines.first.data()));
}

FmuStep Fmi2Component::doStep(double currentTime, double stepSize) {
  Implementation& c = *implementation_;
  FmuStep step;
  step.status = toStatus(c.doStep(c.component, currentTime, stepSize, toFmi2(!c.canSaveState)));
  step.lastSuccessfulTime = currentTime + stepSize;
  if (step.status == FmuStatus::discard) {
    fmi2Real time = currentTime;
    fmi2Boolean terminated = fmi2False;
    c.getRealStatus(c.component, fmi2LastSuccessfulTime, &time);
    c.getBooleanStatus(c.component, fmi2Terminated, &terminated);
    step.lastSuccessfulTime = time;
    step.terminate = terminated == fmi2True;
  }
  return step;
}

FmuStatus Fmi2Component::getState(void*& state) {
  return toStatus(implementation_->getState(implementation_->component, &state));
}

FmuStatus Fmi2Component::setState(void* state) {
  return toStatus(implementation_->setState(implementation_->component, state));
}

FmuStatus Fmi2Component::freeState(void*& state) {
  return toStatus(implementation_->freeState(implementation_->component, &state));
}

FmuStatus Fmi2Component::serialize(void* state, std::vector<std::byte>& bytes) {
  Implementation& c = *implementation_;
  std::size_t size = 0;
  const FmuStatus status = toStatus(c.serializedSize(c.component, state, &size));
  if (status != FmuStatus::ok && status != FmuStatus::warning) return status;
  bytes.resize(size);
  return toStatus(c.serialize(c.component, state, reinterpret_cast<fmi2Byte*>(bytes.data()), size));
}

FmuStatus Fmi2Component::deserialize(std::span<const std::byte> bytes, void*& state) {
  return toStatus(implementation_->deserialize(implementation_->component,
                                               reinterpret_cast<const fmi2Byte*>(bytes.data()),
                                               bytes.size(), &state));
}

FmuStatus Fmi2Component::terminate() {
  return toStatus(implementation_->terminate(implementation_->component));
}

FmuStatus Fmi2Component::reset() {
  return toStatus(implementation_->reset(implementation_->component));
}

}  // namespace trammel::coupling
