#include "models/model_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>

#include "models/expression_parser.hpp"
#include "models/model_reader.hpp"
#include "models/structure.hpp"
#include "models/text.hpp"
#include "models/units.hpp"

namespace trammel {
namespace {

constexpr std::size_t largestFile = std::size_t{64} << 20U;  // bytes
constexpr std::size_t longestTitle = 200;                    // bytes of the model's name
constexpr std::size_t longestName = 200;  // bytes of the name of a parameter, coordinate …

using Keys = std::initializer_list<std::string_view>;

std::span<const std::string_view> spanOf(const Keys& keys) { return {keys.begin(), keys.size()}; }

std::string boundedBy(const char* relation, double bound) { return relation + numberText(bound); }

/// min <= value <= max for whatever of them is given.
void checkBounds(const TableReader& reader, std::string_view key, const Located<double>& value,
                 const std::optional<Located<double>>& min,
                 const std::optional<Located<double>>& max) {
  if (min && max && min->value > max->value) {
    reader.fail(max->line, "max must be >= min = " + numberText(min->value) + ", is " +
                               numberText(max->value));
  }
  const std::string subject = std::string(key) + " must be ";
  if (min && value.value < min->value) {
    reader.fail(value.line,
                subject + boundedBy(">= ", min->value) + ", is " + numberText(value.value));
  }
  if (max && value.value > max->value) {
    reader.fail(value.line,
                subject + boundedBy("<= ", max->value) + ", is " + numberText(value.value));
  }
}

/// Values of an entry that has the key `type`: "real" (without the key), "float32", "integer" or
/// "boolean".
class TypedReader {
 public:
  TypedReader(const TableReader& reader, const NamedEntry& entry) : reader_(reader) {
    if (const auto word = reader.optionalText("type")) type_ = typeOf(*word);
    if (entry.unit && isDiscrete(type_))
      reader.fail(entry.unit->line, "unit is only for real values");
  }

  Type type() const { return type_; }

  std::string expected() const {
    if (type_ == Type::boolean) return "true or false";
    return type_ == Type::int32 ? "a whole number" : "a number";
  }

  /// A Boolean is 0 or 1.
  std::optional<Located<double>> value(std::string_view key) const {
    if (type_ == Type::boolean) {
      const auto flag = reader_.optionalFlag(key);
      if (!flag) return std::nullopt;
      return Located<double>{flag->value ? 1.0 : 0.0, flag->line};
    }
    const auto number = reader_.optionalNumber(key);
    if (number && type_ != Type::float64) checkRange(key, *number);
    return number;
  }

  std::optional<Located<double>> bound(std::string_view key) const {
    if (type_ == Type::boolean && reader_.find(key) != nullptr)
      reader_.fail(reader_.find(key)->line, std::string(key) + " is only for numbers");
    return value(key);
  }

 private:
  Type typeOf(const Located<std::string>& word) const {
    if (word.value == "real") return Type::float64;
    if (word.value == "float32") return Type::float32;
    if (word.value == "integer") return Type::int32;
    if (word.value == "boolean") return Type::boolean;
    reader_.fail(word.line,
                 "type must be one of real, float32, integer, boolean, is " + inQuotes(word.value));
  }

  void checkRange(std::string_view key, const Located<double>& number) const {
    const bool whole = type_ == Type::int32;
    const double largest = whole ? std::numeric_limits<std::int32_t>::max()
                                 : static_cast<double>(std::numeric_limits<float>::max());
    if (std::abs(number.value) <= largest && (!whole || number.value == std::trunc(number.value)))
      return;
    reader_.fail(number.line, std::string(key) + " must be a " + (whole ? "whole " : "") +
                                  "number of 32 bits, is " + numberText(number.value));
  }

  const TableReader& reader_;
  Type type_ = Type::float64;
};

ParameterEntry readParameter(const std::string& source, const TomlValue::Entry& item) {
  const std::string what = "parameter " + inQuotes(item.key);
  ParameterEntry entry;
  if (std::holds_alternative<double>(item.value.value)) {  // m = 1.0
    checkName(item, source, what);
    entry.name = item.key;
    entry.line = item.line;
    entry.value = {std::get<double>(readFormula(source, what, item.value).value), item.value.line};
    return entry;
  }
  const Keys keys{"type", "value", "unit", "min", "max", "variability", "description"};
  const TableReader reader(source, what, item.value, item.line, spanOf(keys));
  readNamedEntry(item, reader, entry);
  const TypedReader typed(reader, entry);
  entry.type = typed.type();
  const std::optional<Located<double>> value = typed.value("value");
  if (!value) reader.fail(item.line, "value is missing, expected " + typed.expected());
  entry.value = *value;
  entry.min = typed.bound("min");
  entry.max = typed.bound("max");
  checkBounds(reader, "value", entry.value, entry.min, entry.max);
  if (const auto variability = reader.optionalText("variability")) {
    if (variability->value != "fixed" && variability->value != "tunable") {
      reader.fail(variability->line, "variability must be \"fixed\" or \"tunable\", is " +
                                         inQuotes(variability->value));
    }
    entry.tunable = variability->value == "tunable";
  }
  return entry;
}

InputEntry readInput(const std::string& source, const TomlValue::Entry& item) {
  const Keys keys{"type", "unit", "start", "min", "max", "nominal", "description"};
  const TableReader reader(source, "input " + inQuotes(item.key), item.value, item.line,
                           spanOf(keys));
  InputEntry entry;
  readNamedEntry(item, reader, entry);
  const TypedReader typed(reader, entry);
  entry.type = typed.type();
  entry.start = typed.value("start").value_or(Located<double>{0, item.line});
  entry.min = typed.bound("min");
  entry.max = typed.bound("max");
  checkBounds(reader, "start", entry.start, entry.min, entry.max);
  entry.nominal = reader.optionalPositiveNumber("nominal");
  if (entry.nominal && isDiscrete(entry.type))
    reader.fail(entry.nominal->line, "nominal is only for real values");
  return entry;
}

OutputEntry readOutput(const std::string& source, const TomlValue::Entry& item) {
  const Keys keys{"expression", "count", "unit", "nominal", "description"};
  const TableReader reader(source, "output " + inQuotes(item.key), item.value, item.line,
                           spanOf(keys));
  OutputEntry entry;
  readNamedEntry(item, reader, entry);
  entry.count = reader.optionalText("count");
  entry.expression = reader.formula("expression");
  entry.nominal = reader.optionalPositiveNumber("nominal");
  return entry;
}

std::optional<Located<double>> readTolerance(const TableReader& reader) {
  const auto tolerance = reader.optionalPositiveNumber("tolerance");
  if (tolerance && !(tolerance->value >= 1e-14 && tolerance->value <= 0.1)) {
    reader.fail(tolerance->line,
                "tolerance must be in [1e-14, 0.1], is " + numberText(tolerance->value));
  }
  return tolerance;
}

ExperimentEntry readExperiment(const TableReader& root) {
  ExperimentEntry entry;
  const TomlValue::Entry* item = root.find("experiment");
  if (item == nullptr) return entry;
  const Keys keys{"start_time", "stop_time", "tolerance", "step_size"};
  const TableReader reader(root.source(), "experiment", item->value, item->line, spanOf(keys));
  entry.startTime = reader.optionalNumber("start_time");
  entry.stopTime = reader.optionalNumber("stop_time");
  entry.tolerance = readTolerance(reader);
  entry.stepSize = reader.optionalPositiveNumber("step_size");
  const double start = entry.startTime ? entry.startTime->value : 0;
  if (entry.stopTime && !(entry.stopTime->value > start)) {
    reader.fail(entry.stopTime->line, "stop_time must be > start_time = " + numberText(start) +
                                          ", is " + numberText(entry.stopTime->value));
  }
  return entry;
}

/// The value of a key that is one of the names of an enumeration, whose last value is `last`.
template <class Value, class FromName>
std::optional<Value> readChoice(const TableReader& reader, std::string_view key, FromName fromName,
                                Value last) {
  const auto text = reader.optionalText(key);
  if (!text) return std::nullopt;
  const std::optional<Value> value = fromName(text->value);
  if (value) return value;
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) names.push_back(nameOf(static_cast<Value>(i)));
  reader.fail(text->line, std::string(key) + " must be one of " + joined(names) + ", is " +
                              inQuotes(text->value));
}

SolverEntry readSolver(const TableReader& root) {
  SolverEntry entry;
  const TomlValue::Entry* item = root.find("solver");
  if (item == nullptr) return entry;
  const Keys keys{"tolerance", "max_order", "max_step",   "initial_step",
                  "method",    "mode",      "error_test", "repeatable"};
  const TableReader reader(root.source(), "solver", item->value, item->line, spanOf(keys));
  entry.tolerance = readTolerance(reader);
  entry.maxStep = reader.optionalPositiveNumber("max_step");
  entry.initialStep = reader.optionalPositiveNumber("initial_step");
  entry.method = readChoice(reader, "method", methodFromName, Method::index1);
  entry.mode = readChoice(reader, "mode", modeFromName, Mode::plain);
  entry.errorTest =
      readChoice(reader, "error_test", errorTestFromName, ErrorTest::positionsAndVelocities);
  if (const auto repeatable = reader.optionalFlag("repeatable"))
    entry.repeatable = repeatable->value;
  entry.maxOrder = reader.optionalNumber("max_order");
  if (entry.maxOrder) {
    const double order = entry.maxOrder->value;
    if (!(order >= 1 && order <= 6 && order == static_cast<int>(order))) {
      reader.fail(entry.maxOrder->line,
                  "max_order must be an integer from 1 to 6, is " + numberText(order));
    }
  }
  return entry;
}

void readTitle(const TableReader& root, ModelFile& file) {
  const auto name = root.optionalText("name");
  if (!name) root.fail(1, "name is missing, expected a text");
  const bool blank = name->value.find_first_not_of(" \t\n") == std::string::npos;
  if (blank || name->value.find_first_of("\n\t") != std::string::npos ||
      name->value.size() > longestTitle) {
    root.fail(name->line, "name must be one line of 1 to " + std::to_string(longestTitle) +
                              " bytes, is " + inQuotes(name->value));
  }
  file.name = name->value;
  file.description = root.description();
}

}  // namespace

ModelError::ModelError(const std::string& file, int line, const std::string& message)
    : Error(line > 0 ? file + ":" + std::to_string(line) + ": " + message : file + ": " + message) {
}

void checkName(const TomlValue::Entry& item, const std::string& source, const std::string& what) {
  if (!isName(item.key) || item.key.size() > longestName) {
    throw ModelError(source, item.line,
                     what + ": wrong name, expected letters, digits and _ in parts joined by dots");
  }
  if (isReservedName(item.key))
    throw ModelError(source, item.line, what + ": the name is reserved, expected another");
}

void readNamedEntry(const TomlValue::Entry& item, const TableReader& reader, NamedEntry& entry) {
  checkName(item, reader.source(), reader.what());
  entry.name = item.key;
  entry.line = item.line;
  entry.description = reader.description();
  entry.unit = reader.unit();
}

MechanismPart readMechanismPart(const TableReader& root, const TomlValue& document) {
  MechanismPart part;
  part.root = document;
  part.length = root.optionalPositiveNumber("length");
  if (const auto planar = root.optionalFlag("planar")) part.planar = planar->value;
  return part;
}

std::string checkVersionAndKind(const TomlValue::Table& root, const std::string& source) {
  const auto entryOf = [&root](std::string_view key) {
    const auto found = std::find_if(root.begin(), root.end(),
                                    [key](const auto& entry) { return entry.key == key; });
    return found == root.end() ? nullptr : &*found;
  };
  const TomlValue::Entry* version = entryOf("trammel");
  if (version == nullptr)
    throw ModelError(source, 1, "version of the file format is missing, expected trammel = 1");
  const double* number = std::get_if<double>(&version->value.value);
  if (number == nullptr || *number != modelFormatVersion) {
    const std::string got = number == nullptr ? version->value.typeName() : numberText(*number);
    throw ModelError(source, version->line, "version of the file format must be 1, is " + got);
  }
  const TomlValue::Entry* kind = entryOf("kind");
  if (kind == nullptr)
    throw ModelError(source, 1,
                     "kind is missing, expected kind = \"mechanism\", \"equations\", \"linear\" or "
                     "\"coded\"");
  const auto* text = std::get_if<std::string>(&kind->value.value);
  if (text == nullptr ||
      (*text != "equations" && *text != "mechanism" && *text != "linear" && *text != "coded")) {
    const std::string got = text == nullptr ? kind->value.typeName() : inQuotes(*text);
    throw ModelError(
        source, kind->value.line,
        "kind must be \"mechanism\", \"equations\", \"linear\" or \"coded\", is " + got);
  }
  return *text;
}

TomlValue startModelFile(std::string_view text, std::string source, ModelFile& file) {
  file.source = std::move(source);
  file.text = text;
  if (text.size() > largestFile) {
    throw ModelError(file.source, 0,
                     "is larger than " + std::to_string(largestFile >> 20U) + " MiB");
  }
  return parseToml(text, file.source);
}

void readCommonParts(const TableReader& root, ModelFile& file) {
  readTitle(root, file);
  forEachItem(root, "parameters", [&](const auto& item) {
    file.parameters.push_back(readParameter(file.source, item));
  });
  forEachItem(root, "inputs",
              [&](const auto& item) { file.inputs.push_back(readInput(file.source, item)); });
  file.experiment = readExperiment(root);
  file.solver = readSolver(root);
}

ModelFile parseModel(std::string_view text, std::string source) {
  ModelFile file;
  const TomlValue document = startModelFile(text, std::move(source), file);
  const std::string kind = checkVersionAndKind(*document.table(), file.source);
  if (kind == "coded")
    throw ModelError(file.source, 0,
                     "kind is \"coded\": the equations are in C++, its file alone cannot run");
  std::span<const std::string_view> keys = equationsKeys;
  if (kind == "mechanism") keys = mechanismKeys;
  if (kind == "linear") keys = linearKeys;
  const TableReader root(file.source, "", document, 1, keys);
  readCommonParts(root, file);
  if (kind == "mechanism") {
    file.part = readMechanismPart(root, document);
    return file;
  }
  file.structure = readStructure(root);
  forEachItem(root, "outputs",
              [&](const auto& item) { file.outputs.push_back(readOutput(file.source, item)); });
  file.part = kind == "linear" ? readLinearPart(root, file.inputs) : readEquationsPart(root);
  return file;
}

std::string readModelText(const std::filesystem::path& path) {
  const std::string source = path.string();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw ModelError(source, 0, "is a directory, expected a model file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw ModelError(source, 0, "cannot be opened, expected a readable model file");
  std::string text;
  char buffer[65536];
  while (text.size() <= largestFile && (stream.read(buffer, sizeof buffer), stream.gcount() > 0)) {
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw ModelError(source, 0, "cannot be read to its end");
  return text;
}

ModelFile readModelFile(const std::filesystem::path& path) {
  return parseModel(readModelText(path), path.string());
}

}  // namespace trammel
