#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace trammel::bench {

/// A number with its derivatives by `width` quantities at once; exact Jacobians for the cost of a
/// few residuals.
template <std::size_t width>
struct Dual {
  double x = 0;
  std::array<double, width> d{};

  Dual() = default;
  Dual(double value) : x(value) {}  // NOLINT(google-explicit-constructor): a constant
  static Dual variable(double value, std::size_t i) {
    Dual out(value);
    out.d[i] = 1;
    return out;
  }
  /// f(a) with f' given.
  static Dual chain(const Dual& a, double value, double slope) {
    Dual out(value);
    for (std::size_t i = 0; i < width; ++i) out.d[i] = slope * a.d[i];
    return out;
  }

  Dual operator-() const { return chain(*this, -x, -1); }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }

  friend Dual operator+(const Dual& a, const Dual& b) {
    Dual out(a.x + b.x);
    for (std::size_t i = 0; i < width; ++i) out.d[i] = a.d[i] + b.d[i];
    return out;
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    Dual out(a.x - b.x);
    for (std::size_t i = 0; i < width; ++i) out.d[i] = a.d[i] - b.d[i];
    return out;
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    Dual out(a.x * b.x);
    for (std::size_t i = 0; i < width; ++i) out.d[i] = a.x * b.d[i] + a.d[i] * b.x;
    return out;
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double inverse = 1 / b.x, ratio = a.x * inverse;
    Dual out(ratio);
    for (std::size_t i = 0; i < width; ++i) out.d[i] = (a.d[i] - ratio * b.d[i]) * inverse;
    return out;
  }
  friend Dual operator+(const Dual& a, double b) { return chain(a, a.x + b, 1); }
  friend Dual operator+(double a, const Dual& b) { return chain(b, a + b.x, 1); }
  friend Dual operator-(const Dual& a, double b) { return chain(a, a.x - b, 1); }
  friend Dual operator-(double a, const Dual& b) { return chain(b, a - b.x, -1); }
  friend Dual operator*(const Dual& a, double b) { return chain(a, a.x * b, b); }
  friend Dual operator*(double a, const Dual& b) { return chain(b, a * b.x, a); }
  friend Dual operator/(const Dual& a, double b) { return chain(a, a.x / b, 1 / b); }
  friend Dual operator/(double a, const Dual& b) { return chain(b, a / b.x, -a / (b.x * b.x)); }
};

template <std::size_t width>
Dual<width> sin(const Dual<width>& a) {
  return Dual<width>::chain(a, std::sin(a.x), std::cos(a.x));
}
template <std::size_t width>
Dual<width> cos(const Dual<width>& a) {
  return Dual<width>::chain(a, std::cos(a.x), -std::sin(a.x));
}
template <std::size_t width>
Dual<width> sqrt(const Dual<width>& a) {
  const double root = std::sqrt(a.x);
  return Dual<width>::chain(a, root, 0.5 / root);
}

}  // namespace trammel::bench
