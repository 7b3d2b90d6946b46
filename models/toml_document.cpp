#include "models/toml_document.hpp"

#include <toml++/toml.h>
#include <algorithm>
#include <array>

#include "models/model_file.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

constexpr int longestKey = 16;      // parts of a dotted key
constexpr int deepestNesting = 32;  // tables and arrays inside each other

/// Finds keys with too many dots: the parser would build as many tables inside each other and
/// overflow the stack when it destroys them. Returns the line, 0 if there are none. Strings and
/// comments are skipped.
int lineOfTooLongKey(std::string_view text) {
  int line = 1;
  int dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '\n' || c == '=' || c == ',' || c == '{' || c == '[') dots = 0;
    if (c == '.' && ++dots >= longestKey) return line;
    if (c == '#') i = std::min(text.find('\n', i), text.size()) - 1;
    if (c != '"' && c != '\'') continue;
    const std::string_view three(text.data() + i, std::min<std::size_t>(3, text.size() - i));
    const bool isLong = three == std::string_view(c == '"' ? "\"\"\"" : "'''");
    std::size_t end = i + (isLong ? 3 : 1);
    for (; end < text.size(); ++end) {
      if (text[end] == '\n' && !isLong) break;
      if (text[end] == '\n') ++line;
      if (text[end] == '\\' && c == '"') {
        ++end;
        if (end < text.size() && text[end] == '\n') ++line;
      } else if (text[end] == c && (!isLong || text.substr(end, 3) == three)) {
        end += isLong ? 2 : 0;
        break;
      }
    }
    if (end < text.size() && text[end] == '\n')
      --end;  // an unfinished string: the line still has to be counted
    i = end;
  }
  return 0;
}

class Converter {
 public:
  explicit Converter(const std::string& source) : source_(source) {}

  TomlValue convert(const toml::node& node, int depth) const {
    TomlValue result;
    result.line = static_cast<int>(node.source().begin.line);
    if (depth > deepestNesting) {
      throw ModelError(
          source_, result.line,
          "tables and arrays are nested deeper than " + std::to_string(deepestNesting) + " levels");
    }
    if (const auto* table = node.as_table()) {
      result.value = convertTable(*table, depth);
    } else if (const auto* array = node.as_array()) {
      TomlValue::Array items;
      for (const toml::node& item : *array) items.push_back(convert(item, depth + 1));
      result.value = std::move(items);
    } else if (const auto* text = node.as_string()) {
      result.value = text->get();
    } else if (const auto* number = node.as_floating_point()) {
      result.value = number->get();
    } else if (const auto* integer = node.as_integer()) {
      result.value = static_cast<double>(integer->get());
    } else if (const auto* boolean = node.as_boolean()) {
      result.value = boolean->get();
    } else {
      result.value = TomlValue::Date{};
    }
    return result;
  }

 private:
  TomlValue::Table convertTable(const toml::table& table, int depth) const {
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (auto&& [key, node] : table) entries.emplace_back(&key, &node);
    // toml++ sorts by name; the author's order is that of the positions.
    std::stable_sort(entries.begin(), entries.end(), [](const auto& x, const auto& y) {
      return x.first->source().begin < y.first->source().begin;
    });
    TomlValue::Table result;
    result.reserve(entries.size());
    for (const auto& [key, node] : entries) {
      const int line = static_cast<int>(key->source().begin.line);
      result.push_back({std::string(key->str()), line, convert(*node, depth + 1)});
    }
    return result;
  }

  const std::string& source_;
};

/// The parser's sentence on one line, without its preface.
std::string oneLine(std::string_view description) {
  std::string text;
  for (const char c : description) text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return text;
}

}  // namespace

std::string TomlValue::typeName() const {
  constexpr std::array<std::string_view, 6> names{"a boolean", "a number", "a text",
                                                  "a table",   "an array", "a date or time"};
  return std::string(names[value.index()]);
}

TomlValue parseToml(std::string_view text, const std::string& source) {
  if (const int line = lineOfTooLongKey(text); line != 0) {
    throw ModelError(
        source, line,
        "dotted key has too many parts, expected at most " + std::to_string(longestKey));
  }
  try {
    const toml::table root = toml::parse(text);
    return Converter(source).convert(root, 0);
  } catch (const toml::parse_error& error) {
    throw ModelError(source, static_cast<int>(error.source().begin.line),
                     "TOML syntax: " + oneLine(error.description()));
  }
}

}  // namespace trammel
