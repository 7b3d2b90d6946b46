#include "packaging/fmu_run.hpp"

#include <charconv>
#include <optional>
#include <sstream>

#include "models/text.hpp"
#include "solver/error.hpp"

namespace trammel::fmi {
namespace {

using coupling::FmuCausality;
using coupling::FmuNumber;
using coupling::FmuStatus;
using coupling::FmuType;
using coupling::FmuVariable;

std::optional<Type> typeOf(FmuType type) {
  switch (type) {
    case FmuType::real:
      return Type::float64;
    case FmuType::float32:
      return Type::float32;
    case FmuType::integer:
      return Type::int32;
    case FmuType::boolean:
      return Type::boolean;
    case FmuType::string:
      return Type::string;
    default:
      return std::nullopt;
  }
}

Causality causalityOf(FmuCausality causality) {
  switch (causality) {
    case FmuCausality::input:
      return Causality::input;
    case FmuCausality::output:
      return Causality::output;
    case FmuCausality::local:
      return Causality::local;
    case FmuCausality::independent:
      return Causality::independent;
    case FmuCausality::structuralParameter:
      return Causality::structuralParameter;
    default:
      return Causality::parameter;
  }
}

FmuNumber numberType(Type type) {
  if (type == Type::float32) return FmuNumber::float32;
  return type == Type::int32 ? FmuNumber::int32 : FmuNumber::boolean;
}

/// The start values as the description has them, 0 where it has none.
std::vector<double> startValues(const FmuVariable& variable) {
  std::vector<double> values;
  std::istringstream stream(variable.start.value_or(""));
  for (std::string word; stream >> word;) {
    double value = word == "true" ? 1 : 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    values.push_back(value);
  }
  values.resize(variable.size, values.empty() ? 0 : values.back());
  return values;
}

}  // namespace

FmuRun::FmuRun(const std::filesystem::path& file)
    : fmu_(file), instance_(fmu_, fmu_.description().modelIdentifier) {
  const std::vector<FmuVariable>& all = fmu_.description().variables;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const FmuVariable& variable = all[k];
    const std::optional<Type> type = typeOf(variable.type);
    if (!type || variable.size == 0 || (*type == Type::string && variable.isArray)) {
      if (variable.causality == FmuCausality::output) ++leftOut_;
      continue;
    }
    if (*type == Type::string && variable.causality == FmuCausality::output) ++leftOut_;
    descriptions_.emplace(variable.valueReference, k);
    for (std::size_t i = 0; i < variable.size; ++i) {
      const std::string element = variable.isArray ? "[" + std::to_string(i + 1) + "]" : "";
      variables_.push_back({variable.name + element, variable.unit, "",
                            causalityOf(variable.causality), *type, variable.valueReference, i});
    }
  }
  choose(chooseVariables({}, variables_));
}

RunSettings FmuRun::defaults() const {
  const coupling::FmuDescription& description = fmu_.description();
  RunSettings settings;
  settings.startTime = description.startTime.value_or(0);
  settings.stopTime = description.stopTime.value_or(settings.startTime + 1);
  const double span = settings.stopTime - settings.startTime;
  settings.outputInterval = description.stepSize.value_or(span / 500);
  settings.tolerance = description.tolerance;
  return settings;
}

std::string FmuRun::note() const {
  if (leftOut_ == 0) return "";
  return std::to_string(leftOut_) +
         " outputs that are not numbers or whose size is not fixed are left out";
}

const FmuVariable& FmuRun::described(const RunVariable& variable) const {
  return fmu_.description().variables[descriptions_.at(variable.valueReference)];
}

std::size_t FmuRun::addTo(Batches& batches, const RunVariable& variable) {
  Batch& batch = batches[variable.type];
  const auto [place, isNew] = batch.first.try_emplace(variable.valueReference, batch.values.size());
  if (isNew) {
    const std::vector<double> start = startValues(described(variable));
    batch.valueReferences.push_back(variable.valueReference);
    batch.values.insert(batch.values.end(), start.begin(), start.end());
    batch.slopes.resize(batch.values.size(), 0);
  }
  return place->second + variable.element;
}

void FmuRun::choose(std::span<const RunVariable* const> variables) {
  chosen_.assign(variables.begin(), variables.end());
  read_.clear();
  chosenPlaces_.clear();
  for (const RunVariable* variable : chosen_) chosenPlaces_.push_back(addTo(read_, *variable));
}

bool FmuRun::takesLines(const RunVariable& variable) const {
  const coupling::FmuCapabilities& can = fmu_.description().capabilities;
  if (variable.type != Type::float64) return false;
  return fmu_.description().version == coupling::FmuVersion::fmi2
             ? can.interpolatesInputs
             : can.intermediateUpdate && described(variable).intermediateUpdate;
}

void FmuRun::announceInputs(std::span<const RunVariable* const> variables) {
  inputs_.assign(variables.begin(), variables.end());
  for (const RunVariable* variable : inputs_)
    inputPlaces_.push_back(addTo(takesLines(*variable) ? lines_ : held_, *variable));
}

void FmuRun::write(Type type, const Batch& batch) {
  if (type == Type::float64) {
    instance_.setReal(batch.valueReferences, batch.values);
  } else {
    instance_.setNumbers(numberType(type), batch.valueReferences, batch.values);
  }
}

void FmuRun::set(const StartValue& value) {
  const RunVariable& variable = *value.variable;
  if (variable.causality == Causality::structuralParameter)
    throw Error("is a structural parameter, those of an FMU stay as they are");
  if (variable.type == Type::string) {
    instance_.setString(variable.valueReference, value.text);
    return;
  }
  const std::size_t place = addTo(start_, variable);  // elements set before stay as they are
  start_[variable.type].values[place] = value.number;
}

void FmuRun::setInputs(const RunInputs& inputs) {
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    Batch& batch = (takesLines(*inputs_[k]) ? lines_ : held_)[inputs_[k]->type];
    batch.values[inputPlaces_[k]] = inputs.values[k];
    batch.slopes[inputPlaces_[k]] = inputs.slopes[k];
  }
  for (const auto& [type, batch] : held_) write(type, batch);
  for (const auto& [type, batch] : lines_) {
    if (started_) {
      instance_.setInputLines({batch.valueReferences, batch.values, batch.slopes});
    } else {
      write(type, batch);
    }
  }
}

void FmuRun::start(const RunSettings& settings) {
  for (const auto& [type, batch] : start_) write(type, batch);
  instance_.enterInitializationMode({settings.startTime, settings.stopTime, settings.tolerance});
  instance_.exitInitializationMode();
  started_ = true;
}

RunStep FmuRun::step(double currentTime, double stepSize) {
  const coupling::FmuStep step = instance_.doStep(currentTime, stepSize);
  const bool completed = step.status == FmuStatus::ok || step.status == FmuStatus::warning;
  return {
      completed, step.terminate, step.lastSuccessfulTime,
      completed ? "" : fmu_.file().string() + ": doStep was discarded: " + instance_.log().tail()};
}

void FmuRun::read(std::span<double> values) {
  for (auto& [type, batch] : read_) {
    if (type == Type::float64) {
      instance_.getReal(batch.valueReferences, batch.values);
    } else {
      instance_.getNumbers(numberType(type), batch.valueReferences, batch.values);
    }
  }
  for (std::size_t i = 0; i < chosen_.size(); ++i)
    values[i] = read_[chosen_[i]->type].values[chosenPlaces_[i]];
}

void FmuRun::finish() { instance_.terminate(); }

}  // namespace trammel::fmi
