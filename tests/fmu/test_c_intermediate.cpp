#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
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

/// What an importer of FMI 3 keeps for an instance.
struct Importer {
  LogLines lines;
  std::function<void()> lookIn;  // in the callback; empty: nothing
  bool setRequested = false;     // there

  static void log(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                  fmi3String message) {
    logMessage3(&static_cast<Importer*>(environment)->lines, status, category, message);
  }
  static void update(fmi3InstanceEnvironment environment, fmi3Float64, fmi3Boolean inputsMayBeSet,
                     fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean* earlyReturnRequested,
                     fmi3Float64*) {
    *earlyReturnRequested = fmi3False;
    auto& self = *static_cast<Importer*>(environment);
    self.setRequested = inputsMayBeSet;
    if (self.lookIn) self.lookIn();
  }

  void* instantiate(const Host& host, const FmuFolder& folder,
                    const std::vector<std::uint32_t>& intermediate) {
    return host.object().function<fmi3InstantiateCoSimulationTYPE>("fmi3InstantiateCoSimulation")(
        "looked into", folder.token().c_str(), nullptr, false, true, false, true,
        intermediate.data(), intermediate.size(), this, log, update);
  }
};

const CallRule& ruleOf(const std::string& name) {
  for (const CallRule& rule : callTable())
    if (rule.fmi3 != nullptr && name == rule.fmi3) return rule;
  throw Error("no rule for " + name);
}

}  // namespace

TEST_CASE("every call inside an intermediate update does what the table says") {
  const FmuFolder folder(drivenPendulumText);
  const CompiledModel model = compiled(drivenPendulumText);
  const Host host(Version::fmi3, folder.binary());
  for (const BoundCall& call : harmlessCalls(host)) {
    INFO(call.name);
    Importer importer;
    void* const c = importer.instantiate(host, folder, {reference(model, "x")});
    REQUIRE(c != nullptr);
    REQUIRE(host.enter(c, 1e-6, 0, 0) == Status::ok);
    REQUIRE(host.exit(c) == Status::ok);
    std::vector<Status> inside;
    importer.lookIn = [&] {
      if (inside.empty()) inside.push_back(call.run(c));
    };
    const Status step = host.doStep(c, 0, 0.1);
    REQUIRE(inside.size() == 1);
    if (ruleOf(call.name).allows(Version::fmi3, fmi::Mode::intermediateUpdate)) {
      CHECK(inside[0] == Status::ok);
      CHECK(step == Status::ok);
    } else {
      CHECK(inside[0] == Status::error);
      CHECK(step == Status::error);
      REQUIRE(importer.lines.size() == 2);
      // Calls on a state begin with one that saves it.
      CHECK((importer.lines[0].message.starts_with(call.name + ": ") ||
             importer.lines[0].message.starts_with("fmi3GetFMUState: ")));
      CHECK(importer.lines[1].message.starts_with("fmi3DoStep: "));
      importer.lookIn = nullptr;
      CHECK(host.reset(c) == Status::ok);
      CHECK(host.enter(c, 1e-6, 0, 0) == Status::ok);
      CHECK(host.exit(c) == Status::ok);
      CHECK(host.doStep(c, 0, 0.1) == Status::ok);
    }
    host.free(c);
  }
}

TEST_CASE("an instance cannot be freed while it looks into a step") {
  const FmuFolder folder(drivenPendulumText);
  const Host host(Version::fmi3, folder.binary());
  Importer importer;
  void* const c =
      importer.instantiate(host, folder, {reference(compiled(drivenPendulumText), "x")});
  REQUIRE(host.enter(c, 1e-6, 0, 0) == Status::ok);
  REQUIRE(host.exit(c) == Status::ok);
  importer.lookIn = [&] { host.free(c); };
  CHECK(host.doStep(c, 0, 0.1) == Status::error);
  REQUIRE_FALSE(importer.lines.empty());
  CHECK(importer.lines[0].message ==
        "fmi3FreeInstance: illegal call: the instance is in the midst of a step");
  importer.lookIn = nullptr;
  host.free(c);
}

TEST_CASE("a call out of the logger is refused and does no harm") {
  const FmuFolder folder(drivenPendulumText);
  const Host host(Version::fmi3, folder.binary());
  struct Calling {
    const Host& host;
    void* instance = nullptr;
    std::vector<Status> inside;
  } importer{host, nullptr, {}};
  const auto log = [](fmi3InstanceEnvironment environment, fmi3Status, fmi3String, fmi3String) {
    auto& self = *static_cast<Calling*>(environment);
    self.inside.push_back(self.host.reset(self.instance));
    self.host.free(self.instance);
  };
  importer.instance = host.object().function<fmi3InstantiateCoSimulationTYPE>(
      "fmi3InstantiateCoSimulation")("called back", folder.token().c_str(), nullptr, false, true,
                                     false, false, nullptr, 0, &importer, log, nullptr);
  CHECK(host.doStep(importer.instance, 0, 0.1) == Status::error);
  CHECK(importer.inside == std::vector<Status>{Status::error});
  CHECK(host.reset(importer.instance) == Status::ok);
  CHECK(host.enter(importer.instance, 0, 0, 0) == Status::ok);
  host.free(importer.instance);
}

TEST_CASE("a step too short for its inputs to change does not ask for them") {
  const FmuFolder folder(drivenPendulumText);
  const CompiledModel model = compiled(drivenPendulumText);
  const Host host(Version::fmi3, folder.binary());
  const std::uint32_t F = reference(model, "F"), x = reference(model, "x");
  Importer importer;
  void* const c = importer.instantiate(host, folder, {F});
  REQUIRE(host.enter(c, 1e-6, 0, 0) == Status::ok);
  REQUIRE(host.exit(c) == Status::ok);
  REQUIRE(host.doStep(c, 0, 1) == Status::ok);
  int asked = 0;
  importer.lookIn = [&] {
    if (!importer.setRequested) return;
    const double force = ++asked;
    CHECK(host.set(c, &F, 1, &force) == Status::ok);
  };
  CHECK(host.doStep(c, 1, 1e-17) == Status::ok);
  CHECK(asked == 0);
  CHECK(host.doStep(c, 1, 0.5) == Status::ok);
  CHECK(asked == 2);
  double value = 0;
  CHECK(host.get(c, &x, 1, &value) == Status::ok);
  CHECK(std::isfinite(value));
  host.free(c);
}

TEST_CASE("the elements of a required array are those of the number that was set") {
  const FmuFolder folder(chainText);
  const CompiledModel described = compiled(chainText);
  const Host host(Version::fmi3, folder.binary());
  Importer importer;
  const std::uint32_t x = reference(described, "x[1]"), n = reference(described, "n");
  void* const c = importer.instantiate(host, folder, {x});
  const auto configure = [&](const char* name) {
    return host.object().function<fmi3EnterConfigurationModeTYPE>(name)(c);
  };
  const std::uint64_t links = 5;
  REQUIRE(configure("fmi3EnterConfigurationMode") == fmi3OK);
  REQUIRE(host.object().function<fmi3SetUInt64TYPE>("fmi3SetUInt64")(c, &n, 1, &links, 1) ==
          fmi3OK);
  REQUIRE(configure("fmi3ExitConfigurationMode") == fmi3OK);
  REQUIRE(host.enter(c, 1e-6, 0, 0) == Status::ok);
  REQUIRE(host.exit(c) == Status::ok);
  int looks = 0;
  importer.lookIn = [&] {
    std::vector<double> values(5);
    CHECK(host.object().function<fmi3GetFloat64TYPE>("fmi3GetFloat64")(c, &x, 1, values.data(),
                                                                       5) == fmi3OK);
    ++looks;
  };
  CHECK(host.doStep(c, 0, 0.1) == Status::ok);
  CHECK(looks > 0);
  host.free(c);
}
