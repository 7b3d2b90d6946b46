#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <thread>
#include <vector>

#include "tests/fmu/fmu_host.hpp"
#include "tests/fmu/test_models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

/// One instance in step mode, with all its variables read after every step.
class Run {
 public:
  Run(const Host& host, const FmuFolder& folder, const CompiledModel& model,
      double tolerance = 1e-6)
      : host_(host), instance_(host.instantiate(folder, lines_)) {
    ok_ = instance_ != nullptr && host.enter(instance_, tolerance, 0, 0) == Status::ok &&
          host.exit(instance_) == Status::ok;
    for (const Variable& variable : model.variables().variables)
      if (variable.type == Type::float64) references_.push_back(variable.valueReference);
    values_.resize(references_.size());
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { host_.free(instance_); }

  void set(std::uint32_t reference, double value) {
    ok_ = ok_ && host_.set(instance_, &reference, 1, &value) == Status::ok;
  }
  void step(double t, double h) {
    ok_ =
        ok_ && host_.doStep(instance_, t, h) == Status::ok &&
        host_.get(instance_, references_.data(), references_.size(), values_.data()) == Status::ok;
    history_.insert(history_.end(), values_.begin(), values_.end());
  }
  double value(std::uint32_t reference) const {
    const auto found = std::find(references_.begin(), references_.end(), reference);
    return values_[static_cast<std::size_t>(found - references_.begin())];
  }
  bool ok() const { return ok_; }
  const std::vector<double>& history() const { return history_; }

 private:
  LogLines lines_;
  const Host& host_;
  void* instance_;
  bool ok_ = false;
  std::vector<std::uint32_t> references_;
  std::vector<double> values_, history_;
};

}  // namespace

TEST_CASE("the pendulum FMU returns to its start after every period, in both versions") {
  // Eich, section 3.3: g is chosen such that the period is 2 s.
  const FmuFolder folder(pendulumText());
  const CompiledModel model = compiled(pendulumText());
  const std::uint32_t x = reference(model, "x"), y = reference(model, "y");
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    Run run(host, folder, model);
    double worstReturn = 0, worstLength = 0;
    for (int i = 1; i <= 1000; ++i) {
      run.step((i - 1) * 0.01, 0.01);
      worstLength = std::max(worstLength,
                             std::abs(std::pow(run.value(x), 2) + std::pow(run.value(y), 2) - 1));
      if (i % 200 == 0)
        worstReturn = std::max({worstReturn, std::abs(run.value(x) - 1), std::abs(run.value(y))});
    }
    CHECK(run.ok());
    CHECK(worstReturn <= 1e-4);
    CHECK(worstLength <= 1e-8);
  }
}

TEST_CASE("both versions give the same bits") {
  const FmuFolder folder(pendulumText());
  const CompiledModel model = compiled(pendulumText());
  const Host two(Version::fmi2, folder.binary()), three(Version::fmi3, folder.binary());
  Run a(two, folder, model), b(three, folder, model);
  for (int i = 0; i < 100; ++i) {
    a.step(i * 0.01, 0.01);
    b.step(i * 0.01, 0.01);
  }
  CHECK((a.ok() && b.ok()));
  CHECK(a.history() == b.history());
}

TEST_CASE("60 Hz for a minute, accumulated, is borne") {
  const FmuFolder folder(pendulumText());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    LogLines lines;
    void* const c = host.instantiate(folder, lines);
    REQUIRE(host.enter(c, 1e-6, 0, 60) == Status::ok);
    REQUIRE(host.exit(c) == Status::ok);
    double t = 0;
    const double h = 1.0 / 60;
    for (int i = 0; i < 3600; ++i, t += h) REQUIRE(host.doStep(c, t, h) == Status::ok);
    CHECK(lines.empty());
    host.free(c);
  }
}

TEST_CASE("the ends of the runs of importers are borne, terminated or not") {
  const FmuFolder folder(pendulumText());
  for (const Version version : Host::versions) {
    const Host host(version, folder.binary());
    const auto started = [&](LogLines& lines) {
      void* const c = host.instantiate(folder, lines);
      REQUIRE(host.enter(c, 1e-6, 0, 1) == Status::ok);
      REQUIRE(host.exit(c) == Status::ok);
      return c;
    };
    LogLines lines;
    void* const accumulated = started(lines);
    double t = 0;
    for (int i = 0; i < 10; ++i, t += 0.1) REQUIRE(host.doStep(accumulated, t, 0.1) == Status::ok);
    CHECK(t < 1);
    CHECK(host.doStep(accumulated, t, 1 - t) == Status::ok);  // 1.1e-16 s
    CHECK(host.terminate(accumulated) == Status::ok);
    host.free(accumulated);

    void* const shortened = started(lines);
    for (int i = 0; i < 10; ++i)
      REQUIRE(host.doStep(shortened, i * 0.1, 0.09999999999999998) == Status::ok);
    CHECK(host.doStep(shortened, 9 * 0.1 + 0.09999999999999998, 1e-16) == Status::ok);
    host.free(shortened);

    void* const failed = started(lines);
    CHECK(lines.empty());
    CHECK(host.doStep(failed, 0.5, 0.1) == Status::error);
    host.free(failed);
#ifndef TRAMMEL_SANITIZED
    REQUIRE(host.doStep(started(lines), 0, 0.1) == Status::ok);  // never freed
#endif
  }
}

TEST_CASE("two instances in turn or in two threads give the same bits as alone") {
  const FmuFolder pendulumFolder(pendulumText()), drivenFolder(drivenPendulumText);
  const CompiledModel pendulum = compiled(pendulumText()), driven = compiled(drivenPendulumText);
  const std::uint32_t input = reference(driven, "F");
  for (const Version version : Host::versions) {
    const Host host(version, pendulumFolder.binary());
    const auto stepPendulum = [](Run& run, int i) { run.step(i * 0.01, 0.01); };
    const auto stepDriven = [input](Run& run, int i) {
      run.set(input, std::sin(0.1 * i));
      run.step(i * 0.02, 0.02);
    };
    Run a(host, pendulumFolder, pendulum), b(host, drivenFolder, driven);
    for (int i = 0; i < 100; ++i) stepPendulum(a, i);
    for (int i = 0; i < 100; ++i) stepDriven(b, i);
    REQUIRE((a.ok() && b.ok()));

    Run a2(host, pendulumFolder, pendulum), b2(host, drivenFolder, driven);
    for (int i = 0; i < 100; ++i) {
      stepPendulum(a2, i);
      stepDriven(b2, i);
    }
    CHECK(a2.history() == a.history());
    CHECK(b2.history() == b.history());

    Run a3(host, pendulumFolder, pendulum), b3(host, drivenFolder, driven);
    std::thread one([&] {
      for (int i = 0; i < 100; ++i) stepPendulum(a3, i);
    });
    std::thread other([&] {
      for (int i = 0; i < 100; ++i) stepDriven(b3, i);
    });
    one.join();
    other.join();
    CHECK(a3.history() == a.history());
    CHECK(b3.history() == b.history());
  }
}
