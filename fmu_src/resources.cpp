#include "fmu_src/resources.hpp"

#include <cctype>
#include <string_view>

#include "fmu_src/platform.hpp"

namespace trammel::fmi {
namespace {

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percentDecoded(std::string_view text, const std::string& uri) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const bool complete = i + 2 < text.size();
    const int high = complete ? hexDigit(text[i + 1]) : -1;
    const int low = complete ? hexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      throw Error("resource location \"" + uri +
                  "\": '%' must be followed by two hexadecimal digits");
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (decoded.find('\0') != std::string::npos)
    throw Error("resource location \"" + uri + "\" contains %00");
  return decoded;
}

bool hasScheme(const std::string& uri) {
  const std::size_t colon = uri.find(':');
  if (colon == std::string::npos || colon < 2) return false;  // one letter is a drive
  return uri.find_first_of("/\\") > colon;
}

bool startsWithFile(std::string_view uri) {
  constexpr std::string_view scheme = "file:";
  if (uri.size() < scheme.size()) return false;
  for (std::size_t i = 0; i < scheme.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(uri[i])) != scheme[i]) return false;
  return true;
}

/// "/C:/x" of a Windows URI is "C:/x".
std::string withoutSlashBeforeDrive(std::string path) {
  if (pathsHaveDrives && path.size() >= 3 && path[0] == '/' && path[2] == ':') path.erase(0, 1);
  return path;
}

}  // namespace

std::filesystem::path pathFromUri(const std::string& uri) {
  if (!startsWithFile(uri)) {
    if (hasScheme(uri))
      throw Error("resource location \"" + uri + "\" has an unknown scheme, expected file:");
    return pathFromUtf8(uri);
  }
  std::string_view rest = std::string_view(uri).substr(5);
  if (rest.substr(0, 2) == "//") {
    const std::size_t slash = rest.find('/', 2);
    const std::string_view authority =
        rest.substr(2, slash == std::string_view::npos ? slash : slash - 2);
    if (!authority.empty() && authority != "localhost")
      throw Error("resource location \"" + uri + "\" is on host \"" + std::string(authority) +
                  "\", expected none");
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
  }
  if (rest.empty()) throw Error("resource location \"" + uri + "\" has no path");
  return pathFromUtf8(withoutSlashBeforeDrive(percentDecoded(rest, uri)));
}

std::filesystem::path resourceDirectory(Version version, const char* location) {
  if (location == nullptr || *location == '\0')
    return binaryPath().parent_path().parent_path().parent_path() / "resources";
  return version == Version::fmi2 ? pathFromUri(location) : pathFromUtf8(location);
}

}  // namespace trammel::fmi
