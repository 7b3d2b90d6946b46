#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/model_file.hpp"
#include "models/table_reader.hpp"

namespace trammel {

/// The entries of the table [structure].
std::vector<StructureEntry> readStructure(const TableReader& root);

/// Gives the structural parameters these values, in the order of the file, and replaces every entry
/// with a count by its elements NAME[1], NAME[2], … Throws Error where a value is out of its
/// bounds.
void applyStructure(ModelFile& file, std::span<const std::uint64_t> values);

/// The values that the file gives to its structural parameters.
std::vector<std::uint64_t> defaultStructure(const ModelFile& file);

/// "link" of "link[3]".
std::string baseName(const NamedEntry& entry);
/// "[3]" of an element, nothing of a single entry.
std::string elementText(const NamedEntry& entry);

}  // namespace trammel
