#include "coupling/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "coupling/fmu_error.hpp"

namespace trammel::coupling {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory() {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "trammel-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) {
    throw FmuError("cannot create the temporary directory " + pattern + ": " +
                   (error ? error.message() : std::strerror(errno)));
  }
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, fs::path())) {}

}  // namespace trammel::coupling
