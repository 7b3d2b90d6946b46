#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
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
  enum class Kind {
    setInput,
    setInputDerivative,  // FMI 2
    setParameter,
    get,
    differentiate,  // directional and output derivatives
    passEventMode,  // FMI 3
    saveAndDrop,    // a state that is never used
    logging,
    step
  } kind;
  double value = 0;
};
using Kind = Action::Kind;

/// Legal calls: values set and read now and then, steps of many sizes.
std::vector<Action> randomActions(std::mt19937& random, Version version) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Action> actions;
  const auto sometimes = [&](double probability, Kind kind, double value) {
    if (uniform(random) < probability) actions.push_back({kind, value});
  };
  for (int i = 0; i < 6; ++i) {
    sometimes(0.5, Kind::setInput, 4 * uniform(random) - 2);
    if (version == Version::fmi2)
      sometimes(0.2, Kind::setInputDerivative, 10 * uniform(random) - 5);
    sometimes(0.2, Kind::setParameter, uniform(random));
    if (version == Version::fmi3) sometimes(0.2, Kind::passEventMode, 0);
    sometimes(0.1, Kind::saveAndDrop, 0);
    sometimes(0.05, Kind::logging, 0);
    actions.push_back({Kind::step, 0.001 + 0.05 * uniform(random) * uniform(random)});
    sometimes(0.3, Kind::get, 0);
    sometimes(0.1, Kind::differentiate, 0);
  }
  return actions;
}

/// A model with an input and, if it has one, a tunable parameter to be set between 0 and `scale`.
struct Subject {
  Subject(const std::string& text, const char* inputName, const char* parameterName, double size)
      : folder(text), scale(size) {
    const CompiledModel model = compiled(text);
    input = reference(model, inputName);
    if (parameterName != nullptr) parameter = reference(model, parameterName);
    for (const Variable& variable : model.variables().variables) {
      if (variable.type != Type::float64 || variable.name.find('[') != std::string::npos) continue;
      scalars.push_back(variable.valueReference);
      if (variable.causality == Causality::output) outputs.push_back(variable.valueReference);
    }
  }

  FmuFolder folder;
  double scale;
  std::uint32_t input = 0;
  std::optional<std::uint32_t> parameter;
  std::vector<std::uint32_t> scalars, outputs;
};

class Fmu {
 public:
  Fmu(const Host& host, const Subject& subject) : host_(host), subject_(subject) {
    const std::string resources = host.location(subject.folder);
    instance_ = host.instantiate({.token = subject.folder.token().c_str(),
                                  .resources = resources.c_str(),
                                  .eventModeUsed = true},
                                 lines_);
    ok_ = host.enter(instance_, 1e-5, 0, 0) == Status::ok && host.exit(instance_) == Status::ok;
    if (host.version() == Version::fmi3)
      ok_ = ok_ && call<fmi3EnterStepModeTYPE>("fmi3EnterStepMode");
  }
  Fmu(const Fmu&) = delete;
  Fmu& operator=(const Fmu&) = delete;
  ~Fmu() { host_.free(instance_); }

  void run(std::span<const Action> actions, double& t) {
    for (const Action& action : actions) {
      ok_ = ok_ && act(action, t);
      if (action.kind == Kind::step) t += action.value;
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
  template <class Function, class... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    return static_cast<int>(host_.object().function<Function>(name)(instance_, arguments...)) == 0;
  }

  bool act(const Action& action, double t) {
    const std::int32_t order = 1;
    switch (action.kind) {
      case Kind::setInput:
        return host_.set(instance_, &subject_.input, 1, &action.value) == Status::ok;
      case Kind::setInputDerivative:
        return call<fmi2SetRealInputDerivativesTYPE>("fmi2SetRealInputDerivatives", &subject_.input,
                                                     std::size_t{1}, &order, &action.value);
      case Kind::setParameter: {
        const double value = subject_.scale * action.value;
        return !subject_.parameter ||
               host_.set(instance_, &*subject_.parameter, 1, &value) == Status::ok;
      }
      case Kind::get:
        values_.resize(subject_.scalars.size());
        return host_.get(instance_, subject_.scalars.data(), values_.size(), values_.data()) ==
               Status::ok;
      case Kind::differentiate:
        return differentiate();
      case Kind::passEventMode:
        return passEventMode();
      case Kind::saveAndDrop:
        return save() != nullptr;
      case Kind::logging:
        return host_.version() == Version::fmi2
                   ? call<fmi2SetDebugLoggingTYPE>("fmi2SetDebugLogging", fmi2True, std::size_t{0},
                                                   nullptr)
                   : call<fmi3SetDebugLoggingTYPE>("fmi3SetDebugLogging", fmi3True, std::size_t{0},
                                                   nullptr);
      case Kind::step:
        break;
    }
    return host_.doStep(instance_, t, action.value) == Status::ok;
  }

  bool differentiate() {
    const double one = 1;
    const std::size_t n = subject_.outputs.size();
    const std::vector<std::int32_t> orders(n, 2);
    values_.resize(n);
    if (host_.version() == Version::fmi2)
      return call<fmi2GetDirectionalDerivativeTYPE>("fmi2GetDirectionalDerivative",
                                                    subject_.outputs.data(), n, &subject_.input,
                                                    std::size_t{1}, &one, values_.data()) &&
             call<fmi2GetRealOutputDerivativesTYPE>("fmi2GetRealOutputDerivatives",
                                                    subject_.outputs.data(), n, orders.data(),
                                                    values_.data());
    return call<fmi3GetDirectionalDerivativeTYPE>(
               "fmi3GetDirectionalDerivative", subject_.outputs.data(), n, &subject_.input,
               std::size_t{1}, &one, std::size_t{1}, values_.data(), n) &&
           call<fmi3GetOutputDerivativesTYPE>("fmi3GetOutputDerivatives", subject_.outputs.data(),
                                              n, orders.data(), values_.data(), n);
  }

  bool passEventMode() {
    bool a = false, b = false, c = false, d = false, e = false;
    double next = 0;
    return call<fmi3EnterEventModeTYPE>("fmi3EnterEventMode") &&
           call<fmi3UpdateDiscreteStatesTYPE>("fmi3UpdateDiscreteStates", &a, &b, &c, &d, &e,
                                              &next) &&
           call<fmi3EnterStepModeTYPE>("fmi3EnterStepMode");
  }

  LogLines lines_;
  const Host& host_;
  const Subject& subject_;
  void* instance_;
  bool ok_ = false;
  std::vector<double> values_;
};

using Subjects = std::vector<std::unique_ptr<Subject>>;

/// Another process, in which instances of its own go on with serialized states.
class OtherProcess {
 public:
  OtherProcess(const Host& host, const Subjects& subjects) {
    std::array<int, 2> request{}, answer{};
    REQUIRE((::pipe(request.data()) == 0 && ::pipe(answer.data()) == 0));
    child_ = fork();
    REQUIRE(child_ >= 0);
    in_ = child_ == 0 ? request[0] : answer[0];
    out_ = child_ == 0 ? answer[1] : request[1];
    ::close(child_ == 0 ? request[1] : request[0]);
    ::close(child_ == 0 ? answer[0] : answer[1]);
    if (child_ == 0) _exit(serve(host, subjects));
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  ~OtherProcess() {
    ::close(out_);
    ::close(in_);
    int status = 1;
    CHECK(waitpid(child_, &status, 0) == child_);
    CHECK(status == 0);
  }

  /// The state after the actions.
  std::vector<std::byte> goOn(std::size_t subject, const std::vector<std::byte>& start, double t,
                              std::span<const Action> actions) const {
    std::vector<std::byte> end;
    REQUIRE((put(&subject, sizeof subject) && put(&t, sizeof t) && putAll(start) &&
             putAll(std::as_bytes(actions)) && getAll(end)));
    return end;
  }

 private:
  int serve(const Host& host, const Subjects& subjects) const {
    std::vector<std::unique_ptr<Fmu>> fmus;
    for (const auto& subject : subjects) fmus.push_back(std::make_unique<Fmu>(host, *subject));
    std::size_t which = 0;
    double t = 0;
    std::vector<std::byte> start, raw;
    while (get(&which, sizeof which)) {
      if (!get(&t, sizeof t) || !getAll(start) || !getAll(raw)) return 1;
      std::vector<Action> actions(raw.size() / sizeof(Action));
      if (!raw.empty()) std::memcpy(actions.data(), raw.data(), raw.size());
      fmus[which]->take(start);
      fmus[which]->run(actions, t);
      if (!putAll(fmus[which]->bytes()) || !fmus[which]->ok()) return 1;
    }
    return 0;
  }
  bool put(const void* data, std::size_t size) const {
    for (std::size_t done = 0; done < size;) {
      const ssize_t part = ::write(out_, static_cast<const char*>(data) + done, size - done);
      if (part <= 0) return false;
      done += static_cast<std::size_t>(part);
    }
    return true;
  }
  bool get(void* data, std::size_t size) const {
    for (std::size_t done = 0; done < size;) {
      const ssize_t part = ::read(in_, static_cast<char*>(data) + done, size - done);
      if (part <= 0) return false;
      done += static_cast<std::size_t>(part);
    }
    return true;
  }
  bool putAll(std::span<const std::byte> bytes) const {
    const std::size_t size = bytes.size();
    return put(&size, sizeof size) && put(bytes.data(), size);
  }
  bool getAll(std::vector<std::byte>& bytes) const {
    std::size_t size = 0;
    if (!get(&size, sizeof size)) return false;
    bytes.resize(size);
    return get(bytes.data(), size);
  }

  pid_t child_ = -1;
  int in_ = -1, out_ = -1;
};

}  // namespace

TEST_CASE("2000 random call sequences with saves and restores are those of the straight runs") {
  Subjects subjects;
  subjects.push_back(std::make_unique<Subject>(drivenPendulumText, "F", "d", 1));
  subjects.push_back(
      std::make_unique<Subject>(readText(cataloguePath("slider_crank")), "F", "c", 4));
  subjects.push_back(
      std::make_unique<Subject>(readText(cataloguePath("quarter_car")), "road", "cs", 3000));
  subjects.push_back(std::make_unique<Subject>(stoppedRodText, "drive.tau", nullptr, 0));
  for (const Version version : Host::versions) {
    const Host host(version, subjects[0]->folder.binary());
    std::mt19937 random(2024);
    const OtherProcess process(host, subjects);
    for (std::size_t sequence = 0; sequence < 2000; ++sequence) {
      const std::size_t which = sequence % subjects.size();
      const Subject& subject = *subjects[which];
      INFO("sequence " << sequence);
      const std::vector<Action> all = randomActions(random, version);
      const std::size_t cut = std::uniform_int_distribution<std::size_t>(0, all.size())(random);
      const std::span<const Action> before = std::span(all).first(cut),
                                    after = std::span(all).subspan(cut);
      Fmu straight(host, subject), detour(host, subject);
      double t = 0;
      straight.run(all, t);
      const std::vector<std::byte> expected = straight.bytes();

      double middle = 0;
      detour.run(before, middle);
      const std::vector<std::byte> saved = detour.bytes();
      void* const state = detour.save();
      double wrong = middle;
      detour.run(randomActions(random, version), wrong);
      detour.restore(state);
      double end = middle;
      detour.run(after, end);
      REQUIRE((straight.ok() && detour.ok()));
      REQUIRE(detour.bytes() == expected);
      REQUIRE(process.goOn(which, saved, middle, after) == expected);
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
