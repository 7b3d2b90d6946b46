#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "models/table_reader.hpp"
#include "models/toml_document.hpp"

namespace trammel {

using ElementKeys = std::initializer_list<std::string_view>;

/// One element of a mechanism, e.g. the table [joints.hinge].
class ElementReader : public TableReader {
 public:
  /// `word` begins the messages: joint "hinge".
  ElementReader(const std::string& source, std::string_view word, const TomlValue::Entry& item,
                ElementKeys keys)
      : ElementReader(source, std::string(word), item.key, item.value, item.line,
                      {keys.begin(), keys.size()}) {}
  ElementReader(const std::string& source, const std::string& word, const std::string& name,
                const TomlValue& value, int line, std::span<const std::string_view> keys);

  const std::string& name() const { return name_; }
  int line() const { return line_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// A text that must be there.
  Located<std::string> text(std::string_view key) const;
  bool flag(std::string_view key, bool otherwise) const;
  /// `count` formulas of an array; a single number stands for `count` equal ones where `spread`.
  std::vector<Formula> formulas(std::string_view key, std::size_t count) const;
  std::vector<Formula> formulas(const TomlValue& value, const std::string& what,
                                std::size_t count) const;
  /// Exactly one of the keys must be there; which.
  std::string_view oneOf(ElementKeys keys) const;

 private:
  std::string name_;
  int line_;
};

/// "50 mm": a number with its unit, in SI. Throws where the unit is not of the dimension of
/// `expected`, e.g. "m"; nullopt where the text is no such quantity but an expression.
std::optional<double> parseQuantity(const TableReader& reader, const Formula& formula,
                                    std::string_view key, std::string_view expected);

}  // namespace trammel
