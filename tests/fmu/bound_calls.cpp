#include "tests/fmu/bound_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace trammel::fmi::test {
namespace {

class Binder {
 public:
  explicit Binder(const SharedObject& object) : object_(object) {}

  template <class Function, class... Arguments>
  BoundCall bind(const char* name, Arguments... arguments) const {
    auto* const function = object_.function<Function>(name);
    constexpr bool takesPointers = (std::is_same_v<Arguments, std::nullptr_t> || ...);
    return {name, takesPointers,
            [=](void* instance) { return static_cast<Status>(function(instance, arguments...)); }};
  }

 private:
  const SharedObject& object_;
};

std::vector<BoundCall> calls2(const Binder& b, std::size_t n) {
  return {
      b.bind<fmi2SetDebugLoggingTYPE>("fmi2SetDebugLogging", fmi2False, n, nullptr),
      b.bind<fmi2SetupExperimentTYPE>("fmi2SetupExperiment", fmi2False, 0.0, 0.0, fmi2False, 0.0),
      b.bind<fmi2EnterInitializationModeTYPE>("fmi2EnterInitializationMode"),
      b.bind<fmi2ExitInitializationModeTYPE>("fmi2ExitInitializationMode"),
      b.bind<fmi2TerminateTYPE>("fmi2Terminate"),
      b.bind<fmi2ResetTYPE>("fmi2Reset"),
      b.bind<fmi2GetRealTYPE>("fmi2GetReal", nullptr, n, nullptr),
      b.bind<fmi2GetIntegerTYPE>("fmi2GetInteger", nullptr, n, nullptr),
      b.bind<fmi2GetBooleanTYPE>("fmi2GetBoolean", nullptr, n, nullptr),
      b.bind<fmi2GetStringTYPE>("fmi2GetString", nullptr, n, nullptr),
      b.bind<fmi2SetRealTYPE>("fmi2SetReal", nullptr, n, nullptr),
      b.bind<fmi2SetIntegerTYPE>("fmi2SetInteger", nullptr, n, nullptr),
      b.bind<fmi2SetBooleanTYPE>("fmi2SetBoolean", nullptr, n, nullptr),
      b.bind<fmi2SetStringTYPE>("fmi2SetString", nullptr, n, nullptr),
      b.bind<fmi2GetFMUstateTYPE>("fmi2GetFMUstate", nullptr),
      b.bind<fmi2SetFMUstateTYPE>("fmi2SetFMUstate", nullptr),
      b.bind<fmi2FreeFMUstateTYPE>("fmi2FreeFMUstate", nullptr),
      b.bind<fmi2SerializedFMUstateSizeTYPE>("fmi2SerializedFMUstateSize", nullptr, nullptr),
      b.bind<fmi2SerializeFMUstateTYPE>("fmi2SerializeFMUstate", nullptr, nullptr, n),
      b.bind<fmi2DeSerializeFMUstateTYPE>("fmi2DeSerializeFMUstate", nullptr, n, nullptr),
      b.bind<fmi2GetDirectionalDerivativeTYPE>("fmi2GetDirectionalDerivative", nullptr, n, nullptr,
                                               n, nullptr, nullptr),
      b.bind<fmi2EnterEventModeTYPE>("fmi2EnterEventMode"),
      b.bind<fmi2NewDiscreteStatesTYPE>("fmi2NewDiscreteStates", nullptr),
      b.bind<fmi2EnterContinuousTimeModeTYPE>("fmi2EnterContinuousTimeMode"),
      b.bind<fmi2CompletedIntegratorStepTYPE>("fmi2CompletedIntegratorStep", fmi2False, nullptr,
                                              nullptr),
      b.bind<fmi2SetTimeTYPE>("fmi2SetTime", 0.0),
      b.bind<fmi2SetContinuousStatesTYPE>("fmi2SetContinuousStates", nullptr, n),
      b.bind<fmi2GetDerivativesTYPE>("fmi2GetDerivatives", nullptr, n),
      b.bind<fmi2GetEventIndicatorsTYPE>("fmi2GetEventIndicators", nullptr, n),
      b.bind<fmi2GetContinuousStatesTYPE>("fmi2GetContinuousStates", nullptr, n),
      b.bind<fmi2GetNominalsOfContinuousStatesTYPE>("fmi2GetNominalsOfContinuousStates", nullptr,
                                                    n),
      b.bind<fmi2SetRealInputDerivativesTYPE>("fmi2SetRealInputDerivatives", nullptr, n, nullptr,
                                              nullptr),
      b.bind<fmi2GetRealOutputDerivativesTYPE>("fmi2GetRealOutputDerivatives", nullptr, n, nullptr,
                                               nullptr),
      b.bind<fmi2DoStepTYPE>("fmi2DoStep", 0.0, 0.01, fmi2False),
      b.bind<fmi2CancelStepTYPE>("fmi2CancelStep"),
      b.bind<fmi2GetStatusTYPE>("fmi2GetStatus", fmi2DoStepStatus, nullptr),
      b.bind<fmi2GetRealStatusTYPE>("fmi2GetRealStatus", fmi2LastSuccessfulTime, nullptr),
      b.bind<fmi2GetIntegerStatusTYPE>("fmi2GetIntegerStatus", fmi2DoStepStatus, nullptr),
      b.bind<fmi2GetBooleanStatusTYPE>("fmi2GetBooleanStatus", fmi2Terminated, nullptr),
      b.bind<fmi2GetStringStatusTYPE>("fmi2GetStringStatus", fmi2PendingStatus, nullptr),
  };
}

std::vector<BoundCall> calls3(const Binder& b, std::size_t n) {
  return {
      b.bind<fmi3SetDebugLoggingTYPE>("fmi3SetDebugLogging", fmi3False, n, nullptr),
      b.bind<fmi3EnterInitializationModeTYPE>("fmi3EnterInitializationMode", fmi3False, 0.0, 0.0,
                                              fmi3False, 0.0),
      b.bind<fmi3ExitInitializationModeTYPE>("fmi3ExitInitializationMode"),
      b.bind<fmi3EnterEventModeTYPE>("fmi3EnterEventMode"),
      b.bind<fmi3TerminateTYPE>("fmi3Terminate"),
      b.bind<fmi3ResetTYPE>("fmi3Reset"),
      b.bind<fmi3GetFloat32TYPE>("fmi3GetFloat32", nullptr, n, nullptr, n),
      b.bind<fmi3GetFloat64TYPE>("fmi3GetFloat64", nullptr, n, nullptr, n),
      b.bind<fmi3GetInt8TYPE>("fmi3GetInt8", nullptr, n, nullptr, n),
      b.bind<fmi3GetUInt8TYPE>("fmi3GetUInt8", nullptr, n, nullptr, n),
      b.bind<fmi3GetInt16TYPE>("fmi3GetInt16", nullptr, n, nullptr, n),
      b.bind<fmi3GetUInt16TYPE>("fmi3GetUInt16", nullptr, n, nullptr, n),
      b.bind<fmi3GetInt32TYPE>("fmi3GetInt32", nullptr, n, nullptr, n),
      b.bind<fmi3GetUInt32TYPE>("fmi3GetUInt32", nullptr, n, nullptr, n),
      b.bind<fmi3GetInt64TYPE>("fmi3GetInt64", nullptr, n, nullptr, n),
      b.bind<fmi3GetUInt64TYPE>("fmi3GetUInt64", nullptr, n, nullptr, n),
      b.bind<fmi3GetBooleanTYPE>("fmi3GetBoolean", nullptr, n, nullptr, n),
      b.bind<fmi3GetStringTYPE>("fmi3GetString", nullptr, n, nullptr, n),
      b.bind<fmi3GetBinaryTYPE>("fmi3GetBinary", nullptr, n, nullptr, nullptr, n),
      b.bind<fmi3GetClockTYPE>("fmi3GetClock", nullptr, n, nullptr),
      b.bind<fmi3SetFloat32TYPE>("fmi3SetFloat32", nullptr, n, nullptr, n),
      b.bind<fmi3SetFloat64TYPE>("fmi3SetFloat64", nullptr, n, nullptr, n),
      b.bind<fmi3SetInt8TYPE>("fmi3SetInt8", nullptr, n, nullptr, n),
      b.bind<fmi3SetUInt8TYPE>("fmi3SetUInt8", nullptr, n, nullptr, n),
      b.bind<fmi3SetInt16TYPE>("fmi3SetInt16", nullptr, n, nullptr, n),
      b.bind<fmi3SetUInt16TYPE>("fmi3SetUInt16", nullptr, n, nullptr, n),
      b.bind<fmi3SetInt32TYPE>("fmi3SetInt32", nullptr, n, nullptr, n),
      b.bind<fmi3SetUInt32TYPE>("fmi3SetUInt32", nullptr, n, nullptr, n),
      b.bind<fmi3SetInt64TYPE>("fmi3SetInt64", nullptr, n, nullptr, n),
      b.bind<fmi3SetUInt64TYPE>("fmi3SetUInt64", nullptr, n, nullptr, n),
      b.bind<fmi3SetBooleanTYPE>("fmi3SetBoolean", nullptr, n, nullptr, n),
      b.bind<fmi3SetStringTYPE>("fmi3SetString", nullptr, n, nullptr, n),
      b.bind<fmi3SetBinaryTYPE>("fmi3SetBinary", nullptr, n, nullptr, nullptr, n),
      b.bind<fmi3SetClockTYPE>("fmi3SetClock", nullptr, n, nullptr),
      b.bind<fmi3GetNumberOfVariableDependenciesTYPE>("fmi3GetNumberOfVariableDependencies", 0U,
                                                      nullptr),
      b.bind<fmi3GetVariableDependenciesTYPE>("fmi3GetVariableDependencies", 0U, nullptr, nullptr,
                                              nullptr, nullptr, n),
      b.bind<fmi3GetFMUStateTYPE>("fmi3GetFMUState", nullptr),
      b.bind<fmi3SetFMUStateTYPE>("fmi3SetFMUState", nullptr),
      b.bind<fmi3FreeFMUStateTYPE>("fmi3FreeFMUState", nullptr),
      b.bind<fmi3SerializedFMUStateSizeTYPE>("fmi3SerializedFMUStateSize", nullptr, nullptr),
      b.bind<fmi3SerializeFMUStateTYPE>("fmi3SerializeFMUState", nullptr, nullptr, n),
      b.bind<fmi3DeserializeFMUStateTYPE>("fmi3DeserializeFMUState", nullptr, n, nullptr),
      b.bind<fmi3GetDirectionalDerivativeTYPE>("fmi3GetDirectionalDerivative", nullptr, n, nullptr,
                                               n, nullptr, n, nullptr, n),
      b.bind<fmi3GetAdjointDerivativeTYPE>("fmi3GetAdjointDerivative", nullptr, n, nullptr, n,
                                           nullptr, n, nullptr, n),
      b.bind<fmi3EnterConfigurationModeTYPE>("fmi3EnterConfigurationMode"),
      b.bind<fmi3ExitConfigurationModeTYPE>("fmi3ExitConfigurationMode"),
      b.bind<fmi3GetIntervalDecimalTYPE>("fmi3GetIntervalDecimal", nullptr, n, nullptr, nullptr),
      b.bind<fmi3GetIntervalFractionTYPE>("fmi3GetIntervalFraction", nullptr, n, nullptr, nullptr,
                                          nullptr),
      b.bind<fmi3GetShiftDecimalTYPE>("fmi3GetShiftDecimal", nullptr, n, nullptr),
      b.bind<fmi3GetShiftFractionTYPE>("fmi3GetShiftFraction", nullptr, n, nullptr, nullptr),
      b.bind<fmi3SetIntervalDecimalTYPE>("fmi3SetIntervalDecimal", nullptr, n, nullptr),
      b.bind<fmi3SetIntervalFractionTYPE>("fmi3SetIntervalFraction", nullptr, n, nullptr, nullptr),
      b.bind<fmi3SetShiftDecimalTYPE>("fmi3SetShiftDecimal", nullptr, n, nullptr),
      b.bind<fmi3SetShiftFractionTYPE>("fmi3SetShiftFraction", nullptr, n, nullptr, nullptr),
      b.bind<fmi3EvaluateDiscreteStatesTYPE>("fmi3EvaluateDiscreteStates"),
      b.bind<fmi3UpdateDiscreteStatesTYPE>("fmi3UpdateDiscreteStates", nullptr, nullptr, nullptr,
                                           nullptr, nullptr, nullptr),
      b.bind<fmi3EnterContinuousTimeModeTYPE>("fmi3EnterContinuousTimeMode"),
      b.bind<fmi3CompletedIntegratorStepTYPE>("fmi3CompletedIntegratorStep", fmi3False, nullptr,
                                              nullptr),
      b.bind<fmi3SetTimeTYPE>("fmi3SetTime", 0.0),
      b.bind<fmi3SetContinuousStatesTYPE>("fmi3SetContinuousStates", nullptr, n),
      b.bind<fmi3GetContinuousStateDerivativesTYPE>("fmi3GetContinuousStateDerivatives", nullptr,
                                                    n),
      b.bind<fmi3GetEventIndicatorsTYPE>("fmi3GetEventIndicators", nullptr, n),
      b.bind<fmi3GetContinuousStatesTYPE>("fmi3GetContinuousStates", nullptr, n),
      b.bind<fmi3GetNominalsOfContinuousStatesTYPE>("fmi3GetNominalsOfContinuousStates", nullptr,
                                                    n),
      b.bind<fmi3GetNumberOfEventIndicatorsTYPE>("fmi3GetNumberOfEventIndicators", nullptr),
      b.bind<fmi3GetNumberOfContinuousStatesTYPE>("fmi3GetNumberOfContinuousStates", nullptr),
      b.bind<fmi3EnterStepModeTYPE>("fmi3EnterStepMode"),
      b.bind<fmi3GetOutputDerivativesTYPE>("fmi3GetOutputDerivatives", nullptr, n, nullptr, nullptr,
                                           n),
      b.bind<fmi3DoStepTYPE>("fmi3DoStep", 0.0, 0.01, fmi3False, nullptr, nullptr, nullptr,
                             nullptr),
      b.bind<fmi3ActivateModelPartitionTYPE>("fmi3ActivateModelPartition", 0U, 0.0),
  };
}

std::vector<BoundCall> callsWithLength(const Host& host, std::size_t n) {
  const Binder binder(host.object());
  return host.version() == Version::fmi2 ? calls2(binder, n) : calls3(binder, n);
}

/// Runs a function of the host on a state of the instance; saving one is legal in every mode.
BoundCall onState(const Host& host, const char* name,
                  Status (*run)(const Host&, void* instance, void* state)) {
  return {name, true, [&host, run](void* instance) {
            void* state = nullptr;
            const Status saved = host.getState(instance, &state);
            return saved == Status::ok ? run(host, instance, state) : saved;
          }};
}

Status serializeAndDrop(const Host& host, void* instance, void* state) {
  std::vector<std::byte> bytes(1 << 20);
  return host.serialize(instance, state, bytes.data(), bytes.size());
}

Status serializeAndReadBack(const Host& host, void* instance, void* state) {
  std::size_t size = 0;
  if (host.stateSize(instance, state, &size) != Status::ok) return Status::fatal;
  std::vector<std::byte> bytes(size);
  if (host.serialize(instance, state, bytes.data(), size) != Status::ok) return Status::fatal;
  void* copy = nullptr;
  return host.deserialize(instance, bytes.data(), size, &copy);
}

/// Calls that are in order only with pointers that are not NULL.
std::vector<BoundCall> callsWithPointers(const Host& host) {
  const bool two = host.version() == Version::fmi2;
  std::vector<BoundCall> calls = {
      onState(host, two ? "fmi2SetFMUstate" : "fmi3SetFMUState",
              [](const Host& h, void* c, void* state) { return h.setState(c, state); }),
      onState(host, two ? "fmi2GetFMUstate" : "fmi3GetFMUState",
              [](const Host& h, void* c, void* state) { return h.getState(c, &state); }),
      onState(host, two ? "fmi2FreeFMUstate" : "fmi3FreeFMUState",
              [](const Host& h, void* c, void* state) { return h.freeState(c, &state); }),
      onState(host, two ? "fmi2SerializedFMUstateSize" : "fmi3SerializedFMUStateSize",
              [](const Host& h, void* c, void* state) {
                std::size_t size = 0;
                return h.stateSize(c, state, &size);
              }),
      onState(host, two ? "fmi2SerializeFMUstate" : "fmi3SerializeFMUState", serializeAndDrop),
      onState(host, two ? "fmi2DeSerializeFMUstate" : "fmi3DeserializeFMUState",
              serializeAndReadBack),
      {two ? "fmi2DoStep" : "fmi3DoStep", true,
       [&host](void* c) { return host.doStep(c, 0.0, 0.01); }}};
  if (!two) {
    auto* const update =
        host.object().function<fmi3UpdateDiscreteStatesTYPE>("fmi3UpdateDiscreteStates");
    calls.push_back({"fmi3UpdateDiscreteStates", true, [update](void* c) {
                       bool a = false, b = false, d = false, e = false, f = false;
                       double next = 0;
                       return static_cast<Status>(update(c, &a, &b, &d, &e, &f, &next));
                     }});
    return calls;
  }
  const auto inquire = [&](const char* name, auto value, auto* function, fmi2StatusKind kind) {
    calls.push_back({name, true, [=](void* c) mutable {
                       return static_cast<Status>(function(c, kind, &value));
                     }});
  };
  const SharedObject& o = host.object();
  inquire("fmi2GetStatus", fmi2OK, o.function<fmi2GetStatusTYPE>("fmi2GetStatus"),
          fmi2DoStepStatus);
  inquire("fmi2GetRealStatus", 0.0, o.function<fmi2GetRealStatusTYPE>("fmi2GetRealStatus"),
          fmi2LastSuccessfulTime);
  inquire("fmi2GetBooleanStatus", 0, o.function<fmi2GetBooleanStatusTYPE>("fmi2GetBooleanStatus"),
          fmi2Terminated);
  inquire("fmi2GetStringStatus", fmi2String{},
          o.function<fmi2GetStringStatusTYPE>("fmi2GetStringStatus"), fmi2PendingStatus);
  return calls;
}

}  // namespace

std::vector<BoundCall> hostileCalls(const Host& host) { return callsWithLength(host, 1); }

std::vector<BoundCall> harmlessCalls(const Host& host) {
  std::vector<BoundCall> calls = callsWithLength(host, 0);
  for (const BoundCall& better : callsWithPointers(host)) {
    const auto same = [&](const BoundCall& call) { return call.name == better.name; };
    *std::find_if(calls.begin(), calls.end(), same) = better;
  }
  return calls;
}

}  // namespace trammel::fmi::test
