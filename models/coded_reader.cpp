#include "models/coded_file.hpp"
#include "models/model_reader.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

using Keys = std::initializer_list<std::string_view>;

std::span<const std::string_view> spanOf(const Keys& keys) { return {keys.begin(), keys.size()}; }

/// A start value, which is a number in the declared unit here.
Formula startOf(const TableReader& reader, std::string_view key, int line) {
  const Located<double> number = reader.optionalNumber(key).value_or(Located<double>{0, line});
  return {number.value, number.line};
}

CoordinateEntry readCoordinate(const std::string& source, const TomlValue::Entry& item) {
  const Keys keys{"unit", "start", "start_velocity", "nominal", "description"};
  const TableReader reader(source, "coordinate " + inQuotes(item.key), item.value, item.line,
                           spanOf(keys));
  CoordinateEntry entry;
  readNamedEntry(item, reader, entry);
  entry.start = startOf(reader, "start", item.line);
  entry.startVelocity = startOf(reader, "start_velocity", item.line);
  entry.nominal = reader.optionalPositiveNumber("nominal");
  return entry;
}

ConstraintEntry readConstraint(const std::string& source, const TomlValue::Entry& item) {
  const Keys keys{"unit", "description"};
  const TableReader reader(source, "constraint " + inQuotes(item.key), item.value, item.line,
                           spanOf(keys));
  ConstraintEntry entry;
  readNamedEntry(item, reader, entry);
  return entry;
}

OutputEntry readOutput(const std::string& source, const TomlValue::Entry& item) {
  const Keys keys{"unit", "nominal", "description"};
  const TableReader reader(source, "output " + inQuotes(item.key), item.value, item.line,
                           spanOf(keys));
  OutputEntry entry;
  readNamedEntry(item, reader, entry);
  entry.nominal = reader.optionalPositiveNumber("nominal");
  return entry;
}

}  // namespace

std::optional<CodedFile> parseCodedFile(std::string_view text, std::string source) {
  CodedFile file;
  const TomlValue document = startModelFile(text, std::move(source), file.common);
  const std::string& name = file.common.source;
  if (checkVersionAndKind(*document.table(), name) != "coded") return std::nullopt;
  const TableReader root(name, "", document, 1, codedKeys);
  readCommonParts(root, file.common);
  forEachItem(root, "outputs",
              [&](const auto& item) { file.common.outputs.push_back(readOutput(name, item)); });
  forEachItem(root, "coordinates",
              [&](const auto& item) { file.coordinates.push_back(readCoordinate(name, item)); });
  forEachItem(root, "constraints",
              [&](const auto& item) { file.constraints.push_back(readConstraint(name, item)); });
  if (file.coordinates.empty()) root.fail(1, "there are no [coordinates], expected at least one");
  return file;
}

std::optional<CodedFile> readCodedFile(const std::filesystem::path& path) {
  return parseCodedFile(readModelText(path), path.string());
}

}  // namespace trammel
