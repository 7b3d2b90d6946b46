#pragma once

#include "models/mechanism/kinematics.hpp"

namespace trammel {

using Matrix4 = Eigen::Matrix4d;

inline Triple<double> times(const Matrix3& A, const Triple<double>& s) {
  return {A(0, 0) * s.x + A(0, 1) * s.y + A(0, 2) * s.z,
          A(1, 0) * s.x + A(1, 1) * s.y + A(1, 2) * s.z,
          A(2, 0) * s.x + A(2, 1) * s.y + A(2, 2) * s.z};
}

/// The entries of 2 e eᵀ + 2 p0 ẽ beside the diagonal, from `ee` = (yz, xz, xy) and p0 e.
inline void setBesideDiagonal(const Triple<double>& ee, const Triple<double>& p0e, Matrix3& A) {
  A(0, 1) = 2 * (ee.z - p0e.z);
  A(1, 0) = 2 * (ee.z + p0e.z);
  A(0, 2) = 2 * (ee.y + p0e.y);
  A(2, 0) = 2 * (ee.y - p0e.y);
  A(1, 2) = 2 * (ee.x - p0e.x);
  A(2, 1) = 2 * (ee.x + p0e.x);
}

/// A(p) = (p0² − e·e) 1 + 2 e eᵀ + 2 p0 ẽ, quadratic in p = (p0, e) also where |p| is not 1.
inline void setTurn(const double* p, Matrix3& A) {
  const double p0 = p[0], x = p[1], y = p[2], z = p[3];
  const double diagonal = p0 * p0 - (x * x + y * y + z * z);
  A(0, 0) = diagonal + 2 * x * x;
  A(1, 1) = diagonal + 2 * y * y;
  A(2, 2) = diagonal + 2 * z * z;
  setBesideDiagonal({y * z, x * z, x * y}, {p0 * x, p0 * y, p0 * z}, A);
}

/// The derivative of A(p) in the direction y.
inline void setTurnRate(const double* p, const double* y, Matrix3& A) {
  const double xx = p[1] * y[1], yy = p[2] * y[2], zz = p[3] * y[3];
  const double diagonal = p[0] * y[0] - (xx + yy + zz);
  A(0, 0) = 2 * (diagonal + 2 * xx);
  A(1, 1) = 2 * (diagonal + 2 * yy);
  A(2, 2) = 2 * (diagonal + 2 * zz);
  setBesideDiagonal(
      {p[2] * y[3] + p[3] * y[2], p[1] * y[3] + p[3] * y[1], p[1] * y[2] + p[2] * y[1]},
      {p[0] * y[1] + y[0] * p[1], p[0] * y[2] + y[0] * p[2], p[0] * y[3] + y[0] * p[3]}, A);
}

/// The columns of ∂(A s)/∂p: that of p0 is 2 (p0 s + e×s), those of e are
///   2 (e sᵀ − s eᵀ + (e·s) 1 − p0 s̃).
inline void turnGradient(const double* p, const Triple<double>& s, Triple<double>* columns) {
  const Triple<double> e{p[1], p[2], p[3]}, es = cross(e, s);
  const double along = 2 * dot(e, s), p0 = 2 * p[0];
  columns[0] = {p0 * s.x + 2 * es.x, p0 * s.y + 2 * es.y, p0 * s.z + 2 * es.z};
  // e_k s_j − s_k e_j is ±(e×s)
  columns[1] = {along, -2 * es.z - p0 * s.z, 2 * es.y + p0 * s.y};
  columns[2] = {2 * es.z + p0 * s.z, along, -2 * es.x - p0 * s.x};
  columns[3] = {-2 * es.y - p0 * s.y, 2 * es.x + p0 * s.x, along};
}

/// ω = N(p) p' = 2 (p0 e' − p0' e + e×e') in space.
inline Triple<double> angularVelocity(const double* p, const double* rate) {
  const Triple<double> e{p[1], p[2], p[3]}, u{rate[1], rate[2], rate[3]};
  return 2.0 * ((p[0] * u - rate[0] * e) + cross(e, u));
}

/// r += factor N(p)ᵀ n.
inline void addSpin(const double* p, const Triple<double>& n, double factor, double* r) {
  const Triple<double> e{p[1], p[2], p[3]};
  const Triple<double> row = p[0] * n + cross(n, e);
  r[0] -= 2 * factor * dot(n, e);
  r[1] += 2 * factor * row.x;
  r[2] += 2 * factor * row.y;
  r[3] += 2 * factor * row.z;
}

/// What forces F on body-fixed vectors s and torques do to Euler parameters: with T = Σ s Fᵀ,
///   Σ F·A(p) s = pᵀ H p/2,   H = 2 [tr T, tᵀ; t, T + Tᵀ − (tr T) 1],   t = Σ s×F,
/// the generalised force is H p + N(p)ᵀ torque and its derivative H + 2 [0, −torqueᵀ; torque, ~].
struct Turning {
  Matrix3 T = Matrix3::Zero();
  Triple<double> torque;
  bool hasTorque = false;

  void add(const Triple<double>& s, const Triple<double>& F) {
    T(0, 0) += s.x * F.x;
    T(1, 0) += s.y * F.x;
    T(2, 0) += s.z * F.x;
    T(0, 1) += s.x * F.y;
    T(1, 1) += s.y * F.y;
    T(2, 1) += s.z * F.y;
    T(0, 2) += s.x * F.z;
    T(1, 2) += s.y * F.z;
    T(2, 2) += s.z * F.z;
  }
  Triple<double> moment() const {  // t
    return {T(1, 2) - T(2, 1), T(2, 0) - T(0, 2), T(0, 1) - T(1, 0)};
  }
  /// r += H p.
  void addForce(const double* p, double* r) const {
    const Triple<double> t = moment();
    const double xy = T(0, 1) + T(1, 0), xz = T(0, 2) + T(2, 0), yz = T(1, 2) + T(2, 1);
    const double xx = T(0, 0), yy = T(1, 1), zz = T(2, 2);
    r[0] += 2 * ((xx + yy + zz) * p[0] + t.x * p[1] + t.y * p[2] + t.z * p[3]);
    r[1] += 2 * (t.x * p[0] + (xx - yy - zz) * p[1] + xy * p[2] + xz * p[3]);
    r[2] += 2 * (t.y * p[0] + xy * p[1] + (yy - xx - zz) * p[2] + yz * p[3]);
    r[3] += 2 * (t.z * p[0] + xz * p[1] + yz * p[2] + (zz - xx - yy) * p[3]);
    if (hasTorque) addSpin(p, torque, 1, r);
  }
  void addTorque(const Triple<double>& n, double factor) {
    torque = torque + factor * n;
    hasTorque = true;
  }
  void addCurvature(Matrix4& H) const {
    const Triple<double> t = moment();
    const double trace = T.trace();
    H(0, 0) += 2 * trace;
    const double components[] = {t.x, t.y, t.z};
    for (int i = 0; i < 3; ++i) {
      H(i + 1, 0) += 2 * components[i];
      H(0, i + 1) += 2 * components[i];
      for (int j = 0; j < 3; ++j) H(i + 1, j + 1) += 2 * (T(i, j) + T(j, i));
      H(i + 1, i + 1) -= 2 * trace;
    }
    for (int j = 0; j < 4; ++j) {
      double unit[4] = {};
      unit[j] = 1;
      addSpin(unit, torque, 1, H.col(j).data());  // linear in p
    }
  }
};

}  // namespace trammel
