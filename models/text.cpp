#include "models/text.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <vector>

namespace trammel {
namespace {

constexpr std::size_t longestExcerpt = 60;   // characters of the user's text shown in a message
constexpr std::size_t longestCompared = 64;  // names longer than this get no suggestion

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Levenshtein distance.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string numberText(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return error == std::errc{} ? std::string(buffer, end) : std::string("?");
}

std::string inQuotes(std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  std::string out = "\"";
  const bool cut = text.size() > longestExcerpt;
  if (cut) {
    std::size_t length = longestExcerpt;
    // Do not cut inside a UTF-8 sequence.
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
    text = text.substr(0, length);
  }
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code != 0x7F) {
      out += c;
    } else {
      out += "\\x";
      out += hex[code >> 4U];
      out += hex[code & 15U];
    }
  }
  return out + (cut ? "...\"" : "\"");
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.size() > longestCompared) return {};
  const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
  std::size_t best = allowed + 1;
  std::string_view nearest;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > name.size() + allowed || name.size() > candidate.size() + allowed)
      continue;
    const std::size_t distance = editDistance(name, candidate);
    if (distance < best && distance < std::max(name.size(), candidate.size())) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? std::string{} : ", did you mean " + inQuotes(nearest) + "?";
}

std::string joined(std::span<const std::string_view> texts) {
  std::string out;
  for (const std::string_view text : texts) {
    if (!out.empty()) out += ", ";
    out += text;
  }
  return out;
}

bool isName(std::string_view text) {
  bool atStart = true;
  for (const char c : text) {
    if (atStart ? !isLetter(c) : !(isLetter(c) || isDigit(c) || c == '.')) return false;
    atStart = c == '.';
  }
  return !atStart;
}

}  // namespace trammel
