#include "coupling/fmu.hpp"

#include <string>
#include <utility>
#include <vector>

#include "coupling/fmu_error.hpp"

namespace trammel::coupling {
namespace {

namespace fs = std::filesystem;

/// Where the binaries of this machine lie and how their names end.
struct BinaryPlace {
  const char* fmi2Folder;
  const char* tuple;  // FMI 3; FMI 2.0.4 allows it too
  const char* suffix;
};

#if defined(_WIN32) && defined(__x86_64__)
constexpr BinaryPlace here{"win64", "x86_64-windows", ".dll"};
#elif defined(__linux__) && defined(__x86_64__)
constexpr BinaryPlace here{"linux64", "x86_64-linux", ".so"};
#elif defined(__linux__) && defined(__aarch64__)
constexpr BinaryPlace here{"aarch64-linux", "aarch64-linux", ".so"};
#else
#error "no FMI platform name is known for this machine"
#endif

fs::path binary(const fs::path& file, const fs::path& directory,
                const FmuDescription& description) {
  std::vector<std::string> folders{here.tuple};
  if (description.version == FmuVersion::fmi2) folders.insert(folders.begin(), here.fmi2Folder);
  const std::string name = description.modelIdentifier + here.suffix;
  for (const std::string& folder : folders) {
    fs::path candidate = directory / "binaries" / folder / name;
    if (fs::is_regular_file(candidate)) return candidate;
  }
  throw FmuError(file.string() + ": no binary for this platform, expected binaries/" +
                 folders.front() + '/' + name);
}

}  // namespace

Fmu::Fmu(fs::path file, const fs::path& directory, FmuDescription description)
    : file_(std::move(file)),
      directory_(directory),
      description_(std::move(description)),
      library_(binary(file_, directory_, description_)) {}

}  // namespace trammel::coupling
