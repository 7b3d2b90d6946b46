#pragma once

#include <Eigen/Core>
#include <cmath>

namespace trammel {

/// A number with its derivatives in N directions, for exact first derivatives of kernels that are
/// templates in the type of their numbers.
template <int N>
struct Dual {
  using Directions = Eigen::Array<double, N, 1>;

  double value = 0;
  Directions d = Directions::Zero();

  Dual() = default;
  Dual(double number) : value(number) {}  // NOLINT(google-explicit-constructor): a constant
  Dual(double number, const Directions& derivatives) : value(number), d(derivatives) {}
  /// The variable of direction i.
  static Dual variable(double number, int i) {
    Dual x(number);
    x.d[i] = 1;
    return x;
  }

  Dual& operator+=(const Dual& y) {
    value += y.value;
    d += y.d;
    return *this;
  }
  Dual& operator-=(const Dual& y) {
    value -= y.value;
    d -= y.d;
    return *this;
  }

  friend Dual operator-(const Dual& x) { return {-x.value, -x.d}; }
  friend Dual operator+(const Dual& x, const Dual& y) { return {x.value + y.value, x.d + y.d}; }
  friend Dual operator-(const Dual& x, const Dual& y) { return {x.value - y.value, x.d - y.d}; }
  friend Dual operator*(const Dual& x, const Dual& y) {
    return {x.value * y.value, x.value * y.d + y.value * x.d};
  }
  friend Dual operator/(const Dual& x, const Dual& y) {
    const double ratio = x.value / y.value;
    return {ratio, (x.d - ratio * y.d) / y.value};
  }
  friend Dual operator*(double x, const Dual& y) { return {x * y.value, x * y.d}; }
  friend Dual operator*(const Dual& x, double y) { return {x.value * y, x.d * y}; }

  friend Dual sin(const Dual& x) { return {std::sin(x.value), std::cos(x.value) * x.d}; }
  friend Dual cos(const Dual& x) { return {std::cos(x.value), -std::sin(x.value) * x.d}; }
  friend Dual sqrt(const Dual& x) {
    const double root = std::sqrt(x.value);
    return {root, x.d / (2 * root)};
  }
  friend Dual atan2(const Dual& y, const Dual& x) {
    const double square = x.value * x.value + y.value * y.value;
    return {std::atan2(y.value, x.value), (x.value * y.d - y.value * x.d) / square};
  }
};

inline double valueOf(double x) { return x; }
template <int N>
double valueOf(const Dual<N>& x) {
  return x.value;
}

}  // namespace trammel
