#include "coupling/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "coupling/fmu_error.hpp"

namespace trammel::coupling {

namespace fs = std::filesystem;

#ifdef _WIN32

// The folder for temporary files is the user's own there.
TemporaryDirectory::TemporaryDirectory() {
  std::random_device random;
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  for (int attempt = 0; attempt < 100 && path_.empty() && !error; ++attempt) {
    const fs::path candidate = parent / ("trammel-" + std::to_string(random()));
    if (fs::create_directory(candidate, error)) path_ = candidate;
  }
  if (path_.empty()) throw FmuError("cannot create a temporary directory: " + error.message());
}

#else

TemporaryDirectory::TemporaryDirectory() {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "trammel-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) {
    throw FmuError("cannot create the temporary directory " + pattern + ": " +
                   (error ? error.message() : std::strerror(errno)));
  }
  path_ = pattern;
}

#endif

TemporaryDirectory::~TemporaryDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, fs::path())) {}

}  // namespace trammel::coupling
