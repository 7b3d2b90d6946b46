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

/// `attempt` counts files that are there already: a killed process of the same number, as in
/// containers, may have left one.
fs::path temporaryPath(const fs::path& target, int attempt) {
  return target.parent_path() / ("." + target.filename().string() + "." + std::to_string(getpid()) +
                                 (attempt == 0 ? "" : "-" + std::to_string(attempt)) + ".part");
}

/// Where a link leads to, also through others; the path itself where it is none.
fs::path linkTarget(const fs::path& path) {
  constexpr int longestChain = 40;  // as for the kernel
  fs::path target = path;
  std::error_code error;
  for (int i = 0; fs::is_symlink(target, error); ++i) {
    if (i == longestChain) fail(path, std::strerror(ELOOP));
    const fs::path next = fs::read_symlink(target, error);
    if (error) fail(path, error.message());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target;
}

/// Whether bytes go into it, such as a device or a pipe, rather than in place of it.
bool isStream(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

/// A file that is removed at the end unless it was renamed.
class TemporaryFile final {
 public:
  explicit TemporaryFile(const fs::path& target) : target_(target) {
    constexpr int mostAttempts = 1000;
    for (int attempt = 0; attempt < mostAttempts && descriptor_ < 0; ++attempt) {
      path_ = temporaryPath(target, attempt);
      descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ < 0 && errno != EEXIST) break;
    }
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
  fs::path path_;
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

bool isStandardOutput(const std::string& name) {
  return name.empty() || name == "-" || name == "/dev/stdout";
}

void checkOutputFile(const fs::path& path) {
  std::error_code ignored;
  if (path.filename().empty() || fs::is_directory(path, ignored)) {
    fail(path, "it is a directory, expected a file name");
  }
  if (isStream(path)) {
    if (access(path.c_str(), W_OK) != 0) fail(path, std::strerror(errno));
    return;
  }
  const fs::path target = linkTarget(path);
  const fs::path directory = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(directory, ignored)) {
    fail(path, "the directory " + directory.string() + " does not exist");
  }
  if (access(directory.c_str(), W_OK) != 0) {
    fail(path, "the directory " + directory.string() + ": " + std::strerror(errno));
  }
  if (fs::exists(target, ignored) && access(target.c_str(), W_OK) != 0) {
    fail(path, std::string("it is protected: ") + std::strerror(errno));
  }
}

void writeOutputFile(const fs::path& path, std::string_view bytes,
                     const std::function<void(const fs::path&)>& check) {
  checkOutputFile(path);
  if (isStream(path)) {
    writeDirectly(path, bytes);
    return;
  }
  const BlockedSignals signals;
  TemporaryFile file(linkTarget(path));
  file.write(bytes);
  if (check) check(file.path());
  file.rename();
}

}  // namespace trammel::fmi
