#include "packaging/model_run.hpp"

#include <array>
#include <utility>

namespace trammel::fmi {
namespace {

Log logInto(std::string& message) {
  const auto keep = [&message](Status, const char*, const std::string& text) { message = text; };
  return Log(keep, true);  // also why a step was discarded
}

}  // namespace

ModelRun::ModelRun(CompiledModel model)
    : lastMessage_(std::make_unique<std::string>()),
      instance_(std::move(model), logInto(*lastMessage_)) {
  for (const Variable& variable : instance_.model().variables().variables) {
    // Without a FMI 3 importer a Float32 is a real like all others.
    const Type type = variable.type == Type::float32 ? Type::float64 : variable.type;
    variables_.push_back({variable.name, variable.unit, variable.description, variable.causality,
                          type, variable.valueReference, 0});
  }
  choose(chooseVariables({}, variables_));
}

RunSettings ModelRun::defaults() const {
  const DefaultExperiment& experiment = instance_.model().defaultExperiment();
  return {experiment.startTime, experiment.stopTime, experiment.stepSize, experiment.tolerance};
}

void ModelRun::choose(std::span<const RunVariable* const> variables) {
  chosen_.clear();
  for (std::size_t column = 0; column < variables.size(); ++column) {
    Batch& batch = chosen_[variables[column]->type];
    batch.valueReferences.push_back(variables[column]->valueReference);
    batch.columns.push_back(column);
    batch.values.push_back(0);
  }
}

void ModelRun::announceInputs(std::span<const RunVariable* const> variables) {
  inputs_.assign(variables.begin(), variables.end());
}

void ModelRun::set(const StartValue& value) {
  const std::array reference{value.variable->valueReference};
  if (value.variable->type == Type::string) {
    instance_.setString(reference, std::array{value.text.c_str()});
  } else {
    instance_.setNumbers(value.variable->type, reference, std::array{value.number});
  }
}

void ModelRun::setInputs(const RunInputs& inputs) {
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const std::array reference{inputs_[k]->valueReference};
    instance_.setNumbers(inputs_[k]->type, reference, std::array{inputs.values[k]});
    if (started_ && inputs_[k]->type == Type::float64)
      instance_.setInputDerivatives(reference, std::array{1}, std::array{inputs.slopes[k]});
  }
}

void ModelRun::start(const RunSettings& settings) {
  instance_.enterInitializationMode(settings.tolerance, settings.startTime, settings.stopTime);
  instance_.exitInitializationMode();
  started_ = true;
}

RunStep ModelRun::step(double currentTime, double stepSize) {
  const StepResult result = instance_.doStep(currentTime, stepSize);
  const bool completed = result.status == Status::ok || result.status == Status::warning;
  return {completed, false, result.lastSuccessfulTime, completed ? "" : *lastMessage_};
}

void ModelRun::read(std::span<double> values) {
  for (auto& [type, batch] : chosen_) {
    instance_.getNumbers(type, batch.valueReferences, batch.values);
    for (std::size_t i = 0; i < batch.columns.size(); ++i)
      values[batch.columns[i]] = batch.values[i];
  }
}

void ModelRun::finish() { instance_.terminate(); }

std::string ModelRun::statistics() const {
  return std::to_string(instance_.statistics().steps) + " solver steps";
}

}  // namespace trammel::fmi
