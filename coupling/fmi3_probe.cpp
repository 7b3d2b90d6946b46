#include <fmi3Functions.h>

#include <array>
#include <cstddef>
#include <memory>

#include "coupling/probe_scenario.hpp"
#include "coupling/probe_versions.hpp"

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

/// What the callbacks of one instance write to.
struct Environment {
  FmuLog log;
  std::size_t updates = 0;
};

void logMessage(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                fmi3String message) {
  if (environment != nullptr)
    static_cast<Environment*>(environment)->log.add(toStatus(status), category, message);
}

void intermediateUpdate(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean,
                        fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean* returnEarly,
                        fmi3Float64* returnTime) {
  if (environment != nullptr) ++static_cast<Environment*>(environment)->updates;
  if (returnEarly != nullptr) *returnEarly = fmi3False;
  if (returnTime != nullptr) *returnTime = time;
}

void clockUpdate(fmi3InstanceEnvironment) {}
void lockPreemption() {}

class Fmi3Calls {
 public:
  Fmi3Calls(const ProbePlan& plan, const SharedLibrary& library, const ProbeReport& report)
      : plan_(plan), library_(library), report_(report) {}
  ~Fmi3Calls() {
    if (instance_ != nullptr) function<fmi3FreeInstanceTYPE>("fmi3FreeInstance")(instance_);
  }
  Fmi3Calls(const Fmi3Calls&) = delete;
  Fmi3Calls& operator=(const Fmi3Calls&) = delete;

  const std::string& lastCall() const { return lastCall_; }
  const FmuLog& log() const { return environment_->log; }
  void useEventMode() { eventMode_ = true; }
  void useIntermediateUpdate() { intermediate_ = true; }
  std::size_t intermediateUpdates() const { return environment_->updates; }

  bool instantiate(const std::string& token) {
    const std::string path = plan_.resources.string() + "/";
    const char* resources = std::filesystem::is_directory(plan_.resources) ? path.c_str() : nullptr;
    Environment* const e = environment_.get();
    if (plan_.interface == ProbedInterface::modelExchange) {
      instance_ = function<fmi3InstantiateModelExchangeTYPE>("fmi3InstantiateModelExchange")(
          "probe", token.c_str(), resources, fmi3False, fmi3True, e, logMessage);
    } else if (plan_.interface == ProbedInterface::scheduledExecution) {
      instance_ =
          function<fmi3InstantiateScheduledExecutionTYPE>("fmi3InstantiateScheduledExecution")(
              "probe", token.c_str(), resources, fmi3False, fmi3True, e, logMessage, clockUpdate,
              lockPreemption, lockPreemption);
    } else {
      std::vector<fmi3ValueReference> required;
      for (const ProbedVariable& variable : plan_.variables) {
        if (intermediate_ && variable.intermediateUpdate) required.push_back(variable.reference);
      }
      instance_ = function<fmi3InstantiateCoSimulationTYPE>("fmi3InstantiateCoSimulation")(
          "probe", token.c_str(), resources, fmi3False, fmi3True, eventMode_, fmi3False,
          required.empty() ? nullptr : required.data(), required.size(), e, logMessage,
          intermediate_ ? intermediateUpdate : nullptr);
    }
    return instance_ != nullptr;
  }

  FmuStatus setDebugLogging() {
    return call<fmi3SetDebugLoggingTYPE>("fmi3SetDebugLogging", fmi3True, std::size_t{0}, nullptr);
  }
  FmuStatus enterInitializationMode() {
    return call<fmi3EnterInitializationModeTYPE>(
        "fmi3EnterInitializationMode", plan_.tolerance.has_value(), plan_.tolerance.value_or(0),
        plan_.startTime, fmi3False, 0.0);
  }
  FmuStatus exitInitializationMode() {
    return call<fmi3ExitInitializationModeTYPE>("fmi3ExitInitializationMode");
  }
  FmuStatus terminate() { return call<fmi3TerminateTYPE>("fmi3Terminate"); }
  FmuStatus reset() { return call<fmi3ResetTYPE>("fmi3Reset"); }

  /// Numbers of any type; texts, binaries and clocks are read and give none.
  FmuStatus get(const ProbedVariable& v, std::vector<double>& values) {
    if (v.type == "Float64")
      return numbers<fmi3GetFloat64TYPE, double>("fmi3GetFloat64", v, values);
    if (v.type == "Float32") return numbers<fmi3GetFloat32TYPE, float>("fmi3GetFloat32", v, values);
    if (v.type == "Int8") return numbers<fmi3GetInt8TYPE, fmi3Int8>("fmi3GetInt8", v, values);
    if (v.type == "UInt8") return numbers<fmi3GetUInt8TYPE, fmi3UInt8>("fmi3GetUInt8", v, values);
    if (v.type == "Int16") return numbers<fmi3GetInt16TYPE, fmi3Int16>("fmi3GetInt16", v, values);
    if (v.type == "UInt16")
      return numbers<fmi3GetUInt16TYPE, fmi3UInt16>("fmi3GetUInt16", v, values);
    if (v.type == "Int32") return numbers<fmi3GetInt32TYPE, fmi3Int32>("fmi3GetInt32", v, values);
    if (v.type == "UInt32")
      return numbers<fmi3GetUInt32TYPE, fmi3UInt32>("fmi3GetUInt32", v, values);
    if (v.type == "Int64" || v.type == "Enumeration")
      return numbers<fmi3GetInt64TYPE, fmi3Int64>("fmi3GetInt64", v, values);
    if (v.type == "UInt64")
      return numbers<fmi3GetUInt64TYPE, fmi3UInt64>("fmi3GetUInt64", v, values);
    if (v.type == "Boolean") return booleans(v, values);
    return others(v);
  }

  FmuStatus doStep(double t, double h, double& reached) {
    fmi3Boolean event = fmi3False, terminates = fmi3False, early = fmi3False;
    return call<fmi3DoStepTYPE>("fmi3DoStep", t, h, fmi3False, &event, &terminates, &early,
                                &reached);
  }

  FmuStatus getState(void*& state) { return call<fmi3GetFMUStateTYPE>("fmi3GetFMUState", &state); }
  FmuStatus setState(void* state) { return call<fmi3SetFMUStateTYPE>("fmi3SetFMUState", state); }
  FmuStatus freeState(void*& state) {
    return call<fmi3FreeFMUStateTYPE>("fmi3FreeFMUState", &state);
  }
  FmuStatus serialize(void* state, std::vector<std::byte>& bytes) {
    std::size_t size = 0;
    const FmuStatus status =
        call<fmi3SerializedFMUStateSizeTYPE>("fmi3SerializedFMUStateSize", state, &size);
    if (status != FmuStatus::ok) return status;
    bytes.resize(size);
    return call<fmi3SerializeFMUStateTYPE>("fmi3SerializeFMUState", state,
                                           reinterpret_cast<fmi3Byte*>(bytes.data()), size);
  }
  FmuStatus deserialize(const std::vector<std::byte>& bytes, void*& state) {
    return call<fmi3DeserializeFMUStateTYPE>("fmi3DeserializeFMUState",
                                             reinterpret_cast<const fmi3Byte*>(bytes.data()),
                                             bytes.size(), &state);
  }

  FmuStatus directionalDerivative(fmi3ValueReference unknown, fmi3ValueReference known,
                                  double& value) {
    const double seed = 1;
    return call<fmi3GetDirectionalDerivativeTYPE>("fmi3GetDirectionalDerivative", &unknown,
                                                  std::size_t{1}, &known, std::size_t{1}, &seed,
                                                  std::size_t{1}, &value, std::size_t{1});
  }
  FmuStatus adjointDerivative(fmi3ValueReference unknown, fmi3ValueReference known, double& value) {
    const double seed = 1;
    return call<fmi3GetAdjointDerivativeTYPE>("fmi3GetAdjointDerivative", &unknown, std::size_t{1},
                                              &known, std::size_t{1}, &seed, std::size_t{1}, &value,
                                              std::size_t{1});
  }
  FmuStatus outputDerivatives() {
    for (const ProbedVariable& v : plan_.variables) {
      if (v.causality != FmuCausality::output || v.type != "Float64") continue;
      const fmi3Int32 order = 1;
      std::vector<double> values(v.size);
      return call<fmi3GetOutputDerivativesTYPE>("fmi3GetOutputDerivatives", &v.reference,
                                                std::size_t{1}, &order, values.data(),
                                                values.size());
    }
    return FmuStatus::ok;
  }
  FmuStatus inputDerivatives() { return FmuStatus::ok; }  // FMI 2 only

  FmuStatus enterEventMode() { return call<fmi3EnterEventModeTYPE>("fmi3EnterEventMode"); }
  /// Iterates over the discrete states, then goes on to Step or Continuous-Time Mode.
  FmuStatus leaveEventMode() {
    constexpr int maxIterations = 100;
    fmi3Boolean again = fmi3True;
    for (int i = 0; again && i < maxIterations; ++i) {
      fmi3Boolean terminates = fmi3False, nominals = fmi3False, states = fmi3False,
                  timed = fmi3False;
      double next = 0;
      const FmuStatus status = call<fmi3UpdateDiscreteStatesTYPE>(
          "fmi3UpdateDiscreteStates", &again, &terminates, &nominals, &states, &timed, &next);
      if (status != FmuStatus::ok) return status;
    }
    if (plan_.interface == ProbedInterface::modelExchange)
      return call<fmi3EnterContinuousTimeModeTYPE>("fmi3EnterContinuousTimeMode");
    return call<fmi3EnterStepModeTYPE>("fmi3EnterStepMode");
  }

  FmuStatus continuousStates(std::vector<double>& x) {
    std::size_t count = 0;
    const FmuStatus status =
        call<fmi3GetNumberOfContinuousStatesTYPE>("fmi3GetNumberOfContinuousStates", &count);
    if (status != FmuStatus::ok) return status;
    if (count != x.size())
      report_("run-call", lastCall_ + " gives " + std::to_string(count) + ", expected " +
                              std::to_string(x.size()));
    x.resize(std::min(count, std::size_t{1'000'000}));
    return vector<fmi3GetContinuousStatesTYPE>("fmi3GetContinuousStates", x);
  }
  FmuStatus stateDerivatives(std::vector<double>& dx) {
    return vector<fmi3GetContinuousStateDerivativesTYPE>("fmi3GetContinuousStateDerivatives", dx);
  }
  FmuStatus nominals(std::vector<double>& values) {
    return vector<fmi3GetNominalsOfContinuousStatesTYPE>("fmi3GetNominalsOfContinuousStates",
                                                         values);
  }
  FmuStatus eventIndicators(std::vector<double>& values) {
    return vector<fmi3GetEventIndicatorsTYPE>("fmi3GetEventIndicators", values);
  }
  FmuStatus setContinuousStates(std::vector<double>& x) {
    return vector<fmi3SetContinuousStatesTYPE>("fmi3SetContinuousStates", x);
  }
  FmuStatus setTime(double t) { return call<fmi3SetTimeTYPE>("fmi3SetTime", t); }
  FmuStatus completedIntegratorStep() {
    fmi3Boolean event = fmi3False, terminates = fmi3False;
    return call<fmi3CompletedIntegratorStepTYPE>("fmi3CompletedIntegratorStep", fmi3True, &event,
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
    return toStatus(function<Function>(name)(instance_, arguments...));
  }
  template <class Function>
  FmuStatus vector(const char* name, std::vector<double>& values) {
    if (values.empty()) return FmuStatus::ok;
    return call<Function>(name, values.data(), values.size());
  }

  template <class Function, class Number>
  FmuStatus numbers(const char* name, const ProbedVariable& v, std::vector<double>& values) {
    std::vector<Number> read(v.size);
    const FmuStatus status =
        call<Function>(name, &v.reference, std::size_t{1}, read.data(), read.size());
    for (const Number value : read) values.push_back(static_cast<double>(value));
    return status;
  }
  FmuStatus booleans(const ProbedVariable& v, std::vector<double>& values) {
    const std::unique_ptr<fmi3Boolean[]> read(new fmi3Boolean[v.size]());
    const FmuStatus status = call<fmi3GetBooleanTYPE>("fmi3GetBoolean", &v.reference,
                                                      std::size_t{1}, read.get(), v.size);
    for (std::size_t i = 0; i < v.size; ++i) values.push_back(read[i] ? 1 : 0);
    return status;
  }
  FmuStatus others(const ProbedVariable& v) {
    if (v.type == "String") {
      std::vector<fmi3String> read(v.size);
      return call<fmi3GetStringTYPE>("fmi3GetString", &v.reference, std::size_t{1}, read.data(),
                                     read.size());
    }
    if (v.type == "Binary") {
      std::vector<fmi3Binary> read(v.size);
      std::vector<std::size_t> sizes(v.size);
      return call<fmi3GetBinaryTYPE>("fmi3GetBinary", &v.reference, std::size_t{1}, sizes.data(),
                                     read.data(), read.size());
    }
    return FmuStatus::ok;  // clocks can be read in Event Mode only
  }

  const ProbePlan& plan_;
  const SharedLibrary& library_;
  const ProbeReport& report_;
  std::unique_ptr<Environment> environment_ = std::make_unique<Environment>();
  fmi3Instance instance_ = nullptr;
  bool eventMode_ = false, intermediate_ = false;
  std::string lastCall_;
};

}  // namespace

void probeFmi3(const ProbePlan& plan, const SharedLibrary& library, const ProbeReport& report) {
  fmi3GetVersionTYPE* getVersion = nullptr;
  library.resolve(getVersion, "fmi3GetVersion");
  report("", "fmi3GetVersion");
  const char* version = getVersion();
  if (version == nullptr || std::string_view(version).substr(0, 2) != "3.")
    report("run-version", std::string("fmi3GetVersion gives ") +
                              (version != nullptr ? version : "NULL") + ", expected " +
                              plan.fmiVersion);
  ProbeScenario<Fmi3Calls>(plan, report, library).run();
}

}  // namespace trammel::coupling
