#pragma once

#include <filesystem>
#include <string>

namespace trammel::fmi {

#ifdef _WIN32
inline constexpr bool pathsHaveDrives = true;
#else
inline constexpr bool pathsHaveDrives = false;
#endif

/// Where the shared object that holds this function lies. Throws Error if the system does not know.
std::filesystem::path binaryPath();

/// FMI strings are UTF-8 on every platform.
std::filesystem::path pathFromUtf8(const std::string& text);

}  // namespace trammel::fmi
