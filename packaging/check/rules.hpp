#pragma once

#include <span>
#include <string_view>

#include "packaging/check/finding.hpp"

namespace trammel::fmi::check {

/// One rule that an FMU is checked against; docs/check.md lists all of them.
struct Rule {
  std::string_view id;
  Severity severity;
  std::string_view sentence;  // what a sound FMU does
  std::string_view source;    // chapter of the standard, or why it matters
};

std::span<const Rule> rules();

/// Throws Error where there is no such rule.
const Rule& ruleOf(std::string_view id);

}  // namespace trammel::fmi::check
