#include "tests/fmu/fmu_host.hpp"

#include <cctype>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace trammel::fmi::test {
namespace {

std::string percentEncoded(const std::string& path) {
  std::string encoded;
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string("/-_.~").find(c) != std::string::npos;
    char code[4];
    std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(c));
    encoded += plain ? std::string(1, c) : std::string(code);
  }
  return encoded;
}

}  // namespace

/// As an importer does it: the message is a printf format.
void logMessage2(fmi2ComponentEnvironment lines, fmi2String, fmi2Status status, fmi2String category,
                 fmi2String message, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, message);
  std::vsnprintf(text, sizeof text, message, arguments);
  va_end(arguments);
  static_cast<LogLines*>(lines)->push_back({static_cast<Status>(status), category, text});
}

void logMessage3(fmi3InstanceEnvironment lines, fmi3Status status, fmi3String category,
                 fmi3String message) {
  static_cast<LogLines*>(lines)->push_back({static_cast<Status>(status), category, message});
}

Host::Host(Version version, const std::filesystem::path& binary)
    : version_(version), object_(binary) {
  if (version == Version::fmi2) {
    bind2();
  } else {
    bind3();
  }
}

std::string Host::location(const FmuFolder& folder) const {
  return version_ == Version::fmi2 ? "file://" + percentEncoded(folder.resources().string())
                                   : folder.resources().string() + "/";
}

void* Host::instantiate(const FmuFolder& folder, LogLines& lines) const {
  const std::string resources = location(folder);
  return instantiate({.token = folder.token().c_str(), .resources = resources.c_str()}, lines);
}

void* Host::instantiate(const Arguments& a, LogLines& lines) const {
  if (version_ == Version::fmi2) {
    const fmi2CallbackFunctions callbacks{a.withLogger ? logMessage2 : nullptr, nullptr, nullptr,
                                          nullptr, &lines};
    return object_.function<fmi2InstantiateTYPE>("fmi2Instantiate")(
        a.name, fmi2CoSimulation, a.token, a.resources, &callbacks, fmi2False, a.loggingOn ? 1 : 0);
  }
  return object_.function<fmi3InstantiateCoSimulationTYPE>("fmi3InstantiateCoSimulation")(
      a.name, a.token, a.resources, false, a.loggingOn, a.eventModeUsed, true, nullptr, 0, &lines,
      a.withLogger ? logMessage3 : nullptr, nullptr);
}

void Host::free(void* instance) const {
  object_.function<fmi2FreeInstanceTYPE>(version_ == Version::fmi2 ? "fmi2FreeInstance"
                                                                   : "fmi3FreeInstance")(instance);
}

void Host::bind2() {
  const auto as = [](fmi2Status status) { return static_cast<Status>(status); };
  const auto& o = object_;
  enter = [as, setup = o.function<fmi2SetupExperimentTYPE>("fmi2SetupExperiment"),
           f = o.function<fmi2EnterInitializationModeTYPE>("fmi2EnterInitializationMode")](
              void* c, double tolerance, double startTime, double stopTime) {
    const fmi2Status status =
        setup(c, tolerance != 0, tolerance, startTime, stopTime != 0, stopTime);
    return as(status == fmi2OK ? f(c) : status);
  };
  exit = [as, f = o.function<fmi2ExitInitializationModeTYPE>("fmi2ExitInitializationMode")](
             void* c) { return as(f(c)); };
  terminate = [as, f = o.function<fmi2TerminateTYPE>("fmi2Terminate")](void* c) {
    return as(f(c));
  };
  reset = [as, f = o.function<fmi2ResetTYPE>("fmi2Reset")](void* c) { return as(f(c)); };
  doStep = [as, f = o.function<fmi2DoStepTYPE>("fmi2DoStep")](void* c, double t, double h) {
    return as(f(c, t, h, 1));
  };
  get = [as, f = o.function<fmi2GetRealTYPE>("fmi2GetReal")](auto... a) { return as(f(a...)); };
  set = [as, f = o.function<fmi2SetRealTYPE>("fmi2SetReal")](auto... a) { return as(f(a...)); };
  getState = [as, f = o.function<fmi2GetFMUstateTYPE>("fmi2GetFMUstate")](auto... a) {
    return as(f(a...));
  };
  freeState = [as, f = o.function<fmi2FreeFMUstateTYPE>("fmi2FreeFMUstate")](auto... a) {
    return as(f(a...));
  };
  setState = [as, f = o.function<fmi2SetFMUstateTYPE>("fmi2SetFMUstate")](auto... a) {
    return as(f(a...));
  };
  stateSize = [as, f = o.function<fmi2SerializedFMUstateSizeTYPE>("fmi2SerializedFMUstateSize")](
                  auto... a) { return as(f(a...)); };
  serialize = [as, f = o.function<fmi2SerializeFMUstateTYPE>("fmi2SerializeFMUstate")](
                  void* c, void* s, void* b, std::size_t n) {
    return as(f(c, s, static_cast<fmi2Byte*>(b), n));
  };
  deserialize = [as, f = o.function<fmi2DeSerializeFMUstateTYPE>("fmi2DeSerializeFMUstate")](
                    void* c, const void* b, std::size_t n, void** s) {
    return as(f(c, static_cast<const fmi2Byte*>(b), n, s));
  };
}

void Host::bind3() {
  const auto as = [](fmi3Status status) { return static_cast<Status>(status); };
  const auto& o = object_;
  enter = [as, f = o.function<fmi3EnterInitializationModeTYPE>("fmi3EnterInitializationMode")](
              void* c, double tolerance, double startTime, double stopTime) {
    return as(f(c, tolerance != 0, tolerance, startTime, stopTime != 0, stopTime));
  };
  exit = [as, f = o.function<fmi3ExitInitializationModeTYPE>("fmi3ExitInitializationMode")](
             void* c) { return as(f(c)); };
  terminate = [as, f = o.function<fmi3TerminateTYPE>("fmi3Terminate")](void* c) {
    return as(f(c));
  };
  reset = [as, f = o.function<fmi3ResetTYPE>("fmi3Reset")](void* c) { return as(f(c)); };
  doStep = [as, f = o.function<fmi3DoStepTYPE>("fmi3DoStep")](void* c, double t, double h) {
    bool event = true, end = true, early = true;
    double last = -1;
    const fmi3Status status = f(c, t, h, true, &event, &end, &early, &last);
    // A successful step ends at t + h, but for rounding, and signals nothing.
    const bool outcome = !event && !end && !early && std::abs(last - (t + h)) <= 1e-9 * h + 1e-12;
    return status == fmi3OK && !outcome ? Status::fatal : as(status);
  };
  get = [as, f = o.function<fmi3GetFloat64TYPE>("fmi3GetFloat64")](void* c, const std::uint32_t* vr,
                                                                   std::size_t n, double* v) {
    return as(f(c, vr, n, v, n));
  };
  set = [as, f = o.function<fmi3SetFloat64TYPE>("fmi3SetFloat64")](void* c, const std::uint32_t* vr,
                                                                   std::size_t n, const double* v) {
    return as(f(c, vr, n, v, n));
  };
  getState = [as, f = o.function<fmi3GetFMUStateTYPE>("fmi3GetFMUState")](auto... a) {
    return as(f(a...));
  };
  freeState = [as, f = o.function<fmi3FreeFMUStateTYPE>("fmi3FreeFMUState")](auto... a) {
    return as(f(a...));
  };
  setState = [as, f = o.function<fmi3SetFMUStateTYPE>("fmi3SetFMUState")](auto... a) {
    return as(f(a...));
  };
  stateSize = [as, f = o.function<fmi3SerializedFMUStateSizeTYPE>("fmi3SerializedFMUStateSize")](
                  auto... a) { return as(f(a...)); };
  serialize = [as, f = o.function<fmi3SerializeFMUStateTYPE>("fmi3SerializeFMUState")](
                  void* c, void* s, void* b, std::size_t n) {
    return as(f(c, s, static_cast<fmi3Byte*>(b), n));
  };
  deserialize = [as, f = o.function<fmi3DeserializeFMUStateTYPE>("fmi3DeserializeFMUState")](
                    void* c, const void* b, std::size_t n, void** s) {
    return as(f(c, static_cast<const fmi3Byte*>(b), n, s));
  };
}

}  // namespace trammel::fmi::test
