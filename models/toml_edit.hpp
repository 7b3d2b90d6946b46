#pragma once

#include <string>
#include <string_view>

namespace trammel {

/// Where a value stands in a TOML text: [section] key, or [section.entry] key. An entry that is no
/// table is itself the value.
struct TomlPlace {
  std::string_view section;
  std::string_view entry;  // empty: none
  std::string_view key;
};

/// The text with another value, which is written as TOML, at the place; key and section are added
/// where they are missing. All else stays as it was written. Throws Error where the text is no TOML
/// or its layout leaves no room.
std::string withTomlValue(std::string text, const TomlPlace& place, const std::string& value);

}  // namespace trammel
