#pragma once

#include <string>
#include <vector>

#include "coupling/archive.hpp"
#include "packaging/check/finding.hpp"
#include "packaging/check/zip_directory.hpp"

namespace trammel::fmi::check {

/// Rules of the zip file itself; false where unpacking it is refused.
bool checkZip(const ZipDirectory& directory, const coupling::ArchiveLimits& limits,
              FindingList& findings);

/// Rules of what lies where in an FMU: the root, documentation/, licenses, sources, icons.
/// `fmi3` and the names are those of the description; names of files are from the root.
void checkLayout(const std::vector<std::string>& files, bool fmi3, FindingList& findings);

bool isUtf8(std::string_view text);

}  // namespace trammel::fmi::check
