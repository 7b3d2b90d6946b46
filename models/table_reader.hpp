#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/model_file.hpp"
#include "models/toml_document.hpp"

namespace trammel {

/// Reads the values of one table of a model file; each wrong value is a ModelError on its line.
class TableReader {
 public:
  /// `what` begins the messages, e.g. parameter "m". Throws where `value` is no table or has a key
  /// that is not in `keys`.
  TableReader(const std::string& source, std::string what, const TomlValue& value, int line,
              std::span<const std::string_view> keys);

  const TomlValue::Entry* find(std::string_view key) const;

  Located<double> number(std::string_view key) const;                         // must be there
  std::optional<Located<double>> optionalNumber(std::string_view key) const;  // finite
  std::optional<Located<double>> optionalPositiveNumber(std::string_view key) const;
  Formula formula(std::string_view key) const;  // must be there
  Formula formulaOr(std::string_view key, double value) const;
  std::optional<Located<std::string>> optionalText(std::string_view key) const;
  std::optional<Located<bool>> optionalFlag(std::string_view key) const;  // true or false
  std::string description() const;                   // of the key `description`
  std::optional<Located<std::string>> unit() const;  // of the key `unit`

  const std::string& what() const { return what_; }
  const std::string& source() const { return source_; }
  [[noreturn]] void fail(int line, const std::string& message) const;

 private:
  std::string prefix() const { return what_.empty() ? "" : what_ + ": "; }

  const std::string& source_;
  std::string what_;
  const TomlValue::Table* table_;
  int line_;
};

/// A formula from a value that is not a key of a table with fixed keys, e.g. an entry of
/// [definitions].
Formula readFormula(const std::string& source, const std::string& what, const TomlValue& value);

}  // namespace trammel
