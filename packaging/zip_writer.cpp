#include "packaging/zip_writer.hpp"

#include <zip.h>

#include <algorithm>
#include <memory>

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

constexpr zip_uint16_t dosDate =
    (0 << 9) | (1 << 5) | 1;  // 1980-01-01: years since 1980, month, day
constexpr zip_uint16_t dosTime = 0;
constexpr zip_uint32_t regularFile = 0100644;
constexpr zip_uint32_t executableFile = 0100755;

[[noreturn]] void fail(const std::string& what) { throw Error("zip: " + what); }

void checkNames(const std::vector<ZipEntry>& sorted) {
  for (const ZipEntry& entry : sorted) {
    if (entry.name.empty() || entry.name.front() == '/' || entry.name.back() == '/' ||
        entry.name.find('\\') != std::string::npos) {
      fail("entry name \"" + entry.name + "\" is not a relative file name");
    }
  }
  const auto twice = std::adjacent_find(
      sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != sorted.end()) fail("entry name \"" + twice->name + "\" occurs twice");
}

void add(zip_t* zip, const ZipEntry& entry) {
  const auto check = [&](bool ok) {
    if (!ok) fail("entry \"" + entry.name + "\": " + zip_strerror(zip));
  };
  zip_source_t* source = zip_source_buffer(zip, entry.bytes.data(), entry.bytes.size(), 0);
  check(source != nullptr);
  const zip_int64_t added = zip_file_add(zip, entry.name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (added < 0) zip_source_free(source);
  check(added >= 0);
  const auto index = static_cast<zip_uint64_t>(added);
  const zip_uint32_t mode = entry.executable ? executableFile : regularFile;
  check(zip_set_file_compression(zip, index, ZIP_CM_DEFLATE, 9) == 0);
  check(zip_file_set_dostime(zip, index, dosTime, dosDate, 0) == 0);
  check(zip_file_set_external_attributes(zip, index, 0, ZIP_OPSYS_UNIX, mode << 16) == 0);
}

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

}  // namespace

std::string zipArchive(std::vector<ZipEntry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const ZipEntry& a, const ZipEntry& b) { return a.name < b.name; });
  checkNames(entries);
  zip_error_t error;
  zip_error_init(&error);
  const Source memory(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!memory) fail("out of memory");
  zip_source_keep(memory.get());  // one reference for us, one for the archive
  Zip zip(zip_open_from_source(memory.get(), ZIP_TRUNCATE, &error));
  if (!zip) {
    zip_source_free(memory.get());
    fail(zip_error_strerror(&error));
  }
  for (const ZipEntry& entry : entries) add(zip.get(), entry);
  if (zip_close(zip.get()) != 0) fail(zip_strerror(zip.get()));
  [[maybe_unused]] const zip_t* closed = zip.release();
  return content(memory.get());
}

void verifyZipArchive(const std::filesystem::path& path, const std::vector<ZipEntry>& entries) {
  int code = 0;
  const Zip zip(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  if (!zip) fail("the written file cannot be opened again, libzip error " + std::to_string(code));
  if (zip_get_num_entries(zip.get(), 0) != static_cast<zip_int64_t>(entries.size())) {
    fail("the written file has not " + std::to_string(entries.size()) + " entries");
  }
  for (const ZipEntry& entry : entries) {
    const std::unique_ptr<zip_file_t, CloseEntry> file(zip_fopen(zip.get(), entry.name.c_str(), 0));
    std::string bytes(entry.bytes.size() + 1, '\0');
    // Reading one byte more than expected makes libzip compare the checksum at the end.
    const zip_int64_t size = file ? zip_fread(file.get(), bytes.data(), bytes.size()) : -1;
    bytes.pop_back();
    if (size != static_cast<zip_int64_t>(bytes.size()) || bytes != entry.bytes) {
      fail("entry \"" + entry.name + "\" cannot be read back");
    }
  }
}

}  // namespace trammel::fmi
