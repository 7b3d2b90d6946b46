#include "tests/coupling/members.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace trammel::testing {

using namespace coupling;

SmallVector Member::acceleration(double t, const SmallVector& qq, const SmallVector& vv,
                                 const SmallVector& F) const {
  SmallMatrix M, J;
  SmallVector f;
  model.mass(qq, M);
  model.force(t, qq, vv, f);
  model.jacobian(qq, J);
  f.noalias() += J.transpose() * F;
  return M.ldlt().solve(f);
}

void Member::step(double t, double H) {
  stepBegin_ = t;
  const double h = H / substeps;
  for (int i = 0; i < substeps; ++i) {
    const double s = h * i, tt = t + s;
    const SmallVector F0 = forceAt(s), Fm = forceAt(s + h / 2), F1 = forceAt(s + h);
    const SmallVector a1 = acceleration(tt, q, v, F0);
    if (integrator == Integrator::euler) {
      q += h * v;
      v += h * a1;
    } else if (integrator == Integrator::heun) {
      const SmallVector vp = v + h * a1, a2 = acceleration(tt + h, q + h * v, vp, F1);
      q += h / 2 * (v + vp);
      v += h / 2 * (a1 + a2);
    } else {
      const SmallVector v2 = v + h / 2 * a1, a2 = acceleration(tt + h / 2, q + h / 2 * v, v2, Fm);
      const SmallVector v3 = v + h / 2 * a2, a3 = acceleration(tt + h / 2, q + h / 2 * v2, v3, Fm);
      const SmallVector v4 = v + h * a3, a4 = acceleration(tt + h, q + h * v3, v4, F1);
      q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
      v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
  }
  time = t + H;
  if (!noise) return;
  for (Index i = 0; i < q.size(); ++i) {
    q[i] += noise();
    v[i] += noise();
  }
}

void Member::readMotion(std::span<PortMotion> motions) const {
  SmallVector p, c;
  SmallMatrix J;
  model.position(q, p);
  model.jacobian(q, J);
  model.bias(q, v, c);
  const SmallVector pv = J * v;
  const SmallVector pa = J * acceleration(time, q, v, forceAt(time - stepBegin_)) + c;
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const auto k = static_cast<Index>(i);
    motions[i].r[0] = p[k];
    motions[i].v[0] = pv[k];
    motions[i].a[0] = pa[k];
  }
}

void Member::mobility(Matrix& W) const {
  SmallMatrix M, J;
  model.mass(q, M);
  model.jacobian(q, J);
  W = J * M.ldlt().solve(J.transpose());
}

double Member::energy() const {
  SmallMatrix M;
  model.mass(q, M);
  return 0.5 * v.dot(M * v) + model.potential(q);
}

std::unique_ptr<Subsystem> subsystemOf(Member& member, std::string name,
                                       const MemberAbilities& abilities) {
  Member* m = &member;
  SmallMatrix J;
  m->model.jacobian(m->q, J);
  FunctionSubsystemData data;
  data.name = std::move(name);
  for (Index i = 0; i < J.rows(); ++i) data.ports.push_back({"p" + std::to_string(i)});
  data.capabilities.variableStep = abilities.variableStep;
  data.capabilities.forceOrder = abilities.forceOrder;
  data.capabilities.acceleration = abilities.acceleration;
  data.noise = {abilities.declaredNoise, abilities.declaredNoise};
  ForcePolynomial zero;
  zero.setZero(J.rows());
  m->setForces(zero);
  SubsystemFunctions f;
  const int order = abilities.forceOrder;
  f.setForces = [m, order](const ForcePolynomial& F) {
    ForcePolynomial followed = F;
    if (order < 2) followed.second.setZero();
    if (order < 1) followed.first.setZero();
    m->setForces(followed);
  };
  f.step = [m](double t, double H) -> SubsystemStep {
    if (m->discards && m->discards(t + H)) {
      return {
          .outcome = StepOutcome::discarded, .reachedTime = t, .message = "the step is too long"};
    }
    m->step(t, H);
    return {.reachedTime = t + H};
  };
  const bool accelerates = abilities.acceleration;
  f.readMotion = [m, accelerates](std::span<PortMotion> motions) {
    m->readMotion(motions);
    if (accelerates) return;
    for (PortMotion& motion : motions) motion.a.setZero();
  };
  if (abilities.mobility) f.mobility = [m](Matrix& W) { m->mobility(W); };
  if (abilities.rollback) {
    f.save = [m] { m->save(); };
    f.restore = [m] { m->restore(); };
  }
  return std::make_unique<FunctionSubsystem>(std::move(data), std::move(f));
}

CoupledSystem Rig::system(const MemberAbilities& abilities) {
  CoupledSystem result;
  int i = 0;
  for (Member& member : members) {
    result.subsystems.push_back(subsystemOf(member, "member" + std::to_string(++i), abilities));
  }
  result.joints = joints;
  return result;
}

double Rig::energy() const {
  double sum = 0;
  for (const Member& member : members) sum += member.energy();
  return sum;
}

namespace {

/// A q'' = C q + r + Jᵀ F.
MemberModel linearModel(const SmallMatrix& A, const SmallMatrix& C, const SmallVector& r,
                        const SmallMatrix& J) {
  MemberModel model;
  model.mass = [A](const SmallVector&, SmallMatrix& M) { M = A; };
  model.force = [C, r](double, const SmallVector& q, const SmallVector&, SmallVector& f) {
    f = C * q + r;
  };
  model.position = [J](const SmallVector& q, SmallVector& p) { p = J * q; };
  model.jacobian = [J](const SmallVector&, SmallMatrix& out) { out = J; };
  model.bias = [n = J.rows()](const SmallVector&, const SmallVector&, SmallVector& c) {
    c = SmallVector::Zero(n);
  };
  model.potential = [C, r](const SmallVector& q) { return -0.5 * q.dot(C * q) - r.dot(q); };
  return model;
}

/// Planar chain of uniform rods; coordinates (x, y of a free base), absolute angles.
struct Chain {
  std::vector<double> lengths, masses;
  bool freeBase = false;
  double baseX = 0;
  bool portAtBase = false, portAtTip = false;
  static constexpr double gravity = 9.81;

  Index offset() const { return freeBase ? 2 : 0; }
  Index count() const { return std::ssize(lengths); }
  Index size() const { return count() + offset(); }

  double lever(Index j, Index i, double fraction) const {
    const double l = lengths[static_cast<std::size_t>(j)];
    return j < i ? l : fraction * l;
  }
  /// Jacobian of the point at `fraction` of rod i.
  SmallMatrix pointJacobian(const SmallVector& q, Index i, double fraction) const {
    SmallMatrix J = SmallMatrix::Zero(2, size());
    if (freeBase) J.leftCols(2).setIdentity();
    for (Index j = 0; j <= i; ++j) {
      const double l = lever(j, i, fraction), angle = q[offset() + j];
      J(0, offset() + j) = l * std::cos(angle);
      J(1, offset() + j) = l * std::sin(angle);
    }
    return J;
  }
  Eigen::Vector2d pointBias(const SmallVector& q, const SmallVector& v, Index i,
                            double fraction) const {
    Eigen::Vector2d c(0, 0);
    for (Index j = 0; j <= i; ++j) {
      const double l = lever(j, i, fraction), angle = q[offset() + j], w = v[offset() + j];
      c += l * w * w * Eigen::Vector2d(-std::sin(angle), std::cos(angle));
    }
    return c;
  }
  Eigen::Vector2d point(const SmallVector& q, Index i, double fraction) const {
    Eigen::Vector2d p(freeBase ? q[0] : baseX, freeBase ? q[1] : 0);
    for (Index j = 0; j <= i; ++j) {
      const double l = lever(j, i, fraction), angle = q[offset() + j];
      p += l * Eigen::Vector2d(std::sin(angle), -std::cos(angle));
    }
    return p;
  }
  Index portRows() const { return Index{2} * (portAtBase + portAtTip); }

  MemberModel model() const {
    const Chain c = *this;
    MemberModel m;
    m.mass = [c](const SmallVector& q, SmallMatrix& M) {
      M.setZero(c.size(), c.size());
      for (Index i = 0; i < c.count(); ++i) {
        const SmallMatrix J = c.pointJacobian(q, i, 0.5);
        const double mass = c.masses[static_cast<std::size_t>(i)],
                     l = c.lengths[static_cast<std::size_t>(i)];
        M.noalias() += mass * J.transpose() * J;
        M(c.offset() + i, c.offset() + i) += mass * l * l / 12;
      }
    };
    m.force = [c](double, const SmallVector& q, const SmallVector& v, SmallVector& f) {
      f.setZero(c.size());
      for (Index i = 0; i < c.count(); ++i) {
        const double mass = c.masses[static_cast<std::size_t>(i)];
        const Eigen::Vector2d bias = c.pointBias(q, v, i, 0.5);
        const Eigen::Vector2d F(-mass * bias[0], -mass * bias[1] - mass * gravity);
        f.noalias() += c.pointJacobian(q, i, 0.5).transpose() * F;
      }
    };
    m.position = [c](const SmallVector& q, SmallVector& p) {
      p.resize(c.portRows());
      if (c.portAtBase) p.head<2>() = q.head(2);
      if (c.portAtTip) p.tail<2>() = c.point(q, c.count() - 1, 1);
    };
    m.jacobian = [c](const SmallVector& q, SmallMatrix& J) {
      J.setZero(c.portRows(), c.size());
      if (c.portAtBase) J.topLeftCorner(2, 2).setIdentity();
      if (c.portAtTip) J.bottomRows(2) = c.pointJacobian(q, c.count() - 1, 1);
    };
    m.bias = [c](const SmallVector& q, const SmallVector& v, SmallVector& bias) {
      bias = SmallVector::Zero(c.portRows());
      if (c.portAtTip) bias.tail<2>() = c.pointBias(q, v, c.count() - 1, 1);
    };
    m.potential = [c](const SmallVector& q) {
      double sum = 0;
      for (Index i = 0; i < c.count(); ++i) {
        sum += c.masses[static_cast<std::size_t>(i)] * gravity * c.point(q, i, 0.5)[1];
      }
      return sum;
    };
    return m;
  }
};

/// Two rows over the four scalar ports (x, y) of two members.
Joint pin(std::string name, int memberA, int portA, int memberB, int portB) {
  Joint joint;
  joint.name = std::move(name);
  joint.sides = {{memberA, portA}, {memberB, portB}, {memberA, portA + 1}, {memberB, portB + 1}};
  joint.rows = {LinearRow{{1, -1, 0, 0}, 0}, LinearRow{{0, 0, 1, -1}, 0}};
  return joint;
}

}  // namespace

Rig paperRig() {
  Rig rig;
  const Matrix A1{{4, 1}, {1, 3}}, C1{{2, 1}, {1, 2}}, A2{{5, 2}, {2, 4}}, C2{{1, 2}, {0, 2}};
  const Vector r1 = Eigen::Vector2d(6, 7), r2 = Eigen::Vector2d(10, 4), zero = Vector::Zero(2);
  rig.members.emplace_back(linearModel(A1, C1, r1, SmallMatrix(Eigen::RowVector2d(0, 1))), zero,
                           zero);
  rig.members.emplace_back(linearModel(A2, C2, r2, SmallMatrix(Eigen::RowVector2d(1, 0))), zero,
                           zero);
  rig.joints = {linearJoint("x2 - 2 y1", {{0, 0}, {1, 0}}, {1, -2})};
  return rig;
}

Rig twoMasses(double m1, double m2, double k1, double k2, double start) {
  Rig rig;
  const Vector zero = Vector::Zero(1), q = Vector::Constant(1, start);
  const Matrix one = Matrix::Ones(1, 1);
  rig.members.emplace_back(linearModel(m1 * one, -k1 * one, zero, one), q, zero);
  rig.members.emplace_back(linearModel(m2 * one, -k2 * one, zero, one), q, zero);
  rig.joints = {shaftJoint("tie", {{0, 0}, {1, 0}})};
  return rig;
}

Rig cutChain(const ChainData& data) {
  Rig rig;
  std::size_t rod = 0;
  Eigen::Vector2d base(0, 0);
  const auto pieces = static_cast<int>(data.pieces.size());
  for (int p = 0; p < pieces; ++p) {
    const auto n = static_cast<std::size_t>(data.pieces[static_cast<std::size_t>(p)]);
    Chain chain;
    chain.lengths.assign(n, data.length);
    chain.masses.assign(data.masses.begin() + static_cast<std::ptrdiff_t>(rod),
                        data.masses.begin() + static_cast<std::ptrdiff_t>(rod + n));
    chain.freeBase = p > 0;
    chain.portAtBase = p > 0;
    chain.portAtTip = p + 1 < pieces;
    Vector q = Vector::Zero(chain.size());
    if (chain.freeBase) q.head<2>() = base;
    for (std::size_t i = 0; i < n; ++i) {
      q[chain.offset() + static_cast<Index>(i)] = data.angles[rod + i];
    }
    base = chain.point(q, chain.count() - 1, 1);
    rig.members.emplace_back(chain.model(), q, Vector::Zero(q.size()));
    if (p > 0) {
      const int tip = p > 1 ? 2 : 0;  // behind the base port, if there is one
      rig.joints.push_back(pin("pin" + std::to_string(p), p - 1, tip, p, 0));
    }
    rod += n;
  }
  return rig;
}

Rig doublePendulum(double m1, double m2) { return cutChain({{1, 1}, 1, {m1, m2}, {1.0, 0.5}}); }

namespace {
ChainData tenRods(std::vector<int> pieces) {
  ChainData data{std::move(pieces), 0.2, std::vector<double>(10, 0.5), {}};
  for (int i = 0; i < 10; ++i) data.angles.push_back(0.6 + 0.05 * i);
  return data;
}
}  // namespace

Rig chainFiveFive() { return cutChain(tenRods({5, 5})); }
Rig chainOfTen() { return cutChain(tenRods(std::vector<int>(10, 1))); }

Rig fourBar() {
  const double l1 = 0.4, l2 = 1, l3 = 0.8, span = 1.2, angle = 0.3, w = 6;
  Chain a, b;
  a.lengths = {l1, l2};
  a.masses = {1, 2};
  a.portAtTip = true;
  b.lengths = {l3};
  b.masses = {1.5};
  b.baseX = span;
  b.portAtTip = true;
  // Where circles about the crank's tip and the rocker's pivot meet.
  const Eigen::Vector2d P(l1 * std::sin(angle), -l1 * std::cos(angle)), E(span - P[0], -P[1]);
  const double D = E.norm(), along = (l2 * l2 - l3 * l3 + D * D) / (2 * D),
               across = std::sqrt(l2 * l2 - along * along);
  const Eigen::Vector2d Q = P + along / D * E + across / D * Eigen::Vector2d(-E[1], E[0]);
  const Vector qa = Eigen::Vector2d(angle, std::atan2(Q[0] - P[0], P[1] - Q[1]));
  const Vector qb = Vector::Constant(1, std::atan2(Q[0] - span, -Q[1]));
  const Matrix Ja = a.pointJacobian(qa, 1, 1), Jb = b.pointJacobian(qb, 0, 1);
  Matrix K(2, 2);
  K << Ja.col(1), -Jb.col(0);
  const Vector rates = K.fullPivLu().solve(-Ja.col(0) * w);
  Rig rig;
  rig.members.emplace_back(a.model(), qa, Eigen::Vector2d(w, rates[0]));
  rig.members.emplace_back(b.model(), qb, Vector::Constant(1, rates[1]));
  rig.joints = {pin("pin", 0, 0, 1, 0)};
  return rig;
}

Vector anglesOf(const Rig& rig) {
  std::vector<double> angles;
  for (std::size_t i = 0; i < rig.members.size(); ++i) {
    const SmallVector& q = rig.members[i].q;
    angles.insert(angles.end(), q.begin() + (i > 0 ? 2 : 0), q.end());
  }
  return Eigen::Map<Vector>(angles.data(), std::ssize(angles));
}

Vector monolithicAngles(const ChainData& data, double T) {
  ChainData whole = data;
  whole.pieces = {static_cast<int>(data.angles.size())};
  Rig rig = cutChain(whole);
  Member& member = rig.members[0];
  ForcePolynomial none;
  none.setZero(0);
  member.setForces(none);
  member.substeps = static_cast<int>(std::lround(T / 1e-4));
  member.step(0, T);
  return member.q;
}

RunResult runMaster(Rig& rig, Master& master, double H, double T) {
  RunResult result;
  master.initialize(0, T, H);
  const double E0 = rig.energy();
  const long steps = std::lround(T / H);
  for (long n = 1; n <= steps && result.completed; ++n) {
    const MasterStep step = master.advance(static_cast<double>(n) * H);
    result.completed = step.completed;
    result.failure = step.failure;
    result.largestEnergyError = std::max(result.largestEnergyError, std::abs(rig.energy() - E0));
  }
  const MasterStatistics& s = master.statistics();
  if (s.steps > 0) {
    result.meanEvaluations = static_cast<double>(s.evaluations) / static_cast<double>(s.steps);
  }
  result.mostEvaluations = s.mostEvaluations;
  result.failures = s.failures;
  for (const JointStatistics& j : s.joints) {
    result.largestGap = std::max(result.largestGap, j.largestGap);
  }
  return result;
}

RunResult runRig(Rig& rig, const MasterOptions& options, double H, double T,
                 const MemberAbilities& abilities) {
  Master master(rig.system(abilities), options);
  return runMaster(rig, master, H, T);
}

}  // namespace trammel::testing
