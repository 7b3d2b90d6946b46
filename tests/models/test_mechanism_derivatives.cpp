#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "model_support.hpp"
#include "models/compiled_model.hpp"
#include "tests/random_vector.hpp"
#include "two_bodies.hpp"

namespace trammel {
namespace {

using test::randomVector;

struct State {
  Vector q, v, a, lambda;
};

State randomState(const ModelSystem& system, std::mt19937& random) {
  const Index n = system.coordinateCount();
  return {randomVector(n, random), randomVector(n, random), randomVector(n, random),
          randomVector(system.constraintCount(), random)};
}

/// Central difference of a vector function in direction i; error about 1e-10 of its size.
Vector difference(const std::function<Vector(const Vector&)>& f, Vector x, Index i) {
  constexpr double h = 1e-5;
  const double centre = x[i];
  x[i] = centre + h;
  const Vector above = f(x);
  x[i] = centre - h;
  return (above - f(x)) / (2 * h);
}

void checkMatrix(const SparseMatrix& matrix, const std::function<Vector(const Vector&)>& f,
                 const Vector& x, const char* what) {
  if (matrix.rows() == 0) return;
  const Matrix exact = matrix;
  for (Index i = 0; i < x.size(); ++i) {
    const Vector column = difference(f, x, i);
    const double scale = 1 + f(x).cwiseAbs().maxCoeff() + exact.cwiseAbs().maxCoeff();
    INFO(what << ", column " << i);
    CHECK((exact.col(i) - column).cwiseAbs().maxCoeff() <= 1e-7 * scale);
  }
}

/// M, C, K, G, the rate and the acceleration of constraints against differences, at 100 random
/// states away from the constraints.
void checkElement(const std::string& text, int states = 100) {
  const CompiledModel model = compileText(text);
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  const double u[] = {0.7}, rate[] = {0.4}, second[] = {-0.9};
  if (model.inputCount() == 1)
    system->setInputs({.origin = 0.1, .value = u, .first = rate, .second = second});
  std::mt19937 random(7);
  Linearisation linear = shapeOf(*system);
  const Index n = system->coordinateCount(), m = system->constraintCount();
  const double t = 0.35;
  for (int k = 0; k < states; ++k) {
    const State s = randomState(*system, random);
    system->linearise(t, s.q, s.v, s.a, s.lambda, linear);
    const auto balance = [&](const Vector& q, const Vector& v, const Vector& a) {
      Vector r(n);
      system->forceBalance(t, q, v, a, s.lambda, r);
      return r;
    };
    checkMatrix(
        linear.K, [&](const Vector& q) { return balance(q, s.v, s.a); }, s.q, "K");
    checkMatrix(
        linear.C, [&](const Vector& v) { return balance(s.q, v, s.a); }, s.v, "C");
    checkMatrix(
        linear.M, [&](const Vector& a) { return balance(s.q, s.v, a); }, s.a, "M");
    const auto constraint = [&](double time, const Vector& q) {
      Vector g(m);
      system->constraint(time, q, g);
      return g;
    };
    checkMatrix(
        linear.G, [&](const Vector& q) { return constraint(t, q); }, s.q, "G");
    // Gᵀ λ in the force balance
    Vector r(n), r0(n);
    system->forceBalance(t, s.q, s.v, s.a, s.lambda, r);
    system->forceBalance(t, s.q, s.v, s.a, Vector::Zero(m), r0);
    CHECK((r - r0 - linear.G.transpose() * s.lambda).norm() <= 1e-11 * (1 + r.norm()));
    // dg/dt and d²g/dt² along q(t) = q + v τ + a τ²/2
    const auto along = [&](double tau) { return Vector(s.q + tau * s.v + tau * tau / 2 * s.a); };
    Vector rates(m), gamma(m);
    constexpr double h = 1e-4;
    system->constraintRate(t, s.q, s.v, rates);
    system->constraintAcceleration(t, s.q, s.v, gamma);
    const Vector g0 = constraint(t, s.q), above = constraint(t + h, along(h)),
                 below = constraint(t - h, along(-h));
    const double scale = 1 + rates.cwiseAbs().sum() + gamma.cwiseAbs().sum();
    CHECK((rates - (above - below) / (2 * h)).cwiseAbs().sum() <= 1e-6 * scale);
    const Vector acceleration = linear.G * s.a + gamma;
    CHECK((acceleration - (above - 2 * g0 + below) / (h * h)).cwiseAbs().sum() <= 1e-5 * scale);
  }
}

const std::string parameterAndInput = "[parameters]\nk = 40.0\n[inputs]\nu = { start = 0.7 }\n";

std::string spatial(const std::string& element) {
  return twoBodies("gravity = [0.3, -9.81, 0.2]\n" + parameterAndInput, element);
}
std::string planar(const std::string& element) {
  return twoPlanarBodies("gravity = [0.3, -9.81]\n" + parameterAndInput, element);
}
std::string joint(const std::string& lines) {
  return "[joints.j]\na = \"p\"\nb = \"q\"\n" + lines + "\n";
}
std::string force(const std::string& lines) { return "[forces.f]\n" + lines + "\n"; }
std::string between(const std::string& lines) { return force("a = \"p\"\nb = \"q\"\n" + lines); }
const std::string hinge = joint("type = \"cylindrical\"\naxis = [0.2, 0.9, -0.4]");
const std::string pin = joint("type = \"revolute\"");
const std::string guide = joint("type = \"prismatic\"\naxis = [0.8, -0.6]");

}  // namespace

TEST_CASE("Derivatives of every joint between rigid bodies are exact") {
  const std::string lines = GENERATE(
      as<std::string>{}, "type = \"fixed\"", "type = \"revolute\"\naxis = [0.2, 0.9, -0.4]",
      "type = \"prismatic\"\naxis = [0.2, 0.9, -0.4]",
      "type = \"cylindrical\"\naxis = [0.2, 0.9, -0.4]\naxis_b = [1.0, 0.1, 0.3]",
      "type = \"spherical\"",
      "type = \"universal\"\naxis = [0.2, 0.9, -0.4]\naxis_b = [1.0, 0.1, 0.3]",
      "type = \"planar\"\naxis = [0.2, 0.9, -0.4]", "type = \"distance\"\nlength = 1.2",
      "type = \"point_on_line\"\naxis = [0.2, 0.9, -0.4]",
      "type = \"point_on_circle\"\naxis = [0.2, 0.9, -0.4]\nradius = 0.8",
      "type = \"screw\"\naxis = [0.2, 0.9, -0.4]\npitch = 0.3");
  INFO(lines);
  checkElement(spatial(joint(lines)));
}

TEST_CASE("Derivatives of joints to the ground and of points are exact") {
  checkElement(spatial("[joints.j]\ntype = \"revolute\"\nb = \"q\"\naxis = [0.1, 0.2, 1.0]\n"));
  checkElement(spatial("[joints.j]\ntype = \"revolute\"\na = \"p\"\nb = \"ground\"\n"));
  checkElement(
      spatial("[bodies.bob]\ntype = \"point\"\nmass = 0.4\n[joints.j]\ntype = "
              "\"distance\"\na = \"p\"\nb = \"bob\"\nlength = 0.5\n"));
}

TEST_CASE("Derivatives of relations between joints are exact") {
  const std::string second =
      "[joints.w]\ntype = \"cylindrical\"\nb = \"two\"\naxis = [0.0, 1.0, 0.3]\n";
  const std::string relation =
      GENERATE(as<std::string>{}, "type = \"gear\"\njoint_1 = \"m\"\njoint_2 = \"n\"\nratio = -2.5",
               "type = \"rack_and_pinion\"\npinion = \"m\"\nrack = \"o\"\nradius = 0.4",
               "type = \"motion\"\njoint = \"m\"\nvalue = \"0.3*sin(4*time) + u\"",
               "type = \"motion\"\njoint = \"j\"\ncoordinate = \"s\"\nvalue = \"u*time^2\"");
  INFO(relation);
  const std::string joints =
      "[joints.m]\ntype = \"revolute\"\na = \"p\"\nb = \"q\"\n[joints.n]\ntype = \"revolute\"\nb = "
      "\"q\"\n[joints.o]\ntype = \"prismatic\"\nb = \"p\"\naxis = [1.0, 0.0, 0.2]\n";
  checkElement(spatial(hinge + second + joints + "[joints.r]\n" + relation + "\n"));
}

TEST_CASE("Derivatives of a constraint written as an expression are exact") {
  checkElement(spatial("[constraints.c]\nexpression = \"p.x*q.y - sin(q.z)*p.z^2 + u*time\"\n"));
  checkElement(planar("[constraints.c]\nexpression = \"p.x*q.y - sin(q.phi)*p.y^2 + u*time\"\n"));
}

TEST_CASE("Derivatives of every force between rigid bodies are exact") {
  const std::string element = GENERATE(
      as<std::string>{},
      between("type = \"spring\"\nstiffness = \"k\"\ndamping = 3.0\nlength = 0.2"),
      between("type = \"spring\"\nforce = \"k*(f.length - 0.3)^3 + der(f.length)*f.length\""),
      between("type = \"spring\"\ntable = [[-1.0, 0.1, 5.0], [-3.0, 1.0, 20.0]]\nlength = 0.2"),
      between("type = \"actuator\"\nforce = \"u*p.x + der(q.y)*q.wz\""),
      between("type = \"bushing\"\nstiffness = [10.0, 20.0, 30.0, 4.0, 5.0, 6.0]\ndamping = [1.0, "
              "2.0, 3.0, 0.4, 0.5, 0.6]"),
      between("type = \"beam\"\nlength = 0.5\nE = 3.0\nG = 2.0\narea = 1.0\nIy = 0.4\nIz = "
              "0.3\ntorsion = 0.2\nshear = 0.8\ndamping = 0.05"),
      force("type = \"force\"\nframe = \"q\"\nin = \"p\"\ncomponents = [\"u\", \"p.x\", 2.0]"),
      force("type = \"force\"\nframe = \"q\"\nin = \"q\"\ncomponents = [\"u\", \"time\", 2.0]"),
      force("type = \"torque\"\nframe = \"q\"\nin = \"q\"\ncomponents = [\"u\", \"q.wx\", 2.0]"),
      force("type = \"torque\"\nframe = \"q\"\nin = \"p\"\naxis = [1.0, 0.5, 0.2]\nvalue = \"u\""),
      hinge + force("type = \"torsion_spring\"\njoint = \"j2\"\nstiffness = 3.0\ndamping = 0.3") +
          "[joints.j2]\ntype = \"revolute\"\na = \"p\"\nb = \"q\"\naxis = [0.2, 0.9, -0.4]\n",
      hinge + force("type = \"stop\"\njoint = \"j\"\ncoordinate = \"s\"\nlower = -0.1\nupper = "
                    "0.1\nstiffness = 30.0\ndamping = 0.2"),
      force("type = \"contact\"\nsphere = \"q\"\nradius = 0.9\nplane = \"p\"\nstiffness = "
            "50.0\nexponent = 1.5\ndamping = 0.1\nfriction = 0.4\nslip_speed = 0.1"),
      force("type = \"contact\"\nsphere = \"q\"\nradius = 0.9\nplane = \"p\"\nstiffness = "
            "50.0\nexponent = 2.0\nfriction = 0.4\nslip_speed = 0.1\nfriction_model = "
            "\"lugre\"\nbristle_stiffness = 8.0\nbristle_damping = 0.5"),
      hinge + force("type = \"friction\"\njoint = \"j\"\ncoordinate = \"phi\"\nlevel = 2.0\nstatic "
                    "= 3.0\nstribeck_speed = 0.5\nslip_speed = 0.2\nviscous = 0.1"),
      hinge + force("type = \"friction\"\nmodel = \"lugre\"\njoint = \"j\"\ncoordinate = "
                    "\"s\"\nlevel = 2.0\nstatic = 3.0\nstribeck_speed = 0.5\nbristle_stiffness = "
                    "9.0\nbristle_damping = 0.7"),
      std::string("[ports.c]\ntype = \"frame\"\nframe = \"q\"\n"));
  INFO(element);
  checkElement(spatial(element));
}

TEST_CASE("Derivatives of every planar joint and force are exact") {
  const std::string element = GENERATE(
      as<std::string>{}, pin, guide, joint("type = \"fixed\""),
      joint("type = \"distance\"\nlength = 1.2"),
      joint("type = \"point_on_line\"\naxis = [0.3, 1.0]"),
      joint("type = \"point_on_circle\"\nradius = 0.7"),
      pin + force("type = \"torsion_spring\"\njoint = \"j\"\nstiffness = 3.0\ndamping = 0.3"),
      guide + force("type = \"friction\"\njoint = \"j\"\nlevel = 2.0\nslip_speed = 0.2"),
      between("type = \"spring\"\nstiffness = \"k\"\ndamping = 3.0\nlength = 0.2"),
      between("type = \"bushing\"\nstiffness = [10.0, 20.0, 30.0]\ndamping = [1.0, 2.0, 3.0]"),
      between("type = \"beam\"\nlength = 0.5\nE = 3.0\narea = 1.0\nIz = 0.3\ndamping = 0.05"),
      force("type = \"contact\"\nsphere = \"q\"\nradius = 0.9\nplane = \"p\"\nstiffness = "
            "50.0\ndamping = 0.1\nfriction = 0.4\nslip_speed = 0.1"),
      force("type = \"contact\"\ncircle_a = \"p\"\nradius_a = 0.9\ncircle_b = \"q\"\nradius_b = "
            "0.8\nstiffness = 50.0\nfriction = 0.4\nslip_speed = 0.1"),
      force("type = \"torque\"\nframe = \"q\"\ncomponents = [0.0, 0.0, \"u*p.x\"]"));
  INFO(element);
  checkElement(planar(element));
}

}  // namespace trammel
