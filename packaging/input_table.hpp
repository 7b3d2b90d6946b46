#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trammel::fmi {

/// Inputs over time from a CSV file: a header with `time` and names, then rows of numbers. Between
/// rows values are interpolated linearly, before the first and after the last row they are held. A
/// time that stands in two rows is a jump from the first to the second.
class InputTable final {
 public:
  InputTable() = default;  // no inputs
  /// Throws InputError with file and line.
  explicit InputTable(const std::filesystem::path& file);

  const std::vector<std::string>& names() const { return names_; }
  const std::string& source() const { return source_; }  // file:1, where the names stand
  /// Times of the jumps, in order.
  const std::vector<double>& jumps() const { return jumps_; }

  /// Value from t on and up to t, which differ only at a jump.
  double after(std::size_t column, double t) const;
  double before(std::size_t column, double t) const;
  /// The value of the last row up to t: for inputs that are not continuous.
  double held(std::size_t column, double t) const;

 private:
  void readHeader(const std::string& line);
  void readRow(const std::string& line, int number);
  double between(std::size_t column, std::size_t row, double t) const;  // and the row behind it

  std::string file_, source_;
  std::vector<std::string> names_;
  std::vector<double> times_, jumps_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace trammel::fmi
