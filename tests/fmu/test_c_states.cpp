#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "tests/fmu/fmu_host.hpp"
#include "tests/fmu/test_models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

class Fmu {
 public:
  Fmu(const Host& host, const FmuFolder& folder)
      : host_(host), instance_(host.instantiate(folder, lines)) {
    REQUIRE(instance_ != nullptr);
    REQUIRE(host.enter(instance_, 1e-6, 0, 0) == Status::ok);
    REQUIRE(host.exit(instance_) == Status::ok);
  }
  Fmu(const Fmu&) = delete;
  Fmu& operator=(const Fmu&) = delete;
  ~Fmu() { host_.free(instance_); }

  void* get() const { return instance_; }
  std::vector<std::byte> bytes() const {
    void* state = nullptr;
    REQUIRE(host_.getState(instance_, &state) == Status::ok);
    std::size_t size = 0;
    REQUIRE(host_.stateSize(instance_, state, &size) == Status::ok);
    std::vector<std::byte> serialized(size);
    REQUIRE(host_.serialize(instance_, state, serialized.data(), size) == Status::ok);
    REQUIRE(host_.freeState(instance_, &state) == Status::ok);
    CHECK(state == nullptr);
    return serialized;
  }
  void run(double from, int count, std::uint32_t input) const {
    for (int i = 0; i < count; ++i) {
      const double t = from + i * 0.01, force = std::sin(5 * t);
      REQUIRE(host_.set(instance_, &input, 1, &force) == Status::ok);
      REQUIRE(host_.doStep(instance_, t, 0.01) == Status::ok);
    }
  }

  LogLines lines;

 private:
  const Host& host_;
  void* instance_;
};

}  // namespace

TEST_CASE("a state saved, set or read from bytes continues bit for bit") {
  const FmuFolder folder(drivenPendulumText);
  const std::uint32_t input = reference(compiled(drivenPendulumText), "F");
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    Fmu fmu(host, folder), other(host, folder);
    fmu.run(0, 30, input);
    void* state = nullptr;
    REQUIRE(host.getState(fmu.get(), &state) == Status::ok);
    const std::vector<std::byte> saved = fmu.bytes();
    fmu.run(0.3, 30, input);
    const std::vector<std::byte> straight = fmu.bytes();

    for (int again = 0; again < 2; ++again) {
      REQUIRE(host.setState(fmu.get(), state) == Status::ok);
      CHECK(fmu.bytes() == saved);
      fmu.run(0.3, 30, input);
      CHECK(fmu.bytes() == straight);
    }
    void* read = nullptr;
    REQUIRE(host.deserialize(other.get(), saved.data(), saved.size(), &read) == Status::ok);
    REQUIRE(host.setState(other.get(), read) == Status::ok);
    other.run(0.3, 30, input);
    CHECK(other.bytes() == straight);
  }
}

TEST_CASE("a state can be saved into the memory of an older one") {
  const FmuFolder folder(pendulumText());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    Fmu fmu(host, folder);
    void* state = nullptr;
    REQUIRE(host.getState(fmu.get(), &state) == Status::ok);
    REQUIRE(host.doStep(fmu.get(), 0, 0.5) == Status::ok);
    void* const former = state;
    REQUIRE(host.getState(fmu.get(), &state) == Status::ok);
    CHECK(state == former);
    const auto bytes = fmu.bytes();
    REQUIRE(host.doStep(fmu.get(), 0.5, 0.5) == Status::ok);
    REQUIRE(host.setState(fmu.get(), state) == Status::ok);
    CHECK(fmu.bytes() == bytes);
  }
}

TEST_CASE("a state brings an instance back from an error") {
  const FmuFolder folder(pendulumText());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    Fmu fmu(host, folder);
    void* state = nullptr;
    REQUIRE(host.getState(fmu.get(), &state) == Status::ok);
    CHECK(host.doStep(fmu.get(), 0, -1) == Status::error);
    CHECK(host.doStep(fmu.get(), 0, 0.1) == Status::error);
    CHECK(host.setState(fmu.get(), state) == Status::ok);
    CHECK(host.doStep(fmu.get(), 0, 0.1) == Status::ok);
  }
}

TEST_CASE("a state that is not one of the instance is refused") {
  const FmuFolder folder(pendulumText());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    Fmu owner(host, folder);
    void* state = nullptr;
    REQUIRE(host.getState(owner.get(), &state) == Status::ok);
    double nothing = 0;
    for (void* const foreign : {state, static_cast<void*>(&nothing)}) {
      Fmu fmu(host, folder);
      void* pointer = foreign;
      std::size_t size = 0;
      CHECK(host.setState(fmu.get(), foreign) == Status::error);
      CHECK_THAT(fmu.lines.back().message, Catch::Contains("not one of this instance"));
      CHECK(host.getState(fmu.get(), &pointer) == Status::error);
      CHECK(host.freeState(fmu.get(), &pointer) == Status::error);
      CHECK(host.stateSize(fmu.get(), foreign, &size) == Status::error);
      CHECK(pointer == foreign);
    }
    REQUIRE(host.freeState(owner.get(), &state) == Status::ok);
    CHECK(host.freeState(owner.get(), &state) == Status::ok);
  }
}

TEST_CASE("damaged bytes are refused and the instance can go back to a good state") {
  const FmuFolder folder(pendulumText()), foreign(drivenPendulumText);
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    Fmu fmu(host, folder), other(host, foreign);
    void* good = nullptr;
    REQUIRE(host.getState(fmu.get(), &good) == Status::ok);
    const std::vector<std::byte> bytes = fmu.bytes();

    std::vector<std::byte> damaged = bytes;
    damaged[bytes.size() / 2] ^= std::byte{1};
    const std::vector<std::byte> cut(bytes.begin(), bytes.end() - 8), ofOtherModel = other.bytes();
    for (const std::vector<std::byte>& wrong :
         {damaged, cut, ofOtherModel, std::vector<std::byte>{}}) {
      void* state = nullptr;
      CHECK(host.deserialize(fmu.get(), wrong.data(), wrong.size(), &state) == Status::error);
      CHECK_THAT(fmu.lines.back().message, Catch::Contains("serialized state: "));
      CHECK(state == nullptr);
      CHECK(host.setState(fmu.get(), good) == Status::ok);
      CHECK(fmu.bytes() == bytes);
    }
    std::vector<std::byte> small(bytes.size() - 1);
    CHECK(host.serialize(fmu.get(), good, small.data(), small.size()) == Status::error);
  }
}

TEST_CASE("a state at every step, never freed, is borne and small") {
  const FmuFolder folder(pendulumText());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    Fmu fmu(host, folder);
    for (int i = 0; i < 2000; ++i) {
      void* state = nullptr;
      REQUIRE(host.getState(fmu.get(), &state) == Status::ok);
      REQUIRE(host.doStep(fmu.get(), i * 0.001, 0.001) == Status::ok);
    }
    // History of order 5 for 2n + m = 5 unknowns, the linearisation, and bookkeeping.
    CHECK(fmu.bytes().size() < 4096);
  }
}
