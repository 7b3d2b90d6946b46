#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "models/mechanism/kinematics.hpp"
#include "simulation.hpp"

namespace trammel {
namespace {

constexpr double L = 1.0, side = 0.02, E = 7e10, density = 2700, load = 2.0;
constexpr double area = side * side, I = side * side * side * side / 12;
constexpr int segments = 16;

/// A cantilever along x: the mass of the beam lumped in the middles of 16 segments, joined by beam
/// elements from middle to middle; the first one is half as long and clamped. `load` acts at the
/// tip along −y.
std::string cantilever(bool planar, bool loaded) {
  const double h = L / segments;
  const auto text = [](double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17e", x);
    return std::string(buffer);
  };
  std::string model = "trammel = 1\nkind = \"mechanism\"\nname = \"Cantilever\"\n";
  if (planar) model += "planar = true\n";
  for (int i = 0; i < segments; ++i) {
    const double mass = density * area * h;
    const double about = mass * side * side / 12, along = 2 * about;
    const std::string name = "s" + std::to_string(i);
    model +=
        "[bodies." + name + "]\nmass = " + text(mass) + "\ninertia = " +
        (planar ? text(about) : "[" + text(along) + ", " + text(about) + ", " + text(about) + "]") +
        "\nposition = [" + text((i + 0.5) * h) + ", 0.0, 0.0]\n";
    model += "[forces.b" + std::to_string(i) + "]\ntype = \"beam\"\na = " +
             (i == 0 ? std::string("\"ground\"") : "\"s" + std::to_string(i - 1) + "\"") +
             "\nb = \"" + name + "\"\nlength = " + text(i == 0 ? h / 2 : h) + "\nE = " + text(E) +
             "\narea = " + text(area) + "\nIz = " + text(I);
    if (!planar) model += "\nIy = " + text(I) + "\ntorsion = " + text(2 * I) + "\nG = 2.6e10";
    model += "\n";
  }
  const std::string last = "s" + std::to_string(segments - 1);
  model += "[frames.tip]\nbody = \"" + last + "\"\nposition = [" + text(h / 2) + ", 0.0, 0.0]\n";
  if (loaded)
    model += "[forces.load]\ntype = \"force\"\nframe = \"tip\"\ncomponents = [0.0, " + text(-load) +
             ", 0.0]\n";
  return model + "[outputs.y]\nexpression = \"tip.y\"\n";
}

/// Positions of rest by Newton on the force balance without motion, with the constraints.
Vector rest(ModelSystem& system) {
  const Index n = system.coordinateCount(), m = system.constraintCount();
  Vector q(n), v(n), lambda = Vector::Zero(m), r(n), g(m);
  system.startValues(q, v);
  const Vector zero = Vector::Zero(n);
  Linearisation linear = shapeOf(system);
  for (int i = 0; i < 20; ++i) {
    system.linearise(0, q, zero, zero, lambda, linear);
    system.forceBalance(0, q, zero, zero, lambda, r);
    system.constraint(0, q, g);
    Matrix A = Matrix::Zero(n + m, n + m);
    A.topLeftCorner(n, n) = Matrix(linear.K);
    A.topRightCorner(n, m) = Matrix(linear.G).transpose();
    A.bottomLeftCorner(m, n) = Matrix(linear.G);
    Vector b(n + m);
    b << -r, -g;
    const Vector x = A.fullPivLu().solve(b);
    q += x.head(n);
    lambda += x.tail(m);
  }
  return q;
}

/// Natural frequencies [Hz], ascending: (K − ω² M) u = 0 in the null space of G.
Vector frequencies(ModelSystem& system, const Vector& q) {
  const Index n = system.coordinateCount(), m = system.constraintCount();
  const Vector zero = Vector::Zero(n);
  Linearisation linear = shapeOf(system);
  system.linearise(0, q, zero, zero, Vector::Zero(m), linear);
  Matrix N = Matrix::Identity(n, n);
  if (m > 0) N = Matrix(linear.G).fullPivLu().kernel();
  const Matrix K = N.transpose() * Matrix(linear.K) * N, M = N.transpose() * Matrix(linear.M) * N;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> modes((K + K.transpose()) / 2, M);
  return modes.eigenvalues().cwiseMax(0).cwiseSqrt() / (2 * std::numbers::pi);
}

}  // namespace

TEST_CASE("A cantilever of 16 beam elements bends as Bernoulli and Euler say") {
  // w = F L³/(3 E I) at the tip.
  const bool planar = GENERATE(true, false);
  const CompiledModel model = compileText(cantilever(planar, true));
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  const Vector q = rest(*system);
  const Vector zero = Vector::Zero(q.size());
  double y = 0;
  system->outputs(0, q, zero, zero, Vector::Zero(model.constraintCount()), {&y, 1});
  CHECK(y == Approx(-load * L * L * L / (3 * E * I)).epsilon(5e-3));
}

TEST_CASE("A cantilever of 16 beam elements has the frequencies of beam theory") {
  // f_i = β_i²/(2π) √(E I/(ρ A L⁴)), cos β cosh β = −1.
  const bool planar = GENERATE(true, false);
  const CompiledModel model = compileText(cantilever(planar, false));
  const std::unique_ptr<ModelSystem> system = model.makeSystem();
  Vector q(model.coordinateCount()), v(model.coordinateCount());
  system->startValues(q, v);
  const Vector f = frequencies(*system, q);
  const double unit = std::sqrt(E * I / (density * area)) / (2 * std::numbers::pi);
  const double beta[] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
  for (int i = 0; i < 3; ++i) {
    const Index mode = planar ? i : 2 * i;  // in space every mode of bending is there twice
    CAPTURE(i);
    CHECK(f[mode] == Approx(beta[i] * beta[i] * unit).epsilon(5e-3));
    if (!planar) CHECK(f[mode + 1] == Approx(f[mode]).epsilon(1e-6));
  }
}

}  // namespace trammel
