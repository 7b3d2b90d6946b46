#include <algorithm>
#include <limits>

#include "fmu_src/instance_implementation.hpp"
#include "fmu_src/variable_kinds.hpp"

// Variables of other types than Real: settings of the solver and its statistics.
namespace trammel::fmi {
namespace {

void requireSameSize(std::size_t values, std::size_t references) {
  if (values != references)
    throw Error(std::to_string(values) + " values for " + std::to_string(references) +
                " value references");
}

/// The number behind the name of a method or mode.
double choice(const Variable& variable, const char* text) {
  if (text == nullptr) throw Error(quoted(variable) + ": value is NULL, expected a name");
  if (static_cast<Setting>(variable.index) == Setting::method) {
    if (const auto method = methodFromName(text)) return static_cast<double>(*method);
  } else if (const auto mode = modeFromName(text)) {
    return static_cast<double>(*mode);
  }
  throw Error(quoted(variable) + ": \"" + std::string(text) + "\" is not known, expected " +
              variable.description);
}

}  // namespace

void Instance::setInteger(std::span<const std::uint32_t> valueReferences,
                          std::span<const std::int32_t> values) {
  requireSameSize(values.size(), valueReferences.size());
  Implementation& self = *implementation_;
  for (std::size_t i = 0; i < values.size(); ++i)
    self.checkSettable(lookUp(self.model, valueReferences[i], Type::int32), values[i]);
  for (std::size_t i = 0; i < values.size(); ++i)
    self.assignSetting(lookUp(self.model, valueReferences[i]), values[i]);
  if (!values.empty()) self.changed();
}

void Instance::getInteger(std::span<const std::uint32_t> valueReferences,
                          std::span<std::int32_t> values) {
  requireSameSize(values.size(), valueReferences.size());
  Implementation& self = *implementation_;
  const Statistics& statistics = self.integrator->statistics();
  const auto limited = [](long count) {
    return static_cast<std::int32_t>(
        std::min<long>(count, std::numeric_limits<std::int32_t>::max()));
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = lookUp(self.model, valueReferences[i], Type::int32);
    self.checkIntermediate(variable);
    if (variable.quantity == Quantity::setting)
      values[i] = self.snapshot.settings.maxOrder;
    else if (static_cast<Statistic>(variable.index) == Statistic::steps)
      values[i] = limited(statistics.steps);
    else
      values[i] = limited(statistics.residuals);
  }
}

void Instance::setString(std::span<const std::uint32_t> valueReferences,
                         std::span<const char* const> values) {
  requireSameSize(values.size(), valueReferences.size());
  Implementation& self = *implementation_;
  std::vector<double> choices;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = lookUp(self.model, valueReferences[i], Type::string);
    choices.push_back(choice(variable, values[i]));
    self.checkSettable(variable, choices.back());
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    self.assignSetting(lookUp(self.model, valueReferences[i]), choices[i]);
  if (!values.empty()) self.changed();
}

void Instance::getString(std::span<const std::uint32_t> valueReferences,
                         std::span<const char*> values) {
  requireSameSize(values.size(), valueReferences.size());
  const Implementation& self = *implementation_;
  const SolverSettings& settings = self.snapshot.settings;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = lookUp(self.model, valueReferences[i], Type::string);
    // The names are literals, so they end with a NUL.
    values[i] =
        (static_cast<Setting>(variable.index) == Setting::method ? trammel::nameOf(settings.method)
                                                                 : trammel::nameOf(settings.mode))
            .data();
  }
}

}  // namespace trammel::fmi
