#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/fmu/fmu_host.hpp"
#include "tests/fmu/test_models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

/// A mass under the constant force f n u k where `on` and `ready`: x(t) = f n u k t²/2 exactly.
const char* const typedText = R"toml(
trammel = 1
kind = "equations"
name = "Typed"

[parameters]
f = { type = "float32", value = 0.1, unit = "N", min = 0.1, max = 0.3 }
n = { type = "integer", value = 2, min = 1, max = 5 }
ready = { type = "boolean", value = true, variability = "tunable" }

[inputs]
u = { type = "float32", start = 0.1 }
k = { type = "integer", start = 3 }
on = { type = "boolean", start = true }

[coordinates.x]
unit = "m"
mass = 1.0
force = "f*n*u*k*ready*on"
)toml";

std::uint32_t referenceOf(const std::string& name) {
  static const CompiledModel model = compile(parseModel(typedText, "typed.toml"));
  return model.variables().find(name)->valueReference;
}

class TypedFmu {
 public:
  explicit TypedFmu(Version version) : folder_(typedText), host(version, folder_.binary()) {
    instance = host.instantiate(folder_, lines);
    REQUIRE(instance != nullptr);
  }
  TypedFmu(const TypedFmu&) = delete;
  TypedFmu& operator=(const TypedFmu&) = delete;
  ~TypedFmu() { host.free(instance); }

  Status setInteger(const char* name, int value) const {
    const std::uint32_t vr = referenceOf(name);
    const auto& o = host.object();
    if (host.version() == Version::fmi2)
      return static_cast<Status>(
          o.function<fmi2SetIntegerTYPE>("fmi2SetInteger")(instance, &vr, 1, &value));
    return static_cast<Status>(
        o.function<fmi3SetInt32TYPE>("fmi3SetInt32")(instance, &vr, 1, &value, 1));
  }
  int integer(const char* name) const {
    const std::uint32_t vr = referenceOf(name);
    const auto& o = host.object();
    int value = -1;
    if (host.version() == Version::fmi2)
      CHECK(o.function<fmi2GetIntegerTYPE>("fmi2GetInteger")(instance, &vr, 1, &value) == fmi2OK);
    else
      CHECK(o.function<fmi3GetInt32TYPE>("fmi3GetInt32")(instance, &vr, 1, &value, 1) == fmi3OK);
    return value;
  }
  Status setBoolean(const char* name, bool value) const {
    const std::uint32_t vr = referenceOf(name);
    const auto& o = host.object();
    const fmi2Boolean two = value ? 7 : 0;  // all but 0 is true in C
    if (host.version() == Version::fmi2)
      return static_cast<Status>(
          o.function<fmi2SetBooleanTYPE>("fmi2SetBoolean")(instance, &vr, 1, &two));
    return static_cast<Status>(
        o.function<fmi3SetBooleanTYPE>("fmi3SetBoolean")(instance, &vr, 1, &value, 1));
  }
  bool boolean(const char* name) const {
    const std::uint32_t vr = referenceOf(name);
    const auto& o = host.object();
    fmi2Boolean two = -1;
    bool three = false;
    if (host.version() == Version::fmi2) {
      CHECK(o.function<fmi2GetBooleanTYPE>("fmi2GetBoolean")(instance, &vr, 1, &two) == fmi2OK);
      CHECK((two == fmi2True || two == fmi2False));
      return two == fmi2True;
    }
    CHECK(o.function<fmi3GetBooleanTYPE>("fmi3GetBoolean")(instance, &vr, 1, &three, 1) == fmi3OK);
    return three;
  }
  /// A Float32 of FMI 3, a Real of FMI 2.
  Status setSingle(const char* name, double value) const {
    const std::uint32_t vr = referenceOf(name);
    if (host.version() == Version::fmi2) return host.set(instance, &vr, 1, &value);
    const auto narrow = static_cast<float>(value);
    return static_cast<Status>(
        host.object().function<fmi3SetFloat32TYPE>("fmi3SetFloat32")(instance, &vr, 1, &narrow, 1));
  }
  double single(const char* name) const {
    const std::uint32_t vr = referenceOf(name);
    double value = -1;
    if (host.version() == Version::fmi2) {
      CHECK(host.get(instance, &vr, 1, &value) == Status::ok);
      return value;
    }
    float narrow = -1;
    CHECK(host.object().function<fmi3GetFloat32TYPE>("fmi3GetFloat32")(instance, &vr, 1, &narrow,
                                                                       1) == fmi3OK);
    return narrow;
  }
  double x() const {
    const std::uint32_t vr = referenceOf("x");
    double value = 0;
    CHECK(host.get(instance, &vr, 1, &value) == Status::ok);
    return value;
  }
  void start() const {
    REQUIRE(host.enter(instance, 1e-9, 0, 0) == Status::ok);
    REQUIRE(host.exit(instance) == Status::ok);
  }

 private:
  FmuFolder folder_;

 public:
  Host host;
  LogLines lines;
  void* instance = nullptr;
};

}  // namespace

TEST_CASE("variables of every type are read and set, and the motion follows them") {
  for (const Version version : Host::versions) {
    INFO((version == Version::fmi2 ? "FMI 2" : "FMI 3"));
    const TypedFmu fmu(version);
    REQUIRE(fmu.host.enter(fmu.instance, 1e-9, 0, 0) == Status::ok);
    CHECK(fmu.single("f") == 0.1F);
    CHECK(fmu.integer("n") == 2);
    CHECK(fmu.boolean("ready"));
    CHECK(fmu.integer("k") == 3);
    CHECK(fmu.boolean("on"));
    // 0.2 is rounded to 32 bits, in both versions.
    CHECK(fmu.setSingle("f", 0.2) == Status::ok);
    CHECK(fmu.single("f") == 0.2F);
    CHECK(fmu.setInteger("n", 5) == Status::ok);
    REQUIRE(fmu.host.exit(fmu.instance) == Status::ok);
    CHECK(fmu.host.doStep(fmu.instance, 0, 0.5) == Status::ok);
    const double atol = 1e-8;  // ten times the tolerance
    const double force = double{0.2F} * 5 * double{0.1F} * 3;
    CHECK(fmu.x() == Approx(force / 8).margin(atol).epsilon(0));
    // From 0.5 s on nothing pulls: v = F/2 is kept, x(1) = F/8 + F/4.
    CHECK(fmu.setBoolean("on", false) == Status::ok);
    CHECK_FALSE(fmu.boolean("on"));
    CHECK(fmu.host.doStep(fmu.instance, 0.5, 0.5) == Status::ok);
    CHECK(fmu.x() == Approx(force * 3 / 8).margin(atol).epsilon(0));
    CHECK(fmu.setBoolean("ready", true) == Status::ok);
    CHECK(fmu.setBoolean("on", true) == Status::ok);
    CHECK(fmu.setInteger("k", -3) == Status::ok);
    CHECK(fmu.host.doStep(fmu.instance, 1, 0.5) == Status::ok);
    CHECK(fmu.x() == Approx(force * (3.0 / 8 + 1.0 / 4 - 1.0 / 8)).margin(atol).epsilon(0));
  }
}

TEST_CASE("values out of bounds, fixed parameters and wrong types are refused by name") {
  for (const Version version : Host::versions) {
    INFO((version == Version::fmi2 ? "FMI 2" : "FMI 3"));
    const auto message = [&](const auto& act) {
      const TypedFmu fmu(version);
      fmu.start();
      CHECK(act(fmu) == Status::error);
      REQUIRE_FALSE(fmu.lines.empty());
      return fmu.lines.back().message;
    };
    CHECK_THAT(message([](const TypedFmu& fmu) { return fmu.setInteger("n", 1); }),
               Catch::Contains("\"n\" is a fixed parameter"));
    CHECK_THAT(message([](const TypedFmu& fmu) { return fmu.setBoolean("n", true); }),
               Catch::Contains("\"n\" of type Integer"));
    CHECK_THAT(message([](const TypedFmu& fmu) { return fmu.setInteger("on", 1); }),
               Catch::Contains("\"on\" of type Boolean"));
    CHECK_THAT(message([](const TypedFmu& fmu) { return fmu.setSingle("x", 1); }),
               Catch::Contains("\"x\""));
    const TypedFmu fmu(version);
    CHECK(fmu.setSingle("f", 0.1) == Status::ok);  // the bound itself, rounded like the value
    CHECK(fmu.setSingle("f", 0.3) == Status::ok);
    CHECK(fmu.setInteger("n", 6) == Status::error);
    CHECK_THAT(fmu.lines.back().message, Catch::Contains("\"n\": value must be <= 5, is 6"));
  }
}

TEST_CASE("only FMI 3 tells Float32 from Float64") {
  const TypedFmu three(Version::fmi3);
  const std::uint32_t vr = referenceOf("f");
  double value = 0;
  CHECK(three.host.get(three.instance, &vr, 1, &value) == Status::error);
  CHECK_THAT(three.lines.back().message, Catch::Contains("\"f\" of type Float32"));
}

TEST_CASE("a discrete input has no derivative, a Float32 one has") {
  for (const Version version : Host::versions) {
    const TypedFmu fmu(version);
    fmu.start();
    const std::uint32_t unknown = referenceOf("der(x,2)");
    const auto derivative = [&](const char* known, double& sensitivity) {
      const std::uint32_t vr = referenceOf(known);
      const double seed = 1;
      const auto& o = fmu.host.object();
      if (version == Version::fmi2)
        return static_cast<Status>(
            o.function<fmi2GetDirectionalDerivativeTYPE>("fmi2GetDirectionalDerivative")(
                fmu.instance, &unknown, 1, &vr, 1, &seed, &sensitivity));
      return static_cast<Status>(
          o.function<fmi3GetDirectionalDerivativeTYPE>("fmi3GetDirectionalDerivative")(
              fmu.instance, &unknown, 1, &vr, 1, &seed, 1, &sensitivity, 1));
    };
    double sensitivity = -1;
    CHECK(derivative("u", sensitivity) == Status::ok);
    CHECK(sensitivity == Approx(double{0.1F} * 2 * 3).epsilon(1e-14));  // f n k
    CHECK(derivative("k", sensitivity) == Status::error);
    CHECK_THAT(fmu.lines.back().message, Catch::Contains("\"k\" is not a known"));
  }
}
