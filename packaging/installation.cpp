#include "packaging/installation.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "solver/error.hpp"

namespace trammel::fmi {

namespace fs = std::filesystem;

const std::string& Platform::folder(FmiVersion version) const {
  return version == FmiVersion::fmi2 ? fmi2Folder : tuple;
}

namespace {

// FMI 2 names the folders of few machines; since 2.0.4 it takes the tuples of FMI 3 for the others.
const Platform x86Linux{"x86_64-linux", "linux64", ".so"};
const Platform x86Windows{"x86_64-windows", "win64", ".dll"};
const Platform armLinux{"aarch64-linux", "aarch64-linux", ".so"};

}  // namespace

Platform hostPlatform() {
#if defined(__x86_64__)
  return x86Linux;
#elif defined(__aarch64__)
  return armLinux;
#else
#error "no FMI platform name is known for this machine"
#endif
}

std::vector<Platform> knownPlatforms() { return {x86Linux, x86Windows, armLinux}; }

Installation Installation::ofThisProgram() {
  std::error_code missing;
  fs::path program = fs::read_symlink("/proc/self/exe", missing);
  if (missing) {  // /proc is not there, as in a bare chroot: the name that the kernel was given
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives the address as a number
    const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    if (name == nullptr) throw Error("the place of the program is not known, /proc is missing");
    program = fs::canonical(name);
  }
  return Installation(program.parent_path());
}

Installation::Installation(fs::path executableDirectory)
    : directory_(std::move(executableDirectory)) {}

std::array<fs::path, 2> Installation::runtimePlaces(const Platform& platform) const {
  const fs::path file = fs::path("platforms") / platform.tuple / ("trammel" + platform.suffix);
  return {directory_ / file, directory_.parent_path() / "lib" / "trammel" / file};
}

bool Installation::hasRuntimeBinary(const Platform& platform) const {
  const std::array<fs::path, 2> places = runtimePlaces(platform);
  return std::any_of(places.begin(), places.end(),
                     [](const fs::path& place) { return fs::is_regular_file(place); });
}

fs::path Installation::runtimeBinary(const Platform& platform) const {
  const std::array<fs::path, 2> places = runtimePlaces(platform);
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

fs::path Installation::schemas() const {
  const std::array<fs::path, 2> places{directory_ / "schemas",
                                       directory_.parent_path() / "share" / "trammel" / "schemas"};
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
