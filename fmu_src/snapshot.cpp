#include "fmu_src/snapshot.hpp"

#include <cmath>

#include "fmu_src/state_bytes.hpp"

namespace trammel::fmi {
namespace {

constexpr StateFormat format{{'T', 'R', 'A', 'M', 'M', 'E', 'L', 'S'}, 5};

void checkCount(StateReader& reader, const char* what, std::size_t expected) {
  const std::uint64_t got = reader.word();
  if (got != expected)
    throw Error("serialized state: number of " + std::string(what) + " is " + std::to_string(got) +
                ", expected " + std::to_string(expected));
}

Mode readMode(StateReader& reader) {
  const std::uint64_t value = reader.word();
  if (value > static_cast<std::uint64_t>(Mode::configuration))
    throw Error("serialized state: mode is " + std::to_string(value) + ", expected 0 to 6");
  return static_cast<Mode>(value);
}

Experiment readExperiment(StateReader& reader) {
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

std::uint64_t readChoice(StateReader& reader, const char* what, std::uint64_t last) {
  const std::uint64_t value = reader.word();
  if (value > last)
    throw Error("serialized state: " + std::string(what) + " is " + std::to_string(value) +
                ", expected 0 to " + std::to_string(last));
  return value;
}

SolverSettings readSettings(StateReader& reader) {
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
  settings.errorTest = static_cast<ErrorTest>(readChoice(
      reader, "error test", static_cast<std::uint64_t>(ErrorTest::positionsAndVelocities)));
  return settings;
}

}  // namespace

bool OutsideValues::operator==(const OutsideValues&) const = default;

std::vector<std::byte> serializeSnapshot(const Snapshot& snapshot, const std::string& token) {
  StateWriter writer(format, token);
  writer.word(snapshot.structure.size());
  for (const auto* values : {&snapshot.structure, &snapshot.structureSet})
    for (const std::uint64_t value : *values) writer.word(value);
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
  writer.word(static_cast<std::uint64_t>(settings.errorTest));
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
                             std::size_t structureCount, const ShapeWithStructure& shapeWith) {
  StateReader reader = openState(bytes, format, token);
  Snapshot snapshot;
  checkCount(reader, "structural parameters", structureCount);
  for (auto* values : {&snapshot.structure, &snapshot.structureSet})
    for (std::size_t i = 0; i < structureCount; ++i) values->push_back(reader.word());
  const SnapshotShape shape = shapeWith(snapshot.structure);
  checkCount(reader, "parameters", shape.parameters);
  checkCount(reader, "inputs", shape.inputs);
  checkCount(reader, "coordinates", shape.coordinates);
  const std::uint64_t memorySize = reader.word();

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
