#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

namespace trammel::fmi {

/// A drawing in the plane with y upwards, scaled to the size of its content; lengths of symbols and
/// widths of lines are in pixels.
class SvgCanvas final {
 public:
  using Point = Eigen::Vector2d;

  /// The points lie in the box from `low` to `high`.
  SvgCanvas(Point low, Point high);

  Point pixel(const Point& p) const;

  // Arguments in pixels.
  void line(const Point& a, const Point& b, const std::string& attributes);
  void polyline(std::span<const Point> points, bool closed, const std::string& attributes);
  void circle(const Point& centre, double radius, const std::string& attributes);
  void text(const Point& at, const std::string& words, const std::string& attributes);

  std::string finish(const std::string& title) const;

 private:
  Point low_;
  double scale_ = 1, width_ = 0, height_ = 0;
  std::string body_;
};

/// The text with &, <, > and quotes as XML writes them.
std::string escapedXml(const std::string& text);

}  // namespace trammel::fmi
