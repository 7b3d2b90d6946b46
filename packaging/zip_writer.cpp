#include "packaging/zip_writer.hpp"

#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "solver/error.hpp"

namespace trammel::fmi {
namespace {

struct DiscardZip {
  void operator()(zip_t* zip) const { zip_discard(zip); }
};
struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
struct CloseEntry {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Zip = std::unique_ptr<zip_t, DiscardZip>;
using Source = std::unique_ptr<zip_source_t, FreeSource>;
using EntryFile = std::unique_ptr<zip_file_t, CloseEntry>;

constexpr zip_uint16_t dosDate =
    (0 << 9) | (1 << 5) | 1;  // 1980-01-01: years since 1980, month, day
constexpr zip_uint16_t dosTime = 0;
constexpr zip_uint32_t regularFile = 0100644;
constexpr zip_uint32_t executableFile = 0100755;

[[noreturn]] void fail(const std::string& what) { throw Error("zip: " + what); }

/// Null where the file is no zip.
Zip openZip(const std::filesystem::path& path, int flags) {
  int code = 0;
  return Zip(zip_open(path.c_str(), ZIP_RDONLY | flags, &code));
}

/// By name; throws where a name cannot be one.
std::vector<const ZipEntry*> sortedEntries(const std::vector<ZipEntry>& entries) {
  std::vector<const ZipEntry*> sorted;
  for (const ZipEntry& entry : entries) {
    if (entry.name.empty() || entry.name.front() == '/' || entry.name.back() == '/' ||
        entry.name.find('\\') != std::string::npos) {
      fail("entry name \"" + entry.name + "\" is not a relative file name");
    }
    sorted.push_back(&entry);
  }
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->name < b->name; });
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end(),
                                        [](auto* a, auto* b) { return a->name == b->name; });
  if (twice != sorted.end()) fail("entry name \"" + (*twice)->name + "\" occurs twice");
  return sorted;
}

/// Binaries are deflated once, when they are built: as small as can be. The rest is deflated at
/// every export: of the largest FMU of the catalogue level 6 would save 50 kB of 4 MB and take
/// five times as long.
constexpr zip_uint32_t highestLevel = 9;
constexpr zip_uint32_t usualLevel = 2;

/// An archive under construction, with the archives that it copies from.
class Archive {
 public:
  explicit Archive(zip_t* zip) : zip_(zip) {}

  void add(const ZipEntry& entry) {
    zip_source_t* source = sourceOf(entry);
    const auto check = [&](bool ok) {
      if (!ok) fail("entry \"" + entry.name + "\": " + zip_strerror(zip_.get()));
    };
    check(source != nullptr);
    const zip_int64_t added =
        zip_file_add(zip_.get(), entry.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (added < 0) zip_source_free(source);
    check(added >= 0);
    const auto index = static_cast<zip_uint64_t>(added);
    const zip_uint32_t mode = entry.executable ? executableFile : regularFile;
    const zip_uint32_t level = entry.executable ? highestLevel : usualLevel;
    check(zip_set_file_compression(zip_.get(), index, ZIP_CM_DEFLATE, level) == 0);
    check(zip_file_set_dostime(zip_.get(), index, dosTime, dosDate, 0) == 0);
    check(zip_file_set_external_attributes(zip_.get(), index, 0, ZIP_OPSYS_UNIX, mode << 16) == 0);
  }

  void close() {
    if (zip_close(zip_.get()) != 0) fail(zip_strerror(zip_.get()));
    [[maybe_unused]] const zip_t* closed = zip_.release();
  }

 private:
  zip_source_t* sourceOf(const ZipEntry& entry) {
    if (entry.packed.empty())
      return zip_source_buffer(zip_.get(), entry.bytes.data(), entry.bytes.size(), 0);
    packed_.push_back(openZip(entry.packed, 0));
    if (!packed_.back()) fail(entry.packed.string() + " cannot be read");
    return zip_source_zip(zip_.get(), packed_.back().get(), 0, ZIP_FL_COMPRESSED, 0, -1);
  }

  std::vector<Zip> packed_;  // outlive the archive
  Zip zip_;
};

std::string content(zip_source_t* source) {
  zip_stat_t stat;
  if (zip_source_stat(source, &stat) != 0 || zip_source_open(source) != 0) {
    fail("the finished archive cannot be read");
  }
  std::string bytes(stat.size, '\0');
  const zip_int64_t size = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (size != static_cast<zip_int64_t>(bytes.size())) fail("the finished archive is cut");
  return bytes;
}

using Chunk = std::array<char, std::size_t{1} << 16U>;  // large files are compared in pieces

/// The next bytes of an entry, fewer than a chunk at its end; none where it cannot be read.
std::optional<std::string_view> next(zip_file_t* file, Chunk& chunk) {
  std::size_t size = 0;
  while (size < chunk.size()) {
    const zip_int64_t count = zip_fread(file, chunk.data() + size, chunk.size() - size);
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  return std::string_view(chunk.data(), size);
}

/// Whether an entry can be read and has this content. It is read beyond the end, which makes libzip
/// compare the checksum.
bool hasContent(zip_file_t* file, std::string_view expected) {
  Chunk chunk;
  while (file != nullptr) {
    const std::optional<std::string_view> piece = next(file, chunk);
    if (!piece || !expected.starts_with(*piece)) return false;
    expected.remove_prefix(piece->size());
    if (piece->size() < chunk.size()) return expected.empty();
  }
  return false;
}

/// Whether two entries have the same deflated stream.
bool haveEqualStreams(zip_t* a, zip_uint64_t indexOfA, zip_t* b, zip_uint64_t indexOfB) {
  const EntryFile fileA(zip_fopen_index(a, indexOfA, ZIP_FL_COMPRESSED));
  const EntryFile fileB(zip_fopen_index(b, indexOfB, ZIP_FL_COMPRESSED));
  Chunk chunkA, chunkB;
  while (fileA && fileB) {
    const auto pieceA = next(fileA.get(), chunkA), pieceB = next(fileB.get(), chunkB);
    if (!pieceA || !pieceB || *pieceA != *pieceB) return false;
    if (pieceA->size() < chunkA.size()) return true;
  }
  return false;
}

/// Checksum of the content by the zip's own record.
zip_uint32_t recordedChecksum(zip_t* zip, zip_uint64_t index) {
  zip_stat_t stat;
  return zip_stat_index(zip, index, 0, &stat) == 0 ? stat.crc : 0;
}

/// As hasContent; a stream that was copied is compared as it is.
bool isWritten(zip_t* zip, const ZipEntry& entry) {
  const zip_int64_t index = zip_name_locate(zip, entry.name.c_str(), 0);
  if (index < 0) return false;
  const auto place = static_cast<zip_uint64_t>(index);
  if (entry.packed.empty())
    return hasContent(EntryFile(zip_fopen_index(zip, place, 0)).get(), entry.bytes);
  const Zip packed = openZip(entry.packed, 0);
  if (!packed || recordedChecksum(zip, place) != recordedChecksum(packed.get(), 0)) return false;
  return haveEqualStreams(zip, place, packed.get(), 0);
}

}  // namespace

std::string zipArchive(const std::vector<ZipEntry>& entries) {
  const std::vector<const ZipEntry*> sorted = sortedEntries(entries);
  zip_error_t error;
  zip_error_init(&error);
  const Source memory(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!memory) fail("out of memory");
  zip_source_keep(memory.get());  // one reference for us, one for the archive
  zip_t* zip = zip_open_from_source(memory.get(), ZIP_TRUNCATE, &error);
  if (zip == nullptr) {
    zip_source_free(memory.get());
    fail(zip_error_strerror(&error));
  }
  Archive archive(zip);
  for (const ZipEntry* entry : sorted) archive.add(*entry);
  archive.close();
  return content(memory.get());
}

void verifyZipArchive(const std::filesystem::path& path, const std::vector<ZipEntry>& entries) {
  const Zip zip = openZip(path, ZIP_CHECKCONS);
  if (!zip) fail("the written file cannot be opened again");
  if (zip_get_num_entries(zip.get(), 0) != static_cast<zip_int64_t>(entries.size())) {
    fail("the written file has not " + std::to_string(entries.size()) + " entries");
  }
  for (const ZipEntry& entry : entries) {
    if (!isWritten(zip.get(), entry)) fail("entry \"" + entry.name + "\" cannot be read back");
  }
}

bool isPackedForm(const std::filesystem::path& packed, const std::filesystem::path& file) {
  const Zip zip = openZip(packed, 0);
  zip_stat_t stat;
  if (!zip || zip_get_num_entries(zip.get(), 0) != 1 || zip_stat_index(zip.get(), 0, 0, &stat) != 0)
    return false;
  std::ifstream stream(file, std::ios::binary);
  Chunk chunk;
  std::uint64_t size = 0;
  uLong checksum = crc32_z(0, nullptr, 0);
  while (stream) {
    stream.read(chunk.data(), chunk.size());
    const auto count = static_cast<std::size_t>(stream.gcount());
    checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(chunk.data()), count);
    size += count;
  }
  return stream.eof() && stat.comp_method == ZIP_CM_DEFLATE && stat.size == size &&
         stat.crc == checksum;
}

std::string zipEntryContent(const std::filesystem::path& path, const std::string& name,
                            std::size_t limit) {
  const Zip zip = openZip(path, 0);
  zip_stat_t stat;
  if (!zip || zip_stat(zip.get(), name.c_str(), 0, &stat) != 0 || stat.size > limit) return "";
  const EntryFile file(zip_fopen(zip.get(), name.c_str(), 0));
  std::string bytes(stat.size, '\0');
  const zip_int64_t size = file ? zip_fread(file.get(), bytes.data(), bytes.size()) : -1;
  return size == static_cast<zip_int64_t>(bytes.size()) ? bytes : "";
}

}  // namespace trammel::fmi
