#pragma once

#include "tests/solver/seed_problems.hpp"

namespace trammel::test {

/// The upper member of a double pendulum of uniform rods of 1 m and 1 kg, cut at the joint between
/// them: q = (x, y, θ) of the centre, pinned at the origin, and at its tip the force that the lower
/// rod exerts, a straight line in time.
struct PulledRod {
  static constexpr std::size_t n = 3, m = 2;
  double gravity = 9.81;
  double value[2] = {0, 0}, slope[2] = {0, 0}, origin = 0;
  Vector q0 = Vector::Zero(3), v0 = Vector::Zero(3);
  explicit PulledRod(double angle = 1.0) {
    q0 << 0.5 * std::sin(angle), -0.5 * std::cos(angle), angle;
  }
  template <class S>
  void mass(const S*, S* M) const {
    M[0] = M[4] = S(1.0);
    M[8] = S(1.0 / 12);
  }
  template <class S>
  void force(S t, const S* q, const S*, S* f) const {
    const S fx = value[0] + slope[0] * (t - origin), fy = value[1] + slope[1] * (t - origin);
    f[0] = fx;
    f[1] = fy - gravity;
    f[2] = 0.5 * (cos(q[2]) * fx + sin(q[2]) * fy);
  }
  template <class S>
  void constraint(S, const S* q, S* g) const {
    g[0] = q[0] - 0.5 * sin(q[2]);
    g[1] = q[1] + 0.5 * cos(q[2]);
  }
};

}  // namespace trammel::test
