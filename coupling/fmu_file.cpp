#include <string>
#include <utility>

#include "coupling/archive.hpp"
#include "coupling/fmu.hpp"
#include "coupling/fmu_error.hpp"
#include "coupling/fmu_subsystem.hpp"

// FMUs as zip files: what needs zip and XML reading, and a container FMU does without.
namespace trammel::coupling {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

FmuDescription unpackFmu(const fs::path& file, const fs::path& directory) {
  return readFmuDescription(unpack(file, directory), file.string());
}

Fmu::Fmu(const fs::path& file) : Fmu(file, TemporaryDirectory()) {}

Fmu::Fmu(const fs::path& file, TemporaryDirectory temporary)
    : Fmu(file, temporary.path(), unpackFmu(file, temporary.path())) {
  temporary_.emplace(std::move(temporary));
}

FmuSubsystem::FmuSubsystem(std::string name, const fs::path& file, const FmuUse& use)
    : FmuSubsystem(std::move(name), std::make_unique<const Fmu>(file), use) {}

}  // namespace trammel::coupling
