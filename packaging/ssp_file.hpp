#pragma once

#include <filesystem>

#include "packaging/system_file.hpp"

namespace trammel::fmi {

/// Reads a system structure description of SSP 1.0: components that are FMUs, connections with
/// linear transformations, parameters, experiment. What SSP has no words for stands in an
/// annotation of the system as text of a system file (docs/coupling.md). Throws ModelError
/// (file:line: what, got, expected).
SystemFile readSsd(const std::filesystem::path& path);

/// The same from a package (.ssp), which is unpacked into an existing empty directory.
SystemFile readSsp(const std::filesystem::path& path, const std::filesystem::path& directory);

/// Any of them, or a system file in TOML, by the ending of the name. `directory` is for packages.
SystemFile readSystem(const std::filesystem::path& path, const std::filesystem::path& directory);

}  // namespace trammel::fmi
