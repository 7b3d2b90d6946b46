#pragma once

#include <cstdint>
#include <filesystem>

namespace trammel::coupling {

/// What a zip file from elsewhere may cost; beyond it is refused.
struct ArchiveLimits {
  std::int64_t maxEntries = 20'000;
  std::uint64_t maxTotalSize = std::uint64_t{2} << 30;  // [byte], unpacked
  /// Unpacked over packed size, for what unpacks to more than `freeSize`.
  std::uint64_t maxRatio = 200;
  std::uint64_t freeSize = std::uint64_t{100} << 20;  // [byte]
};

/// Unpacks a zip file into an existing empty directory. Refuses, with FmuError, names that leave
/// the directory (absolute, "..", backslash, drive letter), links and special files, encryption,
/// duplicate names, too many entries, too much content and too steep compression.
void unpackArchive(const std::filesystem::path& archive, const std::filesystem::path& directory,
                   const ArchiveLimits& limits = {});

}  // namespace trammel::coupling
