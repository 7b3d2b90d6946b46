#include <Eigen/Geometry>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "simulation.hpp"

namespace trammel {
namespace {

constexpr double g = 9.81;  // [m/s²], as in the models below

std::string head(const std::string& more = "") {
  return "trammel = 1\nkind = \"mechanism\"\nname = \"Physics\"\n" + more;
}

/// Complete elliptic integral of the first kind, by the arithmetic-geometric mean.
double ellipticK(double k) {
  double a = 1, b = std::sqrt(1 - k * k);
  for (int i = 0; i < 40; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::numbers::pi / (2 * a);
}

/// sn(u, k) by descending Landen transformations.
double ellipticSn(double u, double k) {
  if (k < 1e-9) return std::sin(u);
  const double kPrime = std::sqrt(1 - k * k), k1 = (1 - kPrime) / (1 + kPrime);
  const double sn = ellipticSn(u / (1 + k1), k1);
  return (1 + k1) * sn / (1 + k1 * sn * sn);
}

}  // namespace

TEST_CASE("A torque-free asymmetric body keeps its energy and angular momentum") {
  // numerics.md section 12: J = 1, 2, 3, ω0 = (0.3, 2, 0.4), 100 s; limits of issue 5, but for the
  // energy at 1e-8, which rounding and tolerances within 1 % of it scatter from 2.8e-6 to 5.0e-6.
  const double tolerance = GENERATE(1e-8, 1e-10);
  const double limit = tolerance == 1e-8 ? 6e-6 : 1e-7;
  Simulation top(head(R"toml([bodies.top]
mass = 1.0
inertia = [1.0, 2.0, 3.0]
angular_velocity = [0.3, 2.0, 0.4]
[outputs.energy]
expression = "kinetic_energy"
)toml"),
                 tolerance);
  const Eigen::Matrix3d J = Eigen::Vector3d(1, 2, 3).asDiagonal();
  const auto momentum = [&] {
    const Eigen::Quaterniond p(top.motion.q[3], top.motion.q[4], top.motion.q[5], top.motion.q[6]);
    const Eigen::Quaterniond rate(top.motion.v[3], top.motion.v[4], top.motion.v[5],
                                  top.motion.v[6]);
    const Eigen::Vector3d omega = 2 * (p.conjugate() * rate).vec();
    return Eigen::Vector3d(p * (J * omega));
  };
  const double E0 = top["energy"];
  const Eigen::Vector3d H0 = momentum();
  CHECK(E0 == Approx((0.09 + 2 * 4 + 3 * 0.16) / 2).epsilon(1e-14));
  double energyError = 0, momentumError = 0;
  for (int k = 1; k <= 100; ++k) {
    top.run(k);
    energyError = std::max(energyError, std::abs(top["energy"] / E0 - 1));
    momentumError = std::max(momentumError, (momentum() - H0).norm() / H0.norm());
  }
  CAPTURE(tolerance, energyError, momentumError, top.integrator.statistics().steps);
  CHECK(energyError <= limit);
  CHECK(momentumError <= limit);
}

TEST_CASE("A heavy top nutates as the elliptic functions say") {
  // Symmetric top about a fixed point, spin n, axis released from rest at θ0. With u = cos θ,
  // I1 about the fixed point and β = 2 m g l/I1, a = I3 n/I1:
  //   u'² = (u0 − u) (β (1 − u²) − a² (u0 − u)),
  // so u oscillates between u1 < u0, u = u1 + (u0 − u1) sn²(K − ωt).
  const double mass = 1, l = 0.1, I1 = 0.02 + mass * l * l, I3 = 0.01, n = 60, theta0 = 0.5;
  Simulation top(head(R"toml(gravity = [0.0, 0.0, -9.81]
[bodies.top]
mass = 1.0
inertia = [0.02, 0.02, 0.01]
centre = [0.0, 0.0, 0.1]
rotation = { axis = [1.0, 0.0, 0.0], angle = 0.5 }
angular_velocity = [0.0, "-60*sin(0.5)", "60*cos(0.5)"]
[joints.pivot]
type = "spherical"
b = "top"
[frames.tip]
body = "top"
position = [0.0, 0.0, 1.0]
[outputs.height]
expression = "tip.z"
)toml"),
                 1e-9);
  const double u0 = std::cos(theta0), beta = 2 * mass * g * l / I1, a = I3 * n / I1;
  // roots of β (1 − u²) − a² (u0 − u) = 0
  const double p = a * a / (2 * beta), D = std::sqrt(p * p - a * a * u0 / beta + 1);
  const double u1 = p - D, u3 = p + D;
  const double k = std::sqrt((u0 - u1) / (u3 - u1)), omega = std::sqrt(beta * (u3 - u1)) / 2;
  double worst = 0;
  for (int i = 1; i <= 40; ++i) {
    const double t = 0.025 * i;
    top.run(t);
    const double sn = ellipticSn(ellipticK(k) - omega * t, k);
    worst = std::max(worst, std::abs(top["height"] - (u1 + (u0 - u1) * sn * sn)));
  }
  CHECK(u0 - u1 > 0.05);  // the nutation is there to be seen
  CHECK(worst <= 1e-5);   // own run: 1e-6 and less at this tolerance
}

TEST_CASE("A compound pendulum swings with the period of the elliptic integral") {
  // T = 4 √(I/(m g d)) K(sin θ0/2), I about the pivot.
  Simulation pendulum(head(R"toml(gravity = [0.0, -9.81, 0.0]
[bodies.rod]
mass = 2.0
inertia = [0.01, 0.2, 0.19]
centre = [0.5, 0.0, 0.0]
[joints.pin]
type = "revolute"
b = "rod"
[outputs.angle]
expression = "pin.phi"
)toml"),
                      1e-10);
  const double I = 0.19 + 2 * 0.25;  // θ0 = 90°: horizontal at the start
  const double T = 4 * std::sqrt(I / (2 * g * 0.5)) * ellipticK(std::sin(std::numbers::pi / 4));
  pendulum.run(T / 2);
  CHECK(pendulum["angle"] == Approx(-std::numbers::pi).margin(1e-6));
  pendulum.run(10 * T);
  CHECK(std::abs(pendulum["angle"]) <= 1e-5);
}

namespace {

/// A four-bar with a load at the end of its coupler, as planar or as rigid bodies.
std::string fourBar(bool planar) {
  const auto body = [&](const char* name, const char* mass, double J, const char* rest) {
    return std::string("[bodies.") + name + "]\nmass = " + mass +
           (planar ? "\ninertia = " + std::to_string(J)
                   : "\ninertia = [0.01, " + std::to_string(J) + ", " + std::to_string(J) + "]") +
           "\n" + rest;
  };
  const auto joint = [](const char* name, const char* a, const char* b) {
    return std::string("[joints.") + name + "]\ntype = \"revolute\"\na = " + a + "\nb = " + b +
           "\n";
  };
  return head(std::string(planar ? "planar = true\n" : "") + "gravity = [0.0, -9.81, 0.0]\n") +
         body("crank", "1.0", 0.02, "position = [0.0, 0.25, 0.0]\nangle = \"90 deg\"\n") +
         body("coupler", "2.0", 0.2, "position = [0.5, 0.5, 0.0]\n") +
         body("rocker", "1.5", 0.09, "position = [1.15, 0.3, 0.0]\nangle = \"pi - atan(4/3)\"\n") +
         joint("A", "\"ground\"", "{ body = \"crank\", position = [-0.25, 0.0, 0.0] }") +
         joint("B", "{ body = \"crank\", position = [0.25, 0.0, 0.0] }",
               "{ body = \"coupler\", position = [-0.5, 0.0, 0.0] }") +
         joint("C", "{ body = \"coupler\", position = [0.5, 0.0, 0.0] }",
               "{ body = \"rocker\", position = [0.25, 0.0, 0.0] }") +
         joint("D", "{ body = \"ground\", position = [1.3, 0.1, 0.0] }",
               "{ body = \"rocker\", position = [-0.25, 0.0, 0.0] }") +
         R"toml([forces.spring]
type = "spring"
a = { body = "ground", position = [-0.5, 1.0, 0.0] }
b = "coupler"
stiffness = 60.0
damping = 2.0
length = 0.8
[outputs.x]
expression = "coupler.x"
[outputs.y]
expression = "coupler.y"
[outputs.F]
expression = "B.Fx"
)toml";
}

}  // namespace

TEST_CASE("A planar mechanism of rigid bodies moves as one of planar bodies") {
  // Four revolute joints in space close the loop with three redundant equations.
  Simulation flat(fourBar(true), 1e-9), spatial(fourBar(false), 1e-9);
  for (int k = 1; k <= 20; ++k) {
    flat.run(0.1 * k);
    spatial.run(0.1 * k);
    CHECK(std::abs(flat["x"] - spatial["x"]) <= 1e-6);
    CHECK(std::abs(flat["y"] - spatial["y"]) <= 1e-6);
    CHECK(std::abs(flat["F"] - spatial["F"]) <= 1e-4);
  }
}

TEST_CASE("Reactions of a hanging four-bar are those of statics") {
  // Two vertical cranks of mass 1 and 3 kg carry a coupler of 4 kg with its centre at 1/4 of its
  // length: its pins carry 3 g and 1 g, the pins on the ground 1 kg and 3 kg more.
  const bool planar = GENERATE(true, false);
  const std::string rodInertia = planar ? "0.1" : "[0.1, 0.1, 0.1]";
  const std::string text =
      head(std::string(planar ? "planar = true\n" : "") + "gravity = [0.0, -9.81, 0.0]\n") +
      "[bodies.left]\nmass = 1.0\ninertia = " + rodInertia +
      "\nposition = [0.0, -0.5, 0.0]\n[bodies.right]\nmass = 3.0\ninertia = " + rodInertia +
      "\nposition = [2.0, -0.5, 0.0]\n[bodies.coupler]\nmass = 4.0\ninertia = " + rodInertia +
      R"toml(
position = [0.5, -1.0, 0.0]
[joints.A]
type = "revolute"
b = { body = "left", position = [0.0, 0.5, 0.0] }
[joints.B]
type = "revolute"
a = { body = "left", position = [0.0, -0.5, 0.0] }
b = { body = "coupler", position = [-0.5, 0.0, 0.0] }
[joints.C]
type = "revolute"
a = { body = "coupler", position = [1.5, 0.0, 0.0] }
b = { body = "right", position = [0.0, -0.5, 0.0] }
[joints.D]
type = "revolute"
a = { body = "right", position = [0.0, 0.5, 0.0] }
b = { body = "ground", position = [2.0, 0.0, 0.0] }
[outputs.FA]
joint = "A"
quantity = "force"
[outputs.By]
expression = "B.Fy"
[outputs.Cy]
expression = "C.Fy"
[outputs.FD]
joint = "D"
quantity = "force"
)toml";
  Simulation bars(text, 1e-8);
  CHECK(bars["FA[2]"] == Approx(4 * g).epsilon(1e-10));   // ground holds the left crank
  CHECK(bars["By"] == Approx(3 * g).epsilon(1e-10));      // on the coupler
  CHECK(bars["Cy"] == Approx(-1 * g).epsilon(1e-10));     // on the right crank
  CHECK(bars["FD[2]"] == Approx(-4 * g).epsilon(1e-10));  // on the ground
  CHECK(std::abs(bars["FA[1]"]) <= 1e-9);
  CHECK(std::abs(bars["FD[1]"]) <= 1e-9);
  if (!planar) CHECK(std::abs(bars["FA[3]"]) <= 1e-9);
}

TEST_CASE("A gear drives its wheel over many turns") {
  // Torque T on wheel 1, wheel 2 turns r times as fast: φ1'' = T/(J1 + r² J2).
  Simulation gear(head(R"toml([bodies.one]
mass = 1.0
inertia = [0.2, 0.3, 0.4]
[bodies.two]
mass = 1.0
inertia = [0.1, 0.1, 0.15]
position = [1.0, 0.0, 0.0]
[joints.a]
type = "revolute"
b = "one"
[joints.b]
type = "revolute"
a = { body = "ground", position = [1.0, 0.0, 0.0] }
b = "two"
[joints.teeth]
type = "gear"
joint_1 = "a"
joint_2 = "b"
ratio = -2.0
[forces.drive]
type = "actuator"
joint = "a"
force = 3.0
[outputs.phi1]
expression = "a.phi"
[outputs.phi2]
expression = "b.phi"
[outputs.torque]
expression = "teeth.lambda"
)toml"),
                  1e-9);
  gear.run(10);
  const double acceleration = 3.0 / (0.4 + 4 * 0.15);
  CHECK(gear["phi1"] == Approx(acceleration * 50).epsilon(1e-6));  // 24 turns
  CHECK(gear["phi2"] == Approx(-acceleration * 100).epsilon(1e-6));
  // J2 φ2'' + λ = 0 on wheel 2
  CHECK(gear["torque"] == Approx(0.15 * 2 * acceleration).epsilon(1e-6));
}

TEST_CASE("A nut sinks on its screw") {
  // m s'' + J (2π/p)² s'' = −m g: s = −g t²/2 / (1 + J (2π/p)²/m).
  Simulation nut(head(R"toml(gravity = [0.0, 0.0, -9.81]
[bodies.nut]
mass = 2.0
inertia = [0.03, 0.03, 0.05]
[joints.screw]
type = "screw"
b = "nut"
axis = [0.0, 0.0, 1.0]
pitch = 0.5
[outputs.s]
expression = "screw.s"
[outputs.phi]
expression = "screw.phi"
)toml"),
                 1e-9);
  nut.run(4);
  const double ratio = 2 * std::numbers::pi / 0.5;
  const double s = -g * 8 / (1 + 0.05 * ratio * ratio / 2);
  CHECK(nut["s"] == Approx(s).epsilon(1e-6));
  CHECK(nut["phi"] == Approx(s * ratio).epsilon(1e-6));
}

TEST_CASE("A rack is driven by its pinion") {
  // (m + J/r²) s'' = T/r.
  Simulation rack(head(R"toml([bodies.wheel]
mass = 1.0
inertia = [0.1, 0.1, 0.02]
[bodies.rack]
mass = 3.0
inertia = [0.1, 0.1, 0.1]
position = [0.0, -0.1, 0.0]
[joints.axle]
type = "revolute"
b = "wheel"
[joints.guide]
type = "prismatic"
a = { body = "ground", position = [0.0, -0.1, 0.0] }
b = "rack"
axis = [1.0, 0.0, 0.0]
[joints.teeth]
type = "rack_and_pinion"
pinion = "axle"
rack = "guide"
radius = 0.1
[forces.drive]
type = "actuator"
joint = "axle"
force = 2.0
[outputs.s]
expression = "guide.s"
)toml"),
                  1e-9);
  rack.run(3);
  CHECK(rack["s"] == Approx(2.0 / 0.1 / (3 + 0.02 / 0.01) * 4.5).epsilon(1e-6));
}

TEST_CASE("A universal joint passes on a speed that varies with the angle") {
  // Input shaft along z turned by φ, output shaft inclined by β in the x-z plane, cross along x at
  // the start: tan φ2 = tan φ cos β (with φ measured from the cross perpendicular to the plane).
  const double beta = 0.5;
  Simulation shafts(head(R"toml([parameters]
beta = 0.5
[bodies.input]
mass = 1.0
inertia = [0.1, 0.1, 0.2]
[bodies.output]
mass = 1.0
inertia = [0.1, 0.1, 0.2]
rotation = { axis = [1.0, 0.0, 0.0], angle = "beta" }
angular_velocity = [0.0, "-cos(beta)*2*sin(beta)", "cos(beta)*2*cos(beta)"]
[joints.bearing]
type = "revolute"
b = "input"
[joints.cross]
type = "universal"
a = "input"
b = "output"
axis = [1.0, 0.0, 0.0]
axis_b = [0.0, 1.0, 0.0]
[joints.seat]
type = "cylindrical"
a = { body = "ground", rotation = { axis = [1.0, 0.0, 0.0], angle = "beta" } }
b = "output"
[joints.motor]
type = "motion"
joint = "bearing"
value = "2*time"
[outputs.phi2]
expression = "seat.phi"
)toml"),
                    1e-9);
  for (int k = 1; k <= 20; ++k) {
    const double t = 0.2 * k, phi = 2 * t;
    shafts.run(t);
    // x axis of the input in the plane of the output: x1 = (cos φ, sin φ, 0) is normal to y2.
    const double phi2 = std::atan2(std::sin(phi) * std::cos(beta), std::cos(phi));
    CHECK(std::abs(std::sin(shafts["phi2"] - phi2)) <= 1e-6);
  }
  CHECK(shafts["phi2"] > 6.5);  // more than one turn, counted
}

TEST_CASE("A sliding block stops where Coulomb friction lets it") {
  // v0²/(2 μ g) after v0/(μ g); the slip speed of the model is small against v0.
  Simulation block(head(R"toml(gravity = [0.0, 0.0, -9.81]
[bodies.block]
mass = 2.0
inertia = [0.1, 0.1, 0.1]
velocity = [3.0, 0.0, 0.0]
[joints.floor]
type = "prismatic"
b = "block"
axis = [1.0, 0.0, 0.0]
[forces.rub]
type = "friction"
joint = "floor"
level = "0.3*2*9.81"
slip_speed = 1e-6
[outputs.s]
expression = "floor.s"
[outputs.v]
expression = "der(floor.s)"
)toml"),
                   1e-7);
  block.run(2);
  CHECK(block["s"] == Approx(9 / (2 * 0.3 * g)).epsilon(1e-5));
  CHECK(std::abs(block["v"]) <= 1e-9);
}

TEST_CASE("A block on a moving belt sticks and slips") {
  // LuGre friction with the level Fc for slow slip: the spring stretches while the block sticks,
  // and the block breaks away near Fs = k s.
  Simulation belt(head(R"toml([bodies.block]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[bodies.belt]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[joints.guide]
type = "prismatic"
b = "belt"
axis = [1.0, 0.0, 0.0]
[joints.drive]
type = "motion"
joint = "guide"
value = "0.1*time"
[joints.top]
type = "prismatic"
a = "belt"
b = "block"
axis = [1.0, 0.0, 0.0]
[forces.rub]
type = "friction"
joint = "top"
model = "lugre"
level = 1.0
static = 1.5
stribeck_speed = 0.01
bristle_stiffness = 1e4
bristle_damping = 100.0
viscous = 0.4
[forces.hold]
type = "force"
frame = "block"
components = ["-2*block.x", 0.0, 0.0]
[outputs.x]
expression = "block.x"
[outputs.slip]
expression = "der(top.s)"
)toml"),
                  1e-6);
  belt.run(5);
  CHECK(belt["x"] == Approx(0.5).margin(0.01));  // sticks, but for the start: goes with the belt
  CHECK(std::abs(belt["slip"]) <= 1e-3);
  double largest = 0, fastest = 0;
  for (int k = 0; k < 200; ++k) {
    belt.run(5 + 0.05 * (k + 1));
    largest = std::max(largest, belt["x"]);
    fastest = std::min(fastest, belt["slip"]);
  }
  // breaks away at Fs = k x, and goes on by its speed 0.1 m/s for a while: own run 0.768
  CHECK(largest >= 1.5 / 2);
  CHECK(largest <= 1.5 / 2 + 0.1 / std::sqrt(2.0));
  CHECK(fastest < -0.15);  // and slips back faster than the belt
}

TEST_CASE("A bouncing ball rises to the same apex after each elastic contact") {
  // Fall from h: time to the contact √(2 h/g); the contact lasts π √(m/k) and more for gravity.
  Simulation ball(head(R"toml(gravity = [0.0, 0.0, -9.81]
[bodies.ball]
mass = 0.5
inertia = [0.001, 0.001, 0.001]
position = [0.0, 0.0, 1.1]
[forces.floor]
type = "contact"
sphere = "ball"
radius = 0.1
stiffness = 1e5
[outputs.z]
expression = "ball.z"
[outputs.energy]
expression = "total_energy"
)toml"),
                  1e-9);
  const double fall = std::sqrt(2 * 1.0 / g);
  // In contact: m z'' = −k z − m g with z' = −√(2 g h): duration 2 (π − atan(v ω/g))/ω, ω = √(k/m).
  const double omega = std::sqrt(1e5 / 0.5), v = std::sqrt(2 * g);
  const double contact = 2 * (std::numbers::pi - std::atan(v * omega / g)) / omega;
  const double E0 = ball["energy"];
  for (int bounce = 1; bounce <= 5; ++bounce) {
    ball.run(bounce * (2 * fall + contact));
    CHECK(ball["z"] == Approx(1.1).epsilon(1e-6));
    CHECK(ball["energy"] == Approx(E0).epsilon(1e-6));
  }
  CHECK(ball.events == 10);
}

TEST_CASE("A spherical ball thrown with backspin ends up rolling") {
  // Slip v + ω R dies out; with J = 2/5 m R²: v_end = (5 v0 − 2 R |ω0|)/7 by conservation of the
  // angular momentum about the floor.
  Simulation ball(head(R"toml(gravity = [0.0, 0.0, -9.81]
[bodies.ball]
mass = 1.0
inertia = [0.004, 0.004, 0.004]
position = [0.0, 0.0, 0.09990190]
velocity = [3.0, 0.0, 0.0]
angular_velocity = [0.0, -20.0, 0.0]
[forces.floor]
type = "contact"
sphere = "ball"
radius = 0.1
stiffness = 1e5
damping = 1.0
friction = 0.4
slip_speed = 1e-4
[outputs.v]
expression = "der(ball.x)"
[outputs.w]
expression = "ball.wy"
)toml"),
                  1e-8);
  ball.run(3);
  CHECK(ball["v"] == Approx((5 * 3.0 - 2 * 0.1 * 20) / 7).epsilon(1e-3));
  CHECK(ball["w"] == Approx(ball["v"] / 0.1).epsilon(2e-3));
}

}  // namespace trammel
