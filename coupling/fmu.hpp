#pragma once

#include <filesystem>
#include <optional>

#include "coupling/fmu_description.hpp"
#include "coupling/shared_library.hpp"
#include "coupling/temporary_directory.hpp"

namespace trammel::coupling {

/// An FMU of any origin, unpacked, its description read and its binary for this platform loaded. It
/// must outlive its instances.
class Fmu final {
 public:
  /// A zip file, unpacked into a temporary directory. Throws FmuError naming the file and what is
  /// wrong with it.
  explicit Fmu(const std::filesystem::path& file);
  /// A directory that holds the FMU unpacked; `file` is its name in messages.
  Fmu(std::filesystem::path file, const std::filesystem::path& directory,
      FmuDescription description);

  const std::filesystem::path& file() const { return file_; }
  const FmuDescription& description() const { return description_; }
  const SharedLibrary& library() const { return library_; }
  /// The unpacked resources folder; it may not exist.
  std::filesystem::path resources() const { return directory_ / "resources"; }

 private:
  Fmu(const std::filesystem::path& file, TemporaryDirectory temporary);

  std::filesystem::path file_;
  std::optional<TemporaryDirectory> temporary_;  // goes after the library
  std::filesystem::path directory_;
  FmuDescription description_;
  SharedLibrary library_;
};

}  // namespace trammel::coupling
