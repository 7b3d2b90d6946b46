#include "coupling/fmu_instance.hpp"

#include <cassert>
#include <utility>
#include <variant>

#include "coupling/fmi2_component.hpp"
#include "coupling/fmi3_component.hpp"
#include "coupling/fmu_error.hpp"

namespace trammel::coupling {
namespace {

using Component = std::variant<Fmi2Component, Fmi3Component>;

Component makeComponent(const Fmu& fmu, const std::string& instanceName, FmuLog& log,
                        EventHandling events) {
  if (fmu.description().version == FmuVersion::fmi2) return Fmi2Component(fmu, instanceName, log);
  return Fmi3Component(fmu, instanceName, log, events);
}

/// "SetInteger" and alike, in the words of FMI 2 where it has them.
std::string nameOf(const char* verb, FmuNumber type) {
  return std::string(verb) + (type == FmuNumber::boolean   ? "Boolean"
                              : type == FmuNumber::float32 ? "Float32"
                                                           : "Integer");
}

}  // namespace

struct FmuInstance::Implementation {
  Implementation(const Fmu& theFmu, const std::string& instanceName, EventHandling events)
      : fmu(theFmu), component(makeComponent(theFmu, instanceName, log, events)) {}

  /// Calls one function of the FMU and throws where its status is not ok or warning.
  template <class Call>
  void call(const std::string& function, Call&& function_call) {
    const FmuStatus status = std::visit(function_call, component);
    if (status != FmuStatus::ok && status != FmuStatus::warning) fail(function, status);
  }

  [[noreturn]] void fail(const std::string& function, FmuStatus status) const {
    const std::string name =
        std::visit([&](const auto& c) { return c.functionName(function); }, component);
    const std::string messages = log.tail();
    throw FmuError(fmu.file().string() + ": " + name + " returned " + text(status) +
                   (messages.empty() ? ", the FMU logged nothing" : ": " + messages));
  }

  void require(bool capability, const char* what) const {
    if (!capability) {
      throw FmuError(fmu.file().string() + ": the FMU does not declare that it can " + what);
    }
  }

  const Fmu& fmu;
  FmuLog log;
  Component component;
};

struct FmuInstance::State::Owner {
  Implementation* instance = nullptr;
  void* memory = nullptr;
};

FmuInstance::State::State(Owner owner) : owner_(std::make_unique<Owner>(owner)) {}

FmuInstance::State::~State() {
  if (!owner_) return;
  std::visit([&](auto& c) { c.freeState(owner_->memory); }, owner_->instance->component);
}

FmuInstance::State::State(State&& other) noexcept = default;

FmuInstance::State& FmuInstance::State::operator=(State&& other) noexcept {
  std::swap(owner_, other.owner_);
  return *this;
}

FmuInstance::FmuInstance(const Fmu& fmu, const std::string& instanceName, EventHandling events)
    : implementation_(std::make_unique<Implementation>(fmu, instanceName, events)) {}

FmuInstance::~FmuInstance() = default;
FmuInstance::FmuInstance(FmuInstance&&) noexcept = default;

void FmuInstance::enterInitializationMode(const FmuExperiment& experiment) {
  implementation_->call("EnterInitializationMode",
                        [&](auto& c) { return c.enterInitializationMode(experiment); });
}

void FmuInstance::exitInitializationMode() {
  implementation_->call("ExitInitializationMode",
                        [](auto& c) { return c.exitInitializationMode(); });
}

void FmuInstance::setReal(std::span<const std::uint32_t> valueReferences,
                          std::span<const double> values) {
  assert(valueReferences.size() <= values.size());
  implementation_->call("SetReal", [&](auto& c) { return c.setReal(valueReferences, values); });
}

void FmuInstance::getReal(std::span<const std::uint32_t> valueReferences,
                          std::span<double> values) {
  assert(valueReferences.size() <= values.size());
  implementation_->call("GetReal", [&](auto& c) { return c.getReal(valueReferences, values); });
}

void FmuInstance::setNumbers(FmuNumber type, std::span<const std::uint32_t> valueReferences,
                             std::span<const double> values) {
  implementation_->call(nameOf("Set", type),
                        [&](auto& c) { return c.setNumbers(type, valueReferences, values); });
}

void FmuInstance::getNumbers(FmuNumber type, std::span<const std::uint32_t> valueReferences,
                             std::span<double> values) {
  implementation_->call(nameOf("Get", type),
                        [&](auto& c) { return c.getNumbers(type, valueReferences, values); });
}

void FmuInstance::setString(std::uint32_t valueReference, const std::string& value) {
  implementation_->call("SetString", [&](auto& c) { return c.setString(valueReference, value); });
}

std::string FmuInstance::getString(std::uint32_t valueReference) {
  std::string value;
  implementation_->call("GetString", [&](auto& c) { return c.getString(valueReference, value); });
  return value;
}

void FmuInstance::getDirectionalDerivative(const DerivativeRequest& request,
                                           std::span<double> result) {
  Implementation& i = *implementation_;
  i.require(i.fmu.description().capabilities.directionalDerivatives,
            "give directional derivatives");
  i.call("GetDirectionalDerivative",
         [&](auto& c) { return c.getDirectionalDerivative(request, result); });
}

void FmuInstance::setInputLines(const InputLines& lines) {
  assert(lines.value.size() == lines.first.size());
  Implementation& i = *implementation_;
  const FmuCapabilities& can = i.fmu.description().capabilities;
  i.require(can.interpolatesInputs || can.intermediateUpdate, "follow inputs within a step");
  i.call("SetRealInputDerivatives", [&](auto& c) { return c.setInputLines(lines); });
}

FmuStep FmuInstance::attemptStep(double currentTime, double stepSize) {
  return std::visit([&](auto& c) { return c.doStep(currentTime, stepSize); },
                    implementation_->component);
}

FmuStep FmuInstance::doStep(double currentTime, double stepSize) {
  const FmuStep step = attemptStep(currentTime, stepSize);
  const bool isOutcome = step.status == FmuStatus::ok || step.status == FmuStatus::warning ||
                         step.status == FmuStatus::discard;
  if (!isOutcome) implementation_->fail("DoStep", step.status);
  return step;
}

bool FmuInstance::handleEvent() {
  bool terminate = false;
  implementation_->call("EnterEventMode, UpdateDiscreteStates or EnterStepMode",
                        [&](auto& c) { return c.handleEvent(terminate); });
  return terminate;
}

FmuInstance::State FmuInstance::saveState() {
  Implementation& i = *implementation_;
  i.require(i.fmu.description().capabilities.saveState, "save its state");
  void* memory = nullptr;
  i.call("GetFMUstate", [&](auto& c) { return c.getState(memory); });
  return State({&i, memory});
}

void FmuInstance::restoreState(const State& state) {
  implementation_->call("SetFMUstate", [&](auto& c) { return c.setState(state.owner_->memory); });
}

std::vector<std::byte> FmuInstance::serialize(const State& state) {
  Implementation& i = *implementation_;
  i.require(i.fmu.description().capabilities.serializeState, "serialize its state");
  std::vector<std::byte> bytes;
  i.call("SerializeFMUstate", [&](auto& c) { return c.serialize(state.owner_->memory, bytes); });
  return bytes;
}

FmuInstance::State FmuInstance::deserialize(std::span<const std::byte> bytes) {
  Implementation& i = *implementation_;
  i.require(i.fmu.description().capabilities.serializeState, "serialize its state");
  void* memory = nullptr;
  i.call("DeSerializeFMUstate", [&](auto& c) { return c.deserialize(bytes, memory); });
  return State({&i, memory});
}

void FmuInstance::terminate() {
  implementation_->call("Terminate", [](auto& c) { return c.terminate(); });
}

void FmuInstance::reset() {
  implementation_->call("Reset", [](auto& c) { return c.reset(); });
}

const FmuLog& FmuInstance::log() const { return implementation_->log; }

}  // namespace trammel::coupling
