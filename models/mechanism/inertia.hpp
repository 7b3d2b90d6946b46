#pragma once

#include "models/mechanism/dual.hpp"
#include "models/mechanism/kinematics.hpp"

namespace trammel {

/// Mass and moments of inertia of a body about its centre of mass, in its axes.
struct Inertia {
  double mass = 0;                   // [kg]
  Matrix3 J = Matrix3::Zero();       // [kg m²]; of a planar body only J(2,2)
  double parameterInertia() const {  // j [kg m²], gives the Euler parameters a regular mass matrix
    return J.trace() / 3;
  }
};

/// L(p), with which ω = 2 L p' in body axes: L = [−e, p0 1 − ẽ].
template <class S>
Triple<S> timesL(const S* p, const S* y) {
  const Triple<S> e{p[1], p[2], p[3]}, u{y[1], y[2], y[3]};
  return (p[0] * u - y[0] * e) - cross(e, u);
}
/// r += Lᵀ t.
template <class S>
void addTransposedL(const S* p, const Triple<S>& t, S* r) {
  const Triple<S> e{p[1], p[2], p[3]};
  const Triple<S> u = p[0] * t + cross(e, t);
  r[0] -= dot(e, t);
  r[1] += u.x;
  r[2] += u.y;
  r[3] += u.z;
}
template <class S>
Triple<S> times(const Matrix3& J, const Triple<S>& w) {
  return {w.x * J(0, 0) + w.y * J(0, 1) + w.z * J(0, 2),
          w.x * J(1, 0) + w.y * J(1, 1) + w.z * J(1, 2),
          w.x * J(2, 0) + w.y * J(2, 1) + w.z * J(2, 2)};
}

/// The rotational part of the force balance of a rigid body:
///   r += Lᵀ (4 J L p'' + 2 ω×J ω) + 4 j p (p·p''),   ω = 2 L p'.
/// The last term acts along p only, where the multiplier of |p| = 1 takes it up.
template <class S>
void addRotationalBalance(const Inertia& inertia, const S* p, const S* rate, const S* second,
                          S* r) {
  const Triple<S> omega = S(2.0) * timesL(p, rate);
  const Triple<S> torque =
      S(4.0) * times(inertia.J, timesL(p, second)) + S(2.0) * cross(omega, times(inertia.J, omega));
  addTransposedL(p, torque, r);
  const S along = (4 * inertia.parameterInertia()) *
                  (p[0] * second[0] + p[1] * second[1] + p[2] * second[2] + p[3] * second[3]);
  for (int i = 0; i < 4; ++i) r[i] += along * p[i];
}

/// M_p = 4 Lᵀ J L + 4 j p pᵀ.
Eigen::Matrix4d rotationalMass(const Inertia& inertia, const double* p);

/// ∂r/∂p and ∂r/∂p' of addRotationalBalance().
void rotationalDerivatives(const Inertia& inertia, const double* p, const double* rate,
                           const double* second, Eigen::Matrix4d& byP, Eigen::Matrix4d& byRate);

}  // namespace trammel
