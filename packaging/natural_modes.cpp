#include "packaging/natural_modes.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace trammel::fmi {
namespace {

using Complex = std::complex<double>;

/// Columns that G maps to zero, orthonormal in the metric of M: N = L⁻ᵀ Q for M = L Lᵀ and the null
/// space Q of G L⁻ᵀ.
Matrix nullSpace(const Matrix& M, const Matrix& G) {
  const Eigen::LLT<Matrix> llt(M);
  const Index n = M.rows();
  Matrix basis = Matrix::Identity(n, n);
  if (G.rows() > 0) {
    Matrix scaled = llt.matrixL().solve(G.transpose());  // L⁻¹ Gᵀ, a column for each equation
    for (Index i = 0; i < scaled.cols(); ++i) {
      const double length = scaled.col(i).norm();
      if (length > 0) scaled.col(i) /= length;
    }
    Eigen::ColPivHouseholderQR<Matrix> qr(scaled);
    qr.setThreshold(rankTolerance);
    basis = Matrix(qr.householderQ()).rightCols(n - qr.rank());
  }
  if (basis.cols() == 0) return basis;  // Eigen would refer to the first of no numbers
  return llt.matrixU().solve(basis);
}

NaturalMode modeOf(Complex s, const MechanicalSystem& system, const Eigen::VectorXcd& q) {
  NaturalMode mode;
  mode.frequency = std::abs(s) / (2 * std::numbers::pi);
  mode.growth = s.real();
  if (std::abs(s) > 0) mode.damping = -s.real() / std::abs(s);
  Index most = 0;
  double size = -1;
  for (Index i = 0; i < q.size(); ++i) {
    const double part = std::abs(q[i]) / system.coordinateNominal(i);
    if (part <= size * (1 + 1e-9)) continue;  // the first of those that move equally
    size = part;
    most = i;
  }
  mode.coordinate = system.coordinateName(most);
  return mode;
}

}  // namespace

std::vector<NaturalMode> naturalModes(const MechanicalSystem& system, const Linearisation& at) {
  const Matrix N = nullSpace(Matrix(at.M), Matrix(at.G));
  const Index d = N.cols();
  std::vector<NaturalMode> modes;
  if (d == 0) return modes;
  const Matrix K = N.transpose() * at.K * N, C = N.transpose() * at.C * N;  // NᵀMN = I
  const bool undamped = C.norm() <= 1e-12 * (1 + K.norm());
  if (undamped) {  // s² = −κ
    const Eigen::EigenSolver<Matrix> solver(K);
    for (Index i = 0; i < d; ++i) {
      const Complex s = std::sqrt(-solver.eigenvalues()[i]);
      modes.push_back(modeOf(s, system, N * solver.eigenvectors().col(i)));
    }
  } else {
    Matrix A = Matrix::Zero(2 * d, 2 * d);
    A.topRightCorner(d, d).setIdentity();
    A.bottomLeftCorner(d, d) = -K;
    A.bottomRightCorner(d, d) = -C;
    const Eigen::EigenSolver<Matrix> solver(A);
    for (Index i = 0; i < 2 * d; ++i) {
      const Complex s = solver.eigenvalues()[i];
      if (s.imag() < 0) continue;
      modes.push_back(modeOf(s, system, N * solver.eigenvectors().col(i).head(d)));
    }
  }
  std::stable_sort(modes.begin(), modes.end(), [](const NaturalMode& a, const NaturalMode& b) {
    return a.frequency < b.frequency;
  });
  // Rounding splits a double zero into ±√ε of the largest s.
  const double zero = (undamped ? 1e-7 : 1e-6) * std::max(modes.back().frequency, 1e-3);
  for (NaturalMode& mode : modes) {
    if (mode.frequency > zero) continue;
    mode.frequency = mode.damping = mode.growth = 0;
  }
  return modes;
}

}  // namespace trammel::fmi
