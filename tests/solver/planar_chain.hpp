#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "solver/mechanical_system.hpp"

namespace trammel::test {

/// N uniform rods in absolute coordinates (x, y, θ), pinned to each other and to the ground,
/// released from the horizontal. Everything sparse and analytic. "long": rods of 1 m and 1 kg;
/// "hard": total length 1 m and total mass 1 kg.
class PlanarChain final : public MechanicalSystem {
 public:
  PlanarChain(Index rods, double length, double mass)
      : rods_(rods), half_(length / 2), mass_(mass), inertia_(mass * length * length / 12) {}
  static PlanarChain longChain(Index rods) { return {rods, 1.0, 1.0}; }
  static PlanarChain hardChain(Index rods) {
    return {rods, 1.0 / static_cast<double>(rods), 1.0 / static_cast<double>(rods)};
  }

  Vector startPosition() const {
    Vector q = Vector::Zero(3 * rods_);
    for (Index i = 0; i < rods_; ++i) q[3 * i] = (static_cast<double>(i) + 0.5) * 2 * half_;
    return q;
  }

  Index coordinateCount() const override { return 3 * rods_; }
  Index constraintCount() const override { return 2 * rods_; }
  std::string coordinateName(Index i) const override {
    return "rod" + std::to_string(i / 3) + "xyt"[i % 3];
  }
  std::string constraintName(Index i) const override { return "pin" + std::to_string(i / 2); }
  double coordinateNominal(Index) const override { return 1.0; }

  void forceBalance(double, VectorIn q, VectorIn, VectorIn a, VectorIn lambda,
                    VectorOut r) override {
    for (Index i = 0; i < rods_; ++i) {
      const double c = half_ * std::cos(q[3 * i + 2]), s = half_ * std::sin(q[3 * i + 2]);
      const double lx = lambda[2 * i], ly = lambda[2 * i + 1];
      const double ux = i + 1 < rods_ ? lambda[2 * i + 2] : 0,
                   uy = i + 1 < rods_ ? lambda[2 * i + 3] : 0;
      r[3 * i] = mass_ * a[3 * i] + ux - lx;
      r[3 * i + 1] = mass_ * (a[3 * i + 1] + 9.81) + uy - ly;
      r[3 * i + 2] = inertia_ * a[3 * i + 2] - s * (lx + ux) + c * (ly + uy);
    }
  }
  void constraint(double, VectorIn q, VectorOut g) override {
    double tipX = 0, tipY = 0;
    for (Index i = 0; i < rods_; ++i) {
      const double c = half_ * std::cos(q[3 * i + 2]), s = half_ * std::sin(q[3 * i + 2]);
      g[2 * i] = tipX - q[3 * i] + c;
      g[2 * i + 1] = tipY - q[3 * i + 1] + s;
      tipX = q[3 * i] + c;
      tipY = q[3 * i + 1] + s;
    }
  }
  void constraintRate(double, VectorIn q, VectorIn v, VectorOut rate) override {
    double tipX = 0, tipY = 0;
    for (Index i = 0; i < rods_; ++i) {
      const double c = half_ * std::cos(q[3 * i + 2]) * v[3 * i + 2],
                   s = half_ * std::sin(q[3 * i + 2]) * v[3 * i + 2];
      rate[2 * i] = tipX - v[3 * i] - s;
      rate[2 * i + 1] = tipY - v[3 * i + 1] + c;
      tipX = v[3 * i] - s;
      tipY = v[3 * i + 1] + c;
    }
  }
  void constraintAcceleration(double, VectorIn q, VectorIn v, VectorOut gamma) override {
    double tipX = 0, tipY = 0;
    for (Index i = 0; i < rods_; ++i) {
      const double w = v[3 * i + 2] * v[3 * i + 2];
      const double c = half_ * std::cos(q[3 * i + 2]) * w, s = half_ * std::sin(q[3 * i + 2]) * w;
      gamma[2 * i] = tipX - c;
      gamma[2 * i + 1] = tipY - s;
      tipX = -c;
      tipY = -s;
    }
  }
  void shape(Linearisation& out) const override {
    using Triplets = std::vector<Eigen::Triplet<double>>;
    const Index n = 3 * rods_;
    Triplets mass, curvature, gradient;
    for (Index i = 0; i < n; ++i) mass.emplace_back(i, i, 0.0);
    for (Index i = 0; i < rods_; ++i) curvature.emplace_back(3 * i + 2, 3 * i + 2, 0.0);
    for (Index i = 0; i < rods_; ++i) {
      for (Index k = 0; k < 2; ++k) {
        gradient.emplace_back(2 * i + k, 3 * i + k, 0.0);
        gradient.emplace_back(2 * i + k, 3 * i + 2, 0.0);
        if (i == 0) continue;
        gradient.emplace_back(2 * i + k, 3 * i - 3 + k, 0.0);
        gradient.emplace_back(2 * i + k, 3 * i - 1, 0.0);
      }
    }
    const auto fill = [](SparseMatrix& matrix, Index rows, Index columns, const Triplets& entries) {
      matrix.resize(rows, columns);
      matrix.setFromTriplets(entries.begin(), entries.end());
      matrix.makeCompressed();
    };
    fill(out.M, n, n, mass);
    fill(out.C, n, n, {});
    fill(out.K, n, n, curvature);
    fill(out.G, 2 * rods_, n, gradient);
  }
  void linearise(double t, VectorIn q, VectorIn, VectorIn, VectorIn lambda,
                 Linearisation& out) override {
    massAndGradient(t, q, out);
    double* k = out.K.valuePtr();
    for (Index i = 0; i < rods_; ++i) {
      const double x = lambda[2 * i] + (i + 1 < rods_ ? lambda[2 * i + 2] : 0);
      const double y = lambda[2 * i + 1] + (i + 1 < rods_ ? lambda[2 * i + 3] : 0);
      k[i] = -half_ * (std::cos(q[3 * i + 2]) * x + std::sin(q[3 * i + 2]) * y);
    }
  }
  void massAndGradient(double, VectorIn q, Linearisation& out) override {
    double* m = out.M.valuePtr();
    double* g = out.G.valuePtr();  // columns of a rod: x (own pin, next pin), y (the same), θ (own
                                   // x, y, next x, y)
    for (Index i = 0; i < rods_; ++i) {
      const bool last = i + 1 == rods_;
      const double c = half_ * std::cos(q[3 * i + 2]), s = half_ * std::sin(q[3 * i + 2]);
      *m++ = mass_;
      *m++ = mass_;
      *m++ = inertia_;
      for (int k = 0; k < 2; ++k) {
        *g++ = -1;
        if (!last) *g++ = 1;
      }
      *g++ = -s;
      *g++ = c;
      if (!last) *g++ = -s, *g++ = c;
    }
  }
  /// In the columns of θ, for own and next pin alike: x rows −c a + s w², y rows −s a − c w².
  bool accelerationGradient(double, VectorIn q, VectorIn v, VectorIn a, SparseMatrix& byPosition,
                            SparseMatrix& byVelocity) override {
    if (!exactAccelerationGradient) return false;
    byPosition *= 0.0;
    byVelocity *= 0.0;
    for (Index i = 0; i < rods_; ++i) {
      const Index column = 3 * i + 2;
      const double c = half_ * std::cos(q[column]), s = half_ * std::sin(q[column]);
      const double w = v[column];
      for (Index pin = i; pin < std::min(i + 2, rods_); ++pin) {
        byPosition.coeffRef(2 * pin, column) = -c * a[column] + s * w * w;
        byPosition.coeffRef(2 * pin + 1, column) = -s * a[column] - c * w * w;
        byVelocity.coeffRef(2 * pin, column) = -2 * c * w;
        byVelocity.coeffRef(2 * pin + 1, column) = -2 * s * w;
      }
    }
    return true;
  }
  bool exactAccelerationGradient = false;

 private:
  Index rods_;
  double half_, mass_, inertia_;
};

}  // namespace trammel::test
