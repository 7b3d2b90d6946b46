#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "packaging/check/description.hpp"
#include "packaging/check/finding.hpp"

namespace trammel::fmi::check {

/// Folders and files below binaries/: names, architectures, exported functions, needed libraries.
/// `directory` holds the unpacked FMU, `files` the names in it.
void checkBinaries(const Description& description, const std::filesystem::path& directory,
                   const std::set<std::string>& files, FindingList& findings);

}  // namespace trammel::fmi::check
