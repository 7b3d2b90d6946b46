#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trammel::fmi {

/// Values over time, as plots show them.
struct PlotData {
  struct Column {
    std::string name, unit, about;  // about: a sentence, may be empty
    std::string kind;               // "output", "input", "local"
    std::vector<double> values;     // one for each time
  };
  std::vector<double> times;  // [s]
  std::vector<Column> columns;
};

/// Every `stride`-th row and the last one.
PlotData thinned(const PlotData& data, std::size_t stride);

/// What makes a page of its own, all in HTML but for the title; scripts and styles are added.
struct PageContent {
  std::string title;  // plain text
  std::string header, content, footer;
  std::string run = "null", scene = "null";  // JSON
};

/// A page that needs no other file: styles, scripts and the library of the plots are in it.
std::string completePage(const PageContent& content);

std::string runJson(const PlotData& data);

using Replacements = std::vector<std::pair<std::string_view, std::string>>;

/// The text with {{name}} replaced by what stands for the name, which is not looked at again.
std::string filled(std::string_view text, const Replacements& replacements);

/// A text in quotes that JSON and a script in HTML can hold.
std::string jsonText(std::string_view text);
/// Six significant digits, null where the value is not finite.
std::string jsonNumber(double value);
/// A number with this many digits behind the point, without zeros at the end.
std::string fixedNumber(double value, int digits);
std::string jsonArray(std::span<const std::string> items);

}  // namespace trammel::fmi
