#include "packaging/mechanism_sketch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "models/mechanism/mechanism_system.hpp"
#include "packaging/drawing.hpp"
#include "packaging/mechanism_layout.hpp"

namespace trammel::fmi {
namespace {

using Point = Drawing::Point;

constexpr std::array<Colour, 8> colours{{{0x44, 0x72, 0xa8},
                                         {0xb5, 0x56, 0x2f},
                                         {0x5c, 0x8a, 0x3a},
                                         {0x8a, 0x5a, 0x9e},
                                         {0xb0, 0x8a, 0x2e},
                                         {0x3f, 0x8a, 0x8a},
                                         {0xa0, 0x45, 0x60},
                                         {0x6b, 0x6b, 0x6b}}};
constexpr Colour ink{0x22, 0x22, 0x22}, grey{0x77, 0x77, 0x77}, pale{0x99, 0x99, 0x99};
const Paint symbol = Paint::outlined({0xff, 0xff, 0xff}, ink, 1.5);

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Points around the others, in order (monotone chain).
std::vector<Point> convexHull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
  });
  const auto turns = [](const Point& o, const Point& a, const Point& b) {
    return (a - o).x() * (b - o).y() - (a - o).y() * (b - o).x();
  };
  std::vector<Point> hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t first = hull.size();
    for (const Point& p : points) {
      while (hull.size() >= first + 2 && turns(hull[hull.size() - 2], hull.back(), p) <= 0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

/// Unit vector, or x where there is none.
Point direction(const Point& v) { return v.norm() > 1e-9 ? Point(v.normalized()) : Point(1, 0); }
Point across(const Point& v) { return {-v.y(), v.x()}; }

/// Which two axes of the ground are drawn, and their signs.
struct View {
  Vector3 right = Vector3::UnitX(), up = Vector3::UnitY();

  Point of(const Vector3& r) const { return {right.dot(r), up.dot(r)}; }
};

class Sketch {
 public:
  Sketch(const CompiledModel& model, VectorIn q, bool named)
      : program_(*model.mechanism()), system_(program_), named_(named) {
    for (std::size_t f = 0; f < program_.frames.size(); ++f)
      places_.push_back(system_.framePosition(f, q));
    for (std::size_t f = 0; f < program_.frames.size(); ++f)
      axes_.push_back(system_.frameAxes(f, q));
    for (const BodyProgram& body : program_.bodies) centres_.push_back(centreOf(body, q));
    shown_ = shownFrames(program_);
    view_ = chooseView();
  }

  Drawing draw(const Drawing::Format& format) {
    Point low(1e300, 1e300), high(-1e300, -1e300);
    const auto include = [&](const Vector3& r) {
      low = low.cwiseMin(view_.of(r));
      high = high.cwiseMax(view_.of(r));
    };
    for (const int f : shown_) include(places_[at(f)]);
    for (std::size_t b = 1; b < centres_.size(); ++b)
      if (program_.bodies[b].given) include(centres_[b]);
    Drawing canvas(low, high, format);
    canvas_ = &canvas;
    for (std::size_t b = 1; b < program_.bodies.size(); ++b) drawBody(b);
    drawForces();
    for (const JointProgram& joint : program_.joints) drawJoint(joint);
    return canvas;
  }

 private:
  static Vector3 centreOf(const BodyProgram& body, VectorIn q) {
    Vector3 r = Vector3::Zero();
    if (!body.given || body.kind == BodyKind::ground) return r;
    for (int i = 0; i < (isPlanar(body.kind) ? 2 : 3); ++i) r[i] = q[body.coordinate + i];
    return r;
  }

  View chooseView() const {
    if (isPlane(program_)) return {};
    Vector3 low = Vector3::Constant(1e300), high = -low;
    const auto include = [&](const Vector3& r) {
      low = low.cwiseMin(r);
      high = high.cwiseMax(r);
    };
    for (const int f : shown_) include(places_[at(f)]);
    for (std::size_t b = 1; b < centres_.size(); ++b)
      if (program_.bodies[b].given) include(centres_[b]);
    const Vector3 size = high - low;
    const Vector3 g = system_.gravity();
    int up = 2;
    const bool falls = g.cwiseAbs().maxCoeff(&up) > 0;
    if (!falls || size[up] < 0.2 * size.maxCoeff()) up = -1;
    View view;
    if (up < 0) {  // leave out the smallest extent
      int least = 0;
      size.minCoeff(&least);
      view.right = Vector3::Unit((least + 1) % 3);
      view.up = Vector3::Unit((least + 2) % 3);
      if (least == 1) std::swap(view.right, view.up);
      return view;
    }
    const int first = (up + 1) % 3, second = (up + 2) % 3;
    const int right = size[first] >= size[second] ? first : second;
    view.up = (g[up] <= 0 ? 1.0 : -1.0) * Vector3::Unit(up);
    view.right = Vector3::Unit(right);
    return view;
  }

  Point pixelOf(const Vector3& r) const { return canvas_->pixel(view_.of(r)); }
  Point pixelOf(int frame) const { return pixelOf(places_[at(frame)]); }

  void drawBody(std::size_t index) {
    const BodyProgram& body = program_.bodies[index];
    if (!body.given) return;
    const Colour colour = colours[(index - 1) % colours.size()];
    std::vector<Point> points;
    for (const int f : shown_) {
      if (program_.frames[at(f)].body != static_cast<int>(index)) continue;
      const Point p = pixelOf(f);
      if (std::none_of(points.begin(), points.end(),
                       [&p](const Point& other) { return (p - other).norm() < 0.5; }))
        points.push_back(p);
    }
    const Point centre = pixelOf(centres_[index]);
    const bool isPoint = body.kind == BodyKind::point || body.kind == BodyKind::planarPoint;
    if (points.size() == 1 && (points[0] - centre).norm() > 1) points.push_back(centre);
    const std::vector<Point> hull = points.size() > 2 ? convexHull(points) : points;
    if (hull.size() > 2) {
      Paint plate = Paint::outlined(colour, colour, 3);
      plate.fillOpacity = 0.18;
      canvas_->polygon(hull, plate);
    } else if (hull.size() == 2) {
      canvas_->line(hull[0], hull[1], Paint::line(colour, 5));
    }
    canvas_->circle(centre, isPoint ? 7 : 3, Paint::area(colour));
    if (named_ && program_.bodies.size() <= 30)
      canvas_->text(centre + Point(8, -8), body.name, colour);
  }

  void drawForces() {
    for (const ForceLine& force : forceLines(program_)) {
      const Point a = pixelOf(force.frameA), b = pixelOf(force.frameB);
      if (force.kind == ForceLine::Kind::spring) drawSpring(a, b);
      if (force.kind == ForceLine::Kind::beam) canvas_->line(a, b, Paint::line(pale, 4));
      for (const int frame : {force.frameA, force.frameB})
        if (program_.frames[at(frame)].body == 0) drawGround(pixelOf(frame));
    }
  }

  void drawSpring(const Point& a, const Point& b) {
    const Point along = b - a, side = 7 * across(direction(along));
    std::vector<Point> points{a, a + 0.2 * along};
    constexpr int turns = 10;
    for (int i = 0; i < turns; ++i) {
      const double share = 0.2 + 0.6 * (i + 0.5) / turns;
      points.push_back(a + share * along + (i % 2 == 0 ? 1.0 : -1.0) * side);
    }
    points.push_back(a + 0.8 * along);
    points.push_back(b);
    canvas_->line(points, Paint::line(grey, 1.5));
  }

  /// A line with hatches under the place.
  void drawGround(const Point& p) {
    const Point base = p + Point(0, 12);
    canvas_->line(base + Point(-16, 0), base + Point(16, 0), Paint::line(ink, 1.5));
    for (int i = -2; i <= 2; ++i)
      canvas_->line(base + Point(7.0 * i + 3, 0), base + Point(7.0 * i - 3, 7),
                    Paint::line(ink, 1));
  }

  void drawJoint(const JointProgram& joint) {
    if (joint.frameB < 0) return;
    const Point a = pixelOf(joint.frameA), b = pixelOf(joint.frameB);
    const std::string& type = joint.type;
    const auto onGround = [&](int frame) { return program_.frames[at(frame)].body == 0; };
    if (type == "distance") {
      canvas_->line(a, b, Paint::line(ink, 1.5));
      canvas_->circle(a, 4, symbol);
      canvas_->circle(b, 4, symbol);
    } else if (type == "point_on_circle") {
      canvas_->circle(a, (b - a).norm(), Paint::line(ink, 1, 4));
      canvas_->circle(b, 4, symbol);
    } else if (type == "prismatic" || type == "cylindrical" || type == "screw" ||
               type == "point_on_line" || type == "planar") {
      drawGuide(joint, b);
    } else if (type == "fixed") {
      canvas_->polygon(std::array{Point(b + Point(-5, -5)), Point(b + Point(5, -5)),
                                  Point(b + Point(5, 5)), Point(b + Point(-5, 5))},
                       Paint::area(ink));
    } else {  // revolute, spherical, universal
      canvas_->circle(b, 6, symbol);
      if (type == "spherical") canvas_->circle(b, 3, Paint::area(ink));
      if (type == "universal") {
        canvas_->line(b - Point(4, 4), b + Point(4, 4), Paint::line(ink, 1.5));
        canvas_->line(b - Point(4, -4), b + Point(4, -4), Paint::line(ink, 1.5));
      }
    }
    const bool slides = type == "prismatic" || type == "cylindrical" || type == "point_on_line";
    if (onGround(joint.frameA)) drawGround(slides || type == "distance" ? a : b);
    if (onGround(joint.frameB)) drawGround(b);
  }

  /// A block on a dashed line along the axis; a circle where the axis is seen from its end.
  void drawGuide(const JointProgram& joint, const Point& b) {
    const Vector3 axis = axes_[at(joint.frameA)].col(jointAxis(program_, joint));
    const Point seen(view_.of(axis).x(), -view_.of(axis).y());  // pixels count downwards
    if (seen.norm() < 0.2) {
      canvas_->circle(b, 8, Paint::line(ink, 1.5));
      return;
    }
    const Point u = direction(seen), n = across(u);
    canvas_->line(b - 34 * u, b + 34 * u, Paint::line(ink, 1, 5));
    canvas_->polygon(std::array{Point(b - 11 * u - 7 * n), Point(b + 11 * u - 7 * n),
                                Point(b + 11 * u + 7 * n), Point(b - 11 * u + 7 * n)},
                     symbol);
  }

  const MechanismProgram& program_;
  MechanismSystem system_;
  const bool named_;  // bodies with their names
  std::vector<Vector3> places_, centres_;
  std::vector<Matrix3> axes_;
  std::vector<int> shown_;
  View view_;
  Drawing* canvas_ = nullptr;
};

}  // namespace

Drawing mechanismDrawing(const CompiledModel& model, VectorIn q, const Drawing::Format& format,
                         bool named) {
  return Sketch(model, q, named).draw(format);
}

std::string mechanismSketch(const CompiledModel& model, VectorIn q) {
  return svgText(mechanismDrawing(model, q, {}, true), model.name());
}

}  // namespace trammel::fmi
