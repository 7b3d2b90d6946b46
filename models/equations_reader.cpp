#include <algorithm>

#include "models/model_reader.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

using Keys = std::initializer_list<std::string_view>;

std::span<const std::string_view> spanOf(const Keys& keys) { return {keys.begin(), keys.size()}; }

DefinitionEntry readDefinition(const std::string& source, const TomlValue::Entry& item) {
  const std::string what = "definition " + inQuotes(item.key);
  checkName(item, source, what);
  DefinitionEntry entry;
  entry.name = item.key;
  entry.line = item.line;
  entry.expression = readFormula(source, what, item.value);
  return entry;
}

CoordinateEntry readCoordinate(const std::string& source, const TomlValue::Entry& item) {
  const Keys keys{"unit",  "start", "start_velocity", "nominal", "mass",
                  "force", "count", "before",         "after",   "description"};
  const TableReader reader(source, "coordinate " + inQuotes(item.key), item.value, item.line,
                           spanOf(keys));
  CoordinateEntry entry;
  readNamedEntry(item, reader, entry);
  entry.start = reader.formulaOr("start", 0);
  entry.startVelocity = reader.formulaOr("start_velocity", 0);
  entry.nominal = reader.optionalPositiveNumber("nominal");
  entry.mass = reader.formula("mass");
  entry.force = reader.formulaOr("force", 0);
  entry.count = reader.optionalText("count");
  for (const auto& [key, end] : {std::pair{"before", &entry.before}, {"after", &entry.after}}) {
    const TomlValue::Entry* given = reader.find(key);
    if (given == nullptr) continue;
    if (!entry.count)
      reader.fail(given->line, std::string(key) + " is only for coordinates with count");
    *end = reader.formula(key);
  }
  return entry;
}

/// "x,y" = "expression"
MassEntry readMassEntry(const std::string& source, const TomlValue::Entry& item) {
  const std::string what = "mass_matrix entry " + inQuotes(item.key);
  const std::size_t comma = item.key.find(',');
  if (comma == std::string::npos) {
    throw ModelError(source, item.line,
                     what + ": wrong name, expected two coordinates such as \"x,y\"");
  }
  const auto trimmed = [](std::string text) {
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  MassEntry entry;
  entry.row = trimmed(item.key.substr(0, comma));
  entry.column = trimmed(item.key.substr(comma + 1));
  entry.line = item.line;
  entry.expression = readFormula(source, what, item.value);
  return entry;
}

ConstraintEntry readConstraint(const std::string& source, const TomlValue::Entry& item) {
  const Keys keys{"expression", "count", "unit", "description"};
  const TableReader reader(source, "constraint " + inQuotes(item.key), item.value, item.line,
                           spanOf(keys));
  ConstraintEntry entry;
  readNamedEntry(item, reader, entry);
  entry.count = reader.optionalText("count");
  entry.expression = reader.formula("expression");
  return entry;
}

}  // namespace

EquationsPart readEquationsPart(const TableReader& root) {
  EquationsPart part;
  const std::string& source = root.source();
  forEachItem(root, "definitions",
              [&](const auto& item) { part.definitions.push_back(readDefinition(source, item)); });
  forEachItem(root, "coordinates",
              [&](const auto& item) { part.coordinates.push_back(readCoordinate(source, item)); });
  forEachItem(root, "mass_matrix",
              [&](const auto& item) { part.massMatrix.push_back(readMassEntry(source, item)); });
  forEachItem(root, "constraints",
              [&](const auto& item) { part.constraints.push_back(readConstraint(source, item)); });
  const TomlValue::Entry* coordinates = root.find("coordinates");
  part.line = coordinates == nullptr ? 1 : coordinates->line;
  if (part.coordinates.empty())
    root.fail(part.line, "coordinates are missing, expected at least one [coordinates.NAME]");
  return part;
}

}  // namespace trammel
