#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "modelDescription/model_description.hpp"

namespace trammel::fmi {

/// A machine that FMUs run on.
struct Platform {
  std::string tuple;       // folder of binaries in FMI 3, e.g. "x86_64-linux"
  std::string fmi2Folder;  // folder of binaries in FMI 2, e.g. "linux64"
  std::string suffix;      // of the binary, e.g. ".so"

  const std::string& folder(FmiVersion version) const;
};

/// The platform that this program was built for.
Platform hostPlatform();

/// All platforms that FMUs can be exported for, the host among them.
std::vector<Platform> knownPlatforms();

/// Where the program's own files are, found from its executable: in the build tree beside it,
/// installed under lib/ and share/.
class Installation final {
 public:
  static Installation ofThisProgram();
  explicit Installation(std::filesystem::path executableDirectory);

  /// Throws Error naming the places where the runtime binary was looked for.
  std::filesystem::path runtimeBinary(const Platform& platform) const;
  bool hasRuntimeBinary(const Platform& platform) const;
  /// Empty where there is no such model in the catalogue.
  std::filesystem::path catalogueModel(const std::string& name) const;
  std::vector<std::string> catalogueNames() const;  // sorted
  /// Folder with the schemas of FMI in fmi2/ and fmi3/; empty where they are not installed.
  std::filesystem::path schemas() const;

 private:
  std::filesystem::path catalogue() const;  // empty: none
  std::array<std::filesystem::path, 2> runtimePlaces(const Platform& platform) const;

  std::filesystem::path directory_;
};

}  // namespace trammel::fmi
