#include "packaging/check/check_report.hpp"

#include <array>
#include <cstdio>

#include "packaging/check/check_zip.hpp"
#include "packaging/check/rules.hpp"

namespace trammel::fmi::check {
namespace {

std::string json(std::string_view text) {
  if (!isUtf8(text)) return "\"?\"";
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20U) {
      std::array<char, 8> buffer{};
      std::snprintf(buffer.data(), buffer.size(), "\\u%04x", static_cast<unsigned>(c));
      result += buffer.data();
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string counted(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string lineOf(const std::string& file, const Finding& finding) {
  std::string text = file + ": ";
  if (!finding.place.file.empty()) {
    text += finding.place.file;
    if (finding.place.line > 0) text += ":" + std::to_string(finding.place.line);
    text += ": ";
  }
  return text + std::string(word(finding.severity)) + ": " + finding.text + " [" +
         std::string(finding.rule) + "]\n";
}

std::string jsonOf(const Finding& finding) {
  return "{\"severity\": " + json(word(finding.severity)) + ", \"rule\": " + json(finding.rule) +
         ", \"file\": " + json(finding.place.file) +
         ", \"line\": " + std::to_string(finding.place.line) +
         ", \"message\": " + json(finding.text) + "}";
}

template <class Items, class TextOf>
std::string list(const Items& items, TextOf textOf) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "\n    " : ",\n    ") + textOf(item);
  return "[" + text + (text.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string findingsText(const std::string& file, const FindingList& findings) {
  std::string text;
  for (const Finding& finding : findings.findings()) text += lineOf(file, finding);
  if (findings.findings().empty()) return file + ": nothing found\n";
  text += file + ": " + counted(findings.count(Severity::error), "error") + ", " +
          counted(findings.count(Severity::warning), "warning") + ", " +
          counted(findings.count(Severity::note), "note");
  if (findings.left() > 0)
    text += ", " + std::to_string(findings.left()) + " more of these not shown";
  return text + "\n";
}

std::string findingsJson(const std::string& file, const FindingList& findings) {
  return "{\n  \"file\": " + json(file) +
         ",\n  \"errors\": " + std::to_string(findings.count(Severity::error)) +
         ",\n  \"warnings\": " + std::to_string(findings.count(Severity::warning)) +
         ",\n  \"notes\": " + std::to_string(findings.count(Severity::note)) +
         ",\n  \"not_shown\": " + std::to_string(findings.left()) +
         ",\n  \"findings\": " + list(findings.findings(), jsonOf) + "\n}\n";
}

std::string rulesText() {
  std::string text = "| rule | severity | a sound FMU | source |\n|---|---|---|---|\n";
  for (const Rule& rule : rules()) {
    text += "| `" + std::string(rule.id) + "` | " + std::string(word(rule.severity)) + " | " +
            std::string(rule.sentence) + " | " + std::string(rule.source) + " |\n";
  }
  return text;
}

std::string rulesJson() {
  return "{\n  \"rules\": " +
         list(rules(),
              [](const Rule& rule) {
                return "{\"id\": " + json(rule.id) +
                       ", \"severity\": " + json(word(rule.severity)) +
                       ", \"rule\": " + json(rule.sentence) + ", \"source\": " + json(rule.source) +
                       "}";
              }) +
         "\n}\n";
}

}  // namespace trammel::fmi::check
