#pragma once

#include <Eigen/LU>
#include <Eigen/QR>
#include <array>

#include "bench/peers/dual.hpp"
#include "bench/peers/ida_system.hpp"

namespace trammel::bench {

/// A small mechanism with a dense Jacobian. `Equations` has, templated on the number type S,
///   n, m, q0, v0, velocityForces (whether f depends on v), outputBegin and outputCount
///   (which of (q, v) are outputs), mass(q, M), force(t, q, v, f), constraint(t, q, g), gradient(t,
///   q, G), drift(t, q, g_t);
/// matrices row by row, zeroed before.
template <class Equations>
class IdaDenseSystem final : public IdaSystem {
 public:
  static constexpr std::size_t n = Equations::n, m = Equations::m;

  IdaDenseSystem(Equations equations, bool stabilised)
      : equations_(std::move(equations)), stabilised_(stabilised) {}

  std::size_t size() const { return 2 * n + (stabilised_ ? 2 : 1) * m; }
  std::vector<Unknown> unknowns() const override {
    std::vector<Unknown> kinds(size(), Unknown::multiplier);
    std::fill_n(kinds.begin(), n, Unknown::position);
    std::fill_n(kinds.begin() + n, n, Unknown::velocity);
    return kinds;
  }
  void pattern(std::vector<long>& pointers, std::vector<long>& rows) override {
    pointers.clear();
    rows.clear();
  }

  /// [M Gᵀ; G 0] [v'; λ] = [f; −γ], with γ = d(G v + g_t)/dt for constant v; of least norm where
  /// rows of G depend on others.
  void start(double* y, double* yp) override {
    std::fill_n(y, size(), 0.0);
    std::fill_n(yp, size(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = equations_.q0[static_cast<Eigen::Index>(i)];
      yp[i] = y[n + i] = equations_.v0[static_cast<Eigen::Index>(i)];
    }
    using One = Dual<1>;  // along the motion
    std::array<One, n> q;
    std::array<One, m * n> G{};
    std::array<One, m> drift{};
    One t(0.0);
    t.d[0] = 1;
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = One(y[i]);
      q[i].d[0] = y[n + i];
    }
    equations_.gradient(t, q.data(), G.data());
    equations_.drift(t, q.data(), drift.data());
    std::array<double, n * n> M{};
    std::array<double, n> f{};
    equations_.mass(y, M.data());
    equations_.force(0.0, y, y + n, f.data());
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
    Eigen::VectorXd b(n + m);
    const auto at = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) A(at(i), at(j)) = M[i * n + j];
      b[at(i)] = f[i];
    }
    for (std::size_t k = 0; k < m; ++k) {
      One rate = drift[k];
      for (std::size_t j = 0; j < n; ++j) {
        A(at(n + k), at(j)) = A(at(j), at(n + k)) = G[k * n + j].x;
        rate += G[k * n + j] * y[n + j];
      }
      b[at(n + k)] = -rate.d[0];
    }
    const Eigen::VectorXd x = A.completeOrthogonalDecomposition().solve(b);
    for (std::size_t i = 0; i < n; ++i) yp[n + i] = x[at(i)];
    for (std::size_t k = 0; k < m; ++k) y[2 * n + k] = x[at(n + k)];
  }

  void residual(double t, const double* y, const double* yp, double* r) override {
    evaluate<double>(t, y, y + n, y, yp, r);
  }

  void jacobian(double t, double cj, const double* y, const double* yp, double* J) override {
    using D = Dual<n>;
    const std::size_t rows = size();
    std::array<D, n> q;
    std::array<D, 2 * n + 2 * m> r;
    for (std::size_t j = 0; j < n; ++j) q[j] = D::variable(y[j], j);
    evaluate<D>(t, q.data(), y + n, y, yp, r.data());  // columns of q, without cj
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < rows; ++i) J[j * rows + i] = r[i].d[j];
      J[j * rows + j] += cj;
    }
    std::array<double, n * n> M{};
    std::array<double, m * n> G{};
    equations_.mass(y, M.data());
    equations_.gradient(t, y, G.data());
    for (std::size_t j = 0; j < n; ++j) {
      double* column = J + (n + j) * rows;
      column[j] = -1;
      for (std::size_t i = 0; i < n; ++i) column[n + i] = cj * M[i * n + j];
      for (std::size_t k = 0; k < m; ++k) column[2 * n + k] = G[k * n + j];
    }
    if constexpr (Equations::velocityForces) addVelocityForces(t, y, J);
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t j = 0; j < n; ++j) {
        J[(2 * n + k) * rows + n + j] = G[k * n + j];
        if (stabilised_) J[(2 * n + m + k) * rows + j] = G[k * n + j];
      }
  }

  void outputs(const double* y, std::vector<double>& out) const override {
    const double* first = y + Equations::outputBegin;
    out.insert(out.end(), first, first + Equations::outputCount);
  }

 private:
  /// F with the number type of q; v, the multipliers and y' are numbers.
  template <class S>
  void evaluate(double t, const S* q, const double* v, const double* y, const double* yp,
                S* r) const {
    const double *lambda = y + 2 * n, *mu = lambda + m;
    std::array<S, n * n> M{};
    std::array<S, m * n> G{};
    std::array<S, n> f{}, speed;
    for (std::size_t i = 0; i < n; ++i) speed[i] = S(v[i]);
    equations_.mass(q, M.data());
    equations_.gradient(S(t), q, G.data());
    equations_.force(S(t), q, speed.data(), f.data());
    for (std::size_t i = 0; i < n; ++i) {
      S first = S(yp[i] - v[i]), second = -f[i];
      for (std::size_t j = 0; j < n; ++j) second += M[i * n + j] * yp[n + j];
      for (std::size_t k = 0; k < m; ++k) {
        second += G[k * n + i] * lambda[k];
        if (stabilised_) first += G[k * n + i] * mu[k];
      }
      r[i] = first;
      r[n + i] = second;
    }
    equations_.drift(S(t), q, r + 2 * n);
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t j = 0; j < n; ++j) r[2 * n + k] += G[k * n + j] * v[j];
    if (stabilised_) equations_.constraint(S(t), q, r + 2 * n + m);
  }
  void addVelocityForces(double t, const double* y, double* J) const {
    using D = Dual<n>;
    std::array<D, n> q, v, f;
    for (std::size_t j = 0; j < n; ++j) {
      q[j] = D(y[j]);
      v[j] = D::variable(y[n + j], j);
    }
    equations_.force(D(t), q.data(), v.data(), f.data());
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) J[(n + j) * size() + n + i] -= f[i].d[j];
  }

  Equations equations_;
  bool stabilised_;
};

}  // namespace trammel::bench
