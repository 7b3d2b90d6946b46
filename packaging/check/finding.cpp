#include "packaging/check/finding.hpp"

#include <algorithm>
#include <utility>

#include "packaging/check/rules.hpp"

namespace trammel::fmi::check {

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

void FindingList::add(std::string_view rule, Place place, std::string text) {
  const Rule& known = ruleOf(rule);
  if (++countOfRule_[known.id] > maxOfOneRule) {
    ++left_;
    return;
  }
  findings_.push_back({known.severity, known.id, std::move(place), std::move(text)});
}

std::size_t FindingList::count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(findings_.begin(), findings_.end(),
                    [severity](const Finding& finding) { return finding.severity == severity; }));
}

bool FindingList::has(std::string_view rule) const { return countOfRule_.contains(rule); }

std::string inQuotes(std::string_view text) {
  constexpr std::size_t longest = 120;
  std::string result = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20U || byte == 0x7fU ? '?' : c;
  }
  // A character of several bytes that was cut is left out as a whole.
  if (text.size() > longest) {
    while ((static_cast<unsigned char>(result.back()) & 0xC0U) == 0x80U) result.pop_back();
    if (static_cast<unsigned char>(result.back()) >= 0xC0U) result.pop_back();
    result += "...";
  }
  return result + "\"";
}

}  // namespace trammel::fmi::check
