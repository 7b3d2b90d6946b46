#include <algorithm>
#include <limits>

#include "fmu_src/instance_implementation.hpp"
#include "fmu_src/variable_kinds.hpp"

// Variables of other types than Real: settings of the solver and its statistics.
namespace trammel::fmi {
namespace {

/// The number behind the name of a method, a mode or an error test.
double choice(const Variable& variable, const char* text) {
  if (text == nullptr) throw Error(quoted(variable) + ": value is NULL, expected a name");
  const auto setting = static_cast<Setting>(variable.index);
  if (setting == Setting::method) {
    if (const auto method = methodFromName(text)) return static_cast<double>(*method);
  } else if (setting == Setting::mode) {
    if (const auto mode = modeFromName(text)) return static_cast<double>(*mode);
  } else if (const auto errorTest = errorTestFromName(text)) {
    return static_cast<double>(*errorTest);
  }
  throw Error(quoted(variable) + ": \"" + std::string(text) + "\" is not known, expected " +
              variable.description);
}

/// The name of a setting that is one of several; literals, so they end with a NUL.
const char* chosen(const SolverSettings& settings, Setting setting) {
  if (setting == Setting::method) return trammel::nameOf(settings.method).data();
  if (setting == Setting::mode) return trammel::nameOf(settings.mode).data();
  return trammel::nameOf(settings.errorTest).data();
}

}  // namespace

void changeSetting(SolverSettings& settings, const Variable& variable, double value) {
  switch (static_cast<Setting>(variable.index)) {
    case Setting::method:
      settings.method = static_cast<Method>(value);
      break;
    case Setting::mode:
      settings.mode = static_cast<trammel::Mode>(value);
      break;
    case Setting::tolerance:
      settings.tolerance = value;
      break;
    case Setting::maxStep:
      settings.maxStep = value;
      break;
    case Setting::maxOrder:
      settings.maxOrder = static_cast<int>(value);
      break;
    case Setting::repeatable:
      settings.repeatable = value != 0;
      break;
    case Setting::errorTest:
      settings.errorTest = static_cast<ErrorTest>(value);
      break;
  }
}

void Instance::Implementation::checkSettings(const SolverSettings& settings) const {
  if (settings == snapshot.settings) return;
  Snapshot candidate;
  candidate.experiment = snapshot.experiment;
  candidate.settings = settings;
  solverOptions(candidate);  // throws where a value is out of range
}

/// Settings take effect together, when the integrator is made.
void Instance::Implementation::use(const SolverSettings& settings) {
  if (settings == snapshot.settings) return;
  snapshot.settings = settings;
  makeIntegrator();
}

/// The number of a setting or statistic that is no text.
double Instance::Implementation::solverNumber(const Variable& variable) const {
  if (variable.quantity == Quantity::statistic) {
    const Statistics& statistics = integrator->statistics();
    const bool steps = static_cast<Statistic>(variable.index) == Statistic::steps;
    return static_cast<double>(std::min<long>(steps ? statistics.steps : statistics.residuals,
                                              std::numeric_limits<std::int32_t>::max()));
  }
  const SolverSettings& settings = snapshot.settings;
  switch (static_cast<Setting>(variable.index)) {
    case Setting::tolerance:
      return settings.tolerance.value_or(snapshot.experiment.tolerance);
    case Setting::maxStep:
      return settings.maxStep;
    case Setting::maxOrder:
      return settings.maxOrder;
    case Setting::repeatable:
      return settings.repeatable ? 1 : 0;
    case Setting::method:
    case Setting::mode:
    case Setting::errorTest:
      break;
  }
  return 0;
}

void Instance::setString(std::span<const std::uint32_t> valueReferences,
                         std::span<const char* const> values) {
  requireSameSize(values.size(), valueReferences.size());
  Implementation& self = *implementation_;
  SolverSettings settings = self.snapshot.settings;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = lookUp(self.model, valueReferences[i], Type::string);
    const double number = choice(variable, values[i]);
    self.checkSettable(variable, number);
    changeSetting(settings, variable, number);
  }
  self.checkSettings(settings);
  self.use(settings);
  if (!values.empty()) self.changed();
}

void Instance::getString(std::span<const std::uint32_t> valueReferences,
                         std::span<const char*> values) {
  requireSameSize(values.size(), valueReferences.size());
  const Implementation& self = *implementation_;
  const SolverSettings& settings = self.snapshot.settings;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = lookUp(self.model, valueReferences[i], Type::string);
    values[i] = chosen(settings, static_cast<Setting>(variable.index));
  }
}

}  // namespace trammel::fmi
