#include "coupling/joint.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace trammel::coupling {
namespace {

using Eigen::Vector3d;

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

/// An axis that turns with a port: u' = w × u, u'' = z × u + w × (w × u).
struct Axis {
  Vector3d u, du, ddu;

  Axis(const PortMotion& m, const Vector3d& inPort)
      : u(m.Q * inPort), du(m.w.cross(u)), ddu(m.z.cross(u) + m.w.cross(du)) {}
};

/// Writes one row; G of a point has no columns for w.
class RowWriter {
 public:
  RowWriter(const Joint& joint, std::span<const PortMotion> motions, JointValues& values)
      : joint_(joint), motions_(motions), out_(values) {}

  void write(Index i, const CoincidenceRow& row) {
    const PortMotion &A = side(0), &B = side(1);
    const int k = row.axis;
    set(i, A.r[k] - B.r[k], A.v[k] - B.v[k], A.a[k] - B.a[k]);
    out_.G[0](i, k) = 1;
    out_.G[1](i, k) = -1;
  }

  /// g = u·n: g' = u'·n + u·n', w_A·(u × n) + w_B·(n × u); g'' = u''·n + 2 u'·n' + u·n''.
  void write(Index i, const OrthogonalityRow& row) {
    const Axis A(side(0), joint_.frameA.col(row.axisA));
    const Axis B(side(1), joint_.frameB.col(row.axisB));
    set(i, A.u.dot(B.u), A.du.dot(B.u) + A.u.dot(B.du),
        A.ddu.dot(B.u) + 2 * A.du.dot(B.du) + A.u.dot(B.ddu));
    out_.G[0].row(i).tail<3>() = A.u.cross(B.u);
    out_.G[1].row(i).tail<3>() = B.u.cross(A.u);
  }

  /// g = u·d: g' = u'·d + u·d', −u·v_A + w_A·(u × d) + u·v_B.
  void write(Index i, const TransverseRow& row) {
    const PortMotion &mA = side(0), &mB = side(1);
    const Axis A(mA, joint_.frameA.col(row.axisA));
    const Vector3d d = mB.r - mA.r, dd = mB.v - mA.v, ddd = mB.a - mA.a;
    set(i, A.u.dot(d), A.du.dot(d) + A.u.dot(dd), A.ddu.dot(d) + 2 * A.du.dot(dd) + A.u.dot(ddd));
    out_.G[0].row(i).head<3>() = -A.u;
    out_.G[0].row(i).tail<3>() = A.u.cross(d);
    out_.G[1].row(i).head<3>() = A.u;
  }

  void write(Index i, const LinearRow& row) {
    set(i, -row.constant, 0, 0);
    for (std::size_t s = 0; s < joint_.sides.size(); ++s) {
      const double c = row.coefficients[s];
      const PortMotion& m = side(s);
      out_.g[i] += c * m.r[0];
      out_.gv[i] += c * m.v[0];
      out_.ga[i] += c * m.a[0];
      out_.G[s](i, 0) = c;
    }
  }

 private:
  const PortMotion& side(std::size_t s) const {
    return joint_.sides[s].subsystem < 0 ? joint_.ground : motions_[s];
  }

  void set(Index i, double g, double gv, double ga) {
    out_.g[i] = g;
    out_.gv[i] = gv;
    out_.ga[i] = ga;
  }

  const Joint& joint_;
  std::span<const PortMotion> motions_;
  JointValues& out_;
};

const JointRow coincidence[] = {CoincidenceRow{0}, CoincidenceRow{1}, CoincidenceRow{2}};
/// The third axes of A and B are parallel.
const JointRow parallel[] = {OrthogonalityRow{0, 2}, OrthogonalityRow{1, 2}};
/// All axes of A and B are parallel: near the aligned frames zero only there.
const JointRow aligned[] = {OrthogonalityRow{0, 1}, OrthogonalityRow{1, 2}, OrthogonalityRow{2, 0}};
/// B lies on the third axis of A.
const JointRow onAxis[] = {TransverseRow{0}, TransverseRow{1}};

Joint make(std::string name, Sides sides, std::initializer_list<std::span<const JointRow>> groups) {
  Joint joint;
  joint.name = std::move(name);
  joint.sides = std::move(sides);
  for (const auto& group : groups) {
    joint.rows.insert(joint.rows.end(), group.begin(), group.end());
  }
  return joint;
}

}  // namespace

bool hasConstantJacobian(const Joint& joint) {
  return std::all_of(joint.rows.begin(), joint.rows.end(), [](const JointRow& row) {
    return std::holds_alternative<LinearRow>(row) || std::holds_alternative<CoincidenceRow>(row);
  });
}

bool isTorqueRow(const JointRow& row) { return std::holds_alternative<OrthogonalityRow>(row); }

Joint sphericalJoint(std::string name, Sides sides) {
  return make(std::move(name), std::move(sides), {coincidence});
}

Joint revoluteJoint(std::string name, Sides sides) {
  return make(std::move(name), std::move(sides), {coincidence, parallel});
}

Joint fixedJoint(std::string name, Sides sides) {
  return make(std::move(name), std::move(sides), {coincidence, aligned});
}

Joint prismaticJoint(std::string name, Sides sides) {
  return make(std::move(name), std::move(sides), {aligned, onAxis});
}

Joint cylindricalJoint(std::string name, Sides sides) {
  return make(std::move(name), std::move(sides), {parallel, onAxis});
}

Joint universalJoint(std::string name, Sides sides) {
  const JointRow normal[] = {OrthogonalityRow{2, 2}};
  return make(std::move(name), std::move(sides), {coincidence, normal});
}

Joint pointOnLineJoint(std::string name, Sides sides) {
  return make(std::move(name), std::move(sides), {onAxis});
}

Joint linearJoint(std::string name, Sides sides, std::vector<double> coefficients,
                  double constant) {
  const JointRow row[] = {LinearRow{std::move(coefficients), constant}};
  return make(std::move(name), std::move(sides), {row});
}

Joint shaftJoint(std::string name, Sides sides, double offset) {
  return linearJoint(std::move(name), std::move(sides), {1, -1}, offset);
}

Joint gearJoint(std::string name, Sides sides, double ratio, double offset) {
  return linearJoint(std::move(name), std::move(sides), {1, -ratio}, offset);
}

Joint rackAndPinionJoint(std::string name, Sides sides, double radius, double offset) {
  return linearJoint(std::move(name), std::move(sides), {1, -radius}, offset);
}

Eigen::Matrix3d frameWithAxis(const Vector3d& axis) {
  const double length = axis.norm();
  if (!(length > 0)) throw CouplingError("the axis of a joint must not be the zero vector");
  const Vector3d e3 = axis / length;
  int k = 0;  // the port's axis that is least parallel to e3
  e3.cwiseAbs().minCoeff(&k);
  Eigen::Matrix3d frame;
  frame.col(0) = (Vector3d::Unit(k) - e3[k] * e3).normalized();
  frame.col(1) = e3.cross(frame.col(0));
  frame.col(2) = e3;
  return frame;
}

void checkJoint(const Joint& joint, std::span<const PortKind> kinds) {
  const auto require = [&](bool ok, const std::string& what) {
    if (!ok) throw CouplingError("joint \"" + joint.name + "\": " + what);
  };
  const std::size_t n = joint.sides.size();
  const auto isSpatial = [&](std::size_t s) { return kinds[s] != PortKind::scalar; };
  const auto isFrame = [&](std::size_t s) { return kinds[s] == PortKind::frame; };
  const bool tiesSomething = std::any_of(joint.sides.begin(), joint.sides.end(),
                                         [](const PortReference& s) { return s.subsystem >= 0; });
  require(tiesSomething, "all its sides are the ground");
  const auto check = Overloaded{
      [&](const CoincidenceRow&) {
        require(n == 2 && isSpatial(0) && isSpatial(1), "its two ports must be points or frames");
      },
      [&](const OrthogonalityRow&) {
        require(n == 2 && isFrame(0) && isFrame(1), "its two ports must be frames");
      },
      [&](const TransverseRow&) {
        require(n == 2 && isFrame(0) && isSpatial(1),
                "its first port must be a frame, its second a point or a frame");
      },
      [&](const LinearRow& row) {
        require(row.coefficients.size() == n, "it must have as many coefficients as ports");
        for (std::size_t s = 0; s < n; ++s) {
          require(kinds[s] == PortKind::scalar, "its ports must be scalar");
        }
      }};
  for (const JointRow& row : joint.rows) std::visit(check, row);
}

void evaluate(const Joint& joint, std::span<const PortMotion> motions,
              std::span<const PortKind> kinds, JointValues& values) {
  assert(motions.size() == joint.sides.size() && kinds.size() == joint.sides.size());
  const Index m = joint.size();
  values.g.resize(m);
  values.gv.resize(m);
  values.ga.resize(m);
  values.G.resize(joint.sides.size());
  for (std::size_t s = 0; s < kinds.size(); ++s) values.G[s].setZero(m, portSize(kinds[s]));
  RowWriter writer(joint, motions, values);
  for (Index i = 0; i < m; ++i) {
    std::visit([&](const auto& row) { writer.write(i, row); },
               joint.rows[static_cast<std::size_t>(i)]);
  }
}

}  // namespace trammel::coupling
