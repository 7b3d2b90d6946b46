#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/mechanism/mechanism_system.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Vector3 vectorAt(const std::vector<double>& numbers, int first) {
  if (first < 0) return Vector3::Zero();
  return {numbers[at(first)], numbers[at(first + 1)], numbers[at(first + 2)]};
}

/// The rotation that its numbers describe; NaN where they describe none.
Eigen::Quaterniond rotationOf(const std::vector<double>& numbers, const RotationNumbers& rotation) {
  const double* x = rotation.first < 0 ? nullptr : numbers.data() + rotation.first;
  using Axis = Eigen::AngleAxisd;
  switch (rotation.kind) {
    case RotationKind::none:
      break;
    case RotationKind::quaternion:
      return Eigen::Quaterniond(x[0], x[1], x[2], x[3]).normalized();
    case RotationKind::axisAngle:
      return Eigen::Quaterniond(Axis(x[3], Vector3(x[0], x[1], x[2]).normalized()));
    case RotationKind::cardan:
      return Eigen::Quaterniond(Axis(x[0], Vector3::UnitX()) * Axis(x[1], Vector3::UnitY()) *
                                Axis(x[2], Vector3::UnitZ()));
    case RotationKind::zAxis:
      return Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), Vector3(x[0], x[1], x[2]));
    case RotationKind::axes: {
      Matrix3 A;
      A.col(0) = Vector3(x[0], x[1], x[2]).normalized();
      A.col(2) = A.col(0).cross(Vector3(x[3], x[4], x[5])).normalized();
      A.col(1) = A.col(2).cross(A.col(0));
      return Eigen::Quaterniond(A);
    }
  }
  return Eigen::Quaterniond::Identity();
}

/// Of the first channel of a block.
int entryCountOf(const MechanismProgram& program, int block) {
  return program.channels[at(program.blocks[at(block)].firstChannel)].entryCount;
}

}  // namespace

void MechanismSystem::prepare() {
  placed_ = placeKnown_ = stays_ = false;
  for (Stage* stage : {&numbersStage_, &balance_, &constraint_, &rateStage_, &acceleration_,
                       &linearisation_, &outputs_, &rootFunctions_})
    stage->tape.prepare(parameters_.data(), stage->storage.data());
  numbersStage_.evaluate(TapeSources{});
  numbersStage_.copy(0, numbers_.size(), numbers_.data());
  gravity_ = vectorAt(numbers_, program_.gravity);
  for (std::size_t b = 1; b < program_.bodies.size(); ++b) prepareBody(b);
  for (std::size_t f = 0; f < program_.frames.size(); ++f) prepareFrame(f);
  // The inertia of an angle is of the size of that of the bodies it belongs to.
  for (std::size_t b = 1; b < program_.bodies.size(); ++b) {
    const BodyProgram& body = program_.bodies[b];
    if (body.windingBlock < 0) continue;
    const BlockProgram& block = program_.blocks[at(body.windingBlock)];
    double rho = 0;
    for (const int frame : {block.frameA, block.frameB})
      rho = std::max(rho, inertias_[at(program_.frames[at(frame)].body)].parameterInertia());
    inertias_[b].mass = rho;
  }
  prepareMasses();
  offsets_.clear();
  for (const RowProgram& row : program_.rows)
    if (row.channel >= 0) offsets_.push_back(row.offset < 0 ? 0.0 : numbers_[at(row.offset)]);
  const auto isZero = [](double offset) { return offset == 0; };
  if (std::all_of(offsets_.begin(), offsets_.end(), isZero)) offsets_.clear();
  dynamics_.setFrames(frames_);
  outputMeasures_.setFrames(frames_);
}

/// What of the inertia is constant. Angles with a winding row have none of their own.
void MechanismSystem::prepareMasses() {
  planarMasses_.clear();
  for (std::size_t b = 1; b < program_.bodies.size(); ++b) {
    const BodyProgram& body = program_.bodies[b];
    if (body.windingBlock >= 0) continue;
    const auto first = at(body.coordinate);
    const std::size_t axes = body.kind == BodyKind::scalar ? 0 : isPlanar(body.kind) ? 2 : 3;
    const double mass = inertias_[b].mass;
    for (std::size_t i = 0; i < axes; ++i) {
      diagonalMass_[first + i] = mass;
      weight_[first + i] = -mass * gravity_[static_cast<Index>(i)];
    }
    if (body.kind == BodyKind::scalar) diagonalMass_[first] = mass;
    if (body.kind != BodyKind::planar) continue;
    diagonalMass_[first + 2] = inertias_[b].J(2, 2);
    planarMasses_.push_back({mass, inertias_[b].J(2, 2)});
  }
  prepareMassMatrix();
}

/// The same as values of M, and what of M is not constant.
void MechanismSystem::prepareMassMatrix() {
  constantMass_.assign(program_.M.entryCount(), 0.0);
  varyingMasses_.clear();
  const std::vector<int>& positions = program_.massPositions;
  std::size_t next = 0;
  const auto add = [&](double mass) { constantMass_[at(positions[next++])] += mass; };
  for (std::size_t b = 1; b < program_.bodies.size(); ++b) {
    const BodyProgram& body = program_.bodies[b];
    const int masses = body.kind == BodyKind::planar  ? 2
                       : body.kind == BodyKind::rigid ? 3
                                                      : coordinateCountOf(body.kind);
    const bool winds = body.kind == BodyKind::scalar && body.windingBlock >= 0;
    for (int i = 0; i < masses && !winds; ++i) add(inertias_[b].mass);
    if (body.kind == BodyKind::planar) add(inertias_[b].J(2, 2));
    if (!winds && body.kind != BodyKind::rigid) continue;
    varyingMasses_.push_back({static_cast<int>(b), next});
    const int count = winds ? entryCountOf(program_, body.windingBlock) : 4;
    next += at(count * count);
  }
}

void MechanismSystem::prepareBody(std::size_t index) {
  const BodyProgram& body = program_.bodies[index];
  Inertia& inertia = inertias_[index];
  inertia.mass = body.mass < 0 ? 1 : numbers_[at(body.mass)];
  centres_[index] = vectorAt(numbers_, body.centre);
  if (body.inertia < 0) return;
  const double* J = numbers_.data() + body.inertia;
  if (body.kind == BodyKind::planar) {
    inertia.J(2, 2) = J[0];
  } else {
    inertia.J << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
  }
}

void MechanismSystem::prepareFrame(std::size_t index) {
  const FrameProgram& spec = program_.frames[index];
  Frame& frame = frames_[index];
  frame.s = vectorAt(numbers_, spec.pose.position) - centres_[at(spec.body)];
  const Eigen::Quaterniond turn =
      rotationOf(numbers_, spec.pose.rotation) * rotationOf(numbers_, spec.alignment);
  frame.axes = turn.toRotationMatrix();
  frame.turn = {turn.w(), {turn.x(), turn.y(), turn.z()}};
}

std::string MechanismSystem::defect(int& line) const {
  for (std::size_t index = 1; index < program_.bodies.size(); ++index) {
    const BodyProgram& body = program_.bodies[index];
    line = body.line;
    const Inertia& inertia = inertias_[index];
    if (!body.given) continue;
    const std::string what = "body " + inQuotes(body.name) + ": ";
    if (!(inertia.mass > 0) || !std::isfinite(inertia.mass))
      return what + "mass must be > 0 kg, is " + numberText(inertia.mass);
    if (body.kind == BodyKind::planar && !(inertia.J(2, 2) > 0))
      return what + "inertia must be > 0 kg.m2, is " + numberText(inertia.J(2, 2));
    if (body.kind == BodyKind::rigid) {
      const Eigen::SelfAdjointEigenSolver<Matrix3> principal(inertia.J, Eigen::EigenvaluesOnly);
      const Vector3& J = principal.eigenvalues();
      if (!(J[0] > 0))
        return what + "inertia must be positive definite, its smallest principal value is " +
               numberText(J[0]) + " kg.m2";
      if (J[2] > (J[0] + J[1]) * (1 + 1e-9))
        return what + "inertia is not that of a body: the largest principal value " +
               numberText(J[2]) + " kg.m2 exceeds the sum of the others " +
               numberText(J[0] + J[1]) + " kg.m2";
    }
    const Eigen::Quaterniond turn = rotationOf(numbers_, body.pose.rotation);
    if (!turn.coeffs().allFinite() || std::abs(turn.norm() - 1) > 1e-6)
      return what + "orientation is no rotation, expected an axis or quaternion that is not zero";
    if (!vectorAt(numbers_, body.pose.position).allFinite() ||
        !vectorAt(numbers_, body.velocity).allFinite() ||
        !vectorAt(numbers_, body.angularVelocity).allFinite() || !centres_[index].allFinite())
      return what + "position and velocity must be finite numbers";
  }
  for (std::size_t f = 0; f < frames_.size(); ++f) {
    const Quadruple<double>& turn = frames_[f].turn;
    line = program_.frames[f].line;
    if (!frames_[f].s.allFinite() || !(std::abs(turn.w * turn.w + dot(turn.e, turn.e) - 1) < 1e-6))
      return "frame " + inQuotes(program_.frameNames[f]) +
             (program_.frames[f].alignment.kind == RotationKind::none
                  ? ": position must be finite and the axis of its rotation not zero"
                  : ": the axis given in it must not be zero");
  }
  for (const JointProgram& joint : program_.joints) {
    if (joint.type != "distance" && joint.type != "point_on_circle") continue;
    line = joint.line;
    const double length =
        numbers_[at(program_.rows[at(joint.firstRow + joint.rowCount - 1)].offset)];
    if (!(length > 0) || !std::isfinite(length))
      return "joint " + inQuotes(joint.name) + ": " +
             (joint.type == "distance" ? "length" : "radius") + " must be > 0 m, is " +
             numberText(length);
  }
  return {};
}

void MechanismSystem::setParameters(std::span<const double> values) {
  program_.check(values);
  const std::vector<double> before = parameters_;
  std::copy(values.begin(), values.end(), parameters_.begin());
  prepare();
  int line = 0;
  const std::string message = defect(line);
  if (message.empty()) return;
  parameters_ = before;
  prepare();
  throw Error(message);
}

/// The centre of mass c in body coordinates, at the place and speed of the body's origin:
///   r = x + A c,   v = x' + ω×A c,   p' = L(p)ᵀ Aᵀ ω / 2.
void MechanismSystem::startValues(VectorOut q, VectorOut v) {
  q.setZero();
  v.setZero();
  for (std::size_t b = 1; b < program_.bodies.size(); ++b) {
    const BodyProgram& body = program_.bodies[b];
    const int first = body.coordinate;
    if (body.kind == BodyKind::scalar) {
      if (body.start >= 0) q[first] = numbers_[at(body.start)];
      if (body.startRate >= 0) v[first] = numbers_[at(body.startRate)];
      continue;
    }
    const Eigen::Quaterniond turn = rotationOf(numbers_, body.pose.rotation);
    const Vector3 arm = turn * centres_[b];
    const Vector3 omega = vectorAt(numbers_, body.angularVelocity);
    const Vector3 r = vectorAt(numbers_, body.pose.position) + arm;
    const Vector3 rate = vectorAt(numbers_, body.velocity) + omega.cross(arm);
    const int axes = isPlanar(body.kind) ? 2 : 3;
    q.segment(first, axes) = r.head(axes);
    v.segment(first, axes) = rate.head(axes);
    if (body.kind == BodyKind::planar) {
      q[first + 2] = 2 * std::atan2(turn.z(), turn.w());
      v[first + 2] = omega.z();
    }
    if (body.kind == BodyKind::rigid) {
      q.segment<4>(first + 3) << turn.w(), turn.x(), turn.y(), turn.z();
      const Vector3 inBody = turn.inverse() * omega;
      addTransposedL(q.data() + first + 3, Triple<double>{inBody.x(), inBody.y(), inBody.z()},
                     v.data() + first + 3);
      v.segment<4>(first + 3) /= 2;
    }
  }
  // Angles of joints follow from the bodies, up to the turns the model gives them.
  for (const BodyProgram& body : program_.bodies) {
    if (body.windingBlock < 0) continue;
    const BlockProgram& block = program_.blocks[at(body.windingBlock)];
    evaluateChannels(q);
    const double offBy = std::asin(std::clamp(z_[at(block.firstChannel)], -1.0, 1.0));
    // z = sin(φ − θ) and ∂z/∂θ = −cos(φ − θ)
    const ChannelProgram& c = program_.channels[at(block.firstChannel)];
    evaluateRows();
    const double slope = W_[at(c.firstEntry + c.entryCount - 1)];
    q[body.coordinate] += slope < 0 ? offBy : std::copysign(std::numbers::pi, offBy) - offBy;
    evaluateChannels(q);
    evaluateRows();
    double sum = 0;
    for (int i = c.firstEntry; i < c.firstEntry + c.entryCount - 1; ++i)
      sum += W_[at(i)] * v[program_.entries[at(i)].column];
    v[body.coordinate] = sum;  // W v = 0 with ∂z/∂θ = −1
  }
}

void MechanismSystem::keptStart(std::vector<bool>& positions, std::vector<bool>& velocities) const {
  for (const BodyProgram& body : program_.bodies) {
    const int places = isPlanar(body.kind) ? 2 : 3;
    for (int i = 0; body.given && i < coordinateCountOf(body.kind); ++i) {
      const bool place = i < places;
      if (place ? body.keepPosition : body.keepOrientation)
        positions[at(body.coordinate + i)] = true;
      if (place ? body.keepVelocity : body.keepAngularVelocity)
        velocities[at(body.coordinate + i)] = true;
    }
  }
}

Vector3 MechanismSystem::framePosition(std::size_t frame, VectorIn q) const {
  const BodyProgram& body = program_.bodies[at(program_.frames[frame].body)];
  const double* x = body.coordinate < 0 ? q.data() : q.data() + body.coordinate;
  const Triple<double> r = BodyPlace<double>(body.kind, x).point(frames_[frame].s);
  return {r.x, r.y, r.z};
}

Matrix3 MechanismSystem::frameAxes(std::size_t frame, VectorIn q) const {
  const BodyProgram& body = program_.bodies[at(program_.frames[frame].body)];
  const BodyPlace<double> place(body.kind, q.data() + std::max(body.coordinate, 0));
  Matrix3 axes;
  for (int k = 0; k < 3; ++k) {
    const Triple<double> axis = place.turned(frames_[frame].axes.col(k));
    axes.col(k) << axis.x, axis.y, axis.z;
  }
  return axes;
}

}  // namespace trammel
