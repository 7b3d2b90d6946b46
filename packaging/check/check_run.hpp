#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "packaging/check/check_fmu.hpp"
#include "packaging/check/description.hpp"

namespace trammel::fmi::check {

/// Loads the binary of each interface for this machine in a child process and calls it. A crash, an
/// exit or an endless loop of the FMU is a finding.
void checkRun(const Description& description, const std::filesystem::path& directory,
              const std::set<std::string>& files, const CheckOptions& options,
              FindingList& findings);

}  // namespace trammel::fmi::check
