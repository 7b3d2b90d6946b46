#include "packaging/csv_writer.hpp"

#include "models/text.hpp"

namespace trammel::fmi {
namespace {

std::string quotedName(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string quotedText = "\"";
  for (const char c : name) quotedText += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quotedText + '"';
}

}  // namespace

void CsvWriter::writeHeader(std::span<const std::string> names) {
  const char* separator = "";
  for (const std::string& name : names) {
    stream_ << separator << quotedName(name);
    separator = ",";
  }
  stream_ << '\n';
}

void CsvWriter::writeRow(std::span<const double> values) {
  const char* separator = "";
  for (const double value : values) {
    stream_ << separator << numberText(value);
    separator = ",";
  }
  stream_ << '\n';
}

}  // namespace trammel::fmi
