#include "coupling/scheme.hpp"

#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

namespace trammel::coupling {
namespace {

/// Where λ of a step is most exact, τ: for pv1, whose λ is the projection of the exact one on
/// lines, the Gauss points; for pc2 the points at which constants of half a step meet a line.
std::vector<double> nodes(Scheme scheme) {
  const double gauss = (1 - 1 / std::sqrt(3)) / 2;
  if (scheme == Scheme::pv1) return {gauss, 1 - gauss};
  if (scheme == Scheme::pc2) return {1. / 6, 5. / 6};
  return {1};
}

}  // namespace

const char* text(Scheme scheme) {
  switch (scheme) {
    case Scheme::pv1:
      return "PV1";
    case Scheme::b2:
      return "B2";
    case Scheme::pc2:
      return "PC2";
    case Scheme::a1:
      return "A1";
    case Scheme::explicitLine:
      return "explicit, linear";
    case Scheme::explicitHold:
      return "explicit, held";
  }
  return "";
}

bool isIterated(Scheme scheme) {
  return scheme != Scheme::explicitLine && scheme != Scheme::explicitHold;
}

Index blockCount(Scheme scheme) { return scheme == Scheme::pv1 || scheme == Scheme::pc2 ? 2 : 1; }

Matrix SchemeStep::coefficients(VectorIn c, const MultiplierMemory& memory) const {
  const Index m = memory.last.size();
  Matrix C;
  switch (scheme) {
    case Scheme::pv1:
    case Scheme::pc2:
      C.resize(m, 2);
      C << c.head(m), c.tail(m);
      break;
    case Scheme::a1:
      C.resize(m, 2);
      C << memory.last, c - memory.last;
      break;
    case Scheme::b2:
      C.setZero(m, 3);
      C.col(0) = memory.last;
      if (!memory.hasTwoPoints()) {
        C.col(1) = c - memory.last;
      } else {  // through the other point at τ = −w
        const double w = memory.lastStep / H;
        const Vector ahead = c - memory.last, back = (memory.last - memory.beforeLast) / w;
        C.col(1) = (w * ahead + back) / (1 + w);
        C.col(2) = (ahead - back) / (1 + w);
      }
      break;
    case Scheme::explicitLine:
    case Scheme::explicitHold:
      assert(m == 0);  // connections alone: explicit schemes have no unknowns of joints
      C.setZero(m, 1);
  }
  return C;
}

Vector SchemeStep::residual(VectorIn g, VectorIn gv, VectorIn ga) const {
  if (scheme == Scheme::a1) return ga;
  if (scheme == Scheme::b2) return ga + 2 * gain * gv + gain * gain * g;
  Vector R(2 * g.size());
  R << g / (H * H), gv / H;
  return R;
}

Matrix SchemeStep::stepFactor(double lastStep) const {
  Matrix T(1, 1);
  const double aH = gain * H, w = lastStep / H;
  switch (scheme) {
    case Scheme::pv1:
      T.resize(2, 2);
      T << 1. / 2, 1. / 6, 1, 1. / 2;
      break;
    case Scheme::pc2:
      T.resize(2, 2);
      T << 3. / 8, 1. / 8, 1. / 2, 1. / 2;
      break;
    case Scheme::b2:  // 1 + 2 a ∫ l dτ H + a² ∫ (1 − τ) l dτ H², l = τ or τ (τ + w)/(1 + w)
      T(0, 0) = lastStep == 0 ? 1 + aH + aH * aH / 6
                              : 1 + (aH * (2. / 3 + w) + aH * aH * (1 + 2 * w) / 12) / (1 + w);
      break;
    default:
      T(0, 0) = 1;
  }
  return T;
}

Vector SchemeStep::predicted(const MultiplierMemory& memory) const {
  const Index m = memory.last.size();
  const std::vector<double> tau = nodes(scheme);
  if (memory.lastStep < 0) {  // along the line to the λ that is known of this step
    return memory.last + (memory.beforeLast - memory.last) * (H / -memory.lastStep);
  }
  if (blockCount(scheme) == 1) return memory.extrapolated(tau[0] * H);
  const Vector lower = memory.extrapolated(tau[0] * H), upper = memory.extrapolated(tau[1] * H);
  Vector c(2 * m);
  if (scheme == Scheme::pc2) {
    c << lower, upper;
  } else {
    const Vector slope = (upper - lower) / (tau[1] - tau[0]);
    c << lower - tau[0] * slope, slope;
  }
  return c;
}

Vector SchemeStep::endValue(VectorIn c) const {
  const Index m = c.size() / blockCount(scheme);
  if (scheme == Scheme::pv1) return c.head(m) + c.tail(m);
  if (scheme == Scheme::pc2) return 1.5 * c.tail(m) - 0.5 * c.head(m);
  return c;
}

void SchemeStep::accept(VectorIn c, VectorIn corrected, VectorIn unit,
                        MultiplierMemory& memory) const {
  const Index m = memory.last.size();
  std::vector<MultiplierSample> samples;
  for (const double tau : nodes(scheme)) {
    Vector at = corrected.head(m);
    if (scheme == Scheme::pv1) at += tau * corrected.tail(m);
    if (scheme == Scheme::pc2 && tau > 0.5) at = corrected.tail(m);
    samples.push_back({tau * H, std::move(at)});
  }
  memory.take(samples, H, unit);
  memory.beforeLast = memory.last;
  memory.last = blockCount(scheme) == 2 ? memory.extrapolated(0, {2, 3}) : Vector(c);
  memory.lastStep = H;
}

Vector valueAt(const Matrix& coefficients, double tau) {
  Vector value = coefficients.col(coefficients.cols() - 1);
  for (Index j = coefficients.cols() - 2; j >= 0; --j) value = value * tau + coefficients.col(j);
  return value;
}

}  // namespace trammel::coupling
