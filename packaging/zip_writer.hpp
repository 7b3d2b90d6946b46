#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trammel::fmi {

struct ZipEntry {
  std::string name;   // relative, with '/'
  std::string bytes;  // content, not compressed
  bool executable = false;
};

/// The bytes of a zip file as FMI asks: deflated, no zip64, no data descriptors, no links. Entries
/// are sorted by name, dates are 1980-01-01 and attributes fixed, so equal entries give equal
/// bytes. Throws Error for names that are empty, absolute or twice.
std::string zipArchive(std::vector<ZipEntry> entries);

/// Reads a zip file back and throws Error unless every entry is there with its content.
void verifyZipArchive(const std::filesystem::path& path, const std::vector<ZipEntry>& entries);

}  // namespace trammel::fmi
