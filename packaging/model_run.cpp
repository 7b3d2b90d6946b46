#include "packaging/model_run.hpp"

#include <utility>

namespace trammel::fmi {
namespace {

Log logInto(std::string& message) {
  return Log([&message](Status, const char*, const std::string& text) { message = text; });
}

}  // namespace

ModelRun::ModelRun(CompiledModel model)
    : lastMessage_(std::make_unique<std::string>()),
      instance_(std::move(model), logInto(*lastMessage_)) {
  for (const Variable& variable : instance_.model().variables().variables) {
    if (variable.causality == Causality::output) outputs_.push_back(variable.valueReference);
  }
}

RunSettings ModelRun::defaults() const {
  const DefaultExperiment& experiment = instance_.model().defaultExperiment();
  return {experiment.startTime, experiment.stopTime, experiment.stepSize, experiment.tolerance};
}

std::vector<std::string> ModelRun::outputNames() const {
  std::vector<std::string> names;
  for (const std::uint32_t output : outputs_) {
    names.push_back(instance_.model().variables().find(output)->name);
  }
  return names;
}

void ModelRun::start(const RunSettings& settings) {
  instance_.enterInitializationMode(settings.tolerance, settings.startTime, settings.stopTime);
  instance_.exitInitializationMode();
}

RunStep ModelRun::step(double currentTime, double stepSize) {
  const StepResult result = instance_.doStep(currentTime, stepSize);
  const bool completed = result.status == Status::ok || result.status == Status::warning;
  return {completed, false, result.lastSuccessfulTime, completed ? "" : *lastMessage_};
}

void ModelRun::read(std::span<double> values) { instance_.getReal(outputs_, values); }

void ModelRun::finish() { instance_.terminate(); }

std::string ModelRun::statistics() const {
  return std::to_string(instance_.statistics().steps) + " solver steps";
}

}  // namespace trammel::fmi
