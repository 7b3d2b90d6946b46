#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/variable_table.hpp"

namespace trammel::fmi {

/// A variable of an FMU with what its description says about it, the same for FMI 2 and 3.
struct MemberVariable {
  std::string name, description;
  std::uint32_t valueReference = 0;
  Type type = Type::float64;  // an enumeration of FMI 2 is an integer
  Causality causality = Causality::local;
  Variability variability = Variability::continuous;
  std::size_t size = 1;  // number of elements
  bool isArray = false;
  std::vector<double> start;  // of numbers: one for each element; empty: none
  std::string startText;      // of strings
  /// unit, displayUnit, quantity, min, max, nominal, relativeQuantity, also those of its type.
  std::vector<std::pair<std::string, std::string>> attributes;
};

/// What a container takes over from the description of a member.
struct MemberXml {
  std::vector<MemberVariable> variables;  // those of types that a container has
  pugi::xml_document units;               // children: elements Unit
  bool onlyOncePerProcess = false;        // canBeInstantiatedOnlyOncePerProcess
};

/// Reads modelDescription.xml; variables of other types, constants and arrays of variable size are
/// left out. Throws InputError naming the file where it is no XML.
MemberXml readMemberXml(const std::filesystem::path& xml);

}  // namespace trammel::fmi
