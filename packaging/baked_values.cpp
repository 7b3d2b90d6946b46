#include "packaging/baked_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "models/compiled_model.hpp"
#include "models/text.hpp"
#include "models/toml_edit.hpp"
#include "models/units.hpp"
#include "packaging/errors.hpp"

namespace trammel::fmi {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// What a name stands for and how its value is written in the file.
struct Target {
  TomlPlace place;
  Type type = Type::float64;
  std::string unit;  // in the file
};

struct Assignment {
  std::string text;  // as given
  std::string name, value;

  explicit Assignment(const std::string& given) : text(given) {
    const std::size_t equals = given.find('=');
    if (equals != std::string::npos) {
      name = trimmed(std::string_view(given).substr(0, equals));
      value = trimmed(std::string_view(given).substr(equals + 1));
    }
    if (name.empty() || value.empty()) fail("expected name=value");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError("--set " + text + ": " + what);
  }
};

/// x with toSi(unit, x) = si, to the last bit where there is such a number.
double fromSi(const Unit& unit, double si) {
  const double x = (si - unit.offset) / unit.factor;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double candidate : {x, std::nextafter(x, -infinity), std::nextafter(x, infinity)})
    if (toSi(unit, candidate) == si) return candidate;
  return x;
}

/// A number in SI, or with a unit of the same kind as the file's, as a number in the file's unit.
double numberInFile(const Assignment& assignment, const std::string& fileUnit) {
  const std::string& text = assignment.value;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) assignment.fail("expected a number");
  const std::string given(
      trimmed({end, static_cast<std::size_t>(text.data() + text.size() - end)}));
  if (given == fileUnit) return number;
  const Unit inFile = fileUnit.empty() ? Unit{} : *parseUnit(fileUnit);
  if (given.empty()) return fromSi(inFile, number);
  const std::optional<Unit> unit = parseUnit(given);
  if (!unit || unit->exponents != inFile.exponents)
    assignment.fail("expected a number in SI or in a unit like " +
                    inQuotes(fileUnit.empty() ? "1" : fileUnit) + ", got " + inQuotes(given));
  return fromSi(inFile, toSi(*unit, number));
}

std::string tomlText(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// Numbers in TOML have a digit on both sides of the point; a whole one is a number too.
std::string tomlValue(const Assignment& assignment, const Target& target) {
  if (target.type == Type::string) return tomlText(assignment.value);
  if (target.type != Type::boolean) return numberText(numberInFile(assignment, target.unit));
  if (assignment.value == "true" || assignment.value == "1") return "true";
  if (assignment.value == "false" || assignment.value == "0") return "false";
  assignment.fail("expected true or false");
}

std::string unitOf(const NamedEntry& entry) { return entry.unit ? entry.unit->value : ""; }

/// Settings of the solver are variables of every model.
constexpr std::string_view solverPrefix = "solver.";

Target findTarget(const ModelFile& file, const VariableTable& variables,
                  const Assignment& assignment) {
  const std::string& name = assignment.name;
  const auto named = [&](const NamedEntry& entry) { return entry.name == name; };
  const auto parameter = std::find_if(file.parameters.begin(), file.parameters.end(), named);
  if (parameter != file.parameters.end())
    return {{"parameters", parameter->name, "value"}, parameter->type, unitOf(*parameter)};
  const auto number = std::find_if(file.structure.begin(), file.structure.end(), named);
  if (number != file.structure.end())
    return {{"structure", number->name, "value"}, Type::uint64, ""};
  const auto input = std::find_if(file.inputs.begin(), file.inputs.end(), named);
  if (input != file.inputs.end())
    return {{"inputs", input->name, "start"}, input->type, unitOf(*input)};
  const Variable* setting = variables.find(name);
  if (setting != nullptr && setting->quantity == Quantity::setting &&
      name.starts_with(solverPrefix))
    return {{"solver", "", std::string_view(setting->name).substr(solverPrefix.size())},
            setting->type,
            setting->unit};
  std::vector<std::string_view> known;
  for (const Variable& variable : variables.variables)
    if (variable.causality == Causality::parameter || variable.causality == Causality::input ||
        variable.causality == Causality::structuralParameter)
      known.push_back(variable.name);
  assignment.fail("there is no parameter, input or setting " + inQuotes(name) +
                  suggestion(name, known) + (known.size() <= 40 ? ", expected one of " : "") +
                  (known.size() <= 40 ? joined(known) : ""));
}

}  // namespace

ModelFile withBakedValues(ModelFile file, std::span<const std::string> assignments) {
  if (assignments.empty()) return file;
  const CompiledModel model = compile(file);  // its variables have the names that can be set
  for (const std::string& given : assignments) {
    const Assignment assignment(given);
    const Target target = findTarget(file, model.variables(), assignment);
    const std::string value = tomlValue(assignment, target);
    try {
      std::string text = withTomlValue(file.text, target.place, value);
      // Importers hand over the tolerance of the default experiment: it follows the solver's.
      if (assignment.name == "solver.tolerance" && file.experiment.tolerance)
        text = withTomlValue(std::move(text), {"experiment", "", "tolerance"}, value);
      file = parseModel(text, file.source);
      compile(file);
    } catch (const Error& error) {
      assignment.fail(error.what());
    }
  }
  return file;
}

}  // namespace trammel::fmi
