#include "packaging/check/zip_directory.hpp"

#include <algorithm>
#include <utility>

namespace trammel::fmi::check {
namespace {

// Signatures and lengths of the records, APPNOTE 4.3.
constexpr std::uint32_t localSignature = 0x04034b50;
constexpr std::uint32_t centralSignature = 0x02014b50;
constexpr std::uint32_t endSignature = 0x06054b50;
constexpr std::uint32_t zip64LocatorSignature = 0x07064b50;
constexpr std::size_t localLength = 30, centralLength = 46, endLength = 22, locatorLength = 20;
constexpr std::size_t maxComment = 65535;
constexpr std::size_t maxEntries = 100'000;
constexpr unsigned dataDescriptor = 1U << 3;

/// Little-endian numbers at offsets that are checked.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  bool holds(std::uint64_t at, std::uint64_t length) const {
    return at <= bytes_.size() && length <= bytes_.size() - at;
  }
  std::uint32_t number(std::uint64_t at, std::size_t length) const {
    if (!holds(at, length)) throw ZipError("a record reaches beyond the end of the file");
    std::uint32_t value = 0;
    for (std::size_t i = length; i-- > 0;)
      value = value << 8U | static_cast<unsigned char>(bytes_[at + i]);
    return value;
  }
  unsigned u16(std::uint64_t at) const { return number(at, 2); }
  std::uint32_t u32(std::uint64_t at) const { return number(at, 4); }
  std::string text(std::uint64_t at, std::size_t length) const {
    if (!holds(at, length)) throw ZipError("a name reaches beyond the end of the file");
    return std::string(bytes_.substr(at, length));
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

/// The last end record whose comment fits into the file.
std::uint64_t findEnd(const Bytes& bytes) {
  if (bytes.size() < endLength) throw ZipError("the file is too short for a zip");
  const std::size_t last = bytes.size() - endLength;
  const std::size_t first = last - std::min(last, maxComment);
  for (std::size_t at = last + 1; at-- > first;) {
    if (bytes.u32(at) == endSignature && bytes.holds(at + endLength, bytes.u16(at + 20))) return at;
  }
  throw ZipError("there is no end record of a zip");
}

std::string differences(const Bytes& bytes, const ZipEntry& entry) {
  const std::uint64_t at = entry.begin;
  if (!bytes.holds(at, localLength) || bytes.u32(at) != localSignature)
    return "there is no local header at its offset";
  if (bytes.text(at + localLength, bytes.u16(at + 26)) != entry.name) return "names differ";
  const unsigned flags = bytes.u16(at + 6);
  if (flags != entry.flags) return "flags differ";
  if (bytes.u16(at + 8) != entry.method) return "compression methods differ";
  // Behind a data descriptor the local header may hold zeros.
  const auto agrees = [&](std::uint64_t field, std::uint64_t value) {
    const std::uint32_t local = bytes.u32(at + field);
    return local == value || ((flags & dataDescriptor) != 0 && local == 0);
  };
  if (!agrees(14, entry.crc)) return "checksums differ";
  if (!agrees(18, entry.packedSize) || !agrees(22, entry.size)) return "sizes differ";
  return {};
}

ZipEntry readEntry(const Bytes& bytes, std::uint64_t at) {
  if (bytes.u32(at) != centralSignature) throw ZipError("an entry of the directory is damaged");
  ZipEntry entry;
  entry.system = bytes.u16(at + 4) >> 8U;
  entry.versionNeeded = bytes.u16(at + 6) & 0xffU;
  entry.flags = bytes.u16(at + 8);
  entry.method = bytes.u16(at + 10);
  entry.crc = bytes.u32(at + 16);
  entry.packedSize = bytes.u32(at + 20);
  entry.size = bytes.u32(at + 24);
  entry.name = bytes.text(at + centralLength, bytes.u16(at + 28));
  entry.extraSize = bytes.u16(at + 30) + bytes.u16(at + 32);
  entry.attributes = bytes.u32(at + 38);
  entry.begin = bytes.u32(at + 42);
  return entry;
}

}  // namespace

ZipDirectory readZipDirectory(std::string_view text) {
  const Bytes bytes(text);
  const std::uint64_t end = findEnd(bytes);
  ZipDirectory directory;
  directory.commentSize = bytes.u16(end + 20);
  directory.trailing = bytes.size() - end - endLength - directory.commentSize;
  directory.split = bytes.u16(end + 4) != 0 || bytes.u16(end + 6) != 0;
  directory.begin = bytes.u32(end + 16);
  const std::size_t count = bytes.u16(end + 10);
  directory.zip64 =
      (end >= locatorLength && bytes.u32(end - locatorLength) == zip64LocatorSignature) ||
      count == 0xffff || directory.begin == 0xffffffff;
  if (directory.zip64 || directory.split) return directory;
  if (count > maxEntries) throw ZipError("the directory has too many entries");
  std::uint64_t at = directory.begin;
  for (std::size_t i = 0; i < count; ++i) {
    ZipEntry entry = readEntry(bytes, at);
    at += centralLength + entry.name.size() + entry.extraSize;
    if (at > end) throw ZipError("the directory reaches into the end record");
    entry.mismatch = differences(bytes, entry);
    entry.end = entry.begin + entry.packedSize + localLength;
    if (entry.mismatch.empty())
      entry.end += bytes.u16(entry.begin + 26) + bytes.u16(entry.begin + 28);
    directory.entries.push_back(std::move(entry));
  }
  if (at != end) throw ZipError("the directory and its end record do not meet");
  return directory;
}

}  // namespace trammel::fmi::check
