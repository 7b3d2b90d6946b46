#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trammel {

/// The shortest decimal text that reads back as the same number; independent of the locale.
std::string numberText(double value);

/// The text between double quotes on one line: control characters escaped, long texts cut.
std::string inQuotes(std::string_view text);

/// ", did you mean "mass"?" for the candidate that differs least, empty if none is near.
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);

/// The texts joined by ", ".
std::string joined(std::span<const std::string_view> texts);

/// Identifiers ([A-Za-z_][A-Za-z0-9_]*) joined by dots.
bool isName(std::string_view text);

}  // namespace trammel
