#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/fmu/fmu_host.hpp"
#include "tests/fmu/test_models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

void* startedInstance(const Host& host, const FmuFolder& folder, LogLines& lines) {
  void* const c = host.instantiate(folder, lines);
  REQUIRE(host.enter(c, 1e-8, 0, 0) == Status::ok);
  REQUIRE(host.exit(c) == Status::ok);
  return c;
}

}  // namespace

TEST_CASE("derivative functions of both versions give the same numbers") {
  const FmuFolder folder(drivenPendulumText);
  const CompiledModel model = compiled(drivenPendulumText);
  const std::vector<std::uint32_t> unknowns = {reference(model, "pull"), reference(model, "power")};
  const std::vector<std::uint32_t> knowns = {reference(model, "F"), reference(model, "d")};
  const std::vector<double> seed = {0.5, 2};
  const Host two(Version::fmi2, folder.binary()), three(Version::fmi3, folder.binary());
  LogLines lines;
  void* const a = startedInstance(two, folder, lines);
  void* const b = startedInstance(three, folder, lines);
  CHECK(two.doStep(a, 0, 0.3) == Status::ok);
  CHECK(three.doStep(b, 0, 0.3) == Status::ok);
  std::vector<double> by2(2), by3(2), adjoint(2);
  CHECK(two.object().function<fmi2GetDirectionalDerivativeTYPE>("fmi2GetDirectionalDerivative")(
            a, unknowns.data(), 2, knowns.data(), 2, seed.data(), by2.data()) == fmi2OK);
  CHECK(three.object().function<fmi3GetDirectionalDerivativeTYPE>("fmi3GetDirectionalDerivative")(
            b, unknowns.data(), 2, knowns.data(), 2, seed.data(), 2, by3.data(), 2) == fmi3OK);
  CHECK(by2 == by3);
  CHECK(std::abs(by2[0]) > 0.1);
  CHECK(three.object().function<fmi3GetAdjointDerivativeTYPE>("fmi3GetAdjointDerivative")(
            b, unknowns.data(), 2, knowns.data(), 2, seed.data(), 2, adjoint.data(), 2) == fmi3OK);
  CHECK(adjoint[0] * seed[0] + adjoint[1] * seed[1] ==
        Approx(by3[0] * seed[0] + by3[1] * seed[1]).epsilon(1e-12));

  const std::vector<int> orders = {1, 2};
  std::vector<double> rates2(2), rates3(2);
  CHECK(two.object().function<fmi2GetRealOutputDerivativesTYPE>("fmi2GetRealOutputDerivatives")(
            a, unknowns.data(), 2, orders.data(), rates2.data()) == fmi2OK);
  CHECK(three.object().function<fmi3GetOutputDerivativesTYPE>("fmi3GetOutputDerivatives")(
            b, unknowns.data(), 2, orders.data(), rates3.data(), 2) == fmi3OK);
  CHECK(rates2 == rates3);

  const int order = 1;
  const double slope = 2;
  CHECK(two.object().function<fmi2SetRealInputDerivativesTYPE>("fmi2SetRealInputDerivatives")(
            a, knowns.data(), 1, &order, &slope) == fmi2OK);
  CHECK(two.doStep(a, 0.3, 0.1) == Status::ok);
  double force = 0;
  CHECK(two.get(a, knowns.data(), 1, &force) == Status::ok);
  CHECK(force == Approx(0.5 + 0.2).epsilon(1e-12));
  two.free(a);
  three.free(b);
}

TEST_CASE("wrong lengths and references of derivative functions are errors") {
  const FmuFolder folder(drivenPendulumText);
  const CompiledModel model = compiled(drivenPendulumText);
  const Host three(Version::fmi3, folder.binary());
  const std::uint32_t x = reference(model, "x"), F = reference(model, "F"), unknown = 999;
  const double one = 1;
  double result = 0;
  auto* const directional =
      three.object().function<fmi3GetDirectionalDerivativeTYPE>("fmi3GetDirectionalDerivative");
  for (const auto& call : std::vector<std::function<fmi3Status(void*)>>{
           [&](void* c) { return directional(c, &x, 1, &F, 1, &one, 0, &result, 1); },
           [&](void* c) { return directional(c, &x, 1, &F, 1, &one, 1, &result, 0); },
           [&](void* c) { return directional(c, &unknown, 1, &F, 1, &one, 1, &result, 1); },
           [&](void* c) { return directional(c, &x, 1, &unknown, 1, &one, 1, &result, 1); },
           [&](void* c) { return directional(c, &F, 1, &F, 1, &one, 1, &result, 1); }}) {
    LogLines lines;
    void* const c = startedInstance(three, folder, lines);
    CHECK(call(c) == fmi3Error);
    CHECK(lines.size() == 1);
    three.free(c);
  }
}

TEST_CASE("FMI 3 reads and sets the vectors of a mechanism as arrays") {
  const FmuFolder folder(stoppedRodText);
  const CompiledModel model = compiled(stoppedRodText);
  const Host three(Version::fmi3, folder.binary()), two(Version::fmi2, folder.binary());
  LogLines lines;
  void* const c = startedInstance(three, folder, lines);
  void* const d = startedInstance(two, folder, lines);
  auto* const get = three.object().function<fmi3GetFloat64TYPE>("fmi3GetFloat64");
  auto* const set = three.object().function<fmi3SetFloat64TYPE>("fmi3SetFloat64");
  const std::uint32_t F = reference(model, "tip.F[1]"), r = reference(model, "tip.r[1]");
  const std::vector<double> force = {1, 2, 3};
  CHECK(set(c, &F, 1, force.data(), 3) == fmi3OK);
  const std::vector<std::uint32_t> elements = {F, F + 1, F + 2};
  CHECK(two.set(d, elements.data(), 3, force.data()) == Status::ok);
  CHECK(three.doStep(c, 0, 0.1) == Status::ok);
  CHECK(two.doStep(d, 0, 0.1) == Status::ok);
  std::vector<double> arrays(6), scalars(6);
  const std::vector<std::uint32_t> both = {F, r}, all = {F, F + 1, F + 2, r, r + 1, r + 2};
  CHECK(get(c, both.data(), 2, arrays.data(), 6) == fmi3OK);
  CHECK(two.get(d, all.data(), 6, scalars.data()) == Status::ok);
  CHECK(arrays == scalars);
  CHECK(arrays[2] == 3);
  CHECK(std::hypot(arrays[3], arrays[4]) == Approx(1).epsilon(1e-9));
  const std::uint32_t inside = F + 1;
  CHECK(get(c, &inside, 1, arrays.data(), 1) == fmi3Error);
  CHECK_THAT(lines.back().message, Catch::Contains("inside an array"));
  three.free(c);
  two.free(d);
}

TEST_CASE("strings and integers pass the C interface of both versions") {
  const FmuFolder folder(pendulumText());
  const CompiledModel model = compiled(pendulumText());
  const std::uint32_t method = reference(model, "solver.method"),
                      order = reference(model, "solver.max_order");
  const char* ggl = "ggl";
  const int two_ = 2;
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    LogLines lines;
    void* const c = host.instantiate(folder, lines);
    const char* text = nullptr;
    int number = 0;
    const SharedObject& o = host.object();
    if (version == Version::fmi2) {
      CHECK(o.function<fmi2SetStringTYPE>("fmi2SetString")(c, &method, 1, &ggl) == fmi2OK);
      CHECK(o.function<fmi2SetIntegerTYPE>("fmi2SetInteger")(c, &order, 1, &two_) == fmi2OK);
      REQUIRE(host.enter(c, 0, 0, 0) == Status::ok);
      CHECK(o.function<fmi2GetStringTYPE>("fmi2GetString")(c, &method, 1, &text) == fmi2OK);
      CHECK(o.function<fmi2GetIntegerTYPE>("fmi2GetInteger")(c, &order, 1, &number) == fmi2OK);
    } else {
      CHECK(o.function<fmi3SetStringTYPE>("fmi3SetString")(c, &method, 1, &ggl, 1) == fmi3OK);
      CHECK(o.function<fmi3SetInt32TYPE>("fmi3SetInt32")(c, &order, 1, &two_, 1) == fmi3OK);
      REQUIRE(host.enter(c, 0, 0, 0) == Status::ok);
      CHECK(o.function<fmi3GetStringTYPE>("fmi3GetString")(c, &method, 1, &text, 1) == fmi3OK);
      CHECK(o.function<fmi3GetInt32TYPE>("fmi3GetInt32")(c, &order, 1, &number, 1) == fmi3OK);
    }
    REQUIRE(text != nullptr);
    CHECK(std::string(text) == "ggl");
    CHECK(number == 2);
    REQUIRE(host.exit(c) == Status::ok);
    CHECK(host.doStep(c, 0, 0.1) == Status::ok);
    host.free(c);
  }
}
