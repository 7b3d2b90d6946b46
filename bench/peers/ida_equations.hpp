#pragma once

#include "tests/solver/seed_problems.hpp"

// Gradients G = ∂g/∂q and drifts g_t = ∂g/∂t, written out, for the problems of the test set.
namespace trammel::bench {

using std::cos;
using std::sin;

struct AndrewsEquations : test::Andrews {
  static constexpr bool velocityForces = true;
  static constexpr std::size_t outputBegin = 0, outputCount = n;
  template <class S>
  void gradient(const S&, const S* q, S* G) const {
    const S x1 = d * cos(q[0] + q[1]), y1 = d * sin(q[0] + q[1]);
    const S xBeta = y1 - rr * sin(q[0]), yBeta = rr * cos(q[0]) - x1;
    for (std::size_t k = 0; k < m; k += 2) {
      G[k * n] = xBeta;
      G[k * n + 1] = y1;
      G[(k + 1) * n] = yBeta;
      G[(k + 1) * n + 1] = -x1;
    }
    G[2] = -ss * cos(q[2]);
    G[n + 2] = -ss * sin(q[2]);
    const S cPhi = e * cos(q[3] + q[4]), sPhi = e * sin(q[3] + q[4]);
    G[2 * n + 3] = -cPhi;
    G[2 * n + 4] = zt * sin(q[4]) - cPhi;
    G[3 * n + 3] = -sPhi;
    G[3 * n + 4] = -sPhi - zt * cos(q[4]);
    const S cOmega = zf * cos(q[5] + q[6]), sOmega = zf * sin(q[5] + q[6]);
    G[4 * n + 5] = sOmega;
    G[4 * n + 6] = sOmega - u * cos(q[6]);
    G[5 * n + 5] = -cOmega;
    G[5 * n + 6] = -cOmega - u * sin(q[6]);
  }
  template <class S>
  void drift(const S&, const S*, S* gt) const {
    for (std::size_t k = 0; k < m; ++k) gt[k] = S(0.0);
  }
};

struct CarAxisEquations : test::CarAxis {
  static constexpr bool velocityForces = false;
  static constexpr std::size_t outputBegin = 0, outputCount = n;
  template <class S>
  void gradient(const S& t, const S* q, S* G) const {
    S xb, yb;
    road(t, xb, yb);
    const S dx = q[0] - q[2], dy = q[1] - q[3];
    G[0] = xb;
    G[1] = yb;
    G[n] = 2.0 * dx;
    G[n + 1] = 2.0 * dy;
    G[n + 2] = -2.0 * dx;
    G[n + 3] = -2.0 * dy;
  }
  template <class S>
  void drift(const S& t, const S* q, S* gt) const {
    S xb, yb;
    road(t, xb, yb);
    const S ybRate = cos(10.0 * t);  // 0.1 · 10
    const S xbRate = -yb * ybRate / xb;
    gt[0] = xbRate * q[0] + ybRate * q[1];
    gt[1] = S(0.0);
  }
};

/// g = (x² + y² − 1)/2, both problems of one mass on a circle.
template <class Mass>
struct CircleEquations : Mass {
  static constexpr bool velocityForces = false;
  static constexpr std::size_t outputBegin = 0, outputCount = 1;  // x, slow solution: 0
  template <class S>
  void gradient(const S&, const S* q, S* G) const {
    G[0] = q[0];
    G[1] = q[1];
  }
  template <class S>
  void drift(const S&, const S*, S* gt) const {
    gt[0] = S(0.0);
  }
};

struct BushingEquations : test::Bushing<> {
  static constexpr bool velocityForces = true;
  static constexpr std::size_t outputBegin = 4, outputCount = 1;  // y of the moving body
  template <class S>
  void gradient(const S&, const S* q, S* G) const {
    const S dx = q[0] - q[3], dy = q[1] - q[4];
    for (std::size_t k = 0; k < 3; ++k) G[k * n + k] = S(1.0);
    G[3 * n] = 2.0 * dx;
    G[3 * n + 1] = 2.0 * dy;
    G[3 * n + 3] = -2.0 * dx;
    G[3 * n + 4] = -2.0 * dy;
    G[4 * n + 5] = S(1.0);
  }
  template <class S>
  void drift(const S&, const S*, S* gt) const {
    for (std::size_t k = 0; k < m; ++k) gt[k] = S(0.0);
  }
};

/// Two point masses on two massless rods, from the horizontal; the model is double_pendulum.toml.
struct DoublePendulumEquations {
  static constexpr std::size_t n = 4, m = 2;
  static constexpr std::size_t outputBegin = 0,
                               outputCount = 8;  // positions and velocities, for the energy
  static constexpr bool velocityForces = false;
  Vector q0{{1, 0, 2, 0}}, v0{{0, 0, 0, 0}};
  template <class S>
  void mass(const S*, S* M) const {
    test::unitMass<n>(M);
  }
  template <class S>
  void force(const S&, const S*, const S*, S* f) const {
    f[1] = f[3] = S(-9.81);
  }
  template <class S>
  void constraint(const S&, const S* q, S* g) const {
    const S dx = q[2] - q[0], dy = q[3] - q[1];
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    g[1] = 0.5 * (dx * dx + dy * dy - 1.0);
  }
  template <class S>
  void gradient(const S&, const S* q, S* G) const {
    const S dx = q[2] - q[0], dy = q[3] - q[1];
    G[0] = q[0];
    G[1] = q[1];
    G[n] = -dx;
    G[n + 1] = -dy;
    G[n + 2] = dx;
    G[n + 3] = dy;
  }
  template <class S>
  void drift(const S&, const S*, S* gt) const {
    gt[0] = gt[1] = S(0.0);
  }
};

}  // namespace trammel::bench
