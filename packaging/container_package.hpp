#pragma once

#include <filesystem>
#include <vector>

#include "modelDescription/model_description.hpp"
#include "packaging/installation.hpp"
#include "packaging/resolved_system.hpp"
#include "packaging/zip_writer.hpp"

namespace trammel::fmi {

struct ContainerOptions {
  FmiVersion version = FmiVersion::fmi3;
  DescriptionOptions description;
};

/// Platforms that containers can be made for: those whose runtime binaries are there.
std::vector<Platform> containerPlatforms(const Installation& installation);

/// The files of a container FMU: description, binaries for the platforms that all members have,
/// resources/system.toml, the members unpacked under resources/members, documentation. Throws
/// InputError where there is no such platform or a variable cannot be exposed.
std::vector<ZipEntry> containerFiles(const SystemFile& file, const ResolvedSystem& system,
                                     const Installation& installation,
                                     const ContainerOptions& options);

/// Writes the container; the file is complete and checked, or not there. Returns its platforms.
std::vector<Platform> writeContainer(const SystemFile& file, const Installation& installation,
                                     const ContainerOptions& options,
                                     const std::filesystem::path& path);

}  // namespace trammel::fmi
