#include "packaging/inspection.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "models/mechanism/mechanism_system.hpp"
#include "packaging/natural_modes.hpp"

namespace trammel::fmi {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

const char* typeOf(BodyKind kind) {
  switch (kind) {
    case BodyKind::point:
    case BodyKind::planarPoint:
      return "point";
    case BodyKind::planar:
      return "planar";
    case BodyKind::rigid:
      return "rigid";
    case BodyKind::ground:
    case BodyKind::scalar:
      break;
  }
  return "";
}

/// Rows that the rows before them imply, those of coordinates (|p| = 1, windings) taken first so
/// that joints are named and not their bodies. What the rows before leave of a row of G D is found
/// by orthogonalisation, D = 1/√M_ii.
std::vector<Index> redundantRows(const Linearisation& linear, const std::vector<Index>& order) {
  Matrix rows = Matrix(linear.G) * linear.M.diagonal().cwiseSqrt().cwiseInverse().asDiagonal();
  std::vector<Index> independent, redundant;
  for (const Index row : order) {
    const double length = rows.row(row).norm();
    Vector left =
        length > 0 ? Vector(rows.row(row).transpose() / length) : Vector::Zero(rows.cols());
    for (int pass = 0; pass < 2; ++pass)
      for (const Index other : independent)
        left -= rows.row(other).dot(left.transpose()) * rows.row(other).transpose();
    if (left.norm() <= rankTolerance) {
      redundant.push_back(row);
      continue;
    }
    rows.row(row) = left.normalized().transpose();
    independent.push_back(row);
  }
  return redundant;
}

class Inspector {
 public:
  explicit Inspector(const CompiledModel& model)
      : model_(model), program_(model.mechanism()), system_(model.makeSystem()) {
    result_.coordinates = model.coordinateCount();
    result_.equations = model.constraintCount();
  }

  Inspection run() {
    const double t = model_.defaultExperiment().startTime;
    findStart(t);
    listJoints();
    countFreedom(t);
    listBodies();
    findModes(t);
    return std::move(result_);
  }

 private:
  void findStart(double t) {
    const Index n = result_.coordinates;
    Vector q(n), v(n);
    system_->startValues(q, v);
    Integrator integrator(*system_, model_.solverOptions());
    Motion& motion = result_.motion;
    StartValues start{t, q, v, std::vector<bool>(at(n)), std::vector<bool>(at(n))};
    system_->keptStart(start.keepPosition, start.keepVelocity);
    result_.start = integrator.start(start);
    if (result_.start.ok) result_.start = integrator.motion(t, true, motion);
    if (!result_.start.ok) {
      motion = {t, q, v, Vector::Zero(n), Vector::Zero(result_.equations)};
      return;
    }
    for (Index i = 0; i < n; ++i) {
      const double moved = std::abs(motion.q[i] - q[i]) / system_->coordinateNominal(i);
      result_.correction = std::max(result_.correction, moved);
      result_.acceleration = std::max(result_.acceleration, std::abs(motion.a[i]));
    }
  }

  std::string bodyOf(int frame) const {
    return program_->bodies[at(program_->frames[at(frame)].body)].name;
  }

  void listJoints() {
    elementOf_.assign(at(result_.equations), -1);
    if (program_ == nullptr) {
      for (Index row = 0; row < result_.equations; ++row) {
        elementOf_[at(row)] = static_cast<int>(row);
        result_.joints.push_back({system_->constraintName(row), "constraint", "", "", 1, 0});
      }
      return;
    }
    for (const JointProgram& joint : program_->joints) {
      InspectedJoint entry;
      entry.name = joint.name;
      entry.type = joint.type;
      entry.equations = joint.rowCount;
      if (joint.frameB >= 0) {
        entry.bodyA = bodyOf(joint.frameA);
        entry.bodyB = bodyOf(joint.frameB);
      }
      result_.joints.push_back(std::move(entry));
    }
    for (std::size_t row = 0; row < program_->rows.size(); ++row)
      elementOf_[row] = program_->rows[row].element;
  }

  void countFreedom(double t) {
    Index innerStates = 0;  // of friction: coordinates that are no freedom
    if (program_ != nullptr) {
      for (const BodyProgram& body : program_->bodies)
        if (body.kind == BodyKind::scalar && body.windingBlock < 0) ++innerStates;
    }
    const Index n = result_.coordinates - innerStates, m = result_.equations;
    result_.grueblerCount = n - m;
    std::vector<Index> redundant;
    if (result_.coordinates <= largestDenseSystem && m <= 2 * largestDenseSystem) {
      std::vector<Index> order;
      for (const bool ofJoints : {false, true})
        for (Index row = 0; row < m; ++row)
          if ((elementOf_[at(row)] >= 0) == ofJoints) order.push_back(row);
      Linearisation linear = shapeOf(*system_);
      system_->massAndGradient(t, result_.motion.q, linear);
      redundant = redundantRows(linear, order);
    } else {
      redundant = constraintRank(*system_, t, result_.motion.q).redundant;
    }
    result_.degreesOfFreedom = n - m + static_cast<Index>(redundant.size());
    for (const Index row : redundant) {
      const int element = elementOf_[at(row)];
      if (element >= 0) ++result_.joints[at(element)].redundant;
    }
  }

  void listBodies() {
    if (program_ == nullptr) return;
    Linearisation linear = shapeOf(*system_);
    system_->massAndGradient(result_.motion.t, result_.motion.q, linear);
    for (const BodyProgram& body : program_->bodies) {
      if (!body.given || body.kind == BodyKind::ground) continue;
      InspectedBody entry{body.name, typeOf(body.kind), 0, {}};
      entry.mass = linear.M.coeff(body.coordinate, body.coordinate);
      for (int i = 0; i < (isPlanar(body.kind) ? 2 : 3); ++i)
        entry.placement.push_back(result_.motion.q[body.coordinate + i]);
      result_.bodies.push_back(std::move(entry));
    }
  }

  void findModes(double t) {
    if (!result_.start.ok) {
      result_.noModes = "no consistent initial state";
    } else if (result_.coordinates > largestDenseSystem) {
      result_.noModes = std::to_string(result_.coordinates) + " coordinates, at most " +
                        std::to_string(largestDenseSystem) + " are linearised";
    } else {
      const Motion& m = result_.motion;
      Linearisation linear = shapeOf(*system_);
      system_->linearise(t, m.q, m.v, m.a, m.lambda, linear);
      result_.modes = naturalModes(*system_, linear);
      if (result_.modes.empty()) result_.noModes = "no degree of freedom";
    }
  }

  const CompiledModel& model_;
  const MechanismProgram* program_;
  std::unique_ptr<ModelSystem> system_;
  std::vector<int> elementOf_;  // index among joints of each row, −1: of a body
  Inspection result_;
};

}  // namespace

Inspection inspect(const CompiledModel& model) { return Inspector(model).run(); }

}  // namespace trammel::fmi
