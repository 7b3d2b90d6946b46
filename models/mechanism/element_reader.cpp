#include "models/mechanism/element_reader.hpp"

#include <charconv>

#include "models/text.hpp"
#include "models/units.hpp"

namespace trammel {

ElementReader::ElementReader(const std::string& source, const std::string& word,
                             const std::string& name, const TomlValue& value, int line,
                             std::span<const std::string_view> keys)
    : TableReader(source, word + " " + inQuotes(name), value, line, keys),
      name_(name),
      line_(line) {}

Located<std::string> ElementReader::text(std::string_view key) const {
  auto value = optionalText(key);
  if (!value) fail(line_, std::string(key) + " is missing, expected a text");
  return *value;
}

bool ElementReader::flag(std::string_view key, bool otherwise) const {
  const TomlValue::Entry* entry = find(key);
  if (entry == nullptr) return otherwise;
  const bool* value = std::get_if<bool>(&entry->value.value);
  if (value == nullptr)
    fail(entry->line, std::string(key) + " must be true or false, is " + entry->value.typeName());
  return *value;
}

std::vector<Formula> ElementReader::formulas(std::string_view key, std::size_t count) const {
  const TomlValue::Entry* entry = find(key);
  if (entry == nullptr)
    fail(line_, std::string(key) + " is missing, expected an array of " + std::to_string(count) +
                    " numbers or expressions");
  return formulas(entry->value, std::string(key), count);
}

std::vector<Formula> ElementReader::formulas(const TomlValue& value, const std::string& what,
                                             std::size_t count) const {
  const auto* array = std::get_if<TomlValue::Array>(&value.value);
  if (array == nullptr || array->size() != count) {
    const std::string got =
        array == nullptr ? value.typeName() : "an array of " + std::to_string(array->size());
    fail(value.line, what + " must be an array of " + std::to_string(count) +
                         " numbers or expressions, is " + got);
  }
  std::vector<Formula> result;
  for (const TomlValue& element : *array)
    result.push_back(readFormula(source(), this->what() + ": " + what, element));
  return result;
}

std::string_view ElementReader::oneOf(ElementKeys keys) const {
  std::string_view found;
  for (const std::string_view key : keys) {
    if (!has(key)) continue;
    if (!found.empty())
      fail(find(key)->line, std::string(key) + " cannot stand beside " + std::string(found));
    found = key;
  }
  if (found.empty()) {
    fail(line_, "one of " + joined({keys.begin(), keys.size()}) + " is missing");
  }
  return found;
}

std::optional<double> parseQuantity(const TableReader& reader, const Formula& formula,
                                    std::string_view key, std::string_view expected) {
  const auto* text = std::get_if<std::string>(&formula.value);
  if (text == nullptr) return std::nullopt;
  const char* begin = text->data();
  const char* end = begin + text->size();
  while (begin != end && (*begin == ' ' || *begin == '+')) ++begin;
  double number = 0;
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || rest == end || *rest != ' ') return std::nullopt;
  std::string unitName(rest, end);
  unitName.erase(0, std::min(unitName.find_first_not_of(' '), unitName.size()));
  unitName.erase(unitName.find_last_not_of(' ') + 1);
  constexpr std::string_view operators = "+-*/^";
  if (unitName.empty() || operators.find(unitName.front()) != std::string_view::npos)
    return std::nullopt;
  const std::optional<Unit> unit = parseUnit(unitName);
  if (!unit) {
    reader.fail(
        formula.line,
        std::string(key) + ": unknown unit " + inQuotes(unitName) +
            (expected.empty() ? std::string() : ", expected a unit such as " + inQuotes(expected)));
  }
  if (expected.empty()) return toSi(*unit, number);
  auto wanted = parseUnit(expected)->exponents, got = unit->exponents;
  wanted[7] = got[7] = 0;  // rad counts as a number
  if (wanted != got) {
    reader.fail(formula.line, std::string(key) + " must have the dimension of " +
                                  inQuotes(expected) + ", is in " + inQuotes(unitName));
  }
  return toSi(*unit, number);
}

}  // namespace trammel
