#pragma once

#include <array>
#include <string>

#include "solver/mechanical_system.hpp"
#include "tests/solver/hyper_dual.hpp"

namespace trammel::test {

/// A small dense MechanicalSystem written as three functions templated on the number type;
/// derivatives by hyper-dual numbers. `Equations` has: static constexpr std::size_t n, m; and
///   template <class S> void mass(const S* q, S* M) const      (n×n, row by row, zeroed before)
///   template <class S> void force(S t, const S* q, const S* v, S* f) const
///   template <class S> void constraint(S t, const S* q, S* g) const
/// and, if it has root functions, static constexpr std::size_t rootCount and
///   void roots(double t, const double* q, const double* v, double* r) const.
template <class Equations>
class Problem final : public MechanicalSystem {
 public:
  static constexpr std::size_t n = Equations::n;
  static constexpr std::size_t m = Equations::m;
  static constexpr std::size_t rows = m > 0 ? m : 1;
  Equations equations;

  Problem() = default;
  explicit Problem(Equations e) : equations(e) {}

  Index coordinateCount() const override { return n; }
  Index constraintCount() const override { return m; }
  std::string coordinateName(Index i) const override { return "q" + std::to_string(i); }
  std::string constraintName(Index i) const override { return "g" + std::to_string(i); }
  double coordinateNominal(Index) const override { return 1.0; }

  void forceBalance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                    VectorOut r) override {
    std::array<double, n * n> mass{};
    std::array<double, n> force{};
    equations.mass(q.data(), mass.data());
    equations.force(t, q.data(), v.data(), force.data());
    gradient(t, q);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = -force[i];
      for (std::size_t j = 0; j < n; ++j) sum += mass[i * n + j] * a[at(j)];
      for (std::size_t k = 0; k < m; ++k) sum += G_[k * n + i] * lambda[at(k)];
      r[at(i)] = sum;
    }
  }
  void constraint(double t, VectorIn q, VectorOut g) override {
    equations.constraint(t, q.data(), g.data());
  }
  void constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) override {
    gradient(t, q);
    for (std::size_t k = 0; k < m; ++k) {
      rate[at(k)] = gt_[k];
      for (std::size_t j = 0; j < n; ++j) rate[at(k)] += G_[k * n + j] * v[at(j)];
    }
  }
  void constraintAcceleration(double t, VectorIn q, VectorIn v, VectorOut gamma) override {
    std::array<HyperDual, n> x;  // s ↦ g(q + s v, t + s), twice differentiated
    std::array<HyperDual, rows> g;
    for (std::size_t i = 0; i < n; ++i) x[i] = HyperDual(q[at(i)], v[at(i)], v[at(i)]);
    equations.constraint(HyperDual(t, 1, 1), x.data(), g.data());
    for (std::size_t k = 0; k < m; ++k) gamma[at(k)] = g[k].x12;
  }
  void shape(Linearisation& out) const override {
    const auto full = [](SparseMatrix& matrix, std::size_t height, std::size_t width) {
      matrix = Matrix::Ones(at(height), at(width)).sparseView();
      matrix.makeCompressed();
    };
    full(out.M, n, n);
    full(out.C, n, n);
    full(out.K, n, n);
    full(out.G, m, n);
  }
  void linearise(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                 Linearisation& out) override {
    massAndGradient(t, q, out);
    std::array<HyperDual, n> x, speed, force;
    std::array<HyperDual, n * n> mass;
    std::array<HyperDual, rows> g;
    for (std::size_t j = 0; j < n; ++j) {
      seed(q, v, x, speed);
      x[j].x1 = 1;
      mass.fill(HyperDual());
      equations.mass(x.data(), mass.data());
      speed[j].x2 = 1;
      equations.force(HyperDual(t), x.data(), speed.data(), force.data());
      for (std::size_t i = 0; i < n; ++i) {
        double k = -force[i].x1;
        for (std::size_t l = 0; l < n; ++l) k += mass[i * n + l].x1 * a[at(l)];
        out.K.coeffRef(at(i), at(j)) = k;
        out.C.coeffRef(at(i), at(j)) = -force[i].x2;
      }
      for (std::size_t i = 0; i < n; ++i) {
        seed(q, v, x, speed);
        x[j].x1 = 1;
        x[i].x2 = 1;
        equations.constraint(HyperDual(t), x.data(), g.data());
        for (std::size_t k = 0; k < m; ++k)
          out.K.coeffRef(at(i), at(j)) += lambda[at(k)] * g[k].x12;
      }
    }
  }
  void massAndGradient(double t, VectorIn q, Linearisation& out) override {
    std::array<double, n * n> mass{};
    equations.mass(q.data(), mass.data());
    gradient(t, q);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) out.M.coeffRef(at(i), at(j)) = mass[i * n + j];
      for (std::size_t k = 0; k < m; ++k) out.G.coeffRef(at(k), at(j)) = G_[k * n + j];
    }
  }
  Index rootCount() const override {
    if constexpr (requires { Equations::rootCount; }) return Equations::rootCount;
    return 0;
  }
  void roots(double t, VectorIn q, VectorIn v, VectorOut r) override {
    if constexpr (requires { Equations::rootCount; })
      equations.roots(t, q.data(), v.data(), r.data());
  }

 private:
  static Index at(std::size_t i) { return static_cast<Index>(i); }
  static void seed(VectorIn q, VectorIn v, std::array<HyperDual, n>& x,
                   std::array<HyperDual, n>& speed) {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = HyperDual(q[at(i)]);
      speed[i] = HyperDual(v[at(i)]);
    }
  }
  void gradient(double t, VectorIn q) {
    std::array<HyperDual, n> x;
    std::array<HyperDual, rows> g;
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) x[i] = HyperDual(q[at(i)], i == j ? 1 : 0);
      equations.constraint(HyperDual(t, 0, 1), x.data(), g.data());
      for (std::size_t k = 0; k < m; ++k) {
        G_[k * n + j] = g[k].x1;
        gt_[k] = g[k].x2;
      }
    }
  }

  std::array<double, rows * n> G_{};
  std::array<double, rows> gt_{};
};

}  // namespace trammel::test
