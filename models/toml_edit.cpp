#include "models/toml_edit.hpp"

#include <toml++/toml.h>
#include <algorithm>

#include "solver/error.hpp"

namespace trammel {
namespace {

/// Offset of a place that toml++ gives by line and column, both from 1, columns in code points.
std::size_t offsetOf(std::string_view text, const toml::source_position& position) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < position.line; ++line)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  for (toml::source_index column = 1; column < position.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  }
  return at;
}

/// Adds `key = value` to a table: behind the brace of an inline one, under the header of another,
/// before the line of a dotted key, whose last table is `name`.
void addKey(std::string& text, const toml::table& table, std::string_view name,
            const std::string& assignment) {
  const std::size_t begin = offsetOf(text, table.source().begin);
  if (table.is_inline()) {
    text.insert(begin + 1, ' ' + assignment + (table.empty() ? "" : ","));
  } else if (begin < text.size() && text[begin] == '[') {
    text.insert(std::min(text.find('\n', begin), text.size()), '\n' + assignment);
  } else {
    const std::size_t newline = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
    text.insert(newline == std::string::npos ? 0 : newline + 1,
                std::string(name) + '.' + assignment + '\n');
  }
}

}  // namespace

std::string withTomlValue(std::string text, const TomlPlace& place, const std::string& value) {
  const std::string assignment = std::string(place.key) + " = " + value;
  try {
    const toml::table root = toml::parse(text);
    const toml::node* node = root.get(place.section);
    if (node == nullptr && place.entry.empty())
      return text + (text.ends_with('\n') ? "" : "\n") + "\n[" + std::string(place.section) +
             "]\n" + assignment + '\n';
    std::string_view name = place.section;
    if (!place.entry.empty() && node != nullptr && node->is_table()) {
      node = node->as_table()->get(place.entry);
      name = place.entry;
    }
    if (node == nullptr) throw Error("there is no " + std::string(place.entry));
    const toml::table* table = node->as_table();
    if (table != nullptr) node = table->get(place.key);
    if (node == nullptr) {
      addKey(text, *table, name, assignment);
    } else {
      const std::size_t begin = offsetOf(text, node->source().begin);
      text.replace(begin, offsetOf(text, node->source().end) - begin, value);
    }
  } catch (const toml::parse_error& error) {
    throw Error("TOML syntax: " + std::string(error.description()));
  }
  return text;
}

}  // namespace trammel
