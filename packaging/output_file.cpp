#include "packaging/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "packaging/blocked_signals.hpp"
#include "packaging/errors.hpp"

namespace trammel::fmi {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw InputError(path.string() + ": cannot write: " + what);
}

std::string temporaryName(const fs::path& target) {
  std::string name(".");
  name += target.filename().string();
  name += "." + std::to_string(getpid()) + ".part";
  return name;
}

/// A file that is removed at the end unless it was renamed.
class TemporaryFile final {
 public:
  explicit TemporaryFile(const fs::path& target)
      : target_(target), path_(target.parent_path() / temporaryName(target)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(target_, std::strerror(errno));
  }

  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!renamed_) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(target_, std::strerror(errno));
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    const int closed = close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(target_, std::strerror(errno));
  }

  void rename() {
    if (std::rename(path_.c_str(), target_.c_str()) != 0) fail(target_, std::strerror(errno));
    renamed_ = true;
  }

  const fs::path& path() const { return path_; }

 private:
  const fs::path target_;
  const fs::path path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

void writeDirectly(const fs::path& path, std::string_view bytes) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, std::strerror(errno));
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  const int error = errno;
  close(descriptor);
  if (!bytes.empty()) fail(path, std::strerror(error));
}

}  // namespace

void checkOutputFile(const fs::path& path) {
  std::error_code ignored;
  if (path.filename().empty() || fs::is_directory(path, ignored)) {
    fail(path, "it is a directory, expected a file name");
  }
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(directory, ignored)) {
    fail(path, "the directory " + directory.string() + " does not exist");
  }
  if (access(directory.c_str(), W_OK) != 0) {
    fail(path, "the directory " + directory.string() + ": " + std::strerror(errno));
  }
}

void writeOutputFile(const fs::path& path, std::string_view bytes,
                     const std::function<void(const fs::path&)>& check) {
  checkOutputFile(path);
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    writeDirectly(path, bytes);
    return;
  }
  const BlockedSignals signals;
  TemporaryFile file(fs::is_symlink(path, ignored) ? fs::canonical(path) : path);
  file.write(bytes);
  if (check) check(file.path());
  file.rename();
}

}  // namespace trammel::fmi
