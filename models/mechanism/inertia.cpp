#include "models/mechanism/inertia.hpp"

namespace trammel {

namespace {

using Matrix34 = Eigen::Matrix<double, 3, 4>;

Matrix34 matrixL(const double* p) {
  Matrix34 L;
  L << -p[1], p[0], p[3], -p[2],  //
      -p[2], -p[3], p[0], p[1],   //
      -p[3], p[2], -p[1], p[0];
  return L;
}

Matrix3 crossMatrix(const Vector3& a) {
  Matrix3 matrix;
  matrix << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return matrix;
}

}  // namespace

Eigen::Matrix4d rotationalMass(const Inertia& inertia, const double* p) {
  const Matrix34 L = matrixL(p);
  const Matrix34 JL = inertia.J * L;
  const Eigen::Map<const Eigen::Vector4d> parameters(p);
  return 4 * L.transpose() * JL +
         4 * inertia.parameterInertia() * parameters * parameters.transpose();
}

/// With τ = 4 J L p'' + 2 ω×J ω, Ω = ∂(ω×J ω)/∂ω = ω̃ J − (J ω)~ and L(p) y = −L(y) p:
///   ∂τ/∂p' = 4 Ω L(p),   ∂τ/∂p = −4 (J L(p'') + Ω L(p')),   ∂(Lᵀ τ)/∂p = [0, −τᵀ; τ, −τ̃] at
/// constant τ.
void rotationalDerivatives(const Inertia& inertia, const double* p, const double* rate,
                           const double* second, Eigen::Matrix4d& byP, Eigen::Matrix4d& byRate) {
  const Eigen::Map<const Eigen::Vector4d> parameters(p), rates(rate), seconds(second);
  const Matrix34 L = matrixL(p), Lrate = matrixL(rate), Lsecond = matrixL(second);
  const Vector3 omega = 2 * L * rates, Jomega = inertia.J * omega;
  const Vector3 tau = 4 * inertia.J * Vector3(L * seconds) + 2 * omega.cross(Jomega);
  const Matrix3 Omega = crossMatrix(omega) * inertia.J - crossMatrix(Jomega);
  const Matrix34 OmegaL = 4 * Omega * L;
  const Matrix34 byPosition = -4 * (inertia.J * Lsecond + Omega * Lrate);
  byRate.noalias() = L.transpose() * OmegaL;
  byP.noalias() = L.transpose() * byPosition;
  byP.block<1, 3>(0, 1) -= tau.transpose();
  byP.block<3, 1>(1, 0) += tau;
  byP.block<3, 3>(1, 1) -= crossMatrix(tau);
  const double j = 4 * inertia.parameterInertia();
  byP.diagonal().array() += j * parameters.dot(seconds);
  byP.noalias() += j * parameters * seconds.transpose();
}

}  // namespace trammel
