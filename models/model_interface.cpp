#include "models/model_interface.hpp"

#include <cmath>
#include <limits>

#include "models/text.hpp"
#include "models/units.hpp"

namespace trammel {

void ModelInterface::read(const ModelFile& file) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto unitOf = [](const NamedEntry& entry) {
    return entry.unit ? *parseUnit(entry.unit->value) : Unit{};
  };
  for (const ParameterEntry& entry : file.parameters) {
    const Unit unit = unitOf(entry);
    const auto inSi = [&](double value) { return rounded(entry.type, toSi(unit, value)); };
    parameters.push_back(inSi(entry.value.value));
    limits.push_back({entry.name, entry.min ? inSi(entry.min->value) : -infinity,
                      entry.max ? inSi(entry.max->value) : infinity});
  }
  for (const InputEntry& entry : file.inputs)
    inputs.push_back(rounded(entry.type, toSi(unitOf(entry), entry.start.value)));
}

void ModelInterface::check(std::span<const double> values) const {
  if (values.size() != limits.size()) {
    throw Error("parameters: got " + std::to_string(values.size()) + " values, expected " +
                std::to_string(limits.size()));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i]) && values[i] >= limits[i].min && values[i] <= limits[i].max)
      continue;
    throw Error("parameter " + inQuotes(limits[i].name) + ": value must be in [" +
                numberText(limits[i].min) + ", " + numberText(limits[i].max) + "], is " +
                numberText(values[i]));
  }
}

}  // namespace trammel
