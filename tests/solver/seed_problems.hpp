#pragma once

#include <cmath>

#include "tests/solver/problem.hpp"

// The problems of seeds 000 to 002 and of the IVP test sets in the form M v' + Gᵀλ = f, g = 0, each
// with its start values, interval and, where there is one, its published answer.
namespace trammel::test {

using std::cos;
using std::sin;
using std::sqrt;

template <std::size_t size, class S>
void unitMass(S* M) {
  for (std::size_t i = 0; i < size; ++i) M[i * size + i] = S(1.0);
}

/// Point mass on the unit circle, Yen and Petzold section 5.1: springs of stiffness 1/ε and 1/ε²
/// along x and y (Table 5.1).
struct StiffCircle {
  static constexpr std::size_t n = 2, m = 1;
  static constexpr double interval = 0.25;
  double eps = 1e-4;
  Vector q0{{0.0, -1.0}}, v0{{1.0, 0.0}};
  template <class S>
  void mass(const S*, S* M) const {
    unitMass<n>(M);
  }
  template <class S>
  void force(S, const S* q, const S*, S* f) const {
    f[0] = -q[0] / eps;
    f[1] = -(q[1] + 1.0) / (eps * eps) - 1.0;
  }
  template <class S>
  void constraint(S, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

/// The same mass with one spring to (0, −0.5) of rest length 0.4 and stiffness 1/ε² (Table 5.2).
struct SpringCircle {
  static constexpr std::size_t n = 2, m = 1;
  static constexpr double interval = 0.05;
  double eps = 1e-4;
  Vector q0{{0.04471, -0.999}}, v0{{0.0, 0.0}};
  template <class S>
  void mass(const S*, S* M) const {
    unitMass<n>(M);
  }
  template <class S>
  void force(S, const S* q, const S*, S* f) const {
    const S dy = q[1] + 0.5;
    const S length = sqrt(q[0] * q[0] + dy * dy);
    const S c = -(length - 0.4) / length / (eps * eps);
    f[0] = c * q[0];
    f[1] = c * dy - 1.0;
  }
  template <class S>
  void constraint(S, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

/// Simple pendulum of unit length with masses that may differ by direction: gravity 1 is PEN,
/// masses (1, 4) MASS, gravity 13.7503716373294544 Eich's pendulum with a period of 2 s.
struct Pendulum {
  static constexpr std::size_t n = 2, m = 1;
  double gravity = 1.0;
  double massX = 1.0, massY = 1.0;
  Vector q0{{1.0, 0.0}}, v0{{0.0, 0.0}};
  template <class S>
  void mass(const S*, S* M) const {
    M[0] = S(massX);
    M[3] = S(massY);
  }
  template <class S>
  void force(S, const S*, const S*, S* f) const {
    f[0] = S(0.0);
    f[1] = S(-massY * gravity);
  }
  template <class S>
  void constraint(S, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

/// Two bodies, one held, joined by a bushing of stiffness 1/ε (Tables 5.3 and 5.4). `arm` = −0.5 as
/// printed, +0.5 for PRE; with `redundant` two more rows that depend on the five (RED).
template <bool redundant = false>
struct Bushing {
  static constexpr std::size_t n = 6, m = redundant ? 7 : 5;
  static constexpr double interval = 1.0;
  double eps = 1e-3;
  double arm = -0.5;
  Vector q0{{0, 0, 0, 9.9989e-1, -1.4852e-2, 0}}, v0{{0, 0, 0, -6.75e-5, -4.5444e-3, 0}};
  template <class S>
  void mass(const S*, S* M) const {
    unitMass<n>(M);
  }
  template <class S>
  void force(S, const S* q, const S* v, S* f) const {
    const double damping = 10, gravity = 9.81;
    const S c1 = cos(q[2]), s1 = sin(q[2]), c2 = cos(q[5]), s2 = sin(q[5]);
    const S a1x = c1 * 0.5, a1y = s1 * 0.5, a2x = c2 * arm, a2y = s2 * arm;
    const S dx = q[3] + a2x - q[0] - a1x, dy = q[4] + a2y - q[1] - a1y;
    const S vx = v[3] - a2y * v[5] - v[0] + a1y * v[2], vy = v[4] + a2x * v[5] - v[1] - a1x * v[2];
    const S fx = (c1 * dx + s1 * dy) / eps + damping * (c1 * vx + s1 * vy);
    const S fy = (c1 * dy - s1 * dx) / eps + damping * (c1 * vy - s1 * vx);
    const S gx = c1 * fx - s1 * fy, gy = s1 * fx + c1 * fy;
    const S torque = (q[5] - q[2]) / eps + damping * (v[5] - v[2]);
    f[0] = gx;
    f[1] = gy - gravity;
    f[2] = torque + a1x * gy - a1y * gx;
    f[3] = -gx;
    f[4] = -gy - gravity;
    f[5] = -torque - (a2x * gy - a2y * gx);
  }
  template <class S>
  void constraint(S, const S* q, S* g) const {
    const S dx = q[0] - q[3], dy = q[1] - q[4];
    g[0] = q[0];
    g[1] = q[1];
    g[2] = q[2];
    g[3] = dx * dx + dy * dy - 1.0;
    g[4] = q[5];
    if constexpr (redundant) {
      g[5] = g[3] + 2.0 * g[0];
      g[6] = g[4] - g[2];
    }
  }
};

/// Slider-crank of two point masses (crank pin and slider), crank of length 1, rod of length `rod`;
/// rod = 1 passes through a position where G loses rank (CRK).
struct PointSliderCrank {
  static constexpr std::size_t n = 4, m = 3;
  static constexpr double interval = 3.0;
  double rod = 1.2;
  double gravity = 0.0;
  double push = 0.0;  // force on the slider
  Vector q0 = Vector::Zero(4), v0 = Vector::Zero(4);
  PointSliderCrank(double angle, double speed, double rodLength) : rod(rodLength) {
    const double c = std::cos(angle), s = std::sin(angle), reach = std::sqrt(rod * rod - s * s);
    q0 << c, s, c + reach, 0;
    v0 << -s * speed, c * speed, (-s - s * c / reach) * speed, 0;
  }
  template <class S>
  void mass(const S*, S* M) const {
    unitMass<n>(M);
  }
  template <class S>
  void force(S, const S*, const S*, S* f) const {
    f[0] = S(0.0);
    f[1] = S(-gravity);
    f[2] = S(push);
    f[3] = S(0.0);
  }
  template <class S>
  void constraint(S, const S* q, S* g) const {
    const S dx = q[2] - q[0], dy = q[3] - q[1];
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    g[1] = 0.5 * (dx * dx + dy * dy - rod * rod);
    g[2] = q[3];
  }
};

/// Double pendulum whose second link is a spring of stiffness 1/ε² (EDP); slow limit x2(2) =
/// 0.09940622.
struct ElasticDoublePendulum {
  static constexpr std::size_t n = 4, m = 1;
  static constexpr double interval = 2.0;
  double eps = 1e-4;
  Vector q0{{std::sin(0.5), -std::cos(0.5), std::sin(0.5) + std::sin(1.0),
             -std::cos(0.5) - std::cos(1.0)}};
  Vector v0 = Vector::Zero(4);
  template <class S>
  void mass(const S*, S* M) const {
    unitMass<n>(M);
  }
  template <class S>
  void force(S, const S* q, const S*, S* f) const {
    const S dx = q[2] - q[0], dy = q[3] - q[1];
    const S length = sqrt(dx * dx + dy * dy);
    const S k = (length - 1.0) / length / (eps * eps);
    f[0] = k * dx;
    f[1] = k * dy - 1.0;
    f[2] = -k * dx;
    f[3] = -k * dy - 1.0;
  }
  template <class S>
  void constraint(S, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

/// Andrews' squeezer of the IVP test set: q = (β, Θ, γ, Φ, δ, Ω, ε), reference at t = 0.03 s.
struct Andrews {
  static constexpr std::size_t n = 7, m = 6;
  static constexpr double interval = 0.03;
  Vector q0{{-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
             0.487364979543842550, -0.222668390165885885, 1.23054744454982119}};
  Vector v0 = Vector::Zero(7);
  Vector reference{{15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                    0.5244099658805304, 0.5347301163226948, 1.048080741042263}};
  static constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050,
                          m6 = .00706, m7 = .05498;
  static constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                          I6 = 5.667e-7, I7 = 1.912e-5;
  static constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014,
                          yc = .072, c0 = 4530, l0 = .07785;
  static constexpr double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092,
                          ss = .035, sa = .01874, sb = .01043;
  static constexpr double sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228,
                          ub = .00449, zf = .02, zt = .04;
  static constexpr double fa = .01421, mom = .033;
  template <class S>
  void mass(const S* q, S* M) const {
    const S ct = cos(q[1]), sp = sin(q[3]), so = sin(q[5]);
    M[0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * ct + da * da) + I1 + I2;
    M[7] = M[1] = m2 * (da * da - da * rr * ct) + I2;
    M[8] = S(m2 * da * da + I2);
    M[16] = S(m3 * (sa * sa + sb * sb) + I3);
    M[24] = S(m4 * (e - ea) * (e - ea) + I4);
    M[31] = M[25] = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * sp) + I4;
    M[32] = m4 * (zt * zt + 2 * zt * (e - ea) * sp + (e - ea) * (e - ea)) +
            m5 * (ta * ta + tb * tb) + I4 + I5;
    M[40] = S(m6 * (zf - fa) * (zf - fa) + I6);
    M[47] = M[41] = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * so) + I6;
    M[48] = m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * so + u * u) +
            m7 * (ua * ua + ub * ub) + I6 + I7;
  }
  template <class S>
  void force(S, const S* q, const S* v, S* f) const {
    const S cg = cos(q[2]), sg = sin(q[2]);
    const S xd = sd * cg + sc * sg + xb, yd = sd * sg - sc * cg + yb;
    const S length = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc));
    const S pull = -c0 * (length - l0) / length;
    const S fx = pull * (xd - xc), fy = pull * (yd - yc);
    f[0] = mom - m2 * da * rr * v[1] * (v[1] + 2.0 * v[0]) * sin(q[1]);
    f[1] = m2 * da * rr * v[0] * v[0] * sin(q[1]);
    f[2] = fx * (sc * cg - sd * sg) + fy * (sd * cg + sc * sg);
    f[3] = m4 * zt * (e - ea) * v[4] * v[4] * cos(q[3]);
    f[4] = -m4 * zt * (e - ea) * v[3] * (v[3] + 2.0 * v[4]) * cos(q[3]);
    f[5] = -m6 * u * (zf - fa) * v[6] * v[6] * cos(q[5]);
    f[6] = m6 * u * (zf - fa) * v[5] * (v[5] + 2.0 * v[6]) * cos(q[5]);
  }
  template <class S>
  void constraint(S, const S* q, S* g) const {
    const S x = rr * cos(q[0]) - d * cos(q[0] + q[1]), y = rr * sin(q[0]) - d * sin(q[0] + q[1]);
    g[0] = x - ss * sin(q[2]) - xb;
    g[1] = y + ss * cos(q[2]) - yb;
    g[2] = x - e * sin(q[3] + q[4]) - zt * cos(q[4]) - xa;
    g[3] = y + e * cos(q[3] + q[4]) - zt * sin(q[4]) - ya;
    g[4] = x - zf * cos(q[5] + q[6]) - u * sin(q[6]) - xa;
    g[5] = y - zf * sin(q[5] + q[6]) + u * cos(q[6]) - ya;
  }
};

/// Car axis of the IVP test set; one constraint depends on time. Reference at t = 3 s: q, v.
struct CarAxis {
  static constexpr std::size_t n = 4, m = 2;
  static constexpr double interval = 3.0;
  Vector q0{{0, 0.5, 1, 0.5}}, v0{{-0.5, 0, -0.5, 0}};
  Vector reference{
      {0.0493455784275402809, 0.496989460230171154, 1.04174252488542152, 0.373911027265361257}};
  Vector referenceVelocity{{-0.0770583684040972358, 0.00744686658723778553, 0.0175568157537232222,
                            0.770341043779251976}};
  static constexpr double k = 10 * 1e-4 / 2;
  template <class S>
  void mass(const S*, S* M) const {
    for (std::size_t i = 0; i < n; ++i) M[i * n + i] = S(k);
  }
  template <class S>
  static void road(const S& t, S& xb, S& yb) {
    yb = 0.1 * sin(10.0 * t);
    xb = sqrt(1.0 - yb * yb);
  }
  template <class S>
  void force(S t, const S* q, const S*, S* f) const {
    S xb, yb;
    road(t, xb, yb);
    const S left = sqrt(q[0] * q[0] + q[1] * q[1]);
    const S dx = q[2] - xb, dy = q[3] - yb;
    const S right = sqrt(dx * dx + dy * dy);
    f[0] = (0.5 - left) * q[0] / left;
    f[1] = (0.5 - left) * q[1] / left - k;
    f[2] = (0.5 - right) * dx / right;
    f[3] = (0.5 - right) * dy / right - k;
  }
  template <class S>
  void constraint(S t, const S* q, S* g) const {
    S xb, yb;
    road(t, xb, yb);
    const S dx = q[0] - q[2], dy = q[1] - q[3];
    g[0] = xb * q[0] + yb * q[1];
    g[1] = dx * dx + dy * dy - 1.0;
  }
};

/// IFToMM A02: `bays` four-bars in a row, rods of 1 m and 1 kg; horizontal positions are singular.
template <std::size_t bays>
struct FourBars {
  static constexpr std::size_t bodies = 2 * bays + 1, n = 3 * bodies, m = 2 * (bays + 1) + 4 * bays;
  static constexpr double interval = 10.0;
  Vector q0 = Vector::Zero(n), v0 = Vector::Zero(n);
  FourBars() {
    for (std::size_t i = 0; i <= bays; ++i) {
      const Index b = static_cast<Index>(3 * i);
      q0[b] = static_cast<double>(i), q0[b + 1] = 0.5, q0[b + 2] = std::acos(-1.0) / 2;
      v0[b] = 0.5, v0[b + 2] = -1;
    }
    for (std::size_t i = 0; i < bays; ++i) {
      const Index b = static_cast<Index>(3 * (bays + 1 + i));
      q0[b] = static_cast<double>(i) + 0.5, q0[b + 1] = 1;
      v0[b] = 1;
    }
  }
  template <class S>
  void mass(const S*, S* M) const {
    for (std::size_t i = 0; i < n; ++i) M[i * n + i] = S(i % 3 == 2 ? 1.0 / 12 : 1.0);
  }
  template <class S>
  void force(S, const S*, const S*, S* f) const {
    for (std::size_t i = 0; i < n; ++i) f[i] = S(i % 3 == 1 ? -9.81 : 0.0);
  }
  template <class S>
  void constraint(S, const S* q, S* g) const {
    const auto x = [&](std::size_t body, double at) {
      return q[3 * body] + at * cos(q[3 * body + 2]);
    };
    const auto y = [&](std::size_t body, double at) {
      return q[3 * body + 1] + at * sin(q[3 * body + 2]);
    };
    std::size_t k = 0;
    for (std::size_t i = 0; i <= bays; ++i) {
      g[k++] = x(i, -0.5) - static_cast<double>(i);
      g[k++] = y(i, -0.5);
    }
    for (std::size_t i = 0; i < bays; ++i) {
      const std::size_t bar = bays + 1 + i;
      g[k++] = x(bar, -0.5) - x(i, 0.5);
      g[k++] = y(bar, -0.5) - y(i, 0.5);
      g[k++] = x(bar, 0.5) - x(i + 1, 0.5);
      g[k++] = y(bar, 0.5) - y(i + 1, 0.5);
    }
  }
};

}  // namespace trammel::test
