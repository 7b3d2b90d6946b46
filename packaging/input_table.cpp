#include "packaging/input_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <system_error>

#include "models/text.hpp"
#include "packaging/errors.hpp"

namespace trammel::fmi {
namespace {

/// Fields between commas; one in double quotes may hold commas, "" in it is a quote.
std::vector<std::string> fieldsOf(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  for (std::string& field : fields) {
    field.erase(0, field.find_first_not_of(" \t"));
    field.erase(field.find_last_not_of(" \t") + 1);
  }
  return fields;
}

bool isBlank(const std::string& line) { return line.find_first_not_of(" \t") == std::string::npos; }

}  // namespace

InputTable::InputTable(const std::filesystem::path& file)
    : file_(file.string()), source_(file_ + ":1") {
  std::ifstream stream(file);
  std::error_code ignored;
  if (!stream || std::filesystem::is_directory(file, ignored))
    throw InputError(file_ + ": cannot be read");
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (number == 1) {
      if (line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);
      readHeader(line);
    } else if (!isBlank(line)) {
      readRow(line, number);
    }
  }
  if (times_.empty()) throw InputError(file_ + ": has no rows, expected a header and numbers");
}

void InputTable::readHeader(const std::string& line) {
  names_ = fieldsOf(line);
  if (names_.front() != "time")
    throw InputError(source_ + ": the first column must be \"time\", is " +
                     inQuotes(names_.front()));
  names_.erase(names_.begin());
  for (auto name = names_.begin(); name != names_.end(); ++name)
    if (std::find(names_.begin(), name, *name) != name)
      throw InputError(source_ + ": column " + inQuotes(*name) + " is there twice");
  columns_.resize(names_.size());
}

void InputTable::readRow(const std::string& line, int number) {
  const std::string where = file_ + ":" + std::to_string(number);
  const std::vector<std::string> fields = fieldsOf(line);
  if (fields.size() != names_.size() + 1)
    throw InputError(where + ": has " + std::to_string(fields.size()) + " fields, expected " +
                     std::to_string(names_.size() + 1));
  std::vector<double> values;
  for (const std::string& field : fields) {
    double value = 0;
    const char* last = field.data() + field.size();
    const auto [end, error] = std::from_chars(field.data(), last, value);
    if (error != std::errc() || end != last || !std::isfinite(value))
      throw InputError(where + ": expected a number, got " + inQuotes(field));
    values.push_back(value);
  }
  const double t = values.front();
  if (!times_.empty() && t < times_.back())
    throw InputError(where + ": time " + numberText(t) + " comes after " +
                     numberText(times_.back()) + ", expected increasing times");
  if (!times_.empty() && t == times_.back()) {
    if (!jumps_.empty() && jumps_.back() == t)
      throw InputError(where + ": time " + numberText(t) +
                       " is there three times, expected at most two: before and after a jump");
    jumps_.push_back(t);
  }
  times_.push_back(t);
  for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k].push_back(values[k + 1]);
}

double InputTable::between(std::size_t column, std::size_t row, double t) const {
  const std::vector<double>& u = columns_[column];
  const double share = (t - times_[row]) / (times_[row + 1] - times_[row]);
  return u[row] + share * (u[row + 1] - u[row]);
}

double InputTable::after(std::size_t column, double t) const {
  const auto later = std::upper_bound(times_.begin(), times_.end(), t);
  if (later == times_.begin()) return columns_[column].front();
  if (later == times_.end()) return columns_[column].back();
  return between(column, static_cast<std::size_t>(later - times_.begin()) - 1, t);
}

double InputTable::before(std::size_t column, double t) const {
  const auto notEarlier = std::lower_bound(times_.begin(), times_.end(), t);
  if (notEarlier == times_.begin()) return columns_[column].front();
  if (notEarlier == times_.end()) return columns_[column].back();
  return between(column, static_cast<std::size_t>(notEarlier - times_.begin()) - 1, t);
}

double InputTable::held(std::size_t column, double t) const {
  const auto later = std::upper_bound(times_.begin(), times_.end(), t);
  const auto row = later == times_.begin() ? 0 : later - times_.begin() - 1;
  return columns_[column][static_cast<std::size_t>(row)];
}

}  // namespace trammel::fmi
