#include <algorithm>

#include "models/mechanism/mechanism_system.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }
Vector3 vectorOf(const Triple<double>& t) { return {t.x, t.y, t.z}; }

}  // namespace

void MechanismSystem::outputs(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                              std::span<double> values) {
  evaluateChannels(q);
  evaluateOutputChannels();
  const auto ratesAlong = [this](VectorIn direction, double* rates) {
    setDirection(direction);
    dynamics_.rates(at_, along_, rates);
    outputMeasures_.rates(at_, along_, rates);
    ratesOf(program_.dynamics.others, direction, rates);
    ratesOf(program_.outputMeasures.others, direction, rates);
  };
  ratesAlong(v, rate_.data());
  if (program_.outputsNeedBias) {
    // z'' = W a + bias
    evaluateBias(q, v);
    ratesAlong(a, second_.data());
    for (std::size_t c = 0; c < bias_.size(); ++c) bias_[c] += second_[c];
  }
  balance_.evaluate(sourcesAt(t));
  evaluateExtras(q, v, lambda);
  TapeSources sources = sourcesAt(t);
  sources.lambda = lambda.data();
  outputs_.evaluate(sources);
  outputs_.copy(0, std::min(values.size(), program_.outputs.rootCount()), values.data());
}

void MechanismSystem::evaluateExtras(VectorIn q, VectorIn v, VectorIn lambda) {
  for (std::size_t e = 0; e < program_.extras.size(); ++e) {
    const ExtraProgram& extra = program_.extras[e];
    double& value = extras_[e];
    value = 0;
    Vector3 force, torque;
    switch (extra.kind) {
      case ExtraKind::reactionForce:
        reaction(program_.joints[at(extra.index)], q, lambda, force, torque);
        value = force[extra.component];
        break;
      case ExtraKind::reactionTorque:
        reaction(program_.joints[at(extra.index)], q, lambda, force, torque);
        value = torque[extra.component];
        break;
      case ExtraKind::quaternion:
      case ExtraKind::rotationAngle: {
        const BodyProgram& body = program_.bodies[at(program_.frames[at(extra.index)].body)];
        const double* x = q.data() + std::max(body.coordinate, 0);
        Quadruple<double> Q =
            product(BodyPlace<double>(body.kind, x).orientation(), frames_[at(extra.index)].turn);
        if (extra.kind == ExtraKind::rotationAngle) {
          value = 2 * std::atan2(std::sqrt(dot(Q.e, Q.e)), std::abs(Q.w));
          break;
        }
        const double components[] = {Q.w, Q.e.x, Q.e.y, Q.e.z};
        value = components[extra.component];
        break;
      }
      case ExtraKind::kineticEnergy:
        for (std::size_t b = 1; b < program_.bodies.size(); ++b) {
          const BodyProgram& body = program_.bodies[b];
          const int first = body.coordinate, axes = isPlanar(body.kind) ? 2 : 3;
          if (body.kind == BodyKind::scalar) continue;
          value += inertias_[b].mass * v.segment(first, axes).squaredNorm() / 2;
          if (body.kind == BodyKind::planar)
            value += inertias_[b].J(2, 2) * v[first + 2] * v[first + 2] / 2;
          if (body.kind == BodyKind::rigid) {
            const Vector3 omega = 2 * vectorOf(timesL(q.data() + first + 3, v.data() + first + 3));
            value += omega.dot(inertias_[b].J * omega) / 2;
          }
        }
        break;
      case ExtraKind::gravityEnergy:
        for (std::size_t b = 1; b < program_.bodies.size(); ++b) {
          const BodyProgram& body = program_.bodies[b];
          if (body.kind == BodyKind::scalar) continue;
          const int axes = isPlanar(body.kind) ? 2 : 3;
          value -= inertias_[b].mass * gravity_.head(axes).dot(q.segment(body.coordinate, axes));
        }
        break;
    }
  }
}

/// Force and torque about P_b of the joint on the body of b (or against that on the body of a where
/// b is on the ground), in axes of a. With Q = −Σ λ_r ∂g_r/∂x of the body,
///   F = Q_r,   T = A L Q_p / 2 − (P_b − r)×F.
void MechanismSystem::reaction(const JointProgram& joint, VectorIn q, VectorIn lambda,
                               Vector3& force, Vector3& torque) {
  const bool onB = program_.frames[at(joint.frameB)].body != 0;
  const int frame = onB ? joint.frameB : joint.frameA;
  const BodyProgram& body = program_.bodies[at(program_.frames[at(frame)].body)];
  const int first = body.coordinate, count = coordinateCountOf(body.kind);
  evaluateRows();
  Eigen::Matrix<double, 7, 1> Q = Eigen::Matrix<double, 7, 1>::Zero();
  for (const RowTerm& term : program_.rowTerms) {
    if (term.row < joint.firstRow || term.row >= joint.firstRow + joint.rowCount) continue;
    const ChannelProgram& c = program_.channels[at(term.channel)];
    const double mu = coefficient(term, balance_) * lambda[term.row];
    for (int i = c.firstEntry; i < c.firstEntry + c.entryCount; ++i) {
      const int k = program_.entries[at(i)].column - first;
      if (k >= 0 && k < count) Q[k] -= mu * W_[at(i)];
    }
  }
  const BodyPlace<double> place(body.kind, q.data() + first);
  force = Q.head<3>();
  torque.setZero();
  if (body.kind == BodyKind::planar) torque.z() = Q[2];
  if (isPlanar(body.kind)) force.z() = 0;
  if (body.kind == BodyKind::rigid) {
    const Vector3 inBody =
        vectorOf(timesL(q.data() + first + 3, static_cast<const double*>(Q.data() + 3))) / 2;
    torque = vectorOf(place.turned(inBody));
  }
  const Vector3 centre = vectorOf(place.point(Vector3::Zero()));
  torque -= (framePosition(at(joint.frameB), q) - centre).cross(force);
  if (!onB) {
    force = -force;
    torque = -torque;
  }
  const BodyProgram& bodyA = program_.bodies[at(program_.frames[at(joint.frameA)].body)];
  const BodyPlace<double> placeA(bodyA.kind, q.data() + std::max(bodyA.coordinate, 0));
  Matrix3 axes;
  for (int k = 0; k < 3; ++k)
    axes.col(k) = vectorOf(placeA.turned(frames_[at(joint.frameA)].axes.col(k)));
  force = axes.transpose() * force;
  torque = axes.transpose() * torque;
}

}  // namespace trammel
