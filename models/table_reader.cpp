#include "models/table_reader.hpp"

#include <algorithm>
#include <cmath>

#include "models/text.hpp"
#include "models/units.hpp"

namespace trammel {
namespace {

double finiteNumber(const std::string& source, const std::string& what, const TomlValue& value) {
  const double* number = std::get_if<double>(&value.value);
  if (number == nullptr)
    throw ModelError(source, value.line, what + " must be a number, is " + value.typeName());
  if (!std::isfinite(*number)) {
    throw ModelError(source, value.line,
                     what + " must be a finite number, is " + numberText(*number));
  }
  return *number;
}

}  // namespace

Formula readFormula(const std::string& source, const std::string& what, const TomlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.value)) return {*text, value.line};
  if (!std::holds_alternative<double>(value.value)) {
    throw ModelError(source, value.line,
                     what + " must be a number or an expression, is " + value.typeName());
  }
  return {finiteNumber(source, what, value), value.line};
}

TableReader::TableReader(const std::string& source, std::string what, const TomlValue& value,
                         int line, std::span<const std::string_view> keys)
    : source_(source), what_(std::move(what)), table_(value.table()), line_(line) {
  if (table_ == nullptr) fail(line, "must be a table, is " + value.typeName());
  for (const TomlValue::Entry& entry : *table_) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    std::string hint = suggestion(entry.key, keys);
    if (hint.empty()) hint = ", expected one of " + joined(keys);
    fail(entry.line, "unknown key " + inQuotes(entry.key) + hint);
  }
}

void TableReader::fail(int line, const std::string& message) const {
  throw ModelError(source_, line, prefix() + message);
}

const TomlValue::Entry* TableReader::find(std::string_view key) const {
  const auto found = std::find_if(table_->begin(), table_->end(),
                                  [key](const auto& entry) { return entry.key == key; });
  return found == table_->end() ? nullptr : &*found;
}

Located<double> TableReader::number(std::string_view key) const {
  const std::optional<Located<double>> value = optionalNumber(key);
  if (!value) fail(line_, std::string(key) + " is missing, expected a number");
  return *value;
}

std::optional<Located<double>> TableReader::optionalNumber(std::string_view key) const {
  const TomlValue::Entry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  return Located<double>{finiteNumber(source_, prefix() + std::string(key), entry->value),
                         entry->value.line};
}

std::optional<Located<double>> TableReader::optionalPositiveNumber(std::string_view key) const {
  const std::optional<Located<double>> value = optionalNumber(key);
  if (value && !(value->value > 0))
    fail(value->line, std::string(key) + " must be > 0, is " + numberText(value->value));
  return value;
}

Formula TableReader::formula(std::string_view key) const {
  const TomlValue::Entry* entry = find(key);
  if (entry == nullptr)
    fail(line_, std::string(key) + " is missing, expected a number or an expression");
  return readFormula(source_, prefix() + std::string(key), entry->value);
}

Formula TableReader::formulaOr(std::string_view key, double value) const {
  return find(key) == nullptr ? Formula{value, line_} : formula(key);
}

std::optional<Located<std::string>> TableReader::optionalText(std::string_view key) const {
  const TomlValue::Entry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&entry->value.value);
  if (text == nullptr)
    fail(entry->value.line, std::string(key) + " must be a text, is " + entry->value.typeName());
  // Such characters have no place in the XML of an FMU.
  const auto isControl = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
  };
  if (std::any_of(text->begin(), text->end(), isControl)) {
    fail(entry->value.line,
         std::string(key) + " must not contain control characters, is " + inQuotes(*text));
  }
  return Located<std::string>{*text, entry->value.line};
}

std::optional<Located<bool>> TableReader::optionalFlag(std::string_view key) const {
  const TomlValue::Entry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  const bool* value = std::get_if<bool>(&entry->value.value);
  if (value == nullptr)
    fail(entry->value.line,
         std::string(key) + " must be true or false, is " + entry->value.typeName());
  return Located<bool>{*value, entry->value.line};
}

std::string TableReader::description() const {
  const auto text = optionalText("description");
  return text ? text->value : std::string{};
}

std::optional<Located<std::string>> TableReader::unit() const {
  auto text = optionalText("unit");
  if (text && !parseUnit(text->value)) {
    fail(text->line, "unknown unit " + inQuotes(text->value) +
                         ", expected a unit such as \"m\", \"N.m\", \"kg.m2/s2\" or \"1\"");
  }
  return text;
}

}  // namespace trammel
