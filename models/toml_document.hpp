#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace trammel {

/// A TOML value as plain data that knows the line it begins on; tables keep the order of the file.
struct TomlValue {
  struct Entry;
  using Table = std::vector<Entry>;
  using Array = std::vector<TomlValue>;
  struct Date {};  // dates and times have no meaning in a model

  std::variant<bool, double, std::string, Table, Array, Date> value;
  int line = 0;

  const Table* table() const { return std::get_if<Table>(&value); }
  std::string typeName() const;  // "a number", "a table" …
};

struct TomlValue::Entry {
  std::string key;
  int line = 0;  // of the key
  TomlValue value;
};

/// The root table. Throws ModelError with the line of the first syntax error; `source` is the name
/// used in messages.
TomlValue parseToml(std::string_view text, const std::string& source);

}  // namespace trammel
