#include "models/mechanism/kernel.hpp"

#include <algorithm>

namespace trammel {
namespace {

/// One evaluation of a kernel: the two places and the rows to be filled.
template <class S>
class Evaluation {
 public:
  Evaluation(const Kernel& kernel, const KernelData& data, const S* x, KernelResult<S>& result)
      : kernel_(kernel),
        data_(data),
        x_(x),
        a_(kernel.bodyA, x),
        b_(kernel.bodyB, x + kernel.firstB),
        result_(result) {}

  void difference() {
    const Triple<S> d = separation();
    const S* components[] = {&d.x, &d.y, &d.z};
    for (int k = 0; k < kernel_.rows; ++k) {
      result_.z[row(k)] = *components[k];
      pullSeparation(tripleOf<S>(Vector3::Unit(k)), k);
    }
  }

  /// z = n·d,   n = axis of a.
  void projection() {
    const Vector3 axis = axisOfA();
    const Triple<S> n = a_.turned(axis), d = separation();
    result_.z[0] = dot(n, d);
    pullSeparation(n, 0);
    a_.pullTurned(axis, d, WofA(0));
  }

  /// z = n_a·n_b.
  void alignment() {
    const Vector3 axisA = axisOfA(), axisB = data_.b->axes.col(kernel_.axisB);
    const Triple<S> nA = a_.turned(axisA), nB = b_.turned(axisB);
    result_.z[0] = dot(nA, nB);
    a_.pullTurned(axisA, nB, WofA(0));
    b_.pullTurned(axisB, nA, WofB(0));
  }

  /// z = |d|,   W = ∂d/∂xᵀ d/|d|.
  void distance() {
    using std::sqrt;
    const Triple<S> d = separation();
    const S length = sqrt(dot(d, d));
    result_.z[0] = length;
    pullSeparation((S(1.0) / length) * d, 0);
  }

  /// z = θ_b − θ_a, with the angles of the frames on their bodies.
  void turn() {
    const auto angleOf = [](const Frame& frame) {
      return std::atan2(frame.axes(1, 0), frame.axes(0, 0));
    };
    S z(angleOf(*data_.b) - angleOf(*data_.a));
    if (kernel_.bodyA == BodyKind::planar) {
      z -= x_[2];
      WofA(0)[2] -= S(1.0);
    }
    if (kernel_.bodyB == BodyKind::planar) {
      z += x_[kernel_.firstB + 2];
      WofB(0)[2] += S(1.0);
    }
    result_.z[0] = z;
  }

  void scalar() {
    result_.z[0] = x_[kernel_.firstScalar];
    WofScalar(0) = S(1.0);
  }

  /// z = x_b·y_a cos θ − x_b·x_a sin θ = sin(φ − θ).
  void winding() {
    using std::cos, std::sin;
    const S& theta = x_[kernel_.firstScalar];
    const S c = cos(theta), s = sin(theta);
    const Vector3 xA = data_.a->axes.col(0), yA = data_.a->axes.col(1), xB = data_.b->axes.col(0);
    const Triple<S> turnedXa = a_.turned(xA), turnedYa = a_.turned(yA), turnedXb = b_.turned(xB);
    const Triple<S> n = c * turnedYa - s * turnedXa;
    result_.z[0] = dot(turnedXb, n);
    b_.pullTurned(xB, n, WofB(0));
    a_.pullTurned(yA, c * turnedXb, WofA(0));
    a_.pullTurned(xA, (-s) * turnedXb, WofA(0));
    WofScalar(0) = -(s * dot(turnedXb, turnedYa) + c * dot(turnedXb, turnedXa));
  }

  /// φ = h e with the relative Euler parameters (w, e) = conj(Q_a) Q_b and h = 2 atan2(|e|, w)/|e|;
  ///   ∂φ/∂w = −2 e/(w² + |e|²),   ∂φ/∂e = h 1 + k e eᵀ,   k = (2 w/(w² + |e|²) − h)/|e|².
  void rotation() {
    const Quadruple<S> Qa = product(a_.orientation(), turnOf(*data_.a));
    const Quadruple<S> Qb = product(b_.orientation(), turnOf(*data_.b));
    Quadruple<S> r = product(conjugate(Qa), Qb);
    const double sign = valueOf(r.w) < 0 ? -1.0 : 1.0;  // the same rotation, less than half a turn
    r = {sign * r.w, S(sign) * r.e};
    const S square = dot(r.e, r.e), norm = r.w * r.w + square;
    S h, k;
    logarithm(r.w, square, norm, h, k);
    const S* e[] = {&r.e.x, &r.e.y, &r.e.z};
    for (int i = 0; i < kernelRows; ++i) {
      result_.z[row(i)] = h * *e[i];
      const S along = k * *e[i];
      Triple<S> byE = along * r.e;
      (i == 0 ? byE.x : i == 1 ? byE.y : byE.z) += h;
      const Quadruple<S> nu{(-2.0 * sign) * *e[i] / norm, S(sign) * byE};
      pullRelative(nu, Qa, Qb, i);
    }
  }

  void pointSpeed() { b_.pullPoint(data_.b->s, a_.turned(axisOfA()), WofB(0)); }

  void spin() {
    const Triple<S> n = a_.turned(axisOfA());
    b_.pullSpin(n, WofB(0));
    a_.pullSpin(-n, WofA(0));
  }

  void absoluteSpin() { b_.pullSpin(a_.turned(axisOfA()), WofB(0)); }

  void slipOnPlane() {
    const Triple<S> normal = a_.turned(data_.a->axes.col(2));
    pullSlip(a_.turned(axisOfA()), S(-data_.radiusB) * normal);
  }

  void slipOnCircle() {
    using std::sqrt;
    const Triple<S> d = separation();
    const Triple<S> normal = (S(1.0) / sqrt(dot(d, d))) * d;
    pullSlip(cross(a_.turned(data_.a->axes.col(2)), normal), S(-data_.radiusB) * normal);
  }

 private:
  static std::size_t row(int k) { return static_cast<std::size_t>(k); }
  Vector3 axisOfA() const { return data_.a->axes.col(kernel_.axisA); }
  S* WofA(int k) { return result_.W[row(k)].data(); }
  S* WofB(int k) { return result_.W[row(k)].data() + kernel_.firstB; }
  S& WofScalar(int k) { return result_.W[row(k)][kernel_.firstScalar]; }
  Triple<S> separation() const { return b_.point(data_.b->s) - a_.point(data_.a->s); }

  void pullSeparation(const Triple<S>& mu, int k) {
    b_.pullPoint(data_.b->s, mu, WofB(k));
    a_.pullPoint(data_.a->s, -mu, WofA(k));
  }

  /// t·(velocity of b − velocity of a) at the place P_b + c.
  void pullSlip(const Triple<S>& t, const Triple<S>& c) {
    b_.pullPoint(data_.b->s, t, WofB(0));
    b_.pullSpin(cross(c, t), WofB(0));
    a_.pullPoint(data_.a->s, -t, WofA(0));
    a_.pullSpin(-cross(separation() + c, t), WofA(0));
  }

  static Quadruple<S> turnOf(const Frame& frame) {
    const Quadruple<double>& f = frame.turn;
    return {S(f.w), {S(f.e.x), S(f.e.y), S(f.e.z)}};
  }

  /// h and k of rotation(); for small angles by their series in |e|²/w².
  static void logarithm(const S& w, const S& square, const S& norm, S& h, S& k) {
    using std::atan2, std::sqrt;
    if (valueOf(square) > 1e-4 * valueOf(norm)) {
      const S length = sqrt(square);
      h = 2.0 * atan2(length, w) / length;
      k = (2.0 * w / norm - h) / square;
      return;
    }
    const S y = square / (w * w);
    h = (2.0 - y * (2.0 / 3 - y * (2.0 / 5 - y * (2.0 / 7 - y * (2.0 / 9))))) / w;
    k = -1.0 * (4.0 / 3 - y * (8.0 / 5 - y * (12.0 / 7 - y * (16.0 / 9)))) / (w * w * w);
  }

  /// W += derivatives of ν·(conj(Q_a) Q_b): ν·(conj(Qa) Qb) = (Qa ν)·Qb and = (Qb conj(ν))·Qa.
  void pullRelative(const Quadruple<S>& nu, const Quadruple<S>& Qa, const Quadruple<S>& Qb, int k) {
    const Quadruple<S> onB = product(product(Qa, nu), conjugate(turnOf(*data_.b)));
    const Quadruple<S> onA = product(product(Qb, conjugate(nu)), conjugate(turnOf(*data_.a)));
    b_.pullOrientation(onB, WofB(k));
    a_.pullOrientation(onA, WofA(k));
  }

  const Kernel& kernel_;
  const KernelData& data_;
  const S* x_;
  BodyPlace<S> a_, b_;
  KernelResult<S>& result_;
};

}  // namespace

template <class S>
void evaluateKernel(const Kernel& kernel, const KernelData& data, const S* x,
                    KernelResult<S>& result) {
  for (std::size_t k = 0; k < kernel.rows; ++k)
    for (std::size_t j = 0; j < kernel.width; ++j) result.W[k][j] = S(0.0);
  Evaluation<S> evaluation(kernel, data, x, result);
  switch (kernel.kind) {
    case KernelKind::difference:
      return evaluation.difference();
    case KernelKind::projection:
      return evaluation.projection();
    case KernelKind::alignment:
      return evaluation.alignment();
    case KernelKind::distance:
      return evaluation.distance();
    case KernelKind::turn:
      return evaluation.turn();
    case KernelKind::scalar:
      return evaluation.scalar();
    case KernelKind::winding:
      return evaluation.winding();
    case KernelKind::rotation:
      return evaluation.rotation();
    case KernelKind::pointSpeed:
      return evaluation.pointSpeed();
    case KernelKind::spin:
      return evaluation.spin();
    case KernelKind::absoluteSpin:
      return evaluation.absoluteSpin();
    case KernelKind::slipOnPlane:
      return evaluation.slipOnPlane();
    case KernelKind::slipOnCircle:
      return evaluation.slipOnCircle();
  }
}

template void evaluateKernel(const Kernel&, const KernelData&, const double*,
                             KernelResult<double>&);
template void evaluateKernel(const Kernel&, const KernelData&, const Dual<1>*,
                             KernelResult<Dual<1>>&);
/// Eight directions at a time.
void differentiateKernel(const Kernel& kernel, const KernelData& data, const double* x,
                         KernelDerivatives& result) {
  constexpr std::size_t directions = 8;
  using Number = Dual<directions>;
  for (std::size_t first = 0; first < kernel.width; first += directions) {
    Number y[kernelWidth];
    for (std::size_t j = 0; j < kernel.width; ++j) {
      y[j] = Number(x[j]);
      if (j >= first && j < first + directions) y[j].d[static_cast<Eigen::Index>(j - first)] = 1;
    }
    KernelResult<Number> part;
    evaluateKernel(kernel, data, y, part);
    for (std::size_t k = 0; k < kernel.rows; ++k) {
      for (std::size_t i = 0; i < kernel.width; ++i) {
        result.W[k][i] = part.W[k][i].value;
        for (std::size_t j = first; j < std::min<std::size_t>(first + directions, kernel.width);
             ++j)
          result.D[k][i][j] = part.W[k][i].d[static_cast<Eigen::Index>(j - first)];
      }
    }
  }
}

}  // namespace trammel
