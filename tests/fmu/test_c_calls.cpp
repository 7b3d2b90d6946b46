#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "fmu_src/call_table.hpp"
#include "tests/fmu/bound_calls.hpp"
#include "tests/fmu/fmu_host.hpp"
#include "tests/fmu/test_models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

// Intermediate update mode is in test_c_intermediate.cpp.
constexpr std::array modes = {fmi::Mode::instantiated, fmi::Mode::initialization, fmi::Mode::step,
                              fmi::Mode::terminated,   fmi::Mode::failed,         fmi::Mode::event,
                              fmi::Mode::configuration};

/// Only FMI 3 has event mode and configuration mode.
bool exists(fmi::Mode mode, Version version) {
  const bool ofBoth = mode != fmi::Mode::event && mode != fmi::Mode::configuration;
  return ofBoth || version == Version::fmi3;
}

/// An instance brought into a mode by legal calls (but for the last, that makes it fail).
class InMode {
 public:
  InMode(const Host& host, const FmuFolder& folder, fmi::Mode mode) : host_(host) {
    const std::string resources = host.location(folder);
    instance_ = host.instantiate(
        {.token = folder.token().c_str(), .resources = resources.c_str(), .eventModeUsed = true},
        lines);
    REQUIRE(instance_ != nullptr);
    if (mode == fmi::Mode::instantiated) return;
    if (mode == fmi::Mode::configuration) {
      REQUIRE(host.object().function<fmi3EnterConfigurationModeTYPE>("fmi3EnterConfigurationMode")(
                  instance_) == fmi3OK);
      return;
    }
    REQUIRE(host.enter(instance_, 1e-6, 0, 10) == Status::ok);
    if (mode == fmi::Mode::initialization) return;
    REQUIRE(host.exit(instance_) == Status::ok);
    if (mode == fmi::Mode::event) return;
    if (host.version() == Version::fmi3)
      REQUIRE(host.object().function<fmi3EnterStepModeTYPE>("fmi3EnterStepMode")(instance_) ==
              fmi3OK);
    if (mode == fmi::Mode::terminated) REQUIRE(host.terminate(instance_) == Status::ok);
    if (mode == fmi::Mode::failed) REQUIRE(host.doStep(instance_, 0, -1) == Status::error);
    lines.clear();
  }
  InMode(const InMode&) = delete;
  InMode& operator=(const InMode&) = delete;
  ~InMode() { host_.free(instance_); }

  void* get() const { return instance_; }

  LogLines lines;

 private:
  const Host& host_;
  void* instance_ = nullptr;
};

const CallRule& ruleOf(const std::string& name) {
  for (const CallRule& rule : callTable())
    for (const char* known : {rule.fmi2, rule.fmi3})
      if (known != nullptr && name == known) return rule;
  throw Error("no rule for " + name);
}

}  // namespace

TEST_CASE("every call in every mode does what the table says, and says so if it is illegal") {
  const FmuFolder folder(chainText);  // has structural parameters, so every mode is there
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    for (const BoundCall& call : harmlessCalls(host)) {
      for (const fmi::Mode mode : modes) {
        if (!exists(mode, version)) continue;
        InMode fmu(host, folder, mode);
        INFO(call.name << " while " << modeName(mode));
        const Status status = call.run(fmu.get());
        if (ruleOf(call.name).allows(version, mode)) {
          CHECK((status == Status::ok || status == Status::discard));
          continue;
        }
        CHECK(status == Status::error);
        REQUIRE_FALSE(fmu.lines.empty());
        CHECK(fmu.lines.back().status == Status::error);
        CHECK(fmu.lines.back().category == "logStatusError");
        CHECK(fmu.lines.back().message.substr(0, call.name.size() + 2) == call.name + ": ");
        CHECK(host.doStep(fmu.get(), 0, 0.01) == Status::error);
      }
    }
  }
}

TEST_CASE("NULL for every pointer is an error in every mode, never a crash") {
  const FmuFolder folder(chainText);  // has structural parameters, so every mode is there
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    for (const BoundCall& call : hostileCalls(host)) {
      for (const fmi::Mode mode : modes) {
        if (!exists(mode, version)) continue;
        InMode fmu(host, folder, mode);
        INFO(call.name << " while " << modeName(mode));
        const Status status = call.run(fmu.get());
        const bool nullIsIgnored = ruleOf(call.name).call == Call::freeFMUState;
        const bool nothingAsked = ruleOf(call.name).call == Call::getIntegerStatus &&
                                  mode != fmi::Mode::failed &&
                                  ruleOf(call.name).allows(version, mode);
        if (!call.takesPointers || nullIsIgnored || nothingAsked) continue;
        CHECK(status == Status::error);
        REQUIRE_FALSE(fmu.lines.empty());
        CHECK(fmu.lines.back().status == Status::error);
      }
    }
  }
}

TEST_CASE("a NULL, foreign or other version's handle is an error, never a crash") {
  const FmuFolder folder(pendulumText());
  const Host two(Version::fmi2, folder.binary()), three(Version::fmi3, folder.binary());
  std::vector<double> noInstance(64);
  InMode ofTwo(two, folder, fmi::Mode::step), ofThree(three, folder, fmi::Mode::step);
  for (const Host* host : {&two, &three}) {
    for (const BoundCall& call : harmlessCalls(*host)) {
      INFO(call.name);
      CHECK(call.run(nullptr) == Status::error);
      CHECK(call.run(noInstance.data()) == Status::error);
      CHECK(call.run(host == &two ? ofThree.get() : ofTwo.get()) == Status::error);
    }
    host->free(nullptr);
    host->free(noInstance.data());
  }
  CHECK(two.doStep(ofTwo.get(), 0, 0.01) == Status::ok);
  CHECK(three.doStep(ofThree.get(), 0, 0.01) == Status::ok);
}

TEST_CASE("wrong values and references are errors that name the variable") {
  const FmuFolder folder(drivenPendulumText);
  const CompiledModel model = compiled(drivenPendulumText);
  const std::uint32_t input = reference(model, "F"), fixed = reference(model, "m"),
                      output = reference(model, "power");
  const std::uint32_t unknown = 12345;
  const double one = 1, nan = NAN, infinite = INFINITY;
  struct Wrong {
    const std::uint32_t* reference;
    const double* value;
    const char* message;
  };
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    for (const Wrong& wrong : {Wrong{&unknown, &one, "12345"}, Wrong{&input, &nan, "\"F\""},
                               Wrong{&input, &infinite, "\"F\""}, Wrong{&fixed, &one, "\"m\""},
                               Wrong{&output, &one, "\"power\""}}) {
      InMode fmu(host, folder, fmi::Mode::step);
      CHECK(host.set(fmu.get(), wrong.reference, 1, wrong.value) == Status::error);
      CHECK_THAT(fmu.lines.back().message, Catch::Contains(wrong.message));
      CHECK(host.doStep(fmu.get(), 0, 0.01) == Status::error);
      CHECK(host.reset(fmu.get()) == Status::ok);
      CHECK(host.enter(fmu.get(), 0, 0, 0) == Status::ok);
    }
    InMode fmu(host, folder, fmi::Mode::step);
    double value = 0;
    CHECK(host.get(fmu.get(), &unknown, 1, &value) == Status::error);
  }
}

TEST_CASE("variables of other types are not there") {
  const FmuFolder folder(pendulumText());
  const Host two(Version::fmi2, folder.binary()), three(Version::fmi3, folder.binary());
  const std::uint32_t vr = 1;
  InMode ofTwo(two, folder, fmi::Mode::step), ofThree(three, folder, fmi::Mode::step);
  int integer = 0;
  CHECK(two.object().function<fmi2GetIntegerTYPE>("fmi2GetInteger")(ofTwo.get(), &vr, 1,
                                                                    &integer) == fmi2Error);
  CHECK_THAT(ofTwo.lines.back().message,
             Catch::Contains("value reference 1 is not a variable of type Integer"));
  float single = 0;
  CHECK(three.object().function<fmi3GetFloat32TYPE>("fmi3GetFloat32")(ofThree.get(), &vr, 1,
                                                                      &single, 1) == fmi3Error);
  CHECK_THAT(ofThree.lines.back().message, Catch::Contains("Float32"));
}

TEST_CASE("every getter and setter refuses references that are unknown or of another type") {
  const FmuFolder folder(pendulumText());
  const Host three(Version::fmi3, folder.binary());
  const SharedObject& object = three.object();
  const auto refused = [&](const std::string& name, auto* function, auto value) {
    for (const std::uint32_t wrong : {1U, 4294967295U}) {
      InMode fmu(three, folder, fmi::Mode::instantiated);
      INFO(name << " of " << wrong);
      CHECK(function(fmu.get(), &wrong, 1, &value, 1) == fmi3Error);
      REQUIRE(fmu.lines.size() == 1);
      CHECK(fmu.lines[0].message.starts_with(name + ": value reference "));
    }
  };
  refused("fmi3GetFloat32", object.function<fmi3GetFloat32TYPE>("fmi3GetFloat32"), fmi3Float32{});
  refused("fmi3SetFloat32", object.function<fmi3SetFloat32TYPE>("fmi3SetFloat32"), fmi3Float32{});
  refused("fmi3GetInt8", object.function<fmi3GetInt8TYPE>("fmi3GetInt8"), fmi3Int8{});
  refused("fmi3SetInt8", object.function<fmi3SetInt8TYPE>("fmi3SetInt8"), fmi3Int8{});
  refused("fmi3GetUInt8", object.function<fmi3GetUInt8TYPE>("fmi3GetUInt8"), fmi3UInt8{});
  refused("fmi3SetUInt8", object.function<fmi3SetUInt8TYPE>("fmi3SetUInt8"), fmi3UInt8{});
  refused("fmi3GetInt16", object.function<fmi3GetInt16TYPE>("fmi3GetInt16"), fmi3Int16{});
  refused("fmi3SetInt16", object.function<fmi3SetInt16TYPE>("fmi3SetInt16"), fmi3Int16{});
  refused("fmi3GetUInt16", object.function<fmi3GetUInt16TYPE>("fmi3GetUInt16"), fmi3UInt16{});
  refused("fmi3SetUInt16", object.function<fmi3SetUInt16TYPE>("fmi3SetUInt16"), fmi3UInt16{});
  refused("fmi3GetInt32", object.function<fmi3GetInt32TYPE>("fmi3GetInt32"), fmi3Int32{});
  refused("fmi3SetInt32", object.function<fmi3SetInt32TYPE>("fmi3SetInt32"), fmi3Int32{});
  refused("fmi3GetUInt32", object.function<fmi3GetUInt32TYPE>("fmi3GetUInt32"), fmi3UInt32{});
  refused("fmi3SetUInt32", object.function<fmi3SetUInt32TYPE>("fmi3SetUInt32"), fmi3UInt32{});
  refused("fmi3GetInt64", object.function<fmi3GetInt64TYPE>("fmi3GetInt64"), fmi3Int64{});
  refused("fmi3SetInt64", object.function<fmi3SetInt64TYPE>("fmi3SetInt64"), fmi3Int64{});
  refused("fmi3GetUInt64", object.function<fmi3GetUInt64TYPE>("fmi3GetUInt64"), fmi3UInt64{});
  refused("fmi3SetUInt64", object.function<fmi3SetUInt64TYPE>("fmi3SetUInt64"), fmi3UInt64{});
  refused("fmi3GetBoolean", object.function<fmi3GetBooleanTYPE>("fmi3GetBoolean"), fmi3Boolean{});
  refused("fmi3SetBoolean", object.function<fmi3SetBooleanTYPE>("fmi3SetBoolean"), fmi3Boolean{});
  refused("fmi3GetString", object.function<fmi3GetStringTYPE>("fmi3GetString"), fmi3String{});
  refused("fmi3SetString", object.function<fmi3SetStringTYPE>("fmi3SetString"), fmi3String{});
}

TEST_CASE("experiments that make no sense are errors") {
  const FmuFolder folder(pendulumText());
  const double nan = NAN, infinite = INFINITY;
  struct Experiment {
    double tolerance, start, stop;
  };
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    for (const Experiment& e :
         {Experiment{-1, 0, 1}, Experiment{nan, 0, 1}, Experiment{infinite, 0, 1},
          Experiment{1e-6, nan, 1}, Experiment{1e-6, infinite, 1}, Experiment{1e-6, 2, 1},
          Experiment{1e-6, 0, nan}}) {
      InMode fmu(host, folder, fmi::Mode::instantiated);
      INFO(e.tolerance << " " << e.start << " " << e.stop);
      CHECK(host.enter(fmu.get(), e.tolerance, e.start, e.stop) == Status::error);
      REQUIRE_FALSE(fmu.lines.empty());
      CHECK(host.reset(fmu.get()) == Status::ok);
      CHECK(host.enter(fmu.get(), 1e-6, 0, 1) == Status::ok);
    }
  }
}

TEST_CASE("step sizes that make no sense are errors; the instance can be reset and used again") {
  const FmuFolder folder(pendulumText());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    for (const double h : {0.0, -0.01, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
      InMode fmu(host, folder, fmi::Mode::step);
      CHECK(host.doStep(fmu.get(), 0, h) == Status::error);
      CHECK(host.terminate(fmu.get()) == Status::error);
      CHECK(host.reset(fmu.get()) == Status::ok);
      CHECK(host.enter(fmu.get(), 1e-6, 0, 10) == Status::ok);
      CHECK(host.exit(fmu.get()) == Status::ok);
      if (version == Version::fmi3)
        host.object().function<fmi3EnterStepModeTYPE>("fmi3EnterStepMode")(fmu.get());
      CHECK(host.doStep(fmu.get(), 0, 0.01) == Status::ok);
      CHECK(host.terminate(fmu.get()) == Status::ok);
      CHECK(host.terminate(fmu.get()) == Status::error);
    }
  }
}

TEST_CASE("a discarded step tells the last successful time and can be tried again") {
  const FmuFolder folder(dyingText);
  const Host two(Version::fmi2, folder.binary()), three(Version::fmi3, folder.binary());
  {
    InMode fmu(two, folder, fmi::Mode::step);
    CHECK(two.doStep(fmu.get(), 0, 0.5) == Status::ok);
    CHECK(two.doStep(fmu.get(), 0.5, 1) == Status::discard);
    CHECK(fmu.lines.back().category == "logStatusDiscard");
    double last = 0;
    fmi2Status status = fmi2OK;
    fmi2Boolean terminated = 1;
    const SharedObject& o = two.object();
    CHECK(o.function<fmi2GetRealStatusTYPE>("fmi2GetRealStatus")(fmu.get(), fmi2LastSuccessfulTime,
                                                                 &last) == fmi2OK);
    CHECK(o.function<fmi2GetStatusTYPE>("fmi2GetStatus")(fmu.get(), fmi2DoStepStatus, &status) ==
          fmi2OK);
    CHECK(o.function<fmi2GetBooleanStatusTYPE>("fmi2GetBooleanStatus")(fmu.get(), fmi2Terminated,
                                                                       &terminated) == fmi2OK);
    CHECK(last == 0.5);
    CHECK(status == fmi2Discard);
    CHECK(terminated == fmi2False);
    CHECK(two.doStep(fmu.get(), 0.5, 0.25) == Status::ok);
  }
  InMode fmu(three, folder, fmi::Mode::step);
  auto* const doStep = three.object().function<fmi3DoStepTYPE>("fmi3DoStep");
  bool event = true, end = true, early = true;
  double last = -1;
  CHECK(doStep(fmu.get(), 0, 0.5, true, &event, &end, &early, &last) == fmi3OK);
  CHECK(last == 0.5);
  CHECK(doStep(fmu.get(), 0.5, 1, true, &event, &end, &early, &last) == fmi3Discard);
  CHECK(last == 0.5);
  CHECK_FALSE((event || end || early));
  CHECK(doStep(fmu.get(), 0.5, 0.25, true, &event, &end, &early, &last) == fmi3OK);
  CHECK(last == 0.75);
  event = end = early = true;
  last = -1;
  CHECK(doStep(fmu.get(), 0.5, 0.25, true, &event, &end, &early, &last) == fmi3Error);
  CHECK(last == 0.75);
  CHECK_FALSE((event || end || early));
}

TEST_CASE("a list that is read at each step is told from others by all that it asks for") {
  const FmuFolder folder(pendulumText());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    InMode fmu(host, folder, fmi::Mode::step);
    std::vector<std::uint32_t> list = {4, 5, 7, 8, 12, 13, 14};
    const auto check = [&] {
      for (int reading = 0; reading < 4; ++reading) {
        std::vector<double> values(list.size());
        REQUIRE(host.get(fmu.get(), list.data(), list.size(), values.data()) == Status::ok);
        for (std::size_t i = 0; i < list.size(); ++i) {
          double alone = 0;
          REQUIRE(host.get(fmu.get(), &list[i], 1, &alone) == Status::ok);
          CHECK(values[i] == alone);
        }
      }
    };
    check();
    for (std::size_t i = 0; i < list.size(); ++i) {  // at the same place in memory
      REQUIRE(host.doStep(fmu.get(), 0.1 * static_cast<double>(i), 0.1) == Status::ok);
      check();
      list[i] = 4;
      check();
    }
    while (list.size() > 1) {
      list.pop_back();
      check();
    }
    list = {4, 5, 7, 8, 12};
    check();
    CHECK(host.terminate(fmu.get()) == Status::ok);
    check();
  }
}

TEST_CASE("wrong arguments are found where a list is read again, too") {
  const FmuFolder folder(pendulumText());
  const std::vector<std::uint32_t> list = {4, 5, 7, 8, 12, 13, 14};
  std::vector<double> values(list.size());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    const auto read = [&](void* instance, const std::uint32_t* references, double* numbers) {
      return host.get(instance, references, list.size(), numbers);
    };
    for (const bool ofReferences : {false, true}) {
      InMode fmu(host, folder, fmi::Mode::step);
      for (int reading = 0; reading < 3; ++reading)
        REQUIRE(read(fmu.get(), list.data(), values.data()) == Status::ok);
      CHECK(read(fmu.get(), ofReferences ? nullptr : list.data(),
                 ofReferences ? values.data() : nullptr) == Status::error);
      REQUIRE_FALSE(fmu.lines.empty());
      CHECK(fmu.lines.back().message.find("is NULL") != std::string::npos);
      CHECK(host.doStep(fmu.get(), 0, 0.1) == Status::error);  // it has failed
    }
    InMode fmu(host, folder, fmi::Mode::step);
    for (int reading = 0; reading < 3; ++reading)
      REQUIRE(read(fmu.get(), list.data(), values.data()) == Status::ok);
    if (version == Version::fmi2) continue;  // has no number of values
    CHECK(host.object().function<fmi3GetFloat64TYPE>("fmi3GetFloat64")(
              fmu.get(), list.data(), list.size(), values.data(), list.size() - 1) == fmi3Error);
  }
}

TEST_CASE("a step without end is an error, whatever the stop time") {
  const FmuFolder folder(pendulumText());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    for (const double stop : {0.0, 10.0, static_cast<double>(INFINITY)}) {  // 0: not defined
      InMode fmu(host, folder, fmi::Mode::instantiated);
      REQUIRE(host.enter(fmu.get(), 1e-6, 0, stop) == Status::ok);
      REQUIRE(host.exit(fmu.get()) == Status::ok);
      if (version == Version::fmi3)
        host.object().function<fmi3EnterStepModeTYPE>("fmi3EnterStepMode")(fmu.get());
      CHECK(host.doStep(fmu.get(), 0, INFINITY) == Status::error);
    }
  }
}
