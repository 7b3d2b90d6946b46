#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace trammel::fmi {

/// Whether the name stands for standard output: none, "-" or its device.
bool isStandardOutput(const std::string& name);

/// Throws InputError where a file of this name could not be written: the directory is missing or
/// closed, the name is a directory, or the file that is there is protected.
void checkOutputFile(const std::filesystem::path& path);

/// Writes a file that is either whole or not there: under a temporary name in the same directory,
/// looked at by `check` (which may throw), then renamed. On failure the temporary file is removed
/// and a former file of that name is untouched. Devices and pipes are written directly.
void writeOutputFile(const std::filesystem::path& path, std::string_view bytes,
                     const std::function<void(const std::filesystem::path&)>& check = {});

}  // namespace trammel::fmi
