#pragma once

#include <vector>

#include "solver/elimination_order.hpp"
#include "solver/types.hpp"

namespace trammel {

/// LDLᵀ of a sparse symmetric matrix without pivoting, for definite and quasi-definite ones, or
/// L D U of one whose pattern is symmetric and whose symmetric part is such.
/// Columns of L with the same rows, or nearly, form a dense panel (the coordinates of a body, the
/// rows of a joint): one index for each row of a panel instead of one for each entry. It is
/// factorised front by front: a front holds the columns of a panel and the rows in which they have
/// entries; what remains of it after their elimination is added to the front of the parent.
class FrontalLdlt {
 public:
  enum class Values { symmetric, any };

  /// The pattern of the lower triangle, diagonal included, of every matrix to come. `leading` as
  /// for EliminationOrder.
  void analyse(const SparseMatrix& lower, Values values = Values::symmetric, Index leading = 0);

  /// False if a pivot is zero or not finite. Does not allocate.
  bool factorise(const SparseMatrix& lower);
  /// The same with the upper triangle, transposed, in the order of the entries of the lower one.
  /// Pre: analysed for any values.
  bool factorise(const SparseMatrix& lower, const std::vector<double>& upper);

  /// x ← A⁻¹ x. Does not allocate. Pre: factorise() was true.
  void solve(VectorOut x);
  /// x ← s A⁻¹ s x with the diagonal matrix s = `scale`.
  void solve(VectorOut x, const Vector& scale);
  /// The leading unknowns of it, where x counts as 0 in them; the others are left as they are.
  void solveLeading(VectorOut x, const Vector& scale);

  /// D in the order of elimination.
  const Vector& pivots() const { return pivots_; }

 private:
  struct Panel {
    int first = 0, width = 0;            // columns in the order of elimination
    int rowCount = 0;                    // rows below
    int firstRow = 0;                    // in rows_ and inParent_
    int children = 0;                    // panels whose fronts leave their rest to this one
    int firstEntry = 0, entryCount = 0;  // in entries_
    int values = 0;  // in values_: L by rows, width × width on the diagonal, then the rows below;
                     // 1/D on the diagonal

    int size() const { return width + rowCount; }  // of its front
    int restSize(bool symmetric) const {
      return symmetric ? rowCount * (rowCount + 1) / 2 : rowCount * rowCount;
    }
    /// A column of the matrix as it is: nothing has been added to it.
    bool isSingleLeaf() const { return width == 1 && children == 0; }
  };

  /// Panels of the same shape that do not wait for each other, one after the other in rows_ and
  /// values_.
  struct Run;
  /// What the triangular solves read of the whole factor.
  struct Factor {
    const double* values;
    const int* rows;
  };
  using SolveRun = void (*)(const Run& run, const Factor& factor, double* x);
  /// Whether the panels are leaves of the tree, and which unknowns alone they have.
  enum class Leaves { none, ofLeading, ofOthers };
  struct Run {
    Leaves leaves = Leaves::none;
    int count = 0, width = 0, rowCount = 0;
    int firstRow = 0, values = 0;  // of the first panel
    SolveRun solveDown = nullptr, solveUp = nullptr;
  };
  template <int fixedWidth, int fixedRows>
  struct SolveKernel;
  struct WidePanel;
  struct SolveKernels;

  /// An entry of the lower triangle of the matrix, its place in the front, row × size + column,
  /// and that of its mirror image. The order of elimination may turn it into the upper triangle.
  struct Entry {
    int source = 0, target = 0, mirrored = 0;
    bool turned = false;  // the target is the place of its mirror image
  };

  void formPanels(const EliminationOrder& order);
  std::vector<int> panelOfColumns() const;
  void orderSolves(const EliminationOrder& order);
  void placeInParents();
  void placeEntries(const SparseMatrix& lower);
  int placeInFront(const Panel& panel, int row) const;
  void reserve(bool symmetric);
  template <bool symmetric>
  bool factorise(const double* lower, const double* upper);
  template <bool symmetric>
  void assemble(const Panel& panel, const double* lower, const double* upper, double*& top);
  template <bool symmetric>
  bool eliminateLeaf(const Panel& panel, const double* lower, const double* upper, double*& top);
  bool setPivot(int column, double d);
  bool eliminate(const Panel& panel, double*& top);
  bool eliminateBothSides(const Panel& panel, double*& top);
  void solveInOrder(bool leadingAlone);  // work_ in place

  std::vector<Panel> panels_;  // children before parents
  std::vector<Run> runs_;      // the same by their height in the tree
  std::vector<int> place_;     // in the order of elimination, of each column of the matrix
  std::vector<int> rows_;  // of each panel its first column, then the rows below, in the order of
                           // elimination
  std::vector<int> inParent_;  // the rows below as places in the front of the parent
  std::vector<Entry> entries_;
  std::vector<double> values_;
  std::vector<double> upper_;  // Uᵀ as L in values_; empty: analysed for symmetric values
  bool symmetric_ = true;      // the present factor
  Index leading_ = 0;          // columns of the matrix
  Vector pivots_, work_;
  std::vector<double> front_, column_;
  std::vector<double> rests_;  // by rows, that wait for their parents, a stack
  std::vector<int> waiting_;   // their panels
};

}  // namespace trammel
