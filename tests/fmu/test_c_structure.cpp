#include <array>
#include <catch2/catch.hpp>
#include <span>
#include <string>
#include <vector>

#include "fmu_src/instance.hpp"
#include "models/variable_arrays.hpp"
#include "tests/fmu/fmu_host.hpp"
#include "tests/fmu/test_models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

std::string chainOf(int n) {
  std::string text = chainText;
  const std::string value = "value = 3, min";
  return text.replace(text.find(value), value.size(), "value = " + std::to_string(n) + ", min");
}

/// The chain as an FMU of FMI 3, with its variables as modelDescription.xml names them.
class Chain {
 public:
  explicit Chain(const Host& host, const FmuFolder& folder)
      : host_(host), instance_(host.instantiate(folder, lines)) {
    REQUIRE(instance_ != nullptr);
    for (const VariableArray& array : variableArrays(compiled(chainText).variables()))
      references_[array.name] = array.first;
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  ~Chain() { host_.free(instance_); }

  template <class Function, class... Arguments>
  fmi3Status call(const char* name, Arguments... arguments) const {
    return host_.object().function<Function>(name)(instance_, arguments...);
  }
  fmi3Status enterConfigurationMode() const {
    return call<fmi3EnterConfigurationModeTYPE>("fmi3EnterConfigurationMode");
  }
  fmi3Status exitConfigurationMode() const {
    return call<fmi3ExitConfigurationModeTYPE>("fmi3ExitConfigurationMode");
  }
  fmi3Status setLinks(std::uint64_t n) const {
    return call<fmi3SetUInt64TYPE>("fmi3SetUInt64", &references_.at("n"), std::size_t{1}, &n,
                                   std::size_t{1});
  }
  std::uint64_t links() const {
    std::uint64_t n = 0;
    CHECK(call<fmi3GetUInt64TYPE>("fmi3GetUInt64", &references_.at("n"), std::size_t{1}, &n,
                                  std::size_t{1}) == fmi3OK);
    return n;
  }
  void restructure(std::uint64_t n) const {
    REQUIRE(enterConfigurationMode() == fmi3OK);
    REQUIRE(setLinks(n) == fmi3OK);
    REQUIRE(exitConfigurationMode() == fmi3OK);
  }
  fmi3Status get(const std::string& name, std::vector<double>& values) const {
    return call<fmi3GetFloat64TYPE>("fmi3GetFloat64", &references_.at(name), std::size_t{1},
                                    values.data(), values.size());
  }
  fmi3Status set(const std::string& name, const std::vector<double>& values) const {
    return call<fmi3SetFloat64TYPE>("fmi3SetFloat64", &references_.at(name), std::size_t{1},
                                    values.data(), values.size());
  }
  void start() const {
    REQUIRE(host_.enter(instance_, 1e-6, 0, 0) == Status::ok);
    REQUIRE(host_.exit(instance_) == Status::ok);
  }
  void run(int from, int to) const {
    for (int i = from; i < to; ++i) {
      REQUIRE(set("F", {2.0 * (i % 3)}) == fmi3OK);
      REQUIRE(host_.doStep(instance_, i * 0.01, 0.01) == Status::ok);
    }
  }
  /// Positions, velocities, accelerations, multipliers and outputs of a chain of n links.
  std::vector<double> all(std::size_t n) const {
    std::vector<double> values;
    for (const char* name : {"x", "der(x)", "der(x,2)", "y", "der(y)", "der(y,2)", "link.lambda",
                             "link.g", "tension"}) {
      std::vector<double> part(n);
      CHECK(get(name, part) == fmi3OK);
      values.insert(values.end(), part.begin(), part.end());
    }
    for (const char* name : {"energy", "tip"}) {
      std::vector<double> part(1);
      CHECK(get(name, part) == fmi3OK);
      values.push_back(part[0]);
    }
    return values;
  }
  void* get() const { return instance_; }

  LogLines lines;

 private:
  const Host& host_;
  void* instance_;
  std::map<std::string, std::uint32_t> references_;
};

std::vector<std::byte> bytesOf(const Host& host, void* instance) {
  void* state = nullptr;
  std::size_t size = 0;
  REQUIRE(host.getState(instance, &state) == Status::ok);
  REQUIRE(host.stateSize(instance, state, &size) == Status::ok);
  std::vector<std::byte> bytes(size);
  REQUIRE(host.serialize(instance, state, bytes.data(), size) == Status::ok);
  return bytes;
}

}  // namespace

TEST_CASE("a chain whose number of links is set runs as one that was written so") {
  const FmuFolder folder(chainText);
  const Host host(Version::fmi3, folder.binary());
  for (const int n : {1, 2, 5, 12}) {
    const FmuFolder written(chainOf(n));
    Chain set(host, folder), expected(host, written);
    CHECK(set.links() == 3);
    std::vector<double> x(3);
    REQUIRE(set.get("x", x) == fmi3OK);
    set.restructure(static_cast<std::uint64_t>(n));
    CHECK(set.links() == static_cast<std::uint64_t>(n));
    x.resize(static_cast<std::size_t>(n));  // the same reference, other elements
    REQUIRE(set.get("x", x) == fmi3OK);
    for (int i = 1; i <= n; ++i) CHECK(x[static_cast<std::size_t>(i - 1)] == 0.5 * i);

    // The other folder has other value references: it is run through an instance in process.
    Instance instance(compiled(chainOf(n)), Log());
    const CompiledModel& model = instance.model();
    instance.enterInitializationMode(1e-6, 0, std::nullopt);
    instance.exitInitializationMode();
    set.start();
    for (int i = 0; i < 50; ++i) {
      const double force = 2.0 * (i % 3);
      instance.setReal(std::vector<std::uint32_t>{reference(model, "F")},
                       std::vector<double>{force});
      REQUIRE(instance.doStep(i * 0.01, 0.01).status == Status::ok);
    }
    set.run(0, 50);
    std::vector<double> got(static_cast<std::size_t>(n)), wanted(got.size());
    std::vector<std::uint32_t> references;
    for (int i = 1; i <= n; ++i)
      references.push_back(reference(model, "tension[" + std::to_string(i) + "]"));
    instance.getReal(references, wanted);
    REQUIRE(set.get("tension", got) == fmi3OK);
    CHECK(got == wanted);
  }
}

TEST_CASE("structural parameters are set in configuration mode, and nothing else is") {
  const FmuFolder folder(chainText);
  const Host host(Version::fmi3, folder.binary());
  const auto refused = [&](auto call, const char* message) {
    Chain chain(host, folder);
    CHECK(call(chain) == fmi3Error);
    CHECK_THAT(chain.lines.back().message, Catch::Contains(message));
    CHECK(host.reset(chain.get()) == Status::ok);
    CHECK(chain.links() == 3);
    chain.start();
    chain.run(0, 1);
  };
  refused([](Chain& c) { return c.setLinks(5); }, "only in configuration mode");
  refused([](Chain& c) { return c.exitConfigurationMode(); }, "expected configuration mode");
  const auto configuring = [](auto call) {
    return [call](Chain& c) {
      REQUIRE(c.enterConfigurationMode() == fmi3OK);
      return call(c);
    };
  };
  refused(configuring([](Chain& c) { return c.enterConfigurationMode(); }), "illegal call");
  refused(configuring([](Chain& c) { return c.setLinks(0); }), ">= 1, is 0");
  refused(configuring([](Chain& c) { return c.setLinks(51); }), "<= 50, is 51");
  refused(configuring([](Chain& c) { return c.setLinks(~std::uint64_t{0}); }), "<= 50");
  refused(configuring([](Chain& c) { return c.set("L", {1}); }), "illegal call");
  refused(
      [](Chain& c) {
        c.start();
        return c.enterConfigurationMode();
      },
      "expected instantiated");
  refused(
      [](Chain& c) {
        c.restructure(5);
        std::vector<double> three(3);
        return c.get("x", three);
      },
      "3 values for 5 value references");
}

TEST_CASE("parameters set before configuration mode are kept, reset takes all back") {
  const FmuFolder folder(chainText);
  const Host host(Version::fmi3, folder.binary());
  Chain chain(host, folder);
  REQUIRE(chain.set("L", {0.25}) == fmi3OK);
  chain.restructure(4);
  std::vector<double> x(4), L(1);
  REQUIRE(chain.get("L", L) == fmi3OK);
  CHECK(L[0] == 0.25);
  REQUIRE(chain.get("x", x) == fmi3OK);
  CHECK(x == std::vector<double>{0.25, 0.5, 0.75, 1});
  chain.restructure(2);
  chain.start();
  chain.run(0, 5);
  REQUIRE(host.reset(chain.get()) == Status::ok);
  CHECK(chain.links() == 3);
  REQUIRE(chain.get("L", L) == fmi3OK);
  CHECK(L[0] == 0.5);
  Chain fresh(host, folder);
  for (Chain* c : {&chain, &fresh}) {
    c->start();
    c->run(0, 5);
  }
  CHECK(chain.all(3) == fresh.all(3));
}

TEST_CASE("a state takes its number of links with it, in the instance and through bytes") {
  const FmuFolder folder(chainText);
  const Host host(Version::fmi3, folder.binary());
  Chain chain(host, folder), other(host, folder);
  chain.restructure(6);
  chain.start();
  chain.run(0, 20);
  void* state = nullptr;
  REQUIRE(host.getState(chain.get(), &state) == Status::ok);
  const std::vector<std::byte> saved = bytesOf(host, chain.get());
  chain.run(20, 40);
  const std::vector<double> straight = chain.all(6);
  const std::vector<std::byte> end = bytesOf(host, chain.get());

  REQUIRE(host.reset(chain.get()) == Status::ok);
  CHECK(chain.links() == 3);
  REQUIRE(host.setState(chain.get(), state) == Status::ok);
  CHECK(chain.links() == 6);
  chain.run(20, 40);
  CHECK(chain.all(6) == straight);
  CHECK(bytesOf(host, chain.get()) == end);

  void* read = nullptr;
  REQUIRE(host.deserialize(other.get(), saved.data(), saved.size(), &read) == Status::ok);
  REQUIRE(host.setState(other.get(), read) == Status::ok);
  CHECK(other.links() == 6);
  other.run(20, 40);
  CHECK(bytesOf(host, other.get()) == end);
}

TEST_CASE("a list read before and after a change of structure has the values of the new one") {
  Instance instance(compiled(chainText), Log());
  std::vector<std::uint32_t> list;
  for (const Variable& variable : instance.model().variables().variables)
    if (variable.causality == Causality::output) list.push_back(variable.valueReference);
  REQUIRE(list.size() >= 4);
  const auto check = [&] {
    std::vector<double> together(list.size());
    for (int reading = 0; reading < 2; ++reading) {
      instance.getReal(list, together);
      for (std::size_t i = 0; i < list.size(); ++i) {
        double alone = 0;
        instance.getReal(std::span(&list[i], 1), std::span(&alone, 1));
        CHECK(together[i] == alone);
      }
    }
  };
  instance.enterInitializationMode(1e-6, 0, std::nullopt);
  instance.exitInitializationMode();
  instance.doStep(0, 0.1);
  check();
  Snapshot three;
  instance.save(three);

  instance.reset();
  instance.enterConfigurationMode();
  const std::uint32_t n = reference(instance.model(), "n");
  instance.setNumbers(Type::uint64, std::span(&n, 1), std::array{2.0});
  instance.exitConfigurationMode();
  CHECK(instance.mode() == fmi::Mode::instantiated);
  list.clear();
  for (const Variable& variable : instance.model().variables().variables)
    if (variable.causality == Causality::output) list.push_back(variable.valueReference);
  instance.enterInitializationMode(1e-6, 0, std::nullopt);
  instance.exitInitializationMode();
  instance.doStep(0, 0.2);
  check();

  instance.restore(three);
  CHECK(instance.mode() == fmi::Mode::step);
  CHECK(instance.time() == 0.1);
  check();
}

TEST_CASE("a state of configuration mode holds what was set there") {
  const FmuFolder folder(chainText);
  const Host host(Version::fmi3, folder.binary());
  Chain chain(host, folder), other(host, folder);
  REQUIRE(chain.enterConfigurationMode() == fmi3OK);
  REQUIRE(chain.setLinks(7) == fmi3OK);
  const std::vector<std::byte> saved = bytesOf(host, chain.get());
  void* read = nullptr;
  REQUIRE(host.deserialize(other.get(), saved.data(), saved.size(), &read) == Status::ok);
  REQUIRE(host.setState(other.get(), read) == Status::ok);
  CHECK(other.links() == 7);
  REQUIRE(other.exitConfigurationMode() == fmi3OK);
  std::vector<double> x(7);
  CHECK(other.get("x", x) == fmi3OK);
}

TEST_CASE("derivatives of a chain have the length of its arrays") {
  const FmuFolder folder(chainText);
  const Host host(Version::fmi3, folder.binary());
  Chain chain(host, folder);
  chain.restructure(4);
  chain.start();
  chain.run(0, 10);
  const CompiledModel described = compiled(chainText);
  const std::uint32_t a = reference(described, "der(x[1],2)"), F = reference(described, "F");
  const double one = 1;
  std::vector<double> directional(4), adjoint(1), orders(4);
  CHECK(chain.call<fmi3GetDirectionalDerivativeTYPE>(
            "fmi3GetDirectionalDerivative", &a, std::size_t{1}, &F, std::size_t{1}, &one,
            std::size_t{1}, directional.data(), std::size_t{4}) == fmi3OK);
  CHECK(directional[3] > 0);
  const std::vector<double> last = {0, 0, 0, 1};
  CHECK(chain.call<fmi3GetAdjointDerivativeTYPE>("fmi3GetAdjointDerivative", &a, std::size_t{1}, &F,
                                                 std::size_t{1}, last.data(), std::size_t{4},
                                                 adjoint.data(), std::size_t{1}) == fmi3OK);
  CHECK(adjoint[0] == Approx(directional[3]).epsilon(1e-12));
  const std::uint32_t x = reference(described, "x[1]");
  const std::int32_t order = 1;
  std::vector<double> velocities(4);
  REQUIRE(chain.call<fmi3GetOutputDerivativesTYPE>("fmi3GetOutputDerivatives", &x, std::size_t{1},
                                                   &order, orders.data(),
                                                   std::size_t{4}) == fmi3OK);
  REQUIRE(chain.get("der(x)", velocities) == fmi3OK);
  CHECK(orders == velocities);
}

TEST_CASE("a model without structural parameters refuses configuration mode") {
  const FmuFolder folder(pendulumText());
  const Host host(Version::fmi3, folder.binary());
  LogLines lines;
  void* const c = host.instantiate(folder, lines);
  CHECK(host.object().function<fmi3EnterConfigurationModeTYPE>("fmi3EnterConfigurationMode")(c) ==
        fmi3Error);
  CHECK(lines.back().message ==
        "fmi3EnterConfigurationMode: the model has no structural parameters");
  host.free(c);
}

TEST_CASE("FMI 2 sees a chain of fixed length: scalars, and the number as an integer") {
  const FmuFolder folder(chainText);
  const CompiledModel model = compiled(chainText);
  const Host host(Version::fmi2, folder.binary());
  LogLines lines;
  void* const c = host.instantiate(folder, lines);
  REQUIRE(host.enter(c, 0, 0, 0) == Status::ok);
  const std::uint32_t n = reference(model, "n");
  int links = 0;
  CHECK(host.object().function<fmi2GetIntegerTYPE>("fmi2GetInteger")(c, &n, 1, &links) == fmi2OK);
  CHECK(links == 3);
  REQUIRE(host.exit(c) == Status::ok);
  REQUIRE(host.doStep(c, 0, 0.1) == Status::ok);
  const std::vector<std::uint32_t> ends = {reference(model, "x[3]"), reference(model, "tip")};
  std::vector<double> values(2);
  CHECK(host.get(c, ends.data(), 2, values.data()) == Status::ok);
  CHECK(values[0] == values[1]);
  CHECK(host.object().function<fmi2SetIntegerTYPE>("fmi2SetInteger")(c, &n, 1, &links) ==
        fmi2Error);
  host.free(c);
}
