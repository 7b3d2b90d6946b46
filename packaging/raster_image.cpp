#include "packaging/raster_image.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "solver/error.hpp"

namespace trammel::fmi {
namespace {

using Point = Drawing::Point;
using Shape = Drawing::Shape;

/// Distance of p from the segment ab.
double distance(const Point& p, const Point& a, const Point& b) {
  const Point d = b - a;
  const double length = d.squaredNorm();
  const double share = length > 0 ? std::clamp((p - a).dot(d) / length, 0.0, 1.0) : 0.0;
  return (p - a - share * d).norm();
}

/// Part of a pixel that lies within an edge at this distance from its centre, negative inside.
float coverageOf(double edge) { return static_cast<float>(std::clamp(0.5 - edge, 0.0, 1.0)); }

bool isInside(const Point& p, const std::vector<Point>& polygon) {
  bool inside = false;
  for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
    const Point &a = polygon[i], &b = polygon[j];
    if ((a.y() > p.y()) != (b.y() > p.y()) &&
        p.x() < (b.x() - a.x()) * (p.y() - a.y()) / (b.y() - a.y()) + a.x())
      inside = !inside;
  }
  return inside;
}

/// The pieces of a line that dashes leave.
std::vector<std::pair<Point, Point>> pieces(const std::vector<Point>& points, double dash) {
  std::vector<std::pair<Point, Point>> result;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Point &a = points[i], d = points[i + 1] - a;
    const double length = d.norm();
    if (dash <= 0 || length <= dash) {
      result.emplace_back(a, a + d);
      continue;
    }
    for (double s = 0; s < length; s += 2 * dash)
      result.emplace_back(a + s / length * d, a + std::min(s + dash, length) / length * d);
  }
  return result;
}

class RasterImage {
 public:
  RasterImage(int width, int height)
      : width_(width), height_(height), pixels_(at(width) * at(height) * 3, 255.0F) {
    coverage_.resize(at(width) * at(height));
  }

  void draw(const Shape& shape) {
    if (shape.kind == Shape::Kind::text || shape.points.empty()) return;
    const Paint& paint = shape.paint;
    if (paint.fill && shape.kind != Shape::Kind::line) {
      cover(shape, 0, [&](const Point& p) { return fillEdge(shape, p); });
      blend(*paint.fill, paint.fillOpacity);
    }
    if (!paint.stroke) return;
    if (shape.kind == Shape::Kind::circle) {
      cover(shape, paint.width, [&](const Point& p) {
        return std::abs((p - shape.points[0]).norm() - shape.radius) - paint.width / 2;
      });
    } else {
      std::vector<Point> points = shape.points;
      if (shape.kind == Shape::Kind::polygon) points.push_back(points.front());
      for (const auto& [a, b] : pieces(points, paint.dash)) {
        const Shape piece{Shape::Kind::line, {a, b}, 0, "", paint};
        cover(piece, paint.width, [&](const Point& p) {
          return distance(p, piece.points[0], piece.points[1]) - paint.width / 2;
        });
      }
    }
    blend(*paint.stroke, 1);
  }

  int width() const { return width_; }
  int height() const { return height_; }
  std::uint8_t value(int x, int y, int channel) const {
    const float v = pixels_[(at(y) * at(width_) + at(x)) * 3 + at(channel)];
    return static_cast<std::uint8_t>(std::lround(v));
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  static double fillEdge(const Shape& shape, const Point& p) {
    if (shape.kind == Shape::Kind::circle) return (p - shape.points[0]).norm() - shape.radius;
    double nearest = 1e300;
    for (std::size_t i = 0, j = shape.points.size() - 1; i < shape.points.size(); j = i++)
      nearest = std::min(nearest, distance(p, shape.points[i], shape.points[j]));
    return isInside(p, shape.points) ? -nearest : nearest;
  }

  /// Adds a shape to the coverage of the pixels it may touch.
  template <class Edge>
  void cover(const Shape& shape, double lineWidth, const Edge& edge) {
    Point low = shape.points[0], high = low;
    for (const Point& p : shape.points) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    const double around = shape.radius + lineWidth / 2 + 1;
    const auto pixel = [](double v, int limit) {
      return static_cast<int>(std::clamp(std::floor(v), 0.0, static_cast<double>(limit)));
    };
    const int x0 = pixel(low.x() - around, width_), x1 = pixel(high.x() + around + 1, width_);
    const int y0 = pixel(low.y() - around, height_), y1 = pixel(high.y() + around + 1, height_);
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        float& c = coverage_[at(y) * at(width_) + at(x)];
        c = std::max(c, coverageOf(edge(Point(x + 0.5, y + 0.5))));
      }
    }
    box_ = {std::min(box_[0], x0), std::min(box_[1], y0), std::max(box_[2], x1),
            std::max(box_[3], y1)};
  }

  /// Colours the covered pixels and clears the coverage.
  void blend(Colour colour, double opacity) {
    const std::array<float, 3> rgb{static_cast<float>(colour.red), static_cast<float>(colour.green),
                                   static_cast<float>(colour.blue)};
    for (int y = box_[1]; y < box_[3]; ++y) {
      for (int x = box_[0]; x < box_[2]; ++x) {
        const std::size_t i = at(y) * at(width_) + at(x);
        const float share = coverage_[i] * static_cast<float>(opacity);
        for (std::size_t k = 0; k < 3; ++k)
          pixels_[3 * i + k] += share * (rgb[k] - pixels_[3 * i + k]);
        coverage_[i] = 0;
      }
    }
    box_ = {width_, height_, 0, 0};
  }

  int width_, height_;
  std::vector<float> pixels_;                       // red, green, blue from 0 to 255
  std::vector<float> coverage_;                     // of the shape that is being drawn
  std::array<int, 4> box_{1 << 30, 1 << 30, 0, 0};  // pixels that it may touch
};

std::string bigEndian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xffU);
  return bytes;
}

/// Length, type, data, and the checksum of type and data.
std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return bigEndian(static_cast<std::uint32_t>(data.size())) + body +
         bigEndian(static_cast<std::uint32_t>(sum));
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 6);
  if (status != Z_OK) throw Error("the icon cannot be compressed");
  result.resize(size);
  return result;
}

}  // namespace

std::string pngImage(const Drawing& drawing) {
  RasterImage image(static_cast<int>(std::ceil(drawing.width())),
                    static_cast<int>(std::ceil(drawing.height())));
  for (const Shape& shape : drawing.shapes()) image.draw(shape);
  std::string rows;
  for (int y = 0; y < image.height(); ++y) {
    rows += '\0';  // no filter
    for (int x = 0; x < image.width(); ++x)
      for (int k = 0; k < 3; ++k) rows += static_cast<char>(image.value(x, y, k));
  }
  const std::string form{'\x08', '\x02', '\0', '\0', '\0'};  // 8 bits, RGB, the only methods
  const std::string size = bigEndian(static_cast<std::uint32_t>(image.width())) +
                           bigEndian(static_cast<std::uint32_t>(image.height()));
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", size + form) + chunk("IDAT", deflated(rows)) +
         chunk("IEND", "");
}

}  // namespace trammel::fmi
