#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "packaging/check/description.hpp"
#include "packaging/check/finding.hpp"

namespace trammel::fmi::check {

/// Attributes of the root, interfaces, default experiment, log categories, annotations.
void checkHeader(const Description& description, FindingList& findings);
/// Units, display units and type definitions.
void checkUnits(const Description& description, FindingList& findings);
/// Names, value references, causality, variability, initial, start, ranges.
void checkVariables(const Description& description, FindingList& findings);
/// Derivatives, arrays, clocks, aliases: what variables say of one another.
void checkLinks(const Description& description, FindingList& findings);
/// ModelStructure.
void checkStructure(const Description& description, FindingList& findings);
/// terminalsAndIcons.xml; names of files are those in the FMU.
void checkTerminals(const XmlFile& xml, const Description& description,
                    const std::set<std::string>& files, FindingList& findings);
/// Source files that the description or buildDescription.xml (null: none) lists.
void checkSources(const Description& description, const XmlFile* build,
                  const std::set<std::string>& files, FindingList& findings);

bool isIdentifier(std::string_view text);      // of C
bool isStructuredName(std::string_view text);  // naming convention "structured"

}  // namespace trammel::fmi::check
