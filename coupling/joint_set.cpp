#include "coupling/joint_set.hpp"

#include <algorithm>
#include <utility>

namespace trammel::coupling {
namespace {

Index offsetOfPort(const Subsystem& subsystem, int port) {
  Index offset = 0;
  for (int p = 0; p < port; ++p) {
    offset += portSize(subsystem.ports()[static_cast<std::size_t>(p)].kind);
  }
  return offset;
}

/// The kind that the ground stands in for: that of the first side that is a port.
PortKind groundKind(const Joint& joint, const SubsystemList& subsystems) {
  for (const PortReference& side : joint.sides) {
    if (side.subsystem < 0) continue;
    const Subsystem& subsystem = *subsystems[static_cast<std::size_t>(side.subsystem)];
    return subsystem.ports()[static_cast<std::size_t>(side.port)].kind;
  }
  return PortKind::scalar;
}

}  // namespace

JointSet::JointSet(std::vector<Joint> joints, const SubsystemList& subsystems)
    : joints_(std::move(joints)) {
  for (const auto& subsystem : subsystems) {
    forceOffsets_.push_back(forceSize_);
    forceSize_ += subsystem->forceSize();
  }
  for (const Joint& joint : joints_) {
    std::vector<PortKind> kinds;
    std::vector<Index> offsets;
    for (const PortReference& side : joint.sides) {
      if (side.subsystem < 0) {
        const bool isPlain = groundKind(joint, subsystems) == PortKind::scalar;
        kinds.push_back(isPlain ? PortKind::scalar : PortKind::frame);
        offsets.push_back(0);
        continue;
      }
      const Subsystem& subsystem = *subsystems[static_cast<std::size_t>(side.subsystem)];
      kinds.push_back(subsystem.ports()[static_cast<std::size_t>(side.port)].kind);
      offsets.push_back(offsetOfPort(subsystem, side.port));
    }
    checkJoint(joint, kinds);
    constantJacobians_ = constantJacobians_ && hasConstantJacobian(joint);
    kinds_.push_back(std::move(kinds));
    offsetInSubsystem_.push_back(std::move(offsets));
    rowOffsets_.push_back(rowCount_);
    rowCount_ += joint.size();
    for (const JointRow& row : joint.rows) groups_.push_back(groupCount_ + isTorqueRow(row));
    groupCount_ += 2;
  }
}

std::size_t JointSet::jointOfRow(Index row) const {
  const auto after = std::upper_bound(rowOffsets_.begin(), rowOffsets_.end(), row);
  return static_cast<std::size_t>(after - rowOffsets_.begin()) - 1;
}

void JointSet::evaluate(const Motions& motions, InterfaceValues& values) const {
  values.g.resize(rowCount_);
  values.gv.resize(rowCount_);
  values.ga.resize(rowCount_);
  values.terms.clear();
  JointValues rows;
  std::vector<PortMotion> sides;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    sides.assign(joint.sides.size(), {});
    for (std::size_t s = 0; s < sides.size(); ++s) {
      const PortReference& side = joint.sides[s];
      if (side.subsystem < 0) continue;
      sides[s] =
          motions[static_cast<std::size_t>(side.subsystem)][static_cast<std::size_t>(side.port)];
    }
    coupling::evaluate(joint, sides, kinds_[j], rows);
    values.g.segment(rowOffsets_[j], joint.size()) = rows.g;
    values.gv.segment(rowOffsets_[j], joint.size()) = rows.gv;
    values.ga.segment(rowOffsets_[j], joint.size()) = rows.ga;
    for (std::size_t s = 0; s < sides.size(); ++s) {
      if (joint.sides[s].subsystem < 0) continue;
      const bool isA = joint.sides[s].subsystem == joint.sides[0].subsystem;
      values.terms.push_back({joint.sides[s].subsystem, offsetInSubsystem_[j][s], rowOffsets_[j],
                              isA ? 0 : 1, std::move(rows.G[s])});
    }
  }
}

Vector JointSet::forces(const InterfaceValues& values, VectorIn lambda) const {
  Vector F = Vector::Zero(forceSize_);
  for (const InterfaceTerm& term : values.terms) {
    const Index offset = forceOffsets_[static_cast<std::size_t>(term.subsystem)];
    F.segment(offset + term.forceOffset, term.G.cols()) -=
        term.G.transpose() * lambda.segment(term.rowOffset, term.G.rows());
  }
  return F;
}

StepForces::StepForces(const JointSet& joints, const Motions& atBeginning, double H)
    : joints_(joints), H_(H) {
  joints_.evaluate(atBeginning, begin_);
  if (joints_.hasConstantJacobians()) {
    middle_.terms = end_.terms = begin_.terms;
    return;
  }
  Motions later = atBeginning;
  const auto evaluateAt = [&](double dt, InterfaceValues& values) {
    for (std::size_t k = 0; k < later.size(); ++k) {
      for (std::size_t p = 0; p < later[k].size(); ++p) {
        later[k][p] = extrapolated(atBeginning[k][p], dt);
      }
    }
    joints_.evaluate(later, values);
  };
  evaluateAt(H / 2, middle_);
  evaluateAt(H, end_);
}

ForcePolynomial StepForces::line(const Matrix& coefficients) const {
  const Vector y0 = joints_.forces(begin_, valueAt(coefficients, 0));
  const Vector ym = joints_.forces(middle_, valueAt(coefficients, 0.5));
  const Vector y1 = joints_.forces(end_, valueAt(coefficients, 1));
  // Simpson: mean m0 = ∫F dτ, first moment m1 = ∫F τ dτ; F0 + F1 τ has both.
  const Vector m0 = (y0 + 4 * ym + y1) / 6, m1 = (2 * ym + y1) / 6;
  const Vector F1 = 12 * m1 - 6 * m0;
  return {m0 - F1 / 2, F1 / H_, Vector::Zero(F1.size())};
}

ForcePolynomial StepForces::parabola(const Matrix& coefficients) const {
  const Vector y0 = joints_.forces(begin_, valueAt(coefficients, 0));
  const Vector ym = joints_.forces(middle_, valueAt(coefficients, 0.5));
  const Vector y1 = joints_.forces(end_, valueAt(coefficients, 1));
  return {y0, (4 * ym - 3 * y0 - y1) / H_, 4 * (y0 - 2 * ym + y1) / (H_ * H_)};
}

Vector StepForces::halfStepMean(VectorIn lambda, int half) const {
  const Vector y0 = joints_.forces(begin_, lambda), ym = joints_.forces(middle_, lambda),
               y1 = joints_.forces(end_, lambda);
  // Means of the parabola through the three points over one half.
  return half == 0 ? Vector((5 * y0 + 8 * ym - y1) / 12) : Vector((-y0 + 8 * ym + 5 * y1) / 12);
}

}  // namespace trammel::coupling
