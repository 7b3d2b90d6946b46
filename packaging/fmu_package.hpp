#pragma once

#include <filesystem>
#include <vector>

#include "modelDescription/model_description.hpp"
#include "packaging/installation.hpp"
#include "packaging/reference_run.hpp"
#include "packaging/zip_writer.hpp"

namespace trammel::fmi {

/// The runtime binary for one platform.
struct RuntimeBinary {
  Platform platform;
  std::filesystem::path path;
};

struct PackageOptions {
  FmiVersion version = FmiVersion::fmi3;
  std::vector<RuntimeBinary> binaries;
  DescriptionOptions description;
  const ReferenceRun* referenceRun = nullptr;  // nullptr: the FMU carries none
};

/// The files of an FMU as they lie in the zip: description, binaries, resources/model.toml,
/// documentation, licences, reference results.
std::vector<ZipEntry> fmuFiles(const CompiledModel& model, const PackageOptions& options);

/// Whether writing the FMU would destroy something else: there is a file, and it is no FMU of the
/// same model.
bool wouldDestroy(const CompiledModel& model, const std::filesystem::path& path);

/// Writes the FMU and returns its size in bytes; the file is complete and checked, or not there.
std::size_t writeFmu(const CompiledModel& model, const PackageOptions& options,
                     const std::filesystem::path& path);

}  // namespace trammel::fmi
