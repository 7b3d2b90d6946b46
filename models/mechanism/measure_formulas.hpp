#pragma once

#include "models/mechanism/kernel.hpp"
#include "models/mechanism/measure_plan.hpp"

namespace trammel {

/// cos θ and sin θ of the scalar coordinate of a winding.
template <class S>
struct Winding {
  S cosine{}, sine{};
};

/// The value z of a measure of up to three vectors x and its derivatives f_i = ∂z/∂x_i, by the
/// scalar coordinate too. S is double, or Dual<1> for their rates.
template <class S>
struct MeasureGradient {
  Triple<S> f[3];
  S scalar{};
};

template <KernelKind kind>
constexpr int vectorCount = kind == KernelKind::projection || kind == KernelKind::winding ? 3 : 2;
/// How many of the vectors are of a.
template <KernelKind kind>
constexpr int vectorCountOfA = vectorCount<kind> - 1;

template <KernelKind kind, class S>
S measured(const Triple<S>* x, const Winding<S>& turn) {
  using std::sqrt;
  if constexpr (kind == KernelKind::projection) return dot(x[1], x[2] - x[0]);
  if constexpr (kind == KernelKind::alignment) return dot(x[0], x[1]);
  if constexpr (kind == KernelKind::distance) {
    const Triple<S> d = x[1] - x[0];
    return sqrt(dot(d, d));
  }
  if constexpr (kind == KernelKind::winding)
    return turn.cosine * dot(x[2], x[1]) - turn.sine * dot(x[2], x[0]);
}

/// Row `row` of a difference d = x1 − x0, else the only one.
template <KernelKind kind, class S>
MeasureGradient<S> gradientOf(const Triple<S>* x, const Winding<S>& turn, int row = 0) {
  using std::sqrt;
  MeasureGradient<S> g;
  if constexpr (kind == KernelKind::difference) {
    g.f[1] = tripleOf<S>(Vector3::Unit(row));
    g.f[0] = -g.f[1];
  } else if constexpr (kind == KernelKind::projection) {
    g.f[0] = -x[1];
    g.f[1] = x[2] - x[0];
    g.f[2] = x[1];
  } else if constexpr (kind == KernelKind::alignment) {
    g.f[0] = x[1];
    g.f[1] = x[0];
  } else if constexpr (kind == KernelKind::distance) {
    const Triple<S> d = x[1] - x[0];
    g.f[1] = (S(1.0) / sqrt(dot(d, d))) * d;
    g.f[0] = -g.f[1];
  } else if constexpr (kind == KernelKind::winding) {
    g.f[0] = -(turn.sine * x[2]);
    g.f[1] = turn.cosine * x[2];
    g.f[2] = turn.cosine * x[1] - turn.sine * x[0];
    g.scalar = -(turn.sine * dot(x[2], x[1]) + turn.cosine * dot(x[2], x[0]));
  }
  return g;
}

}  // namespace trammel
