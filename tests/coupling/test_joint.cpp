#include "coupling/joint.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

using namespace trammel;
using namespace trammel::coupling;
using Eigen::Vector3d;

namespace {

/// A smooth motion with r polynomial and Q = Rz(α) Rx(β), α and β quadratic in t; w = α' e_z + R_z
/// β' e_x and z = α'' e_z + α' e_z × R_z β' e_x + R_z β'' e_x.
PortMotion motion(double t, double seed) {
  PortMotion m;
  const Vector3d r0(0.3 + seed, -0.2, 0.5 * seed), v0(0.7, 0.4 - seed, -0.3), a0(0.9, -1.1, seed);
  m.r = r0 + v0 * t + a0 * t * t / 2;
  m.v = v0 + a0 * t;
  m.a = a0;
  const double alpha = 0.4 * seed + 1.3 * t + 0.6 * t * t, da = 1.3 + 1.2 * t, dda = 1.2;
  const double beta = 0.2 - 0.8 * seed * t + 0.5 * t * t, db = -0.8 * seed + t, ddb = 1;
  const Eigen::AngleAxisd Rz(alpha, Vector3d::UnitZ());
  m.Q = Rz * Eigen::AngleAxisd(beta, Vector3d::UnitX());
  const Vector3d ex = Rz * Vector3d::UnitX();
  m.w = da * Vector3d::UnitZ() + db * ex;
  m.z = dda * Vector3d::UnitZ() + da * db * Vector3d::UnitZ().cross(ex) + ddb * ex;
  return m;
}

std::array<PortMotion, 2> motions(double t) { return {motion(t, 0.5), motion(t, -0.8)}; }

std::vector<Joint> spatialJoints() {
  const Sides sides{{0, 0}, {1, 0}};
  std::vector<Joint> joints{sphericalJoint("spherical", sides),  revoluteJoint("revolute", sides),
                            fixedJoint("fixed", sides),          prismaticJoint("prismatic", sides),
                            cylindricalJoint("cylinder", sides), universalJoint("universal", sides),
                            pointOnLineJoint("line", sides)};
  for (Joint& joint : joints) {
    joint.frameA = frameWithAxis({0.3, -0.5, 0.9});
    joint.frameB = frameWithAxis({-0.2, 0.7, 0.4});
  }
  return joints;
}

constexpr std::array frames{PortKind::frame, PortKind::frame};

JointValues valuesAt(const Joint& joint, double t) {
  JointValues values;
  evaluate(joint, motions(t), frames, values);
  return values;
}

}  // namespace

TEST_CASE("joint rows have the rates that finite differences of the rows have") {
  for (const Joint& joint : spatialJoints()) {
    INFO(joint.name);
    const double t = 0.37, h = 1e-5;
    const JointValues here = valuesAt(joint, t), before = valuesAt(joint, t - h),
                      after = valuesAt(joint, t + h);
    // Central differences: error h²/6 times a third derivative of some 10, round-off 1e-16/h.
    CHECK((here.gv - (after.g - before.g) / (2 * h)).lpNorm<Eigen::Infinity>() < 1e-8);
    CHECK((here.ga - (after.gv - before.gv) / (2 * h)).lpNorm<Eigen::Infinity>() < 1e-8);
  }
}

TEST_CASE("the Jacobians of both sides map port velocities to the rate of the rows") {
  for (const Joint& joint : spatialJoints()) {
    INFO(joint.name);
    const auto m = motions(0.37);
    const JointValues values = valuesAt(joint, 0.37);
    Vector rate = Vector::Zero(joint.size());
    for (std::size_t s = 0; s < 2; ++s) {
      rate += values.G[s].leftCols(3) * m[s].v + values.G[s].rightCols(3) * m[s].w;
    }
    CHECK((rate - values.gv).lpNorm<Eigen::Infinity>() < 1e-14);
  }
}

TEST_CASE("joints leave the freedoms that their names promise") {
  const std::array<std::pair<Index, const char*>, 7> sizes{{{3, "spherical"},
                                                            {5, "revolute"},
                                                            {6, "fixed"},
                                                            {5, "prismatic"},
                                                            {4, "cylinder"},
                                                            {4, "universal"},
                                                            {2, "line"}}};
  const auto joints = spatialJoints();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    CHECK(joints[i].name == sizes[i].second);
    CHECK(joints[i].size() == sizes[i].first);
    // All rows are independent where the joint is closed: B sits on A, the axes agree.
    Joint closed = joints[i];
    closed.frameB = closed.frameA;
    if (closed.name == "universal") {  // its axes are at right angles
      closed.frameB.col(2) = closed.frameA.col(0);
      closed.frameB.col(0) = -closed.frameA.col(2);
    }
    std::array<PortMotion, 2> m{motion(0.2, 0.5), motion(0.2, 0.5)};
    JointValues values;
    evaluate(closed, m, frames, values);
    CHECK(values.g.lpNorm<Eigen::Infinity>() < 1e-15);
    CHECK(values.G[1].fullPivLu().rank() == closed.size());
  }
}

TEST_CASE("a closed revolute joint transmits no torque about its axis") {
  Joint joint = revoluteJoint("hinge", {{0, 0}, {1, 0}});
  joint.frameA = joint.frameB = frameWithAxis({1, 2, -0.5});
  const PortMotion m = motion(0.2, 0.5);
  JointValues values;
  evaluate(joint, std::array{m, m}, frames, values);
  const Vector lambda = (Vector(5) << 1, -2, 3, 4, 5).finished();
  const Vector F = -values.G[0].transpose() * lambda;
  const Vector3d axis = m.Q * joint.frameA.col(2);
  CHECK(std::abs(axis.dot(F.tail<3>())) < 1e-14);
  CHECK(F.tail<3>().norm() == Approx(std::hypot(4, 5)));  // the two rows are unit torques
}

TEST_CASE("forces of the two sides of a joint are equal and opposite also in moment") {
  for (const Joint& joint : spatialJoints()) {
    INFO(joint.name);
    const auto m = motions(0.37);
    const JointValues values = valuesAt(joint, 0.37);
    const Vector lambda = Vector::LinSpaced(joint.size(), -1, 2);
    const Vector A = -values.G[0].transpose() * lambda, B = -values.G[1].transpose() * lambda;
    CHECK((A + B).head<3>().norm() < 1e-14);
    if (std::holds_alternative<CoincidenceRow>(joint.rows[0])) continue;  // open: has a lever
    const Vector3d moment = A.tail<3>() + B.tail<3>() + m[0].r.cross(Vector3d(A.head<3>())) +
                            m[1].r.cross(Vector3d(B.head<3>()));
    CHECK(moment.norm() < 1e-13);
  }
}

TEST_CASE("shaft, gear and rack are linear rows over scalar ports") {
  std::array<PortMotion, 2> m;
  m[0].r[0] = 3, m[0].v[0] = 5, m[0].a[0] = 7;
  m[1].r[0] = 2, m[1].v[0] = -1, m[1].a[0] = 4;
  const std::array kinds{PortKind::scalar, PortKind::scalar};
  JointValues values;
  evaluate(gearJoint("gear", {{0, 0}, {1, 0}}, -2.5, 0.5), m, kinds, values);
  CHECK(values.g[0] == 3 + 2.5 * 2 - 0.5);
  CHECK(values.gv[0] == 5 - 2.5);
  CHECK(values.ga[0] == 7 + 10);
  CHECK(values.G[1](0, 0) == 2.5);
  evaluate(shaftJoint("shaft", {{0, 0}, {1, 0}}, 1), m, kinds, values);
  CHECK(values.g[0] == 0);
  evaluate(rackAndPinionJoint("rack", {{0, 0}, {1, 0}}, 0.25), m, kinds, values);
  CHECK(values.g[0] == 2.5);
}

TEST_CASE("a joint to the ground takes the ground's position and orientation") {
  Joint joint = fixedJoint("mount", {{0, 0}, {-1, 0}});
  const PortMotion m = motion(0.37, 0.5);
  joint.ground.r = m.r;
  joint.ground.Q = m.Q;
  JointValues values;
  evaluate(joint, std::array{m, PortMotion{}}, frames, values);
  CHECK(values.g.lpNorm<Eigen::Infinity>() < 1e-15);
  CHECK(values.gv.norm() > 0.1);  // the port moves, the ground does not
}

TEST_CASE("joints that do not fit their ports are refused by name") {
  const Sides sides{{0, 0}, {1, 0}};
  const std::array points{PortKind::point, PortKind::point};
  const std::array scalars{PortKind::scalar, PortKind::scalar};
  CHECK_NOTHROW(checkJoint(sphericalJoint("ball", sides), points));
  CHECK_THROWS_WITH(checkJoint(revoluteJoint("hinge", sides), points),
                    "joint \"hinge\": its two ports must be frames");
  CHECK_THROWS_WITH(checkJoint(sphericalJoint("ball", sides), scalars),
                    "joint \"ball\": its two ports must be points or frames");
  CHECK_THROWS_WITH(checkJoint(linearJoint("sum", sides, {1}), scalars),
                    "joint \"sum\": it must have as many coefficients as ports");
  CHECK_THROWS_WITH(checkJoint(sphericalJoint("none", {{-1, 0}, {-1, 0}}), points),
                    "joint \"none\": all its sides are the ground");
  CHECK_THROWS_AS(frameWithAxis({0, 0, 0}), CouplingError);
}
