#include "packaging/run_variable.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "models/text.hpp"
#include "models/units.hpp"
#include "packaging/errors.hpp"

namespace trammel::fmi {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

[[noreturn]] void fail(const std::string& assignment, const std::string& what) {
  throw InputError("--set " + assignment + ": " + what);
}

/// A number in the unit `expected`, into which one with another unit is converted.
double parseNumber(const std::string& assignment, const std::string& text,
                   const std::string& expected) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || !std::isfinite(number))
    fail(assignment, "expected a number, got " + inQuotes(text));
  const std::string given = trimmed(std::string(end, last));
  if (given.empty() || given == expected) return number;
  const std::optional<Unit> from = parseUnit(given);
  const std::optional<Unit> to = expected.empty() ? Unit{} : parseUnit(expected);
  if (!from || !to || from->exponents != to->exponents)
    fail(assignment, "expected a unit like " + inQuotes(expected.empty() ? "1" : expected) +
                         ", got " + inQuotes(given));
  return (toSi(*from, number) - to->offset) / to->factor;
}

double parseBoolean(const std::string& assignment, const std::string& text) {
  if (text == "true" || text == "1") return 1;
  if (text == "false" || text == "0") return 0;
  fail(assignment, "expected true or false, got " + inQuotes(text));
}

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() != '*')
    return !name.empty() && pattern.front() == name.front() &&
           fits(pattern.substr(1), name.substr(1));
  while (pattern.size() > 1 && pattern[1] == '*') pattern.remove_prefix(1);
  for (std::size_t skip = 0; skip <= name.size(); ++skip)
    if (fits(pattern.substr(1), name.substr(skip))) return true;
  return false;
}

}  // namespace

const RunVariable& findVariable(const std::string& name, std::span<const RunVariable> variables,
                                const std::string& where) {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const RunVariable& v) { return v.name == name; });
  if (found != variables.end()) return *found;
  std::vector<std::string_view> names;
  for (const RunVariable& variable : variables) names.push_back(variable.name);
  throw InputError(where + ": there is no variable " + inQuotes(name) + suggestion(name, names));
}

StartValue parseStartValue(const std::string& assignment, std::span<const RunVariable> variables) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) fail(assignment, "expected name=value");
  const std::string name = trimmed(assignment.substr(0, equals));
  const std::string value = trimmed(assignment.substr(equals + 1));
  if (name.empty() || value.empty()) fail(assignment, "expected name=value");
  StartValue start{&findVariable(name, variables, "--set " + assignment), 0, ""};
  const RunVariable& variable = *start.variable;
  if (variable.causality == Causality::output || variable.causality == Causality::independent)
    fail(assignment, "an output cannot be set");
  if (variable.type == Type::string) {
    start.text = value;
  } else if (variable.type == Type::boolean) {
    start.number = parseBoolean(assignment, value);
  } else {
    start.number = parseNumber(assignment, value, variable.unit);
    if (isDiscrete(variable.type) && start.number != std::floor(start.number))
      fail(assignment, "expected a whole number");
  }
  return start;
}

std::vector<const RunVariable*> chooseVariables(std::span<const std::string> names,
                                                std::span<const RunVariable> variables) {
  std::vector<const RunVariable*> chosen;
  const auto add = [&](const RunVariable& variable) {
    if (variable.type == Type::string)
      throw InputError("--outputs " + variable.name + ": is a text, expected a number");
    if (std::find(chosen.begin(), chosen.end(), &variable) == chosen.end())
      chosen.push_back(&variable);
  };
  for (const std::string& name : names) {
    if (name.find('*') == std::string::npos) {
      add(findVariable(name, variables, "--outputs"));
      continue;
    }
    const std::size_t before = chosen.size();
    for (const RunVariable& variable : variables)
      if (variable.type != Type::string && variable.causality != Causality::independent &&
          fits(name, variable.name))
        add(variable);
    if (chosen.size() == before) throw InputError("--outputs " + name + ": fits no variable");
  }
  if (!names.empty()) return chosen;
  for (const RunVariable& variable : variables)
    if (variable.causality == Causality::output && variable.type != Type::string) add(variable);
  return chosen;
}

}  // namespace trammel::fmi
