#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "models/compiled_model.hpp"
#include "models/model_file.hpp"
#include "solver/error.hpp"

namespace trammel::fmi::test {

/// The runtime binary as it was built.
inline std::filesystem::path builtBinary() { return TRAMMEL_FMU_BINARY; }

inline std::filesystem::path cataloguePath(const std::string& name) {
  return std::filesystem::path(TRAMMEL_SOURCE_DIR) / "models" / "catalogue" / (name + ".toml");
}

inline std::string readText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// An FMU as an importer unpacks it, in a temporary folder that goes with the object.
class FmuFolder {
 public:
  explicit FmuFolder(const std::string& modelText, const std::string& folderName = "fmu")
      : root_(makeRoot()),
        folder_(root_ / folderName),
        token_(compile(parseModel(modelText, "model.toml")).token()) {
    const auto platform = builtBinary().parent_path().filename();
    std::filesystem::create_directories(folder_ / "binaries" / platform);
    std::filesystem::create_directories(folder_ / "resources");
    binary_ = folder_ / "binaries" / platform / builtBinary().filename();
    std::filesystem::copy_file(builtBinary(), binary_);
    std::ofstream(resources() / "model.toml", std::ios::binary) << modelText;
  }
  FmuFolder(const FmuFolder&) = delete;
  FmuFolder& operator=(const FmuFolder&) = delete;
  ~FmuFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  const std::filesystem::path& binary() const { return binary_; }
  std::filesystem::path resources() const { return folder_ / "resources"; }
  const std::string& token() const { return token_; }

 private:
  static std::filesystem::path makeRoot() {
    std::string pattern = (std::filesystem::temp_directory_path() / "trammel-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw Error("no temporary folder " + pattern);
    return pattern;
  }

  std::filesystem::path root_, folder_, binary_;
  std::string token_;
};

}  // namespace trammel::fmi::test
