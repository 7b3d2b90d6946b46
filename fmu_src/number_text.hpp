#pragma once

#include <array>
#include <charconv>
#include <string>

namespace trammel::fmi {

/// Shortest text that reads back as the same number; no locale is involved.
inline std::string numberText(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace trammel::fmi
