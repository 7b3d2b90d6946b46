#pragma once

#include <algorithm>
#include <cmath>

namespace trammel {

/// The time in [a, b] at which f goes from positive to negative, by the Illinois variant of regula
/// falsi with bisection where it is slow; the right end of a bracket no wider than `resolution`.
/// Pre: f(b) < 0. Where f is not positive at a, a later point in front of the change is looked for;
/// if there is none, the answer is a.
template <class Function>
double locateSignChange(Function f, double a, double b, double resolution) {
  double fa = f(a);
  double fb = f(b);
  for (double part = 0.5; fa <= 0 && part > 1e-6; part *= 0.5) {
    const double c = a + part * (b - a);
    const double fc = f(c);
    if (fc > 0) {
      a = c;
      fa = fc;
    } else {
      b = c;
      fb = fc;
    }
  }
  if (fa <= 0) return a;
  for (int lastMoved = 0, step = 1; b - a > resolution; ++step) {
    const double width = b - a;
    double c = step % 4 == 0 ? a + 0.5 * width : b - fb * width / (fb - fa);
    c = std::clamp(c, a + std::min(0.5 * resolution, 0.5 * width),
                   b - std::min(0.5 * resolution, 0.5 * width));
    if (c <= a || c >= b) break;  // neighbouring numbers
    const double fc = f(c);
    if (fc < 0) {
      b = c;
      fb = fc;
      if (lastMoved == 1) fa *= 0.5;
      lastMoved = 1;
    } else {
      a = c;
      fa = fc;
      if (lastMoved == -1) fb *= 0.5;
      lastMoved = -1;
    }
  }
  return b;
}

/// Three neighbouring samples of a function.
struct Samples {
  double left, middle, right;     // times
  double fLeft, fMiddle, fRight;  // values, all positive
};

/// Follows the vertex of the parabola through three samples as long as it may lie below zero.
/// Returns a time with f < 0, or NaN if the function stays positive as far as can be seen.
template <class Function>
double searchDip(Function f, Samples x) {
  constexpr double farFromZero = 0.1;  // height of the vertex in units of the samples' range
  for (int iteration = 0; iteration < 12; ++iteration) {
    const double p = x.middle - x.left, q = x.right - x.middle;
    const double slopeLeft = (x.fMiddle - x.fLeft) / p, slopeRight = (x.fRight - x.fMiddle) / q;
    const double curvature = (slopeRight - slopeLeft) / (p + q);
    if (!(curvature > 0)) break;
    const double slope = (slopeLeft * q + slopeRight * p) / (p + q);  // at the middle
    const double vertex = x.middle - 0.5 * slope / curvature;
    if (!(vertex > x.left && vertex < x.right) || vertex == x.middle) break;
    const double height = x.fMiddle - 0.25 * slope * slope / curvature;
    const auto [low, high] = std::minmax({x.fLeft, x.fMiddle, x.fRight});
    if (height > farFromZero * (high - low)) break;
    const double value = f(vertex);
    if (value < 0) return vertex;
    if (vertex < x.middle) {
      if (value < x.fMiddle) {
        x = {x.left, vertex, x.middle, x.fLeft, value, x.fMiddle};
      } else {
        x.left = vertex, x.fLeft = value;
      }
    } else if (value < x.fMiddle) {
      x = {x.middle, vertex, x.right, x.fMiddle, value, x.fRight};
    } else {
      x.right = vertex, x.fRight = value;
    }
  }
  return std::nan("");
}

}  // namespace trammel
