#include <cmath>

#include "fmu_src/container_instance.hpp"
#include "fmu_src/state_bytes.hpp"

// Saved and serialized states of a container.
namespace trammel::fmi {
namespace {

constexpr StateFormat format{{'T', 'R', 'A', 'M', 'M', 'E', 'L', 'C'}, 1};

}  // namespace

struct ContainerInstance::State final : ComponentState {
  Run run;
  std::vector<double> master;
  std::vector<coupling::FmuInstance::State> members;
};

void ContainerInstance::saveState(std::unique_ptr<ComponentState>& state) const {
  if (state == nullptr) state = std::make_unique<State>();
  State& to = static_cast<State&>(*state);
  to.members.clear();
  for (coupling::FmuSubsystem* member : members_)
    to.members.push_back(member->instance().saveState());
  to.run = run_;
  to.master = master_->saveState();
}

void ContainerInstance::restoreState(const ComponentState& state) {
  const State& from = static_cast<const State&>(state);
  master_->restoreState(from.master);
  const bool duringInitialization =
      from.run.mode == Mode::instantiated || from.run.mode == Mode::initialization;
  for (std::size_t k = 0; k < members_.size(); ++k)
    members_[k]->restoreState(from.members[k], duringInitialization);
  run_ = from.run;
}

std::vector<std::byte> ContainerInstance::serializeState(const ComponentState& state) const {
  const State& from = static_cast<const State&>(state);
  StateWriter writer(format, description_.token);
  const Run& run = from.run;
  writer.word(static_cast<std::uint64_t>(run.mode));
  writer.number(run.startTime);
  writer.word(run.stopTime ? 1 : 0);
  writer.number(run.stopTime.value_or(0));
  writer.number(run.time);
  writer.number(run.lastStepSize);
  writer.word(run.startFound ? 1 : 0);
  writer.word(run.shifted ? 1 : 0);
  writer.numbers(run.numbers);
  for (const std::string& text : run.texts) writer.text(text);
  writer.word(from.master.size());
  writer.numbers(from.master);
  for (std::size_t k = 0; k < members_.size(); ++k)
    writer.block(members_[k]->instance().serialize(from.members[k]));
  return writer.finish();
}

std::unique_ptr<ComponentState> ContainerInstance::readState(
    std::span<const std::byte> bytes) const {
  StateReader reader = openState(bytes, format, description_.token);
  auto state = std::make_unique<State>();
  Run& run = state->run;
  const std::uint64_t mode = reader.word();
  if (mode > static_cast<std::uint64_t>(Mode::failed))
    throw Error("serialized state: mode is " + std::to_string(mode) + ", expected 0 to 4");
  run.mode = static_cast<Mode>(mode);
  run.startTime = reader.number();
  const bool hasStopTime = reader.flag();
  const double stopTime = reader.number();
  if (hasStopTime) run.stopTime = stopTime;
  run.time = reader.number();
  run.lastStepSize = reader.number();
  run.startFound = reader.flag();
  run.shifted = reader.flag();
  run.numbers = reader.numbers(run_.numbers.size());
  for (std::size_t i = 0; i < run_.texts.size(); ++i) run.texts.push_back(reader.text());
  const std::uint64_t count = reader.word();
  if (count > reader.left() / wordSize) throw Error("serialized state: ends early");
  state->master = reader.numbers(static_cast<std::size_t>(count));
  for (coupling::FmuSubsystem* member : members_)
    state->members.push_back(member->instance().deserialize(reader.block()));
  if (reader.left() != 0) throw Error("serialized state: is longer than expected");
  return state;
}

}  // namespace trammel::fmi
