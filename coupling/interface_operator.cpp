#include "coupling/interface_operator.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace trammel::coupling {
namespace {

constexpr Index denseLimit = 64;  // rows below which dense factors are the quickest

bool takesPart(const InterfaceTerm& term, InterfacePart part) {
  return part == InterfacePart::whole || term.side == (part == InterfacePart::sideA ? 0 : 1);
}

/// D with unit diagonal of D S D; 0 for idle rows, which nothing can move: S ≥ 0, so where the
/// diagonal vanishes the whole row does.
Vector unitScale(const SparseMatrix& S) {
  const Vector diagonal = S.diagonal();
  const double largest = diagonal.size() > 0 ? diagonal.maxCoeff() : 0;
  Vector scale(S.rows());
  for (Index i = 0; i < S.rows(); ++i) {
    const bool mobile = diagonal[i] > InterfaceSolver::rankThreshold * largest;
    scale[i] = mobile ? 1 / std::sqrt(diagonal[i]) : 0;
  }
  return scale;
}

/// D S D with 1 on the diagonal of idle rows: as regular as the others are.
SparseMatrix scaledMatrix(const SparseMatrix& S, const Vector& scale) {
  SparseMatrix scaled = scale.asDiagonal() * S * scale.asDiagonal();
  for (Index i = 0; i < S.rows(); ++i) {
    if (scale[i] == 0) scaled.coeffRef(i, i) = 1;
  }
  return scaled;
}

Index idleRows(const Vector& scale) { return (scale.array() == 0).count(); }

using SparseFactors = Eigen::SimplicialLDLT<SparseMatrix>;

bool isRegular(const SparseFactors& factors) {
  return factors.info() == Eigen::Success &&
         factors.vectorD().minCoeff() > InterfaceSolver::rankThreshold;
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
  const SparseMatrix scaled = scaledMatrix(S, scale_);
  rank_ = S.rows() - idleRows(scale_);
  if (S.rows() <= denseLimit) return factorDense(scaled);
  const SparseMatrix transposed = scaled.transpose();
  if ((scaled - transposed).norm() > 1e-8 * scaled.norm()) return factorDense(scaled);
  sparse_.compute(scaled);
  if (!isRegular(sparse_)) return factorDense(scaled);
  pseudoInverse_.resize(0, 0);
}

void InterfaceSolver::factorDense(const Matrix& scaled) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> factors;
  factors.setThreshold(rankThreshold);
  factors.compute(scaled);
  rank_ = factors.rank() - idleRows(scale_);
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
  const SparseMatrix scaled = scaledMatrix(S, scale);
  if (isRegular(SparseFactors(scaled))) {
    for (Index i = 0; i < S.rows(); ++i) {
      if (scale[i] == 0) rows.push_back(i);
    }
    return rows;
  }
  const Eigen::JacobiSVD<Matrix> svd(Matrix(scaled), Eigen::ComputeFullU);
  const double limit = InterfaceSolver::rankThreshold * std::max(svd.singularValues()[0], 1e-300);
  for (Index i = 0; i < S.rows(); ++i) {
    double share = scale[i] == 0 ? 1 : 0;  // of row i in the left null space
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
  const Matrix whole = scaledMatrix(S, scale);
  const Matrix part = scaledMatrix(side, scale);
  Eigen::FullPivLU<Matrix> factors;
  factors.setThreshold(1e-10);
  factors.compute(part);
  if (factors.rank() < S.rows()) return std::nullopt;
  const Matrix error = Matrix::Identity(S.rows(), S.rows()) - factors.solve(whole);
  return error.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace trammel::coupling
