// Rigid bodies in space, coupled at their ports.
#include <Eigen/Geometry>
#include <catch2/catch.hpp>
#include <cmath>

#include "coupling/function_subsystem.hpp"
#include "coupling/master.hpp"

using namespace trammel;
using namespace trammel::coupling;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

/// A free rigid body with ports at points of it; RK4 with unit quaternions.
struct Body {
  double mass = 1;                        // [kg]
  Vector3d inertia = {0.02, 0.05, 0.04};  // about the centre, principal axes [kg.m2]
  std::vector<Vector3d> points;           // of the ports, from the centre
  Vector3d gravity = {0, 0, -9.81};
  int substeps = 8;

  struct State {
    Vector3d r = Vector3d::Zero(), v = Vector3d::Zero(), w = Vector3d::Zero();  // w: inertial
    Eigen::Quaterniond Q = Eigen::Quaterniond::Identity();
    double t = 0;
  } now, saved;
  ForcePolynomial F;
  double begin = 0;

  Matrix3d J(const State& s) const {
    const Matrix3d R = s.Q.toRotationMatrix();
    return R * inertia.asDiagonal() * R.transpose();
  }
  void accelerations(const State& s, const Vector& f, Vector3d& a, Vector3d& z) const {
    Vector3d force = mass * gravity, torque = -s.w.cross(J(s) * s.w);
    for (std::size_t p = 0; p < points.size(); ++p) {
      const Vector3d Fp = f.segment<3>(6 * static_cast<Index>(p));
      force += Fp;
      torque += f.segment<3>(6 * static_cast<Index>(p) + 3) + (s.Q * points[p]).cross(Fp);
    }
    a = force / mass;
    z = J(s).inverse() * torque;
  }
  Vector forceAt(double t) const {
    const double dt = t - begin;
    return F.value + F.first * dt + F.second * (dt * dt / 2);
  }
  void step(double t, double H) {
    begin = t;
    const double h = H / substeps;
    for (int i = 0; i < substeps; ++i) {
      struct Rate {
        Vector3d v, a, w, z;
      };
      const State s0 = now;
      const auto rate = [&](const State& s) {
        Rate k{s.v, {}, s.w, {}};
        accelerations(s, forceAt(s.t), k.a, k.z);
        return k;
      };
      const auto moved = [&](const Rate& k, double dt) {
        State s = s0;
        s.t += dt;
        s.r += dt * k.v;
        s.v += dt * k.a;
        s.w += dt * k.z;
        const Eigen::Quaterniond dQ =
            Eigen::Quaterniond(0, k.w[0], k.w[1], k.w[2]) * s0.Q;  // Q' = w Q / 2
        s.Q.coeffs() = s0.Q.coeffs() + dt / 2 * dQ.coeffs();
        return s;
      };
      // The stages of Q need the Q of the stage: Q' is linear in Q, so it is put together here.
      const Rate k1 = rate(s0);
      const State s1 = moved(k1, h / 2);
      const Rate k2 = rate(s1);
      State s2 = moved(k2, h / 2);
      s2.Q.coeffs() = s0.Q.coeffs() + h / 4 * (spin(k2.w) * s1.Q).coeffs();
      const Rate k3 = rate(s2);
      State s3 = moved(k3, h);
      s3.Q.coeffs() = s0.Q.coeffs() + h / 2 * (spin(k3.w) * s2.Q).coeffs();
      const Rate k4 = rate(s3);
      now.t = s0.t + h;
      now.r += h / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v);
      now.v += h / 6 * (k1.a + 2 * k2.a + 2 * k3.a + k4.a);
      now.w += h / 6 * (k1.z + 2 * k2.z + 2 * k3.z + k4.z);
      now.Q.coeffs() += h / 12 *
                        ((spin(k1.w) * s0.Q).coeffs() + 2 * (spin(k2.w) * s1.Q).coeffs() +
                         2 * (spin(k3.w) * s2.Q).coeffs() + (spin(k4.w) * s3.Q).coeffs());
      now.Q.normalize();
    }
  }
  static Eigen::Quaterniond spin(const Vector3d& w) { return {0, w[0], w[1], w[2]}; }

  void readMotion(std::span<PortMotion> motions) const {
    Vector3d a, z;
    accelerations(now, forceAt(now.t), a, z);
    for (std::size_t p = 0; p < points.size(); ++p) {
      const Vector3d d = now.Q * points[p];
      motions[p] = {now.r + d,
                    now.v + now.w.cross(d),
                    a + z.cross(d) + now.w.cross(now.w.cross(d)),
                    now.Q,
                    now.w,
                    z};
    }
  }
  void mobility(Matrix& W) const {
    const auto n = 6 * std::ssize(points);
    W.resize(n, n);
    const Matrix3d inverse = J(now).inverse();
    for (Index j = 0; j < n; ++j) {
      Vector f = Vector::Unit(n, j);
      Vector3d force = Vector3d::Zero(), torque = force;
      for (std::size_t p = 0; p < points.size(); ++p) {
        const Vector3d Fp = f.segment<3>(6 * static_cast<Index>(p));
        force += Fp;
        torque += f.segment<3>(6 * static_cast<Index>(p) + 3) + (now.Q * points[p]).cross(Fp);
      }
      const Vector3d a = force / mass, z = inverse * torque;
      for (std::size_t p = 0; p < points.size(); ++p) {
        const auto i = 6 * static_cast<Index>(p);
        W.block<3, 1>(i, j) = a + z.cross(now.Q * points[p]);
        W.block<3, 1>(i + 3, j) = z;
      }
    }
  }
  double energy() const {
    return mass * now.v.squaredNorm() / 2 + now.w.dot(J(now) * now.w) / 2 -
           mass * gravity.dot(now.r);
  }
  std::unique_ptr<Subsystem> subsystem(std::string name) {
    FunctionSubsystemData data;
    data.name = std::move(name);
    for (std::size_t p = 0; p < points.size(); ++p) {
      data.ports.push_back({"port" + std::to_string(p), PortKind::frame});
    }
    data.capabilities = {.variableStep = true, .forceOrder = 2, .acceleration = true};
    F.setZero(6 * std::ssize(points));
    SubsystemFunctions f;
    f.setForces = [this](const ForcePolynomial& polynomial) { F = polynomial; };
    f.step = [this](double t, double H) -> SubsystemStep {
      step(t, H);
      return {.reachedTime = t + H};
    };
    f.readMotion = [this](std::span<PortMotion> motions) { readMotion(motions); };
    f.mobility = [this](Matrix& W) { mobility(W); };
    f.save = [this] { saved = now; };
    f.restore = [this] { now = saved; };
    return std::make_unique<FunctionSubsystem>(std::move(data), std::move(f));
  }
};

/// Two links: the first turns about e_y at the origin, the second about an axis askew to it.
struct Links {
  Body upper, lower;
  CoupledSystem system;

  Links() {
    upper.points = {{-0.25, 0, 0}, {0.25, 0, 0}};
    upper.now.r = {0.25, 0, 0};
    lower.points = {{-0.25, 0, 0}};
    lower.now.r = {0.75, 0, 0};
    system.subsystems.push_back(upper.subsystem("upper"));
    system.subsystems.push_back(lower.subsystem("lower"));
    Joint base = revoluteJoint("base", {{0, 0}, {-1, 0}});
    base.frameA = base.frameB = frameWithAxis({0, 1, 0});
    Joint knee = revoluteJoint("knee", {{0, 1}, {1, 0}});
    knee.frameA = knee.frameB = frameWithAxis({0, 1, 0.7});
    system.joints = {base, knee};
  }
  double energy() const { return upper.energy() + lower.energy(); }
};

struct Result {
  Vector3d tip;
  double gap = 0, energyError = 0, evaluations = 0;
};

Result runLinks(Scheme scheme, double H, double T) {
  Links links;
  MasterOptions options;
  options.scheme = scheme;
  options.relativeTolerance = 1e-10;
  options.gain = 10;
  options.iteration.maxEvaluations = 40;
  const double E0 = links.energy();
  Master master(std::move(links.system), options);
  master.initialize(0, T, H);
  const long steps = std::lround(T / H);
  for (long n = 1; n <= steps; ++n) {
    const MasterStep step = master.advance(H * static_cast<double>(n));
    INFO(step.failure);
    REQUIRE(step.completed);
  }
  Result result;
  result.tip = links.lower.now.r;
  for (const JointStatistics& s : master.statistics().joints) {
    result.gap = std::max(result.gap, s.largestGap);
  }
  result.energyError = std::abs(links.energy() - E0);
  result.evaluations = static_cast<double>(master.statistics().evaluations) /
                       static_cast<double>(master.statistics().steps);
  return result;
}

}  // namespace

TEST_CASE("two links with askew hinges stay together and converge with the order of PV1") {
  const Result fine = runLinks(Scheme::pv1, 0.00125, 0.5);
  const Result middle = runLinks(Scheme::pv1, 0.005, 0.5);
  const Result coarse = runLinks(Scheme::pv1, 0.01, 0.5);
  CHECK(coarse.gap < 1e-10);
  CHECK(fine.energyError < 1e-8);
  const double order = std::log2((coarse.tip - fine.tip).norm() / (middle.tip - fine.tip).norm());
  INFO("order " << order << ", errors " << (coarse.tip - fine.tip).norm() << ", "
                << (middle.tip - fine.tip).norm() << ", evaluations " << coarse.evaluations);
  CHECK(order > 3.5);
}

TEST_CASE("a body on a hinge swings like the physical pendulum that it is") {
  Body body;
  body.points = {{-0.25, 0, 0}};
  body.now.r = {0.25, 0, 0};
  CoupledSystem system;
  system.subsystems.push_back(body.subsystem("body"));
  Joint hinge = revoluteJoint("hinge", {{0, 0}, {-1, 0}});
  hinge.frameA = hinge.frameB = frameWithAxis({0, 1, 0});
  system.joints = {hinge};
  Master master(std::move(system), {});
  const Certificate& certificate = master.initialize(0, 1, 0.005);
  CHECK(certificate.rank == 5);
  // (J_y + m l²) φ'' = m g l cos φ from φ = 0 (horizontal): exact by RK4 with tiny steps.
  double phi = 0, rate = 0;
  const double k = 9.81 * 0.25 / (0.05 + 0.0625), h = 1e-4;
  for (int n = 0; n < 10000; ++n) {
    const double a1 = k * std::cos(phi), r2 = rate + h / 2 * a1,
                 a2 = k * std::cos(phi + h / 2 * rate), r3 = rate + h / 2 * a2,
                 a3 = k * std::cos(phi + h / 2 * r2), r4 = rate + h * a3,
                 a4 = k * std::cos(phi + h * r3);
    phi += h / 6 * (rate + 2 * r2 + 2 * r3 + r4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  for (int n = 1; n <= 200; ++n) REQUIRE(master.advance(0.005 * n).completed);
  CHECK(body.now.r[0] == Approx(0.25 * std::cos(phi)).margin(1e-6));
  CHECK(body.now.r[2] == Approx(-0.25 * std::sin(phi)).margin(1e-6));
  CHECK(std::abs(body.now.r[1]) < 1e-10);
}

TEST_CASE("a body welded to the ground stays and a sixth row is not redundant") {
  Body body;
  body.points = {{-0.25, 0.1, 0}};
  body.now.r = {0.25, -0.1, 0};
  CoupledSystem system;
  system.subsystems.push_back(body.subsystem("body"));
  system.joints = {fixedJoint("weld", {{0, 0}, {-1, 0}})};
  Master master(std::move(system), {});
  CHECK(master.initialize(0, 1, 0.01).rank == 6);
  for (int n = 1; n <= 50; ++n) REQUIRE(master.advance(0.01 * n).completed);
  CHECK((body.now.r - Vector3d(0.25, -0.1, 0)).norm() < 1e-12);
  // Force on the body is −λ: it carries the weight.
  CHECK(master.multipliers()[2] == Approx(-9.81));
}
