#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "models/model_file.hpp"
#include "models/table_reader.hpp"
#include "models/toml_document.hpp"

namespace trammel {

/// The keys at the top of a file with kind = "equations".
constexpr std::array<std::string_view, 14> equationsKeys{
    "trammel",     "kind",        "name",        "description", "parameters",
    "inputs",      "outputs",     "experiment",  "solver",      "definitions",
    "coordinates", "mass_matrix", "constraints", "structure"};

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

/// The keys at the top of a file with kind = "coded".
constexpr std::array<std::string_view, 11> codedKeys{
    "trammel", "kind",       "name",   "description", "parameters", "inputs",
    "outputs", "experiment", "solver", "coordinates", "constraints"};

/// The text of a model file. Throws ModelError where it cannot be read.
std::string readModelText(const std::filesystem::path& path);
/// Sets source and text and parses them.
TomlValue startModelFile(std::string_view text, std::string source, ModelFile& file);
/// The kind of the model. Version of the format and kind come first: with a wrong one every other
/// message would mislead.
std::string checkVersionAndKind(const TomlValue::Table& root, const std::string& source);
/// What all kinds have: title, parameters, inputs, experiment, solver.
void readCommonParts(const TableReader& root, ModelFile& file);

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
