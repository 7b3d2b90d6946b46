#include "packaging/svg_canvas.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace trammel::fmi {
namespace {

constexpr double margin = 60, largest = 640;  // pixels

std::string number(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.2f", value);
  return buffer.data();
}

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + number(value) + "\"";
}

}  // namespace

std::string escapedXml(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

SvgCanvas::SvgCanvas(Point low, Point high) : low_(std::move(low)) {
  const Point size = high - low_;
  const double longest = size.maxCoeff();
  scale_ = longest > 0 ? largest / longest : 1;
  width_ = scale_ * size.x() + 2 * margin;
  height_ = scale_ * size.y() + 2 * margin;
}

SvgCanvas::Point SvgCanvas::pixel(const Point& p) const {
  return {margin + scale_ * (p.x() - low_.x()), height_ - margin - scale_ * (p.y() - low_.y())};
}

void SvgCanvas::line(const Point& a, const Point& b, const std::string& attributes) {
  body_ += "<line" + attribute("x1", a.x()) + attribute("y1", a.y()) + attribute("x2", b.x()) +
           attribute("y2", b.y()) + " " + attributes + "/>\n";
}

void SvgCanvas::polyline(std::span<const Point> points, bool closed,
                         const std::string& attributes) {
  std::string list;
  for (const Point& p : points) {
    if (!list.empty()) list += ' ';
    list += number(p.x()) + "," + number(p.y());
  }
  body_ += std::string("<") + (closed ? "polygon" : "polyline") + " points=\"" + list + "\" " +
           attributes + "/>\n";
}

void SvgCanvas::circle(const Point& centre, double radius, const std::string& attributes) {
  body_ += "<circle" + attribute("cx", centre.x()) + attribute("cy", centre.y()) +
           attribute("r", radius) + " " + attributes + "/>\n";
}

void SvgCanvas::text(const Point& at, const std::string& words, const std::string& attributes) {
  body_ += "<text" + attribute("x", at.x()) + attribute("y", at.y()) + " " + attributes + ">" +
           escapedXml(words) + "</text>\n";
}

std::string SvgCanvas::finish(const std::string& title) const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width_) +
         attribute("height", height_) + " viewBox=\"0 0 " + number(width_) + " " + number(height_) +
         "\" font-family=\"sans-serif\" font-size=\"12\">\n<title>" + escapedXml(title) +
         "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + body_ + "</svg>\n";
}

}  // namespace trammel::fmi
