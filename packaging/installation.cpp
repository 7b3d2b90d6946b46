#include "packaging/installation.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "solver/error.hpp"

namespace trammel::fmi {

namespace fs = std::filesystem;

const std::string& Platform::folder(FmiVersion version) const {
  return version == FmiVersion::fmi2 ? fmi2Folder : tuple;
}

Platform hostPlatform() {
#if defined(__x86_64__)
  return {"x86_64-linux", "linux64", ".so"};
#elif defined(__aarch64__)
  return {"aarch64-linux", "aarch64-linux", ".so"};
#else
#error "no FMI platform name is known for this machine"
#endif
}

Installation Installation::ofThisProgram() {
  return Installation(fs::read_symlink("/proc/self/exe").parent_path());
}

Installation::Installation(fs::path executableDirectory)
    : directory_(std::move(executableDirectory)) {}

fs::path Installation::runtimeBinary(const Platform& platform) const {
  const fs::path file = fs::path("platforms") / platform.tuple / ("trammel" + platform.suffix);
  const std::array<fs::path, 2> places{directory_ / file,
                                       directory_.parent_path() / "lib" / "trammel" / file};
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place)) return place;
  }
  throw Error("the runtime binary for " + platform.tuple + " is missing, looked for " +
              places[0].string() + " and " + places[1].string());
}

fs::path Installation::catalogue() const {
  const std::array<fs::path, 2> places{
      directory_ / "catalogue", directory_.parent_path() / "share" / "trammel" / "catalogue"};
  for (const fs::path& place : places) {
    if (fs::is_directory(place)) return place;
  }
  return {};
}

fs::path Installation::catalogueModel(const std::string& name) const {
  const std::vector<std::string> names = catalogueNames();
  if (std::find(names.begin(), names.end(), name) == names.end()) return {};
  return catalogue() / (name + ".toml");
}

std::vector<std::string> Installation::catalogueNames() const {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(catalogue(), ignored)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace trammel::fmi
