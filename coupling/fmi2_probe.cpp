#include <fmi2Functions.h>

#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "coupling/file_uri.hpp"
#include "coupling/probe_scenario.hpp"
#include "coupling/probe_versions.hpp"

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

class Fmi2Calls {
 public:
  Fmi2Calls(const ProbePlan& plan, const SharedLibrary& library, const ProbeReport& report)
      : plan_(plan), library_(library), report_(report) {}
  ~Fmi2Calls() {
    if (component_ != nullptr) function<fmi2FreeInstanceTYPE>("fmi2FreeInstance")(component_);
  }
  Fmi2Calls(const Fmi2Calls&) = delete;
  Fmi2Calls& operator=(const Fmi2Calls&) = delete;

  const std::string& lastCall() const { return lastCall_; }
  const FmuLog& log() const { return *log_; }
  void useEventMode() {}           // FMI 3 only
  void useIntermediateUpdate() {}  // FMI 3 only
  std::size_t intermediateUpdates() const { return 0; }

  bool instantiate(const std::string& token) {
    callbacks_ = {logMessage, std::calloc, std::free, nullptr, log_.get()};
    component_ = function<fmi2InstantiateTYPE>("fmi2Instantiate")(
        "probe",
        plan_.interface == ProbedInterface::modelExchange ? fmi2ModelExchange : fmi2CoSimulation,
        token.c_str(), fileUri(plan_.resources).c_str(), &callbacks_, fmi2False, fmi2True);
    return component_ != nullptr;
  }

  FmuStatus setDebugLogging() {
    return call<fmi2SetDebugLoggingTYPE>("fmi2SetDebugLogging", fmi2True, std::size_t{0}, nullptr);
  }
  FmuStatus enterInitializationMode() {
    const FmuStatus status =
        call<fmi2SetupExperimentTYPE>("fmi2SetupExperiment", plan_.tolerance ? fmi2True : fmi2False,
                                      plan_.tolerance.value_or(0), plan_.startTime, fmi2False, 0.0);
    if (status != FmuStatus::ok) return status;
    return call<fmi2EnterInitializationModeTYPE>("fmi2EnterInitializationMode");
  }
  FmuStatus exitInitializationMode() {
    return call<fmi2ExitInitializationModeTYPE>("fmi2ExitInitializationMode");
  }
  FmuStatus terminate() { return call<fmi2TerminateTYPE>("fmi2Terminate"); }
  FmuStatus reset() { return call<fmi2ResetTYPE>("fmi2Reset"); }

  /// Numbers of any type; texts are read and give none.
  FmuStatus get(const ProbedVariable& v, std::vector<double>& values) {
    if (v.type == "Real") return number<fmi2GetRealTYPE, fmi2Real>("fmi2GetReal", v, values);
    if (v.type == "Integer" || v.type == "Enumeration")
      return number<fmi2GetIntegerTYPE, fmi2Integer>("fmi2GetInteger", v, values);
    if (v.type == "Boolean")
      return number<fmi2GetBooleanTYPE, fmi2Boolean>("fmi2GetBoolean", v, values);
    fmi2String text = nullptr;
    return call<fmi2GetStringTYPE>("fmi2GetString", &v.reference, std::size_t{1}, &text);
  }

  FmuStatus doStep(double t, double h, double&) {
    return call<fmi2DoStepTYPE>("fmi2DoStep", t, h, fmi2False);
  }

  FmuStatus getState(void*& state) { return call<fmi2GetFMUstateTYPE>("fmi2GetFMUstate", &state); }
  FmuStatus setState(void* state) { return call<fmi2SetFMUstateTYPE>("fmi2SetFMUstate", state); }
  FmuStatus freeState(void*& state) {
    return call<fmi2FreeFMUstateTYPE>("fmi2FreeFMUstate", &state);
  }
  FmuStatus serialize(void* state, std::vector<std::byte>& bytes) {
    std::size_t size = 0;
    const FmuStatus status =
        call<fmi2SerializedFMUstateSizeTYPE>("fmi2SerializedFMUstateSize", state, &size);
    if (status != FmuStatus::ok) return status;
    bytes.resize(size);
    return call<fmi2SerializeFMUstateTYPE>("fmi2SerializeFMUstate", state,
                                           reinterpret_cast<fmi2Byte*>(bytes.data()), size);
  }
  FmuStatus deserialize(const std::vector<std::byte>& bytes, void*& state) {
    return call<fmi2DeSerializeFMUstateTYPE>("fmi2DeSerializeFMUstate",
                                             reinterpret_cast<const fmi2Byte*>(bytes.data()),
                                             bytes.size(), &state);
  }

  FmuStatus directionalDerivative(fmi2ValueReference unknown, fmi2ValueReference known,
                                  double& value) {
    const double seed = 1;
    return call<fmi2GetDirectionalDerivativeTYPE>("fmi2GetDirectionalDerivative", &unknown,
                                                  std::size_t{1}, &known, std::size_t{1}, &seed,
                                                  &value);
  }
  FmuStatus adjointDerivative(fmi2ValueReference, fmi2ValueReference, double&) {
    return FmuStatus::ok;  // FMI 3 only
  }
  FmuStatus outputDerivatives() {
    const fmi2Integer order = 1;
    double value = 0;
    const ProbedVariable* v = firstReal(FmuCausality::output);
    if (v == nullptr) return FmuStatus::ok;
    return call<fmi2GetRealOutputDerivativesTYPE>("fmi2GetRealOutputDerivatives", &v->reference,
                                                  std::size_t{1}, &order, &value);
  }
  FmuStatus inputDerivatives() {
    const fmi2Integer order = 1;
    const double value = 0;
    const ProbedVariable* v = firstReal(FmuCausality::input);
    if (v == nullptr) return FmuStatus::ok;
    return call<fmi2SetRealInputDerivativesTYPE>("fmi2SetRealInputDerivatives", &v->reference,
                                                 std::size_t{1}, &order, &value);
  }

  FmuStatus enterEventMode() { return call<fmi2EnterEventModeTYPE>("fmi2EnterEventMode"); }
  /// Iterates over the discrete states, then goes on to Continuous-Time Mode.
  FmuStatus leaveEventMode() {
    constexpr int maxIterations = 100;
    fmi2EventInfo info{};
    info.newDiscreteStatesNeeded = fmi2True;
    for (int i = 0; info.newDiscreteStatesNeeded != fmi2False && i < maxIterations; ++i) {
      const FmuStatus status = call<fmi2NewDiscreteStatesTYPE>("fmi2NewDiscreteStates", &info);
      if (status != FmuStatus::ok) return status;
    }
    return call<fmi2EnterContinuousTimeModeTYPE>("fmi2EnterContinuousTimeMode");
  }
  FmuStatus continuousStates(std::vector<double>& x) {
    return vector<fmi2GetContinuousStatesTYPE>("fmi2GetContinuousStates", x);
  }
  FmuStatus stateDerivatives(std::vector<double>& dx) {
    return vector<fmi2GetDerivativesTYPE>("fmi2GetDerivatives", dx);
  }
  FmuStatus nominals(std::vector<double>& values) {
    return vector<fmi2GetNominalsOfContinuousStatesTYPE>("fmi2GetNominalsOfContinuousStates",
                                                         values);
  }
  FmuStatus eventIndicators(std::vector<double>& values) {
    return vector<fmi2GetEventIndicatorsTYPE>("fmi2GetEventIndicators", values);
  }
  FmuStatus setContinuousStates(std::vector<double>& x) {
    return vector<fmi2SetContinuousStatesTYPE>("fmi2SetContinuousStates", x);
  }
  FmuStatus setTime(double t) { return call<fmi2SetTimeTYPE>("fmi2SetTime", t); }
  FmuStatus completedIntegratorStep() {
    fmi2Boolean event = fmi2False, terminates = fmi2False;
    return call<fmi2CompletedIntegratorStepTYPE>("fmi2CompletedIntegratorStep", fmi2True, &event,
                                                 &terminates);
  }

 private:
  template <class Function>
  Function& function(const char* name) {
    lastCall_ = name;
    report_("", lastCall_);
    Function* found = nullptr;
    library_.resolve(found, name);
    return *found;
  }
  template <class Function, class... Arguments>
  FmuStatus call(const char* name, Arguments... arguments) {
    return toStatus(function<Function>(name)(component_, arguments...));
  }
  template <class Function>
  FmuStatus vector(const char* name, std::vector<double>& values) {
    if (values.empty()) return FmuStatus::ok;
    return call<Function>(name, values.data(), values.size());
  }
  template <class Function, class Number>
  FmuStatus number(const char* name, const ProbedVariable& v, std::vector<double>& values) {
    Number value{};
    const FmuStatus status = call<Function>(name, &v.reference, std::size_t{1}, &value);
    values.push_back(static_cast<double>(value));
    return status;
  }
  const ProbedVariable* firstReal(FmuCausality causality) const {
    for (const ProbedVariable& v : plan_.variables) {
      if (v.causality == causality && v.type == "Real") return &v;
    }
    return nullptr;
  }

  const ProbePlan& plan_;
  const SharedLibrary& library_;
  const ProbeReport& report_;
  std::unique_ptr<FmuLog> log_ = std::make_unique<FmuLog>();
  fmi2CallbackFunctions callbacks_{};  // the FMU may keep the pointer to it
  fmi2Component component_ = nullptr;
  std::string lastCall_;
};

}  // namespace

void probeFmi2(const ProbePlan& plan, const SharedLibrary& library, const ProbeReport& report) {
  fmi2GetVersionTYPE* getVersion = nullptr;
  fmi2GetTypesPlatformTYPE* getTypesPlatform = nullptr;
  library.resolve(getVersion, "fmi2GetVersion");
  library.resolve(getTypesPlatform, "fmi2GetTypesPlatform");
  const auto compare = [&](const char* function, const char* got, std::string_view expected) {
    if (got == nullptr || got != expected)
      report("run-version", std::string(function) + " gives " + (got != nullptr ? got : "NULL") +
                                ", expected " + std::string(expected));
  };
  report("", "fmi2GetVersion");
  compare("fmi2GetVersion", getVersion(), "2.0");
  report("", "fmi2GetTypesPlatform");
  compare("fmi2GetTypesPlatform", getTypesPlatform(), "default");
  ProbeScenario<Fmi2Calls>(plan, report, library).run();
}

}  // namespace trammel::coupling
