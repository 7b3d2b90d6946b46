#include "packaging/model_icon.hpp"

#include <array>
#include <cmath>

#include "packaging/mechanism_sketch.hpp"

namespace trammel::fmi {
namespace {

using Point = Drawing::Point;

constexpr double margin = 26;  // pixels
constexpr Colour ink{0x22, 0x22, 0x22}, blue{0x44, 0x72, 0xa8}, white{0xff, 0xff, 0xff};

Drawing::Format format() { return {iconSize - 2 * margin, margin, true}; }

/// Two guides that cross, an arm with a slider in each, and the ellipse that its end draws.
Drawing trammelOfArchimedes() {
  Drawing icon(Point(-1, -1), Point(1, 1), format());
  const auto px = [&](double x, double y) { return icon.pixel(Point(x, y)); };
  icon.line(px(-1, 0), px(1, 0), Paint::line(ink, 1.5));
  icon.line(px(0, -1), px(0, 1), Paint::line(ink, 1.5));
  constexpr double a = 1.0, b = 0.5, angle = 0.62;  // half axes of the ellipse
  std::array<Point, 73> ellipse;
  for (std::size_t i = 0; i < ellipse.size(); ++i) {
    const double phi = static_cast<double>(i) * 2 * M_PI / 72;
    ellipse[i] = px(a * std::cos(phi), b * std::sin(phi));
  }
  icon.line(ellipse, Paint::line(ink, 1, 4));
  // The sliders are at distances a and b from the end of the arm.
  const Point end = px(a * std::cos(angle), b * std::sin(angle));
  const Point across = px((a - b) * std::cos(angle), 0), along = px(0, (b - a) * std::sin(angle));
  icon.line(along, end, Paint::line(blue, 6));
  for (const Point& slider : {across, along})
    icon.circle(slider, 7, Paint::outlined(white, ink, 1.5));
  icon.circle(end, 7, Paint::area(blue));
  return icon;
}

}  // namespace

Drawing modelIcon(const CompiledModel& model, VectorIn q) {
  return model.mechanism() != nullptr ? mechanismDrawing(model, q, format(), false)
                                      : trammelOfArchimedes();
}

}  // namespace trammel::fmi
