#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trammel::fmi {

struct ZipEntry {
  std::string name;   // relative, with '/'
  std::string bytes;  // content, not compressed
  bool executable = false;
  /// A zip whose only entry is the content, in place of `bytes`: its deflated stream is copied.
  /// Empty: none.
  std::filesystem::path packed = {};
};

/// The bytes of a zip file as FMI asks: deflated, no zip64, no data descriptors, no links. Entries
/// are sorted by name, dates are 1980-01-01 and attributes fixed, so equal entries give equal
/// bytes. Throws Error for names that are empty, absolute or twice.
std::string zipArchive(const std::vector<ZipEntry>& entries);

/// Reads a zip file back and throws Error unless every entry is there with its content.
void verifyZipArchive(const std::filesystem::path& path, const std::vector<ZipEntry>& entries);

/// Whether the zip has one entry with the content of the file, judged by size and checksum; false
/// where one of them cannot be read.
bool isPackedForm(const std::filesystem::path& packed, const std::filesystem::path& file);

/// The content of one entry of a zip file; empty where there is none, it is larger than `limit`
/// bytes or the file is no zip.
std::string zipEntryContent(const std::filesystem::path& path, const std::string& name,
                            std::size_t limit);

}  // namespace trammel::fmi
