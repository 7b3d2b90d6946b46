#include "models/structure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "models/model_reader.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

constexpr double mostElements = 1000;  // where the file gives no max
constexpr double largestMax = 10000;   // variables of a model are kept in memory one by one

Located<double> wholeNumber(const TableReader& reader, std::string_view key, Located<double> value,
                            double least) {
  if (value.value < least || value.value > largestMax || value.value != std::floor(value.value))
    reader.fail(value.line, std::string(key) + " must be a whole number from " + numberText(least) +
                                " to " + numberText(largestMax) + ", is " +
                                numberText(value.value));
  return value;
}

StructureEntry readEntry(const std::string& source, const TomlValue::Entry& item) {
  constexpr std::array<std::string_view, 4> keys{"value", "min", "max", "description"};
  const TableReader reader(source, "structure " + inQuotes(item.key), item.value, item.line, keys);
  StructureEntry entry;
  checkName(item, source, reader.what());
  entry.name = item.key;
  entry.line = item.line;
  entry.description = reader.description();
  entry.min = wholeNumber(reader, "min",
                          reader.optionalNumber("min").value_or(Located<double>{1, item.line}), 1);
  entry.max = wholeNumber(reader, "max",
                          reader.optionalNumber("max").value_or(
                              Located<double>{std::max(mostElements, entry.min.value), item.line}),
                          entry.min.value);
  entry.value = wholeNumber(reader, "value", reader.number("value"), entry.min.value);
  if (entry.value.value > entry.max.value)
    reader.fail(entry.value.line, "value must be <= max = " + numberText(entry.max.value) +
                                      ", is " + numberText(entry.value.value));
  return entry;
}

/// Replaces entries with a count by their elements.
template <class Entry>
void expand(const ModelFile& file, std::vector<Entry>& entries, const char* word) {
  std::vector<Entry> all;
  for (Entry& entry : entries) {
    if (!entry.count) {
      all.push_back(std::move(entry));
      continue;
    }
    const auto found =
        std::find_if(file.structure.begin(), file.structure.end(),
                     [&](const StructureEntry& s) { return s.name == entry.count->value; });
    if (found == file.structure.end())
      throw ModelError(file.source, entry.count->line,
                       std::string(word) + " " + inQuotes(entry.name) + ": count is " +
                           inQuotes(entry.count->value) +
                           ", expected the name of an entry of [structure]");
    const auto count = static_cast<std::size_t>(found->value.value);
    for (std::size_t k = 1; k <= count; ++k) {
      Entry element = entry;
      element.element = k;
      element.name += "[" + std::to_string(k) + "]";
      all.push_back(std::move(element));
    }
  }
  entries = std::move(all);
}

}  // namespace

std::vector<StructureEntry> readStructure(const TableReader& root) {
  std::vector<StructureEntry> entries;
  forEachItem(root, "structure",
              [&](const auto& item) { entries.push_back(readEntry(root.source(), item)); });
  return entries;
}

void applyStructure(ModelFile& file, std::span<const std::uint64_t> values) {
  if (values.size() != file.structure.size())
    throw Error("structural parameters: got " + std::to_string(values.size()) +
                " values, expected " + std::to_string(file.structure.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    StructureEntry& entry = file.structure[i];
    const auto value = static_cast<double>(values[i]);
    if (value < entry.min.value || value > entry.max.value)
      throw Error("structural parameter " + inQuotes(entry.name) + ": value must be in [" +
                  numberText(entry.min.value) + ", " + numberText(entry.max.value) + "], is " +
                  std::to_string(values[i]));
    entry.value.value = value;
  }
  expand(file, file.outputs, "output");
  if (auto* equations = std::get_if<EquationsPart>(&file.part)) {
    expand(file, equations->coordinates, "coordinate");
    expand(file, equations->constraints, "constraint");
  }
}

std::vector<std::uint64_t> defaultStructure(const ModelFile& file) {
  std::vector<std::uint64_t> values;
  for (const StructureEntry& entry : file.structure)
    values.push_back(static_cast<std::uint64_t>(entry.value.value));
  return values;
}

std::string baseName(const NamedEntry& entry) {
  return entry.element == 0 ? entry.name : entry.name.substr(0, entry.name.find('['));
}

std::string elementText(const NamedEntry& entry) {
  return entry.element == 0 ? "" : "[" + std::to_string(entry.element) + "]";
}

}  // namespace trammel
