#include "packaging/fmu_run.hpp"

namespace trammel::fmi {

using coupling::FmuStatus;

FmuRun::FmuRun(const std::filesystem::path& file)
    : fmu_(file), instance_(fmu_, fmu_.description().modelIdentifier) {
  for (const coupling::FmuVariable& variable : fmu_.description().variables) {
    if (variable.causality != coupling::FmuCausality::output) continue;
    if (variable.type != coupling::FmuType::real || variable.size == 0) {
      ++leftOut_;
      continue;
    }
    outputs_.push_back(variable.valueReference);
    if (!variable.isArray) {
      names_.push_back(variable.name);
      continue;
    }
    for (std::size_t i = 1; i <= variable.size; ++i)
      names_.push_back(variable.name + "[" + std::to_string(i) + "]");
  }
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
         " outputs that are not real or whose size is not fixed are left out";
}

void FmuRun::start(const RunSettings& settings) {
  instance_.enterInitializationMode({settings.startTime, settings.stopTime, settings.tolerance});
  instance_.exitInitializationMode();
}

RunStep FmuRun::step(double currentTime, double stepSize) {
  const coupling::FmuStep step = instance_.doStep(currentTime, stepSize);
  const bool completed = step.status == FmuStatus::ok || step.status == FmuStatus::warning;
  return {
      completed, step.terminate, step.lastSuccessfulTime,
      completed ? "" : fmu_.file().string() + ": doStep was discarded: " + instance_.log().tail()};
}

void FmuRun::read(std::span<double> values) { instance_.getReal(outputs_, values); }

void FmuRun::finish() { instance_.terminate(); }

}  // namespace trammel::fmi
