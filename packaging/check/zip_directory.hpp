#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "solver/error.hpp"

namespace trammel::fmi::check {

/// A zip file whose list of entries cannot be read.
class ZipError final : public Error {
 public:
  using Error::Error;
};

/// What the two headers of an entry say.
struct ZipEntry {
  std::string name;
  unsigned versionNeeded = 0;  // 20 means 2.0
  unsigned system = 0;         // that made it: 3 Unix, 19 macOS
  unsigned flags = 0;
  unsigned method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packedSize = 0;  // [byte]
  std::uint64_t size = 0;        // [byte], unpacked
  std::uint32_t attributes = 0;
  std::size_t extraSize = 0;  // [byte], of extra fields and comment
  std::uint64_t begin = 0;    // of the local header
  std::uint64_t end = 0;      // of the packed content
  std::string mismatch;       // how the local header differs, empty: not

  bool isFolder() const { return !name.empty() && name.back() == '/'; }
};

/// The list of entries as it stands in the file, before any library interprets it.
struct ZipDirectory {
  std::vector<ZipEntry> entries;
  bool zip64 = false;
  bool split = false;
  std::uint64_t begin = 0;      // of the central directory
  std::size_t commentSize = 0;  // [byte]
  std::size_t trailing = 0;     // [byte] after the end record
};

/// Throws ZipError. Does not trust any length or offset.
ZipDirectory readZipDirectory(std::string_view bytes);

}  // namespace trammel::fmi::check
