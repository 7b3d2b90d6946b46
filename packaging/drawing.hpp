#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trammel::fmi {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};

/// How a shape is drawn; lengths in pixels.
struct Paint {
  std::optional<Colour> stroke;
  double width = 1;
  double dash = 0;  // length of dashes and gaps; 0: no dashes
  std::optional<Colour> fill;
  double fillOpacity = 1;

  static Paint line(Colour colour, double width, double dash = 0);
  static Paint area(Colour colour);
  static Paint outlined(Colour fill, Colour stroke, double width);
};

/// Shapes in the plane with y upwards, scaled to the size of their content; lengths of symbols and
/// widths of lines are in pixels, which count downwards.
class Drawing final {
 public:
  using Point = Eigen::Vector2d;

  struct Format {
    double largest = 640;  // pixels that the content may be wide, and high in a square
    double margin = 60;    // pixels around it
    bool square = false;   // the content lies in the middle of a square
    double highest = 360;  // pixels that it may be high otherwise: with margins 30 lines of a page
  };
  struct Shape {
    enum class Kind { line, polygon, circle, text };
    Kind kind = Kind::line;
    std::vector<Point> points;  // of a circle its centre, of a text its beginning
    double radius = 0;
    std::string words;
    Paint paint;
  };

  /// The points lie in the box from `low` to `high`.
  Drawing(const Point& low, const Point& high, const Format& format);

  Point pixel(const Point& p) const;
  double width() const { return width_; }    // pixels
  double height() const { return height_; }  // pixels
  const std::vector<Shape>& shapes() const { return shapes_; }

  // Arguments in pixels.
  void line(std::span<const Point> points, const Paint& paint);
  void line(const Point& a, const Point& b, const Paint& paint);
  void polygon(std::span<const Point> points, const Paint& paint);
  void circle(const Point& centre, double radius, const Paint& paint);
  void text(const Point& at, const std::string& words, Colour colour);

 private:
  double scale_ = 1, width_ = 0, height_ = 0;
  Point middle_;
  std::vector<Shape> shapes_;
};

/// The drawing as SVG on white.
std::string svgText(const Drawing& drawing, const std::string& title);

/// The text with &, <, > and quotes as XML and HTML write them.
std::string escapedXml(const std::string& text);

}  // namespace trammel::fmi
