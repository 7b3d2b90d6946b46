#include "packaging/run_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "modelDescription/version.hpp"
#include "packaging/drawing.hpp"
#include "packaging/page_parts.hpp"

namespace trammel::fmi {
namespace {

constexpr std::size_t pageLimit = 60000;  // numbers
constexpr std::size_t svgRows = 1000;
constexpr std::size_t panelLimit = 6, curveLimit = 8;  // curves of a panel

constexpr std::array<const char*, curveLimit> colours{"#3a6ea8", "#bd5426", "#4f8030", "#85539c",
                                                      "#a37a1c", "#2d8385", "#a63c5d", "#626a73"};

struct Box {  // pixels
  double left = 80, top = 0, width = 700, height = 170;
};
struct Range {
  double low = 0, high = 1;
};

using Curves = std::vector<const PlotData::Column*>;

std::string nameWithUnit(const PlotData::Column& column) {
  return column.unit.empty() || column.unit == "1" ? column.name
                                                   : column.name + " [" + column.unit + "]";
}

double textWidth(const std::string& words) {  // pixels, about
  return 7.2 * static_cast<double>(words.size()) + 18;
}

/// As many curves of one unit as there is room for their names.
bool hasRoom(const Curves& curves, const PlotData::Column& column) {
  double width = textWidth(nameWithUnit(column));
  for (const PlotData::Column* curve : curves) width += textWidth(nameWithUnit(*curve));
  return curves.empty() || (width <= Box().width && curves.size() < curveLimit);
}

/// The first columns of the first units; without local ones where there are others.
std::vector<std::pair<std::string, Curves>> panelsOf(const PlotData& data) {
  const auto isLocal = [](const PlotData::Column& column) { return column.kind == "local"; };
  const bool onlyLocal = std::all_of(data.columns.begin(), data.columns.end(), isLocal);
  std::vector<std::pair<std::string, Curves>> panels;
  for (const PlotData::Column& column : data.columns) {
    if (isLocal(column) && !onlyLocal) continue;
    auto panel = std::find_if(panels.begin(), panels.end(),
                              [&](const auto& p) { return p.first == column.unit; });
    if (panel == panels.end()) {
      if (panels.size() == panelLimit) continue;
      panel = panels.insert(panels.end(), {column.unit, {}});
    }
    if (hasRoom(panel->second, column)) panel->second.push_back(&column);
  }
  return panels;
}

Range rangeOf(const std::vector<double>& values, Range range) {
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

Range rangeOf(const Curves& curves) {
  Range range{1e300, -1e300};
  for (const PlotData::Column* curve : curves) range = rangeOf(curve->values, range);
  if (range.low > range.high) return {0, 1};
  const double size = std::max(range.high - range.low, 1e-9 * std::abs(range.high));
  if (size <= 0) return {range.low - 1, range.high + 1};
  return {range.low - 0.05 * size, range.high + 0.05 * size};
}

/// Multiples of 1, 2 or 5 times a power of ten, about `count` of them.
std::vector<double> ticksOf(const Range& range, int count) {
  const double rough = (range.high - range.low) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double distance = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough) distance = factor * power;
  std::vector<double> ticks;
  for (double k = std::ceil(range.low / distance); k * distance <= range.high; ++k)
    ticks.push_back(k * distance);
  return ticks;
}

std::string px(double value) { return fixedNumber(value, 1); }

std::string lineElement(double x1, double y1, double x2, double y2) {
  return "<line x1=\"" + px(x1) + "\" y1=\"" + px(y1) + "\" x2=\"" + px(x2) + "\" y2=\"" + px(y2) +
         "\" stroke=\"#d8dde3\"/>\n";
}

std::string textElement(double x, double y, const char* anchor, const std::string& words) {
  return "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\" text-anchor=\"" + anchor + "\">" +
         escapedXml(words) + "</text>\n";
}

/// One panel: grid with numbers, curves, names above.
std::string panelSvg(const PlotData& data, const Curves& curves, const Box& box) {
  Range t = rangeOf(data.times, {data.times.front(), data.times.front()});
  if (t.high <= t.low) t.high = t.low + 1;  // a single row
  const Range y = rangeOf(curves);
  const auto right = [&](double v) {
    return box.left + box.width * (v - t.low) / (t.high - t.low);
  };
  const auto down = [&](double v) {
    return box.top + box.height * (y.high - v) / (y.high - y.low);
  };
  std::string svg;
  for (const double tick : ticksOf(t, 8)) {
    svg += lineElement(right(tick), box.top, right(tick), box.top + box.height) +
           textElement(right(tick), box.top + box.height + 16, "middle", jsonNumber(tick));
  }
  for (const double tick : ticksOf(y, 5)) {
    svg += lineElement(box.left, down(tick), box.left + box.width, down(tick)) +
           textElement(box.left - 6, down(tick) + 4, "end",
                       jsonNumber(std::abs(tick) < 1e-12 * (y.high - y.low) ? 0 : tick));
  }
  double x = box.left;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    std::string points;
    for (std::size_t i = 0; i < data.times.size(); ++i) {
      if (std::isfinite(curves[k]->values[i]))
        points += px(right(data.times[i])) + "," + px(down(curves[k]->values[i])) + " ";
    }
    svg += "<polyline fill=\"none\" stroke-width=\"1.5\" stroke-linejoin=\"round\" stroke=\"" +
           std::string(colours[k]) + "\" points=\"" + points + "\"/>\n";
    const std::string name = nameWithUnit(*curves[k]);
    svg += "<g fill=\"" + std::string(colours[k]) + "\">" +
           textElement(x, box.top - 8, "start", name) + "</g>\n";
    x += textWidth(name);
  }
  return svg;
}

}  // namespace

std::string runPage(const std::string& title, const std::string& subtitle, const PlotData& data) {
  std::size_t stride = 1;
  while (data.columns.size() * (data.times.size() / stride) > pageLimit &&
         data.times.size() / (stride + 1) >= 200)
    ++stride;
  PageContent content;
  content.title = title;
  content.header = "<header>\n<h1>" + escapedXml(title) + "</h1>\n<p class=\"lead\">" +
                   escapedXml(subtitle) + "</p>\n</header>\n";
  const std::string note =
      stride == 1 ? "" : "Every " + std::to_string(stride) + "th row of the run is shown.";
  content.content = filled(page::plots(), {{"plotsTitle", "Results"}, {"plotsText", note}});
  content.footer = "<footer><p>Made by Trammel " + std::string(version()) +
                   ". Plots by Dygraphs, MIT licence.</p></footer>\n";
  content.run = runJson(thinned(data, stride));
  return completePage(content);
}

std::string runSvg(const std::string& title, const PlotData& data) {
  const PlotData shown = thinned(data, std::max<std::size_t>(1, data.times.size() / svgRows));
  Box box;
  box.top = 64;
  std::string body;
  for (const auto& panel : panelsOf(shown)) {
    body += panelSvg(shown, panel.second, box);
    box.top += box.height + 56;
  }
  const std::string width = px(box.left + box.width + 20), height = px(box.top - 8);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
         "\" viewBox=\"0 0 " + width + " " + height +
         "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#1d2530\">\n<title>" +
         escapedXml(title) +
         "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<g font-size=\"16\">" +
         textElement(box.left, 28, "start", title) + "</g>\n" + body +
         textElement(box.left + box.width, box.top - 18, "end", "time [s]") + "</svg>\n";
}

}  // namespace trammel::fmi
