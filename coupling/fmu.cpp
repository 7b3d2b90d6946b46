#include "coupling/fmu.hpp"

#include <string>
#include <utility>
#include <vector>

#include "coupling/archive.hpp"
#include "coupling/fmu_error.hpp"

namespace trammel::coupling {
namespace {

namespace fs = std::filesystem;

/// Names of the folder of this machine's binaries: FMI 2.0.4 allows those of FMI 3 too.
std::vector<std::string> platformFolders(FmuVersion version) {
#if defined(__x86_64__)
  return version == FmuVersion::fmi2 ? std::vector<std::string>{"linux64", "x86_64-linux"}
                                     : std::vector<std::string>{"x86_64-linux"};
#elif defined(__aarch64__)
  (void)version;
  return {"aarch64-linux"};
#else
#error "no FMI platform name is known for this machine"
#endif
}

fs::path unpack(const fs::path& file, const fs::path& directory) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) throw FmuError(file.string() + ": no such file");
  unpackArchive(file, directory);
  fs::path xml = directory / "modelDescription.xml";
  if (!fs::is_regular_file(xml)) {
    throw FmuError(file.string() + ": modelDescription.xml is missing at the root of the zip");
  }
  return xml;
}

fs::path binary(const fs::path& file, const fs::path& directory,
                const FmuDescription& description) {
  const std::vector<std::string> folders = platformFolders(description.version);
  const std::string name = description.modelIdentifier + ".so";
  for (const std::string& folder : folders) {
    fs::path candidate = directory / "binaries" / folder / name;
    if (fs::is_regular_file(candidate)) return candidate;
  }
  throw FmuError(file.string() + ": no binary for this platform, expected binaries/" +
                 folders.front() + '/' + name);
}

}  // namespace

Fmu::Fmu(fs::path file)
    : file_(std::move(file)),
      description_(readFmuDescription(unpack(file_, directory_.path()), file_.string())),
      library_(binary(file_, directory_.path(), description_)) {}

}  // namespace trammel::coupling
