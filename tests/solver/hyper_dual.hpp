#pragma once

#include <cmath>

namespace trammel::test {

/// x + x1 ε₁ + x2 ε₂ + x12 ε₁ε₂ with ε₁² = ε₂² = 0: exact first and second derivatives of anything
/// written with it.
struct HyperDual {
  double x = 0, x1 = 0, x2 = 0, x12 = 0;
  HyperDual() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): numbers convert
  HyperDual(double value, double first = 0, double second = 0) : x(value), x1(first), x2(second) {}
};

/// f(a) from f, f', f'' at a.x.
inline HyperDual chain(const HyperDual& a, double f, double df, double ddf) {
  HyperDual r(f, df * a.x1, df * a.x2);
  r.x12 = df * a.x12 + ddf * a.x1 * a.x2;
  return r;
}
inline HyperDual operator+(HyperDual a, const HyperDual& b) {
  a.x += b.x, a.x1 += b.x1, a.x2 += b.x2, a.x12 += b.x12;
  return a;
}
inline HyperDual operator-(HyperDual a) {
  a.x = -a.x, a.x1 = -a.x1, a.x2 = -a.x2, a.x12 = -a.x12;
  return a;
}
inline HyperDual operator-(const HyperDual& a, const HyperDual& b) { return a + (-b); }
inline HyperDual operator*(const HyperDual& a, const HyperDual& b) {
  HyperDual r(a.x * b.x, a.x * b.x1 + a.x1 * b.x, a.x * b.x2 + a.x2 * b.x);
  r.x12 = a.x * b.x12 + a.x1 * b.x2 + a.x2 * b.x1 + a.x12 * b.x;
  return r;
}
inline HyperDual inverse(const HyperDual& a) {
  return chain(a, 1 / a.x, -1 / (a.x * a.x), 2 / (a.x * a.x * a.x));
}
inline HyperDual operator/(const HyperDual& a, const HyperDual& b) { return a * inverse(b); }
inline HyperDual sin(const HyperDual& a) {
  return chain(a, std::sin(a.x), std::cos(a.x), -std::sin(a.x));
}
inline HyperDual cos(const HyperDual& a) {
  return chain(a, std::cos(a.x), -std::sin(a.x), -std::cos(a.x));
}
inline HyperDual sqrt(const HyperDual& a) {
  const double s = std::sqrt(a.x);
  return chain(a, s, 0.5 / s, -0.25 / (s * a.x));
}

}  // namespace trammel::test
