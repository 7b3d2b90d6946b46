#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace trammel::coupling {

/// file: URI of a directory, every byte outside the unreserved characters percent-encoded.
inline std::string fileUri(const std::filesystem::path& directory) {
  constexpr std::string_view unreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr std::string_view digits = "0123456789ABCDEF";
  const std::u8string path = directory.generic_u8string();
  std::string uri = path.starts_with(u8"/") ? "file://" : "file:///";  // C:/x is /C:/x
  for (const char8_t unit : path) {
    const char c = static_cast<char>(unit);
    if (unreserved.find(c) != std::string_view::npos) {
      uri += c;
      continue;
    }
    const auto code = static_cast<unsigned char>(c);
    uri += '%';
    uri += digits[code >> 4];
    uri += digits[code & 15];
  }
  return uri;
}

}  // namespace trammel::coupling
