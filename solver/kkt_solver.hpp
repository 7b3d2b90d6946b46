#pragma once

#include <Eigen/SparseLU>
#include <vector>

#include "solver/dense_lu.hpp"
#include "solver/frontal_ldlt.hpp"
#include "solver/linear_algebra.hpp"
#include "solver/mechanical_system.hpp"

namespace trammel {

/// Weights of S = mass M + damping C + stiffness K.
struct IterationWeights {
  double mass = 1;
  double damping = 0;
  double stiffness = 0;
};

/// Factors and solves the KKT matrix (E8) of docs/theory.md,
///   [ S  Gᵀ ] [ x ]   [ b ]
///   [ G −δI ] [ μ ] = [ c ],   S = mass M + damping C + stiffness K,
/// after symmetric equilibration, so that δ is relative to what it regularises. Redundant rows of G
/// and singular positions need no special case: δ > 0 keeps the matrix regular. Rows that the
/// others imply can be left out: then c of such a row is not looked at, and μ of it is 0. Small
/// systems use a dense LU, large ones a sparse factor without pivots, quasi-definite LDLᵀ or, where
/// S is not symmetric, L D U, with a sparse LU with pivots as fallback.
class KktSolver {
 public:
  /// The patterns of `shape` are those of every later linearisation.
  KktSolver(const Linearisation& shape, LinearAlgebra choice);

  /// Leaves out the rows of G whose flag is not 0, from the next factorise() on.
  void leaveOut(VectorIn flags);

  /// False if the matrix has entries that are not finite or every factorisation breaks down; then
  /// solve() must not be called.
  bool factorise(const Linearisation& linearisation, const IterationWeights& weights);

  /// Overwrites (b, c) of length n + m by (x, μ).
  void solve(VectorOut rhs);

  /// x of the solution for b = 0, whatever stands there: overwrites b, leaves c unspecified.
  void solveConstraints(VectorOut rhs);

  /// The same as solve() with δ taken off by so many sweeps of refinement.
  void solveRefined(VectorOut rhs, int sweeps);

  /// Smallest pivot of the equilibrated matrix; tiny where rows of G depend on each other.
  double smallestPivot() const;

  /// A measure that falls like σ² where the smallest singular value σ of G vanishes; a pivot, where
  /// pivots show it.
  double rankMeasure();

  /// σ² of the equilibrated G S^(−1/2), σ its smallest singular value: never less, and close where
  /// σ is small beside the others. One solve.
  double smallestSingularValueSquared();

  /// Largest coefficient with which the rows that are left out, of length one, are combinations of
  /// the others. Large: the others have come close to a dependency of their own.
  double largestCoefficient(const SparseMatrix& G);

  bool isSparse() const { return sparse_; }
  bool usesFallback() const { return useLu_; }
  /// n + m up to which a dense LU is taken. It costs as much as the sparse factor at 13 unknowns
  /// and 1.4 times as much at 42; the reserve is for its pivots, which pass singular positions
  /// better.
  static constexpr Index denseLimit = 32;

 private:
  void assemble(const Linearisation& linearisation, const IterationWeights& weights);
  void equilibrate();
  void shapeDense(const Linearisation& shape);
  template <class Size>
  bool factoriseDense(Size size, const Linearisation& linearisation,
                      const IterationWeights& weights);
  template <class Size>
  void assembleDense(Size size, const Linearisation& linearisation,
                     const IterationWeights& weights);
  template <class Size>
  void equilibrateDense(Size size);
  void invertDense();
  bool factoriseSparse();
  bool factoriseFallback();
  bool solvesAccurately();
  void fillFull();
  void subtractProduct(const Vector& x);
  void shapeSparse(const Linearisation& shape);
  void removeLeftOut(const SparseMatrix& G);
  void solveEquilibrated();  // work_ in place

  Index n_ = 0, m_ = 0;
  bool sparse_ = false;
  bool useLu_ = false;         // sparse: the LDLᵀ was not good enough
  double regularisation_ = 0;  // δ
  Vector scale_;               // D of the equilibrated matrix D A D
  Vector work_, probe_, target_, sum_;
  Vector leftOut_;  // flags of the rows of G
  bool anyLeftOut_ = false;

  /// An entry of M, C, K or G and the entry of a triangle to which it is added.
  struct Addition {
    int source, slot;
  };
  using Additions = std::vector<Addition>;
  struct Slots {
    Additions lower, upper;
  };
  static void add(const SparseMatrix& from, double weight, const Additions& to, double* values);

  // Sparse: the matrix by its triangles: lower_, and where S need not be symmetric the entries of
  // the upper one in the order of lower_, the diagonal in both.
  bool symmetric_ = true;  // by its pattern: S has entries on the diagonal alone
  Slots mass_, damping_, stiffness_, gradient_;
  std::vector<int> diagonalSlot_;  // of lower_
  SparseMatrix lower_;
  std::vector<double> upper_;
  SparseMatrix full_;  // both triangles, for what needs the whole matrix; filled on demand
  std::vector<int> lowerFrom_,
      lowerFromTransposed_;  // entries of full_ at each one of lower_ and at its mirror image

  // Dense: the matrix, whose entries of the upper triangle are `upper` where they come from G.
  Matrix dense_;
  DenseLu denseLu_;
  DenseInverse inverse_;   // of the matrix before equilibration
  bool inverted_ = false;  // solves use it; dense only
  FrontalLdlt ldlt_;
  Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int>> sparseLu_;
  bool luAnalysed_ = false;
};

}  // namespace trammel
