#pragma once

#include <string>

#include "packaging/check/finding.hpp"

namespace trammel::fmi::check {

/// One line for each finding and one with their number; `file` is the name of the FMU.
std::string findingsText(const std::string& file, const FindingList& findings);
std::string findingsJson(const std::string& file, const FindingList& findings);

/// All rules, as the lines of a table in docs/check.md.
std::string rulesText();
std::string rulesJson();

}  // namespace trammel::fmi::check
