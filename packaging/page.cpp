#include "packaging/page.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "modelDescription/version.hpp"
#include "packaging/drawing.hpp"
#include "packaging/page_parts.hpp"

namespace trammel::fmi {
namespace {

std::string jsonNumbers(std::span<const double> values) {
  std::string text = "[";
  for (const double value : values) {
    if (text.size() > 1) text += ',';
    text += jsonNumber(value);
  }
  return text + ']';
}

}  // namespace

PlotData thinned(const PlotData& data, std::size_t stride) {
  const auto thin = [&](const std::vector<double>& values) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < values.size(); i += stride) kept.push_back(values[i]);
    if (!values.empty() && (values.size() - 1) % stride != 0) kept.push_back(values.back());
    return kept;
  };
  PlotData result;
  result.times = thin(data.times);
  for (const PlotData::Column& column : data.columns) {
    result.columns.push_back(column);
    result.columns.back().values = thin(column.values);
  }
  return result;
}

std::string jsonText(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20U || c == '<' || c == '>' || c == '&') {
      std::array<char, 8> buffer{};  // "</script>" in a text must not end the script
      std::snprintf(buffer.data(), buffer.size(), "\\u%04x", static_cast<unsigned>(c));
      result += buffer.data();
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string jsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  if (value == 0) return "0";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::general, 6);
  return {buffer.data(), end.ptr};
}

std::string fixedNumber(double value, int digits) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, digits);
  std::string text(buffer.data(), end.ptr);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string jsonArray(std::span<const std::string> items) {
  std::string text = "[";
  for (const std::string& item : items) {
    if (text.size() > 1) text += ',';
    text += item;
  }
  return text + ']';
}

std::string runJson(const PlotData& data) {
  std::vector<std::string> columns;
  for (const PlotData::Column& column : data.columns) {
    columns.push_back("{\"name\":" + jsonText(column.name) + ",\"unit\":" + jsonText(column.unit) +
                      ",\"about\":" + jsonText(column.about) + ",\"kind\":" +
                      jsonText(column.kind) + ",\"values\":" + jsonNumbers(column.values) + "}");
  }
  return "{\"time\":" + jsonNumbers(data.times) + ",\"columns\":" + jsonArray(columns) + "}";
}

std::string filled(std::string_view text, const Replacements& replacements) {
  std::string result;
  for (;;) {
    const std::size_t begin = text.find("{{"), end = text.find("}}", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    result += text.substr(0, begin);
    for (const auto& [key, value] : replacements) {
      if (key == name) result += value;
    }
    text.remove_prefix(end + 2);
  }
  return result += text;
}

std::string completePage(const PageContent& content) {
  return filled(
      page::frame(),
      {{"version", std::string(version())},
       {"title", escapedXml(content.title)},
       {"chartStyle", std::string(page::chartStyle())},
       {"style", std::string(page::style())},
       {"header", content.header},
       {"content", content.content},
       {"footer", content.footer},
       {"data", "{\"run\":" + content.run + ",\"scene\":" + content.scene + "}"},
       {"chartLibrary", std::string(page::chartLibrary())},
       {"animation", std::string(page::cameraScript()) + std::string(page::animationScript())},
       {"script", std::string(page::script())}});
}

}  // namespace trammel::fmi
