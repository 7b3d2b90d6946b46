#pragma once

#include <array>
#include <string>
#include <string_view>

#include "models/model_file.hpp"
#include "models/table_reader.hpp"
#include "models/toml_document.hpp"

namespace trammel {

/// The keys at the top of a file with kind = "equations".
constexpr std::array<std::string_view, 13> equationsKeys{
    "trammel",    "kind",   "name",        "description", "parameters",  "inputs",     "outputs",
    "experiment", "solver", "definitions", "coordinates", "mass_matrix", "constraints"};

/// The keys at the top of a file with kind = "mechanism".
constexpr std::array<std::string_view, 19> mechanismKeys{
    "trammel",    "kind",   "name",     "description", "parameters", "inputs", "outputs",
    "experiment", "solver", "planar",   "gravity",     "length",     "bodies", "frames",
    "joints",     "forces", "measures", "constraints", "ports"};

/// Reads the tables that only kind = "mechanism" has.
MechanismPart readMechanismPart(const TableReader& root, const TomlValue& document);

/// The keys at the top of a file with kind = "linear".
constexpr std::array<std::string_view, 20> linearKeys{
    "trammel", "kind",    "name",       "description", "parameters",
    "inputs",  "outputs", "experiment", "solver",      "coordinates",
    "A",       "B",       "C",          "D",           "E",
    "H",       "r",       "d",          "start",       "start_velocity"};

/// Reads the matrices that only kind = "linear" has, as equations.
EquationsPart readLinearPart(const TableReader& root, const std::vector<InputEntry>& inputs);

/// Reads the tables that only kind = "equations" has.
EquationsPart readEquationsPart(const TableReader& root);

/// Name, unit and description of an entry. Throws where the name is no name or is reserved.
void readNamedEntry(const TomlValue::Entry& item, const TableReader& reader, NamedEntry& entry);
void checkName(const TomlValue::Entry& item, const std::string& source, const std::string& what);

/// Calls read(item) for each item of the table [section], if there is one.
template <class Read>
void forEachItem(const TableReader& root, std::string_view section, Read read) {
  const TomlValue::Entry* entry = root.find(section);
  if (entry == nullptr) return;
  if (entry->value.table() == nullptr) {
    root.fail(entry->line,
              "[" + std::string(section) + "] must be a table, is " + entry->value.typeName());
  }
  for (const TomlValue::Entry& item : *entry->value.table()) read(item);
}

}  // namespace trammel
