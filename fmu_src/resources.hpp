#pragma once

#include <filesystem>
#include <string>

#include "fmu_src/status.hpp"

namespace trammel::fmi {

/// The directory behind a `file:` URI, with and without authority, or behind a plain path;
/// percent-decoded only as a URI. Throws Error naming what is wrong with it.
std::filesystem::path pathFromUri(const std::string& uri);

/// The resources directory as the importer gives it: FMI 2 a URI, FMI 3 a path; nullptr or empty:
/// beside the binary.
std::filesystem::path resourceDirectory(Version version, const char* location);

}  // namespace trammel::fmi
