#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "packaging/check/finding.hpp"

namespace trammel::fmi::check {

/// Reports where the text is no well-formed XML. Pre: isSafeXml.
bool isWellFormed(const std::string& name, std::string_view text, FindingList& findings);

/// Reports where the text breaks the schema in this XSD file. Pre: isSafeXml and isWellFormed.
void checkSchema(const std::string& name, std::string_view text, const std::filesystem::path& xsd,
                 FindingList& findings);

}  // namespace trammel::fmi::check
