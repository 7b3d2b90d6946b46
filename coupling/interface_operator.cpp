#include "coupling/interface_operator.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace trammel::coupling {
namespace {

constexpr Index denseLimit = 64;  // rows below which dense factors are the quickest

bool takesPart(const InterfaceTerm& term, InterfacePart part) {
  return part == InterfacePart::whole || term.side == (part == InterfacePart::sideA ? 0 : 1);
}

/// D with unit diagonal of D S D. Rows without mobility, but for rounding, stay small.
Vector unitScale(const SparseMatrix& S) {
  const Vector diagonal = S.diagonal();
  const double largest = diagonal.size() > 0 ? diagonal.maxCoeff() : 0;
  Vector scale(S.rows());
  for (Index i = 0; i < S.rows(); ++i) {
    const bool mobile = diagonal[i] > InterfaceSolver::rankThreshold * largest;
    const double size = mobile ? diagonal[i] : largest;
    scale[i] = size > 0 ? 1 / std::sqrt(size) : 1;
  }
  return scale;
}

}  // namespace

SparseMatrix interfaceMatrix(std::span<const InterfaceTerm> terms, std::span<const Matrix> W,
                             Index rows, InterfacePart part) {
  std::vector<std::vector<const InterfaceTerm*>> ofSubsystem(W.size());
  for (const InterfaceTerm& term : terms) {
    if (takesPart(term, part))
      ofSubsystem[static_cast<std::size_t>(term.subsystem)].push_back(&term);
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < W.size(); ++k) {
    for (const InterfaceTerm* i : ofSubsystem[k]) {
      for (const InterfaceTerm* j : ofSubsystem[k]) {
        const Matrix block = i->G *
                             W[k].block(i->forceOffset, j->forceOffset, i->G.cols(), j->G.cols()) *
                             j->G.transpose();
        for (Index c = 0; c < block.cols(); ++c) {
          for (Index r = 0; r < block.rows(); ++r) {
            entries.emplace_back(i->rowOffset + r, j->rowOffset + c, block(r, c));
          }
        }
      }
    }
  }
  SparseMatrix S(rows, rows);
  S.setFromTriplets(entries.begin(), entries.end());
  return S;
}

void InterfaceSolver::factor(const SparseMatrix& S) {
  scale_ = unitScale(S);
  const SparseMatrix scaled = scale_.asDiagonal() * S * scale_.asDiagonal();
  rank_ = S.rows();
  if (S.rows() <= denseLimit) return factorDense(scaled);
  const SparseMatrix transposed = scaled.transpose();
  if ((scaled - transposed).norm() > 1e-8 * scaled.norm()) return factorDense(scaled);
  sparse_.compute(scaled);
  const bool regular =
      sparse_.info() == Eigen::Success && sparse_.vectorD().minCoeff() > rankThreshold;
  if (!regular) return factorDense(scaled);
  pseudoInverse_.resize(0, 0);
}

void InterfaceSolver::factorDense(const Matrix& scaled) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> factors;
  factors.setThreshold(rankThreshold);
  factors.compute(scaled);
  rank_ = factors.rank();
  pseudoInverse_ = factors.pseudoInverse();
}

void InterfaceSolver::solve(VectorIn r, VectorOut x) const {
  const Vector scaled = scale_.cwiseProduct(r);
  const Vector y =
      pseudoInverse_.size() > 0 ? Vector(pseudoInverse_ * scaled) : Vector(sparse_.solve(scaled));
  x = scale_.cwiseProduct(y);
}

double InterfaceSolver::smallestMobility() const {
  if (scale_.size() == 0) return 1;
  // Uneven numbers, so that no eigenvector is missed by symmetry.
  Vector x = Vector::LinSpaced(scale_.size(), 1, 1.618).normalized();
  Vector y(x.size());
  double norm = 0;
  for (int i = 0; i < 4; ++i) {
    solve(x, y);
    norm = y.norm();
    if (!(norm > 0)) return 1;
    x = y / norm;
  }
  return 1 / norm;
}

std::vector<Index> dependentRows(const SparseMatrix& S) {
  std::vector<Index> rows;
  if (S.rows() == 0) return rows;
  const Vector scale = unitScale(S);
  const Matrix scaled = scale.asDiagonal() * S * scale.asDiagonal();
  const Eigen::JacobiSVD<Matrix> svd(scaled, Eigen::ComputeFullU);
  const double limit = InterfaceSolver::rankThreshold * std::max(svd.singularValues()[0], 1e-300);
  for (Index i = 0; i < S.rows(); ++i) {
    double share = 0;  // of row i in the left null space
    for (Index k = 0; k < S.rows(); ++k) {
      if (svd.singularValues()[k] <= limit) share = std::max(share, std::abs(svd.matrixU()(i, k)));
    }
    if (share > 1e-6) rows.push_back(i);
  }
  return rows;
}

std::optional<double> contractionFactor(const SparseMatrix& S, const SparseMatrix& side) {
  if (S.rows() == 0) return std::nullopt;
  const Vector scale = unitScale(S);
  const Matrix whole = scale.asDiagonal() * S * scale.asDiagonal();
  const Matrix part = scale.asDiagonal() * side * scale.asDiagonal();
  Eigen::FullPivLU<Matrix> factors;
  factors.setThreshold(1e-10);
  factors.compute(part);
  if (factors.rank() < S.rows()) return std::nullopt;
  const Matrix error = Matrix::Identity(S.rows(), S.rows()) - factors.solve(whole);
  return error.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace trammel::coupling
