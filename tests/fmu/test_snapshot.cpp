#include <catch2/catch.hpp>
#include <cstddef>
#include <limits>
#include <vector>

#include "fmu_src/snapshot.hpp"

using namespace trammel::fmi;

namespace {

const SnapshotShape shape{.parameters = 2, .inputs = 1, .coordinates = 2};

Snapshot example() {
  Snapshot s;
  s.mode = Mode::step;
  s.experiment = {.tolerance = 1e-7, .startTime = -1, .stopTime = 4};
  s.settings = {.method = trammel::Method::ggl,
                .mode = trammel::Mode::damp,
                .maxOrder = 3,
                .maxStep = 0.5,
                .tolerance = 1e-3};
  s.structure = {3, 5};
  s.structureSet = {3, 6};
  s.time = 0.1;
  s.lastStepSize = 0.01;
  s.set = {.parameters = {1, -0.0},
           .inputs = InputSignals({std::numeric_limits<double>::denorm_min()})};
  s.applied = {.parameters = {1, 2}, .inputs = InputSignals({3})};
  s.applied.inputs.set(0, 0.5, 3, 4, -5);
  s.inputRenewed = {1};
  s.q0 = {4, 5};
  s.v0 = {6, 7};
  s.q0Set = {1, 0};
  s.v0Set = {0, 1};
  s.started = true;
  s.memory = {8, 9, 10};
  return s;
}

Snapshot read(std::span<const std::byte> bytes, const std::string& token,
              const SnapshotShape& expected) {
  return deserializeSnapshot(bytes, token, 2, [&](const std::vector<std::uint64_t>& structure) {
    CHECK(structure == std::vector<std::uint64_t>{3, 5});
    return expected;
  });
}

std::vector<std::byte> exampleBytes() { return serializeSnapshot(example(), "token"); }

}  // namespace

TEST_CASE("a snapshot survives the way through bytes, bit for bit") {
  const std::vector<std::byte> bytes = exampleBytes();
  CHECK(read(bytes, "token", shape) == example());
  CHECK(serializeSnapshot(read(bytes, "token", shape), "token") == bytes);
}

TEST_CASE("a snapshot with any single byte changed is refused") {
  const std::vector<std::byte> bytes = exampleBytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{0x10};
    INFO("byte " << i);
    CHECK_THROWS_AS(read(damaged, "token", shape), trammel::Error);
  }
}

TEST_CASE("a snapshot that is cut or has bytes too many is refused") {
  std::vector<std::byte> bytes = exampleBytes();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(read(std::span(bytes).first(size), "token", shape), trammel::Error);
  bytes.push_back(std::byte{0});
  CHECK_THROWS_WITH(read(bytes, "token", shape), Catch::Contains("checksum"));
}

TEST_CASE("the message says what is wrong with a snapshot") {
  const std::vector<std::byte> bytes = exampleBytes();
  CHECK_THROWS_WITH(read(bytes, "other", shape),
                    Catch::Contains("token \"token\", expected \"other\""));

  std::vector<std::byte> foreign = bytes;
  foreign[0] = std::byte{'X'};
  CHECK_THROWS_WITH(read(foreign, "token", shape), Catch::Contains("does not begin with TRAMMELS"));

  std::vector<std::byte> newer = bytes;
  newer[8] = std::byte{6};
  CHECK_THROWS_WITH(read(newer, "token", shape), Catch::Contains("version is 6, expected 5"));

  SnapshotShape larger = shape;
  larger.inputs = 2;
  CHECK_THROWS_WITH(read(bytes, "token", larger), Catch::Contains("inputs is 1, expected 2"));
  const auto any = [](const std::vector<std::uint64_t>&) { return shape; };
  CHECK_THROWS_WITH(deserializeSnapshot(bytes, "token", 1, any),
                    Catch::Contains("structural parameters is 2, expected 1"));
}
