#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "coupling/archive.hpp"
#include "packaging/check/finding.hpp"

namespace trammel::fmi::check {

struct CheckOptions {
  std::filesystem::path schemas;         // folder with fmi2/ and fmi3/, empty: none
  std::vector<std::string> hostFolders;  // below binaries/ that this machine can load
  bool load = true;                      // call the binary in a child process
  std::chrono::seconds timeout{60};      // for each interface that is called
  coupling::ArchiveLimits limits;
  /// Called now and then while the FMU runs; what it throws ends the check.
  std::function<void()> whileWaiting = [] {};
};

/// Checks an FMU of any origin against all rules(). What is in the file never makes it throw; a
/// file that cannot be read does, with Error.
FindingList checkFmu(const std::filesystem::path& fmu, const CheckOptions& options);

}  // namespace trammel::fmi::check
