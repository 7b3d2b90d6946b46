#include "packaging/mechanism_scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/mechanism/mechanism_system.hpp"
#include "packaging/mechanism_layout.hpp"
#include "packaging/page.hpp"

namespace trammel::fmi {
namespace {

constexpr std::size_t numberLimit = 9000;  // of all poses
constexpr std::size_t fewestPoses = 40;
constexpr std::size_t mostPaths = 6;
constexpr int turnDigits = 4;  // of angles and quaternions

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class Scene {
 public:
  Scene(const MechanismProgram& program, const ReferenceRun& run)
      : program_(program), run_(run), system_(program), plane_(isPlane(program)) {
    sceneIndex_.assign(program.bodies.size(), -1);
    sceneIndex_[0] = 0;
    for (std::size_t b = 1; b < program.bodies.size(); ++b) {
      const BodyProgram& body = program.bodies[b];
      if (!body.given || body.kind == BodyKind::scalar) continue;
      bodies_.push_back(b);
      sceneIndex_[b] = static_cast<int>(bodies_.size());
    }
    shown_ = shownFrames(program);
    findExtent();
    stride_ = 1;
    const std::size_t size = (plane_ ? 3 : 7) * bodies_.size(), count = run.times.size();
    while (size * (count / stride_) > numberLimit && count / (stride_ + 1) >= fewestPoses)
      ++stride_;
  }

  std::string json() const {
    if (bodies_.empty()) return "null";
    std::vector<std::string> times, bodies, joints, forces, paths;
    for (std::size_t i = 0; i < run_.times.size(); i = next(i))
      times.push_back(jsonNumber(run_.times[i]));
    for (std::size_t b = 0; b < bodies_.size(); ++b) bodies.push_back(bodyJson(b));
    for (const JointProgram& joint : program_.joints) {
      if (joint.frameB >= 0 && isPlaced(joint.frameA) && isPlaced(joint.frameB))
        joints.push_back(jointJson(joint));
    }
    for (const ForceLine& force : forceLines(program_)) {
      if (force.kind != ForceLine::Kind::other && isPlaced(force.frameA) && isPlaced(force.frameB))
        forces.push_back(forceJson(force));
    }
    addPaths(paths);
    const auto [right, up] = view();
    return std::string("{\"plane\":") + (plane_ ? "true" : "false") +
           ",\"right\":" + vectorJson(right, 0) + ",\"up\":" + vectorJson(up, 0) +
           ",\"time\":" + jsonArray(times) + ",\"bodies\":" + jsonArray(bodies) +
           ",\"joints\":" + jsonArray(joints) + ",\"forces\":" + jsonArray(forces) +
           ",\"paths\":" + jsonArray(paths) + "}";
  }

 private:
  /// Every stride-th sample and the last one.
  std::size_t next(std::size_t i) const {
    const std::size_t last = run_.times.size() - 1;
    return i < last ? std::min(i + stride_, last) : last + 1;
  }

  /// Box of all centres and of the frames at the start; positions are written to a 1e-4 part of it.
  void findExtent() {
    low_ = Vector3::Constant(1e300);
    high_ = -low_;
    const auto include = [&](const Vector3& r) {
      if (!r.allFinite()) return;
      low_ = low_.cwiseMin(r);
      high_ = high_.cwiseMax(r);
    };
    for (const ReferenceRun::BodyMotion& body : run_.bodies)
      for (const Vector3& centre : body.centres) include(centre);
    for (const int f : shown_) include(system_.framePosition(at(f), run_.positions.front()));
    const double size = (high_ - low_).maxCoeff();
    digits_ = size > 0 ? std::clamp(4 - static_cast<int>(std::floor(std::log10(size))), 0, 15) : 6;
  }

  bool isPlaced(int frame) const { return sceneIndex_[at(program_.frames[at(frame)].body)] >= 0; }

  /// Pose of a body of the model at the start; the ground is where it is.
  Vector3 toBody(std::size_t body, const Vector3& r) const {
    const int index = sceneIndex_[body];
    if (index == 0) return r;
    const ReferenceRun::BodyMotion& motion = run_.bodies[at(index - 1)];
    return motion.orientations.front().conjugate() * (r - motion.centres.front());
  }
  Vector3 directionInBody(std::size_t body, const Vector3& axis) const {
    const int index = sceneIndex_[body];
    if (index == 0) return axis;
    return run_.bodies[at(index - 1)].orientations.front().conjugate() * axis;
  }

  Vector3 localPlace(int frame) const {
    return toBody(at(program_.frames[at(frame)].body),
                  system_.framePosition(at(frame), run_.positions.front()));
  }

  static std::string vectorJson(const Vector3& r, int digits) {
    const std::array<std::string, 3> items{fixedNumber(r.x(), digits), fixedNumber(r.y(), digits),
                                           fixedNumber(r.z(), digits)};
    return jsonArray(items);
  }

  /// [body, x, y, z]
  std::string place(int frame) const {
    const Vector3 s = localPlace(frame);
    const int body = sceneIndex_[at(program_.frames[at(frame)].body)];
    const std::array<std::string, 4> items{std::to_string(body), fixedNumber(s.x(), digits_),
                                           fixedNumber(s.y(), digits_),
                                           fixedNumber(s.z(), digits_)};
    return jsonArray(items);
  }

  std::string bodyJson(std::size_t index) const {
    const BodyProgram& body = program_.bodies[bodies_[index]];
    std::vector<std::string> points;
    bool centred = true;
    for (const int f : shown_) {
      if (at(program_.frames[at(f)].body) != bodies_[index]) continue;
      const Vector3 s = localPlace(f);
      const std::string text = vectorJson(s, digits_);
      if (std::find(points.begin(), points.end(), text) != points.end()) continue;
      points.push_back(text);
      if (s.norm() > 1e-3 * (high_ - low_).norm()) centred = false;
    }
    const bool isPoint = body.kind == BodyKind::point || body.kind == BodyKind::planarPoint;
    return "{\"name\":" + jsonText(body.name) + (isPoint ? ",\"point\":true" : "") +
           (plane_ ? ",\"planar\":true" : "") + (centred ? ",\"centred\":true" : "") +
           ",\"points\":" + jsonArray(points) + ",\"poses\":" + posesJson(index) + "}";
  }

  std::string posesJson(std::size_t index) const {
    const BodyProgram& body = program_.bodies[bodies_[index]];
    const ReferenceRun::BodyMotion& motion = run_.bodies[index];
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < run_.times.size(); i = next(i)) {
      for (int k = 0; k < (plane_ ? 2 : 3); ++k)
        numbers.push_back(fixedNumber(motion.centres[i][k], digits_));
      if (plane_) {  // the angle itself, which may count several turns
        const bool turns = body.kind == BodyKind::planar;
        numbers.push_back(turns ? fixedNumber(run_.positions[i][body.coordinate + 2], turnDigits)
                                : "0");
      } else {
        const Eigen::Quaterniond& p = motion.orientations[i];
        for (const double c : {p.w(), p.x(), p.y(), p.z()})
          numbers.push_back(fixedNumber(c, turnDigits));
      }
    }
    return jsonArray(numbers);
  }

  std::string jointJson(const JointProgram& joint) const {
    const Matrix3 axes = system_.frameAxes(at(joint.frameA), run_.positions.front());
    const Vector3 axis = directionInBody(at(program_.frames[at(joint.frameA)].body),
                                         axes.col(jointAxis(program_, joint)));
    return "{\"type\":" + jsonText(joint.type) + ",\"name\":" + jsonText(joint.name) +
           ",\"a\":" + place(joint.frameA) + ",\"b\":" + place(joint.frameB) +
           ",\"axis\":" + vectorJson(axis, 5) + "}";
  }

  /// A contact lies on the plane through a, in the plane on the line along its x axis.
  std::string forceJson(const ForceLine& force) const {
    const bool isContact = force.kind == ForceLine::Kind::contact;
    const char* type = isContact                               ? "contact"
                       : force.kind == ForceLine::Kind::spring ? "spring"
                                                               : "beam";
    std::string text = std::string("{\"type\":\"") + type + "\",\"a\":" + place(force.frameA) +
                       ",\"b\":" + place(force.frameB);
    if (isContact) {
      const Matrix3 axes = system_.frameAxes(at(force.frameA), run_.positions.front());
      text +=
          ",\"axis\":" +
          vectorJson(directionInBody(at(program_.frames[at(force.frameA)].body), axes.col(0)), 5);
    }
    return text + "}";
  }

  /// Points that the model only looks at; without any, the point masses.
  void addPaths(std::vector<std::string>& paths) const {
    for (const int frame : observedFrames(program_)) {
      if (paths.size() < mostPaths && isPlaced(frame)) paths.push_back(place(frame));
    }
    if (!paths.empty()) return;
    for (std::size_t b = 0; b < bodies_.size() && paths.size() < mostPaths; ++b) {
      const BodyKind kind = program_.bodies[bodies_[b]].kind;
      if (kind == BodyKind::point || kind == BodyKind::planarPoint)
        paths.push_back("[" + std::to_string(b + 1) + ",0,0,0]");
    }
  }

  /// Gravity acts downwards; the larger of the other two extents lies across.
  std::pair<Vector3, Vector3> view() const {
    if (plane_) return {Vector3::UnitX(), Vector3::UnitY()};
    const Vector3 g = system_.gravity(), size = high_ - low_;
    int up = 2;
    if (g.norm() > 0) g.cwiseAbs().maxCoeff(&up);
    const double sign = g[up] > 0 ? -1 : 1;
    const int first = (up + 1) % 3, second = (up + 2) % 3;
    return {Vector3::Unit(size[second] > size[first] ? second : first), sign * Vector3::Unit(up)};
  }

  const MechanismProgram& program_;
  const ReferenceRun& run_;
  MechanismSystem system_;
  const bool plane_;
  std::vector<std::size_t> bodies_;  // of the program, in the order of run_.bodies
  std::vector<int> sceneIndex_;      // of each body of the program: 0 the ground, −1 not shown
  std::vector<int> shown_;           // frames
  Vector3 low_, high_;
  int digits_ = 6;  // of positions
  std::size_t stride_ = 1;
};

}  // namespace

std::string mechanismScene(const CompiledModel& model, const ReferenceRun& run) {
  if (model.mechanism() == nullptr || run.times.empty()) return "null";
  return Scene(*model.mechanism(), run).json();
}

}  // namespace trammel::fmi
