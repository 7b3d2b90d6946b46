#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <random>
#include <vector>

#include "tests/fmu/fmu_host.hpp"
#include "tests/fmu/test_models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

/// One thing that an importer does between two communication points, or a step.
struct Action {
  enum class Kind { setInput, setParameter, step } kind;
  double value = 0;
};

/// Legal calls: inputs and a parameter set now and then, steps of many sizes.
std::vector<Action> randomActions(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Action> actions;
  for (int i = 0; i < 6; ++i) {
    if (uniform(random) < 0.5) actions.push_back({Action::Kind::setInput, 4 * uniform(random) - 2});
    if (uniform(random) < 0.2) actions.push_back({Action::Kind::setParameter, uniform(random)});
    actions.push_back({Action::Kind::step, 0.001 + 0.05 * uniform(random) * uniform(random)});
  }
  return actions;
}

class Fmu {
 public:
  Fmu(const Host& host, const FmuFolder& folder, const CompiledModel& model)
      : host_(host),
        instance_(host.instantiate(folder, lines_)),
        input_(reference(model, "F")),
        parameter_(reference(model, "d")) {
    ok_ = host.enter(instance_, 1e-5, 0, 0) == Status::ok && host.exit(instance_) == Status::ok;
  }
  Fmu(const Fmu&) = delete;
  Fmu& operator=(const Fmu&) = delete;
  ~Fmu() { host_.free(instance_); }

  void run(std::span<const Action> actions, double& t) {
    for (const Action& action : actions) {
      const std::uint32_t vr = action.kind == Action::Kind::setInput ? input_ : parameter_;
      const Status status = action.kind == Action::Kind::step
                                ? host_.doStep(instance_, t, action.value)
                                : host_.set(instance_, &vr, 1, &action.value);
      ok_ = ok_ && status == Status::ok;
      if (action.kind == Action::Kind::step) t += action.value;
    }
  }
  std::vector<std::byte> bytes() {
    void* state = nullptr;
    std::size_t size = 0;
    ok_ = ok_ && host_.getState(instance_, &state) == Status::ok &&
          host_.stateSize(instance_, state, &size) == Status::ok;
    std::vector<std::byte> serialized(size);
    ok_ = ok_ && host_.serialize(instance_, state, serialized.data(), size) == Status::ok &&
          host_.freeState(instance_, &state) == Status::ok;
    return serialized;
  }
  void take(const std::vector<std::byte>& bytes) {
    void* state = nullptr;
    ok_ = ok_ && host_.deserialize(instance_, bytes.data(), bytes.size(), &state) == Status::ok &&
          host_.setState(instance_, state) == Status::ok &&
          host_.freeState(instance_, &state) == Status::ok;
  }
  void* save() {
    void* state = nullptr;
    ok_ = ok_ && host_.getState(instance_, &state) == Status::ok;
    return state;
  }
  void restore(void* state) {
    ok_ = ok_ && host_.setState(instance_, state) == Status::ok &&
          host_.freeState(instance_, &state) == Status::ok;
  }
  bool ok() const { return ok_; }

 private:
  LogLines lines_;
  const Host& host_;
  void* instance_;
  std::uint32_t input_, parameter_;
  bool ok_ = false;
};

/// What a child process makes of a serialized state and the actions after it.
std::vector<std::byte> inOtherProcess(const Host& host, const FmuFolder& folder,
                                      const CompiledModel& model,
                                      const std::vector<std::byte>& start, double t,
                                      std::span<const Action> actions, std::size_t size) {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Fmu fmu(host, folder, model);
    fmu.take(start);
    fmu.run(actions, t);
    const std::vector<std::byte> end = fmu.bytes();
    const bool written =
        ::write(pipe[1], end.data(), end.size()) == static_cast<ssize_t>(end.size());
    _exit(fmu.ok() && written ? 0 : 1);
  }
  ::close(pipe[1]);
  std::vector<std::byte> end(size);
  std::size_t got = 0;
  for (ssize_t part = 1; part > 0 && got < size; got += static_cast<std::size_t>(part))
    part = ::read(pipe[0], end.data() + got, size - got);
  ::close(pipe[0]);
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  return end;
}

}  // namespace

TEST_CASE("2000 random call sequences with saves and restores are those of the straight runs") {
  const FmuFolder folder(drivenPendulumText);
  const CompiledModel model = compiled(drivenPendulumText);
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    std::mt19937 random(2024);
    Fmu other(host, folder, model);
    for (int sequence = 0; sequence < 2000; ++sequence) {
      const std::vector<Action> all = randomActions(random);
      const std::size_t cut = std::uniform_int_distribution<std::size_t>(0, all.size())(random);
      const std::span<const Action> before = std::span(all).first(cut),
                                    after = std::span(all).subspan(cut);
      Fmu straight(host, folder, model), detour(host, folder, model);
      double t = 0;
      straight.run(all, t);
      const std::vector<std::byte> expected = straight.bytes();

      double middle = 0;
      detour.run(before, middle);
      const std::vector<std::byte> saved = detour.bytes();
      void* const state = detour.save();
      double wrong = middle;
      detour.run(randomActions(random), wrong);
      detour.restore(state);
      double end = middle;
      detour.run(after, end);
      REQUIRE(detour.bytes() == expected);

      other.take(saved);
      end = middle;
      other.run(after, end);
      REQUIRE(other.bytes() == expected);
      if (sequence % 100 == 0)
        REQUIRE(inOtherProcess(host, folder, model, saved, middle, after, expected.size()) ==
                expected);
      REQUIRE((straight.ok() && detour.ok() && other.ok()));
    }
  }
}

TEST_CASE("after a forced discard the next step gives the bits of a run that never tried it") {
  const FmuFolder folder(dyingText);
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0.01, 0.2);
    for (int i = 0; i < 50; ++i) {
      LogLines lines;
      void* const tried = host.instantiate(folder, lines);
      void* const plain = host.instantiate(folder, lines);
      double t = 0;
      for (void* const c : {tried, plain}) {
        REQUIRE(host.enter(c, 1e-6, 0, 0) == Status::ok);
        REQUIRE(host.exit(c) == Status::ok);
      }
      while (t < 0.7) {
        const double h = uniform(random);
        CHECK(host.doStep(tried, t, 1.2) == Status::discard);
        CHECK(host.doStep(tried, t, h) == Status::ok);
        CHECK(host.doStep(plain, t, h) == Status::ok);
        t += h;
      }
      std::array<std::vector<std::byte>, 2> bytes;
      for (std::size_t k = 0; k < 2; ++k) {
        void* const c = k == 0 ? tried : plain;
        void* state = nullptr;
        std::size_t size = 0;
        REQUIRE(host.getState(c, &state) == Status::ok);
        REQUIRE(host.stateSize(c, state, &size) == Status::ok);
        bytes[k].resize(size);
        REQUIRE(host.serialize(c, state, bytes[k].data(), size) == Status::ok);
        host.free(c);
      }
      CHECK(bytes[0] == bytes[1]);
    }
  }
}
