#include "coupling/scheme.hpp"

#include <cassert>

namespace trammel::coupling {

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
      if (memory.isFirst) {
        C.col(1) = c - memory.last;
      } else {
        C.col(1) = (c - memory.beforeLast) / 2;
        C.col(2) = (c - 2 * memory.last + memory.beforeLast) / 2;
      }
      break;
    case Scheme::explicitLine:
    case Scheme::explicitHold:
      assert(!"explicit schemes have no unknowns");
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

Matrix SchemeStep::stepFactor(bool isFirst) const {
  Matrix T(1, 1);
  const double aH = gain * H;
  switch (scheme) {
    case Scheme::pv1:
      T.resize(2, 2);
      T << 1. / 2, 1. / 6, 1, 1. / 2;
      break;
    case Scheme::pc2:
      T.resize(2, 2);
      T << 3. / 8, 1. / 8, 1. / 2, 1. / 2;
      break;
    case Scheme::b2:
      T(0, 0) = isFirst ? 1 + aH + aH * aH / 6 : 1 + 5 * aH / 6 + aH * aH / 8;
      break;
    default:
      T(0, 0) = 1;
  }
  return T;
}

Vector SchemeStep::predicted(const MultiplierMemory& memory) const {
  const Index m = memory.last.size();
  if (blockCount(scheme) == 1) return 2 * memory.last - memory.beforeLast;
  Vector c(2 * m);
  if (scheme == Scheme::pv1) {
    c << memory.last, memory.slope;
  } else {
    c << memory.last, memory.last;
  }
  return c;
}

Vector SchemeStep::endValue(VectorIn c) const {
  const Index m = c.size() / blockCount(scheme);
  if (scheme == Scheme::pv1) return c.head(m) + c.tail(m);
  if (scheme == Scheme::pc2) return 1.5 * c.tail(m) - 0.5 * c.head(m);
  return c;
}

void SchemeStep::accept(VectorIn c, MultiplierMemory& memory) const {
  const Index m = memory.last.size();
  memory.beforeLast = memory.last;
  memory.last = endValue(c);
  if (scheme == Scheme::pv1) {
    memory.slope = c.tail(m);
  } else {
    memory.slope = memory.last - memory.beforeLast;
  }
  memory.isFirst = false;
}

Vector valueAt(const Matrix& coefficients, double tau) {
  Vector value = coefficients.col(coefficients.cols() - 1);
  for (Index j = coefficients.cols() - 2; j >= 0; --j) value = value * tau + coefficients.col(j);
  return value;
}

}  // namespace trammel::coupling
