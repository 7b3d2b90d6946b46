#pragma once

#include <filesystem>

#include "coupling/fmu_description.hpp"
#include "coupling/shared_library.hpp"
#include "coupling/temporary_directory.hpp"

namespace trammel::coupling {

/// An FMU of any origin, unpacked into a temporary directory, its description read and its binary
/// for this platform loaded. It must outlive its instances.
class Fmu final {
 public:
  /// Throws FmuError naming the file and what is wrong with it.
  explicit Fmu(std::filesystem::path file);

  const std::filesystem::path& file() const { return file_; }
  const FmuDescription& description() const { return description_; }
  const SharedLibrary& library() const { return library_; }
  /// The unpacked resources folder; it may not exist.
  std::filesystem::path resources() const { return directory_.path() / "resources"; }

 private:
  std::filesystem::path file_;
  TemporaryDirectory directory_;
  FmuDescription description_;
  SharedLibrary library_;
};

}  // namespace trammel::coupling
