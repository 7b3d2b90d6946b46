#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "tests/fmu/fmu_host.hpp"
#include "tests/fmu/test_models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::fmi::test;

namespace {

/// Resident memory of this process. [kB]
long residentMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmRSS:") continue;
    long kilobytes = 0;
    status >> kilobytes;
    return kilobytes;
  }
  return 0;
}

/// Values of all Real variables after some steps of one instance, made and freed here.
std::vector<double> results(const Host& host, const FmuFolder& folder, const CompiledModel& model) {
  LogLines lines;
  void* const c = host.instantiate(folder, lines);
  std::vector<std::uint32_t> scalars;
  for (const Variable& variable : model.variables().variables)
    if (variable.type == Type::float64 && variable.name.find('[') == std::string::npos)
      scalars.push_back(variable.valueReference);
  std::vector<double> values(scalars.size()), all;
  if (host.enter(c, 1e-5, 0, 0) != Status::ok || host.exit(c) != Status::ok) return {};
  for (int i = 0; i < 20; ++i) {
    if (host.doStep(c, i * 0.01, 0.01) != Status::ok ||
        host.get(c, scalars.data(), scalars.size(), values.data()) != Status::ok)
      return {};
    all.insert(all.end(), values.begin(), values.end());
  }
  host.free(c);
  return all;
}

}  // namespace

TEST_CASE("64 instances of several models in 16 threads give the bits of serial runs") {
  const std::vector<std::string> texts = {pendulumText(), drivenPendulumText,
                                          readText(cataloguePath("slider_crank")), stoppedRodText};
  std::vector<std::unique_ptr<FmuFolder>> folders;
  std::vector<CompiledModel> models;
  for (const std::string& text : texts) {
    folders.push_back(std::make_unique<FmuFolder>(text));
    models.push_back(compiled(text));
  }
  const Host two(Version::fmi2, folders[0]->binary()), three(Version::fmi3, folders[0]->binary());
  const auto run = [&](std::size_t i) {
    return results(i % 2 == 0 ? two : three, *folders[i / 2 % 4], models[i / 2 % 4]);
  };
  constexpr std::size_t count = 64, threadCount = 16;
  std::vector<std::vector<double>> parallel(count);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < threadCount; ++k) {
    threads.emplace_back([&, k] {
      for (std::size_t i = k; i < count; i += threadCount) parallel[i] = run(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < count; ++i) {
    INFO("instance " << i);
    REQUIRE_FALSE(parallel[i].empty());
    CHECK(parallel[i] == run(i));
  }
}

TEST_CASE("a million steps leave the memory flat") {
  const FmuFolder folder(pendulumText());
  const CompiledModel model = compiled(pendulumText());
  const Host host(Version::fmi3, folder.binary());
  const std::uint32_t x = reference(model, "x");
  LogLines lines;
  void* const c = host.instantiate(folder, lines);
  REQUIRE(host.enter(c, 1e-4, 0, 0) == Status::ok);
  REQUIRE(host.exit(c) == Status::ok);
  long early = 0;
  double value = 0;
  bool ok = true;
  for (int i = 0; i < 1000000; ++i) {
    if (i == 10000) early = residentMemory();
    ok = ok && host.doStep(c, i * 1e-4, 1e-4) == Status::ok &&
         host.get(c, &x, 1, &value) == Status::ok;
  }
  CHECK(ok);
  CHECK(lines.empty());
#ifndef TRAMMEL_SANITIZED
  CHECK(residentMemory() - early <= 256);  // [kB]
#endif
  host.free(c);
}
