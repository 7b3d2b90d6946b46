#pragma once

#include <Eigen/SparseCholesky>
#include <optional>
#include <span>
#include <vector>

#include "solver/types.hpp"

namespace trammel::coupling {

/// One side of a joint as the interface operator sees it.
struct InterfaceTerm {
  int subsystem = 0;
  Index forceOffset = 0;  // of the port within the subsystem's forces
  Index rowOffset = 0;    // of the joint's first row
  int side = 0;           // 0: A, the subsystem of the first port, 1: all others
  Matrix G;               // rows of the joint × size of the port
};

/// Which sides contribute: all, or those on which a split puts the constraint.
enum class InterfacePart { whole, sideA, sideB };

/// S = Σ_k G_k W_k G_kᵀ over the subsystems, the interface mobility: g'' = g''_free − S λ.
SparseMatrix interfaceMatrix(std::span<const InterfaceTerm> terms, std::span<const Matrix> W,
                             Index rows, InterfacePart part = InterfacePart::whole);

/// Solves with an interface matrix. Rows are scaled to a unit diagonal first, so that metres and
/// radians do not meet in one threshold; where rows depend on each other the solution is that of
/// minimum norm in these units.
class InterfaceSolver final {
 public:
  static constexpr double rankThreshold = 1e-9;

  void factor(const SparseMatrix& S);
  void solve(VectorIn r, VectorOut x) const;  // x = S⁺ r
  Index rank() const { return rank_; }
  bool isRankDeficient() const { return rank_ < scale_.size(); }
  /// Smallest nonzero mobility, by a few power iterations on S⁺.
  double smallestMobility() const;

 private:
  void factorDense(const Matrix& scaled);

  Vector scale_;          // D: the matrix that is factored is D S D
  Matrix pseudoInverse_;  // of D S D; empty: the sparse factors hold
  Eigen::SimplicialLDLT<SparseMatrix> sparse_;
  Index rank_ = 0;
};

/// Rows of S that take part in a linear dependence.
std::vector<Index> dependentRows(const SparseMatrix& S);

/// Spectral radius of I − S_side⁻¹ S: the factor by which the plain split with the constraint on
/// that side reduces the error in one iteration. None where S_side is singular, the split then is
/// undefined.
std::optional<double> contractionFactor(const SparseMatrix& S, const SparseMatrix& side);

}  // namespace trammel::coupling
