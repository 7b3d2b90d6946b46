#include "fmu_src/snapshot.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace trammel::fmi {
namespace {

constexpr std::array<char, 8> magic = {'T', 'R', 'A', 'M', 'M', 'E', 'L', 'S'};
constexpr std::uint64_t formatVersion = 3;
constexpr std::size_t wordSize = 8;

/// 64-bit FNV-1a.
std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte b : bytes)
    hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3U;
  return hash;
}

/// Everything is a 64-bit little-endian word, besides the magic and the token's characters.
class Writer {
 public:
  void word(std::uint64_t value) {
    for (std::size_t i = 0; i < wordSize; ++i)
      bytes_.push_back(static_cast<std::byte>((value >> (8U * i)) & 0xffU));
  }
  void number(double value) { word(std::bit_cast<std::uint64_t>(value)); }
  void characters(std::span<const char> text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  void numbers(const std::vector<double>& values) {
    for (const double value : values) number(value);
  }
  void part(double value) { number(value); }
  void part(const std::vector<double>& values) { numbers(values); }
  void flags(const std::vector<std::uint8_t>& values) {
    for (const std::uint8_t value : values) word(value);
  }
  std::vector<std::byte> finish() {
    word(checksum(bytes_));
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t word() {
    const auto raw = take(wordSize);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < wordSize; ++i)
      value |= std::to_integer<std::uint64_t>(raw[i]) << (8U * i);
    return value;
  }
  double number() { return std::bit_cast<double>(word()); }
  std::string characters(std::uint64_t count) {
    std::string text;
    for (const std::byte b : take(count)) text += static_cast<char>(b);
    return text;
  }
  std::vector<double> numbers(std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = number();
    return values;
  }
  void part(double& value) { value = number(); }
  void part(std::vector<double>& values) { values = numbers(values.size()); }
  std::vector<std::uint8_t> flags(std::size_t count) {
    std::vector<std::uint8_t> values(count);
    for (std::uint8_t& value : values) value = flag() ? 1 : 0;
    return values;
  }
  bool flag() {
    const std::uint64_t value = word();
    if (value > 1)
      throw Error("serialized state: a flag is " + std::to_string(value) + ", expected 0 or 1");
    return value == 1;
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > bytes_.size())
      throw Error("serialized state: ends early, " + std::to_string(count) +
                  " more bytes expected, " + std::to_string(bytes_.size()) + " there");
    const auto part = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return part;
  }

  std::span<const std::byte> bytes_;
};

void checkCount(Reader& reader, const char* what, std::size_t expected) {
  const std::uint64_t got = reader.word();
  if (got != expected)
    throw Error("serialized state: number of " + std::string(what) + " is " + std::to_string(got) +
                ", expected " + std::to_string(expected));
}

/// The checksum comes first: all later checks then speak of whole bytes.
Reader openReader(std::span<const std::byte> bytes, const std::string& token) {
  if (bytes.size() < magic.size() + 2 * wordSize)
    throw Error("serialized state: " + std::to_string(bytes.size()) +
                " bytes are too few to be one");
  Reader reader(bytes.first(bytes.size() - wordSize));
  if (reader.characters(magic.size()) != std::string(magic.begin(), magic.end()))
    throw Error("serialized state: does not begin with TRAMMELS, so it is not one");
  const std::uint64_t version = reader.word();
  if (version != formatVersion)
    throw Error("serialized state: format version is " + std::to_string(version) + ", expected " +
                std::to_string(formatVersion));
  if (Reader(bytes.last(wordSize)).word() != checksum(bytes.first(bytes.size() - wordSize)))
    throw Error("serialized state: checksum differs, " + std::to_string(bytes.size()) +
                " bytes are damaged or cut");
  const std::string found = reader.characters(reader.word());
  if (found != token)
    throw Error("serialized state: belongs to the model with token \"" + found + "\", expected \"" +
                token + "\"");
  return reader;
}

Mode readMode(Reader& reader) {
  const std::uint64_t value = reader.word();
  if (value > static_cast<std::uint64_t>(Mode::event))
    throw Error("serialized state: mode is " + std::to_string(value) + ", expected 0 to 5");
  return static_cast<Mode>(value);
}

Experiment readExperiment(Reader& reader) {
  Experiment experiment;
  experiment.tolerance = reader.number();
  experiment.startTime = reader.number();
  const bool stopTimeDefined = reader.flag();
  const double stopTime = reader.number();
  if (stopTimeDefined) experiment.stopTime = stopTime;
  if (!(experiment.tolerance > 0) || !std::isfinite(experiment.tolerance) ||
      !std::isfinite(experiment.startTime))
    throw Error("serialized state: tolerance or start time is out of range");
  return experiment;
}

std::uint64_t readChoice(Reader& reader, const char* what, std::uint64_t last) {
  const std::uint64_t value = reader.word();
  if (value > last)
    throw Error("serialized state: " + std::string(what) + " is " + std::to_string(value) +
                ", expected 0 to " + std::to_string(last));
  return value;
}

SolverSettings readSettings(Reader& reader) {
  using trammel::Method;
  SolverSettings settings;
  settings.method =
      static_cast<Method>(readChoice(reader, "method", static_cast<std::uint64_t>(Method::index1)));
  settings.mode = static_cast<trammel::Mode>(
      readChoice(reader, "solver mode", static_cast<std::uint64_t>(trammel::Mode::plain)));
  settings.maxOrder = static_cast<int>(readChoice(reader, "order", 6));
  settings.maxStep = reader.number();
  const bool toleranceSet = reader.flag();
  const double tolerance = reader.number();
  if (toleranceSet) settings.tolerance = tolerance;
  settings.repeatable = reader.flag();
  return settings;
}

}  // namespace

std::vector<std::byte> serializeSnapshot(const Snapshot& snapshot, const std::string& token) {
  Writer writer;
  writer.characters(magic);
  writer.word(formatVersion);
  writer.word(token.size());
  writer.characters(token);
  writer.word(snapshot.set.parameters.size());
  writer.word(snapshot.set.inputs.size());
  writer.word(snapshot.q0.size());
  writer.word(snapshot.memory.size());
  writer.word(static_cast<std::uint64_t>(snapshot.mode));
  writer.number(snapshot.experiment.tolerance);
  writer.number(snapshot.experiment.startTime);
  writer.word(snapshot.experiment.stopTime ? 1 : 0);
  writer.number(snapshot.experiment.stopTime.value_or(0));
  const SolverSettings& settings = snapshot.settings;
  writer.word(static_cast<std::uint64_t>(settings.method));
  writer.word(static_cast<std::uint64_t>(settings.mode));
  writer.word(static_cast<std::uint64_t>(settings.maxOrder));
  writer.number(settings.maxStep);
  writer.word(settings.tolerance ? 1 : 0);
  writer.number(settings.tolerance.value_or(0));
  writer.word(settings.repeatable ? 1 : 0);
  writer.number(snapshot.time);
  writer.number(snapshot.lastStepSize);
  for (const OutsideValues* values : {&snapshot.set, &snapshot.applied}) {
    writer.numbers(values->parameters);
    InputSignals inputs = values->inputs;
    inputs.visit([&writer](const auto& part) { writer.part(part); });
  }
  writer.flags(snapshot.inputRenewed);
  writer.numbers(snapshot.q0);
  writer.numbers(snapshot.v0);
  writer.flags(snapshot.q0Set);
  writer.flags(snapshot.v0Set);
  writer.word(snapshot.eventPending ? 1 : 0);
  writer.word(snapshot.started ? 1 : 0);
  writer.numbers(snapshot.memory);
  return writer.finish();
}

Snapshot deserializeSnapshot(std::span<const std::byte> bytes, const std::string& token,
                             const SnapshotShape& shape) {
  Reader reader = openReader(bytes, token);
  checkCount(reader, "parameters", shape.parameters);
  checkCount(reader, "inputs", shape.inputs);
  checkCount(reader, "coordinates", shape.coordinates);
  const std::uint64_t memorySize = reader.word();

  Snapshot snapshot;
  snapshot.mode = readMode(reader);
  snapshot.experiment = readExperiment(reader);
  snapshot.settings = readSettings(reader);
  snapshot.time = reader.number();
  snapshot.lastStepSize = reader.number();
  for (OutsideValues* values : {&snapshot.set, &snapshot.applied}) {
    values->parameters = reader.numbers(shape.parameters);
    values->inputs = InputSignals(std::vector<double>(shape.inputs));
    values->inputs.visit([&reader](auto& part) { reader.part(part); });
  }
  snapshot.inputRenewed = reader.flags(shape.inputs);
  snapshot.q0 = reader.numbers(shape.coordinates);
  snapshot.v0 = reader.numbers(shape.coordinates);
  snapshot.q0Set = reader.flags(shape.coordinates);
  snapshot.v0Set = reader.flags(shape.coordinates);
  snapshot.eventPending = reader.flag();
  snapshot.started = reader.flag();
  if (reader.left() / wordSize != memorySize || reader.left() % wordSize != 0)
    throw Error("serialized state: integrator memory has " +
                std::to_string(reader.left() / wordSize) + " numbers, expected " +
                std::to_string(memorySize));
  snapshot.memory = reader.numbers(reader.left() / wordSize);
  return snapshot;
}

}  // namespace trammel::fmi
