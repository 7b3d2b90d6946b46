#include "models/mechanism/inertia.hpp"

namespace trammel {

Eigen::Matrix4d rotationalMass(const Inertia& inertia, const double* p) {
  Eigen::Matrix<double, 3, 4> L;
  L << -p[1], p[0], p[3], -p[2],  //
      -p[2], -p[3], p[0], p[1],   //
      -p[3], p[2], -p[1], p[0];
  const Eigen::Map<const Eigen::Vector4d> parameters(p);
  return 4 * L.transpose() * inertia.J * L +
         4 * inertia.parameterInertia() * parameters * parameters.transpose();
}

void rotationalDerivatives(const Inertia& inertia, const double* p, const double* rate,
                           const double* second, Eigen::Matrix4d& byP, Eigen::Matrix4d& byRate) {
  using Number = Dual<8>;
  Number x[4], y[4], z[4], r[4];
  for (int i = 0; i < 4; ++i) {
    x[i] = Number::variable(p[i], i);
    y[i] = Number::variable(rate[i], i + 4);
    z[i] = Number(second[i]);
  }
  addRotationalBalance(inertia, x, y, z, r);
  for (int i = 0; i < 4; ++i) {
    byP.row(i) = r[i].d.head<4>().matrix().transpose();
    byRate.row(i) = r[i].d.tail<4>().matrix().transpose();
  }
}

}  // namespace trammel
