#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trammel::fmi::check {

enum class Severity { note, warning, error };

std::string_view word(Severity severity);

/// A file inside the FMU, empty for the FMU itself, and a line of it, 0 for the whole file.
struct Place {
  std::string file;
  std::size_t line = 0;
};

/// One rule that an FMU breaks at one place.
struct Finding {
  Severity severity = Severity::error;
  std::string_view rule;  // identifier in rules()
  Place place;
  std::string text;  // what, got, expected
};

/// What the checks found, in the order of the checks. Of one rule only the first findings are kept,
/// the others counted, so that no FMU makes the list endless.
class FindingList final {
 public:
  static constexpr std::size_t maxOfOneRule = 25;

  /// Throws Error where the rule is none of rules().
  void add(std::string_view rule, Place place, std::string text);

  const std::vector<Finding>& findings() const { return findings_; }
  std::size_t left() const { return left_; }  // counted, not kept
  std::size_t count(Severity severity) const;
  bool has(std::string_view rule) const;

 private:
  std::vector<Finding> findings_;
  std::map<std::string_view, std::size_t> countOfRule_;
  std::size_t left_ = 0;
};

/// Text of others in a message: control characters and long tails replaced, in double quotes.
std::string inQuotes(std::string_view text);

}  // namespace trammel::fmi::check
