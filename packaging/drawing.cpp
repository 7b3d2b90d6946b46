#include "packaging/drawing.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace trammel::fmi {
namespace {

std::string number(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.2f", value);
  return buffer.data();
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + value + "\"";
}
std::string attribute(const char* name, double value) { return attribute(name, number(value)); }

std::string hex(Colour colour) {
  std::array<char, 8> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "#%02x%02x%02x", colour.red, colour.green,
                colour.blue);
  return buffer.data();
}

std::string attributes(const Paint& paint) {
  std::string text = attribute("fill", paint.fill ? hex(*paint.fill) : "none");
  if (paint.fill && paint.fillOpacity < 1) text += attribute("fill-opacity", paint.fillOpacity);
  if (!paint.stroke) return text;
  text += attribute("stroke", hex(*paint.stroke)) + attribute("stroke-width", paint.width) +
          " stroke-linecap=\"round\" stroke-linejoin=\"round\"";
  if (paint.dash > 0) text += attribute("stroke-dasharray", paint.dash);
  return text;
}

std::string pointList(const std::vector<Drawing::Point>& points) {
  std::string list;
  for (const Drawing::Point& p : points)
    list += (list.empty() ? "" : " ") + number(p.x()) + "," + number(p.y());
  return list;
}

std::string element(const Drawing::Shape& shape) {
  using Kind = Drawing::Shape::Kind;
  const Drawing::Point& first = shape.points.front();
  switch (shape.kind) {
    case Kind::circle:
      return "<circle" + attribute("cx", first.x()) + attribute("cy", first.y()) +
             attribute("r", shape.radius) + attributes(shape.paint) + "/>\n";
    case Kind::text:
      return "<text" + attribute("x", first.x()) + attribute("y", first.y()) +
             attributes(shape.paint) + ">" + escapedXml(shape.words) + "</text>\n";
    default:
      return std::string("<") + (shape.kind == Kind::polygon ? "polygon" : "polyline") +
             attribute("points", pointList(shape.points)) + attributes(shape.paint) + "/>\n";
  }
}

}  // namespace

Paint Paint::line(Colour colour, double width, double dash) {
  return {.stroke = colour, .width = width, .dash = dash, .fill = {}, .fillOpacity = 1};
}
Paint Paint::area(Colour colour) {
  return {.stroke = {}, .width = 1, .dash = 0, .fill = colour, .fillOpacity = 1};
}
Paint Paint::outlined(Colour fill, Colour stroke, double width) {
  return {.stroke = stroke, .width = width, .dash = 0, .fill = fill, .fillOpacity = 1};
}

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

Drawing::Drawing(const Point& low, const Point& high, const Format& format)
    : middle_(0.5 * (low + high)) {
  const Point size = high - low;
  const double highest = format.square ? format.largest : format.highest;
  // A content without extent in one direction is bound by the other.
  const double share = std::max(size.x() / format.largest, size.y() / highest);
  scale_ = share > 0 ? 1 / share : 1;
  width_ = (format.square ? format.largest : scale_ * size.x()) + 2 * format.margin;
  height_ = (format.square ? format.largest : scale_ * size.y()) + 2 * format.margin;
}

Drawing::Point Drawing::pixel(const Point& p) const {
  const Point d = scale_ * (p - middle_);
  return {width_ / 2 + d.x(), height_ / 2 - d.y()};
}

void Drawing::line(std::span<const Point> points, const Paint& paint) {
  shapes_.push_back({Shape::Kind::line, {points.begin(), points.end()}, 0, "", paint});
}
void Drawing::line(const Point& a, const Point& b, const Paint& paint) {
  line(std::array{a, b}, paint);
}
void Drawing::polygon(std::span<const Point> points, const Paint& paint) {
  shapes_.push_back({Shape::Kind::polygon, {points.begin(), points.end()}, 0, "", paint});
}
void Drawing::circle(const Point& centre, double radius, const Paint& paint) {
  shapes_.push_back({Shape::Kind::circle, {centre}, radius, "", paint});
}
void Drawing::text(const Point& at, const std::string& words, Colour colour) {
  shapes_.push_back({Shape::Kind::text, {at}, 0, words, Paint::area(colour)});
}

std::string svgText(const Drawing& drawing, const std::string& title) {
  std::string body;
  for (const Drawing::Shape& shape : drawing.shapes()) body += element(shape);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", drawing.width()) +
         attribute("height", drawing.height()) + " viewBox=\"0 0 " + number(drawing.width()) + " " +
         number(drawing.height()) + "\" font-family=\"sans-serif\" font-size=\"12\">\n<title>" +
         escapedXml(title) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         body + "</svg>\n";
}

}  // namespace trammel::fmi
