#pragma once

#include <ostream>
#include <span>
#include <string>

namespace trammel::fmi {

/// Comma-separated values: a header line of names, then rows of numbers in the shortest form that
/// reads back the same.
class CsvWriter final {
 public:
  explicit CsvWriter(std::ostream& stream) : stream_(stream) {}

  /// Names with a comma or a quote, such as "r[1,2]", are quoted.
  void writeHeader(std::span<const std::string> names);
  void writeRow(std::span<const double> values);

 private:
  std::ostream& stream_;
};

}  // namespace trammel::fmi
