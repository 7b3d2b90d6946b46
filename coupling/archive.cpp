#include "coupling/archive.hpp"

#include <sys/stat.h>
#include <zip.h>

#include <array>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <system_error>

#include "coupling/fmu_error.hpp"

namespace trammel::coupling {
namespace {

namespace fs = std::filesystem;

struct DiscardZip {
  void operator()(zip_t* zip) const { zip_discard(zip); }
};
struct CloseEntry {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

/// Reads one archive entry after the other and writes it below the directory.
class Unpacker {
 public:
  Unpacker(const fs::path& archive, const fs::path& directory, const ArchiveLimits& limits)
      : archive_(archive), directory_(directory), limits_(limits) {
    int code = 0;
    zip_.reset(zip_open(archive.c_str(), ZIP_RDONLY, &code));
    if (zip_) {
      std::error_code error;
      const std::uintmax_t size = fs::file_size(archive, error);
      if (!error) packedSize_ = size;
      return;
    }
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    fail("not a readable zip file: " + reason);
  }

  void unpackAll() {
    const zip_int64_t count = zip_get_num_entries(zip_.get(), 0);
    if (count > limits_.maxEntries) {
      fail("zip has too many entries, got " + std::to_string(count) + ", expected at most " +
           std::to_string(limits_.maxEntries));
    }
    for (zip_int64_t i = 0; i < count; ++i) unpack(static_cast<zip_uint64_t>(i));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FmuError(archive_.string() + ": " + what);
  }

  [[noreturn]] void failEntry(const std::string& name, const std::string& what) const {
    fail("zip entry \"" + name + "\" " + what);
  }

  void unpack(zip_uint64_t index) {
    zip_stat_t stat;
    if (zip_stat_index(zip_.get(), index, 0, &stat) != 0 || (stat.valid & ZIP_STAT_NAME) == 0) {
      fail("zip entry " + std::to_string(index) + " cannot be read");
    }
    std::string name = stat.name;
    checkName(name);
    if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE) {
      failEntry(name, "is encrypted, expected plain content");
    }
    const unsigned mode = unixMode(index);
    checkMode(name, mode);
    const bool isDirectory = name.back() == '/';
    if (isDirectory) name.pop_back();
    if (!names_.insert(name).second) failEntry(name, "occurs twice, expected unique names");
    isDirectory ? makeDirectory(name, directory_ / name) : writeFile(name, index, mode);
  }

  void checkName(const std::string& name) const {
    if (name.empty() || name == "/" || name.size() > 1024) {
      failEntry(name.substr(0, 80), "has an unusable name, expected 1 to 1024 characters");
    }
    if (name.find('\\') != std::string::npos) failEntry(name, "has a backslash, expected '/'");
    if (name.front() == '/' || (name.size() > 1 && name[1] == ':')) {
      failEntry(name, "has an absolute name, expected a relative one");
    }
    for (std::size_t begin = 0; begin < name.size();) {
      const std::size_t end = std::min(name.find('/', begin), name.size());
      const std::string part = name.substr(begin, end - begin);
      if (part == "..") failEntry(name, "leaves the directory by \"..\"");
      if (part.empty() || part == ".") failEntry(name, "has an empty part or \".\" in its name");
      begin = end + 1;
    }
  }

  /// File type and permission bits where the entry was made on Unix, 0 otherwise.
  unsigned unixMode(zip_uint64_t index) const {
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    if (zip_file_get_external_attributes(zip_.get(), index, 0, &system, &attributes) != 0) return 0;
    return system == ZIP_OPSYS_UNIX || system == ZIP_OPSYS_OS_X ? attributes >> 16 : 0;
  }

  void checkMode(const std::string& name, unsigned mode) const {
    const unsigned type = mode & S_IFMT;
    if (type == S_IFLNK) failEntry(name, "is a symbolic link, expected a file or directory");
    if (type != 0 && type != S_IFREG && type != S_IFDIR) failEntry(name, "is a special file");
  }

  void makeDirectory(const std::string& name, const fs::path& path) const {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) failEntry(name, "cannot be unpacked: " + error.message());
  }

  void writeFile(const std::string& name, zip_uint64_t index, unsigned mode) {
    const fs::path path = directory_ / name;
    makeDirectory(name, path.parent_path());
    const std::unique_ptr<zip_file_t, CloseEntry> entry(zip_fopen_index(zip_.get(), index, 0));
    if (!entry) failEntry(name, std::string("cannot be read: ") + zip_strerror(zip_.get()));
    std::ofstream file(path, std::ios::binary);
    std::array<char, 65536> buffer;
    zip_int64_t size = 0;
    // The sizes in the headers are not trusted: what really comes out is counted.
    while ((size = zip_fread(entry.get(), buffer.data(), buffer.size())) > 0) {
      totalSize_ += static_cast<std::uint64_t>(size);
      if (totalSize_ > limits_.maxTotalSize) {
        fail("zip unpacks to more than " + std::to_string(limits_.maxTotalSize) + " bytes");
      }
      if (totalSize_ > limits_.freeSize && totalSize_ / limits_.maxRatio > packedSize_) {
        fail("zip unpacks to more than " + std::to_string(limits_.maxRatio) + " times its size");
      }
      file.write(buffer.data(), static_cast<std::streamsize>(size));
    }
    if (size < 0) failEntry(name, std::string("is damaged: ") + zip_file_strerror(entry.get()));
    file.close();
    if (!file) failEntry(name, "cannot be written to " + path.string());
    if ((mode & S_IXUSR) != 0) fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add);
  }

  const fs::path& archive_;
  const fs::path& directory_;
  const ArchiveLimits limits_;
  std::unique_ptr<zip_t, DiscardZip> zip_;
  std::set<std::string> names_;
  std::uint64_t totalSize_ = 0;   // [byte]
  std::uint64_t packedSize_ = 0;  // [byte], of the whole archive
};

}  // namespace

void unpackArchive(const fs::path& archive, const fs::path& directory,
                   const ArchiveLimits& limits) {
  Unpacker(archive, directory, limits).unpackAll();
}

}  // namespace trammel::coupling
