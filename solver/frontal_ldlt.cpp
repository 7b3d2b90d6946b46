#include "solver/frontal_ldlt.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace trammel {

namespace {

// Columns join a panel where this adds few zeros: a wider panel has less overhead for each column.
constexpr int widestJoined = 12;
constexpr double acceptedZeros = 0.2;  // of the entries of the panel

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

int entriesBelowDiagonal(int width, int rows) { return width * (width - 1) / 2 + width * rows; }

}  // namespace

/// The two triangular solves for a run of panels. The width is known to the compiler, the number of
/// rows where it is not −1: most panels are small, and loops over few columns cost more than what
/// they do.
template <int fixedWidth, int fixedRows>
struct FrontalLdlt::SolveKernel {
  /// L y = x: y first, then what the columns add to the rows below.
  static void down(const Run& run, const Factor& factor, double* x) {
    const int w = fixedWidth;
    const int rowCount = fixedRows >= 0 ? fixedRows : run.rowCount;
    const int* rows = factor.rows + run.firstRow;
    const double* L = factor.values + run.values;
    for (int p = 0; p < run.count; ++p, rows += rowCount) {
      double* y = x + *rows++;
      L += w;
      std::array<double, at(fixedWidth)> known;
      known[at(0)] = y[0];
      for (int i = 1; i < w; ++i, L += w) {
        known[at(i)] = y[i];
        for (int k = 0; k < i; ++k) known[at(i)] -= L[k] * known[at(k)];
        y[i] = known[at(i)];
      }
      for (int i = 0; i < rowCount; ++i, L += w) {
        double sum = L[0] * known[at(0)];
        for (int k = 1; k < w; ++k) sum += L[k] * known[at(k)];
        x[rows[i]] -= sum;
      }
    }
  }

  /// U x = D⁻¹ y, the rows below being solved.
  static void up(const Run& run, const Factor& factor, double* x) {
    const int w = fixedWidth;
    const int rowCount = fixedRows >= 0 ? fixedRows : run.rowCount;
    const int* rows = factor.rows + run.firstRow;
    const double* U = factor.values + run.values;
    for (int p = 0; p < run.count; ++p, rows += rowCount) {
      double* y = x + *rows++;
      const double* diagonal = U;
      U += Index{w} * w;
      std::array<double, at(fixedWidth)> sought;
      for (int k = 0; k < w; ++k) sought[at(k)] = y[k] * diagonal[k * w + k];
      for (int i = 0; i < rowCount; ++i, U += w) {
        const double below = x[rows[i]];
        for (int k = 0; k < w; ++k) sought[at(k)] -= U[k] * below;
      }
      for (int i = w - 1; i > 0; --i)
        for (int k = 0; k < i; ++k) sought[at(k)] -= diagonal[i * w + k] * sought[at(i)];
      for (int k = 0; k < w; ++k) y[k] = sought[at(k)];
    }
  }
};

/// The same for panels of any width, some columns at a time, whose unknowns stay in registers.
struct FrontalLdlt::WidePanel {
  static constexpr int most = 4;  // columns at a time

  int width, rowCount;
  const double* values;  // L or U
  const int* rows;
  double *x, *y;  // of all unknowns, of those of the panel

  template <int count>
  void downColumns(int k) const {
    std::array<double, at(count)> known;
    for (int c = 0; c < count; ++c) {
      const double* L = rowOf(k + c) + k;
      known[at(c)] = y[k + c];
      for (int b = 0; b < c; ++b) known[at(c)] -= L[b] * known[at(b)];
      y[k + c] = known[at(c)];
    }
    const auto added = [&](int row) {
      const double* L = rowOf(row) + k;
      double sum = L[0] * known[at(0)];
      for (int c = 1; c < count; ++c) sum += L[c] * known[at(c)];
      return sum;
    };
    for (int i = k + count; i < width; ++i) y[i] -= added(i);
    for (int i = 0; i < rowCount; ++i) x[rows[i]] -= added(width + i);
  }

  template <int count>
  void upColumns(int k) const {
    std::array<double, at(count)> sought;
    for (int c = 0; c < count; ++c) sought[at(c)] = y[k + c] * rowOf(k + c)[k + c];
    const auto subtract = [&](int row, double below) {
      const double* U = rowOf(row) + k;
      for (int c = 0; c < count; ++c) sought[at(c)] -= U[c] * below;
    };
    for (int i = 0; i < rowCount; ++i) subtract(width + i, x[rows[i]]);
    for (int i = k + count; i < width; ++i) subtract(i, y[i]);
    for (int c = count - 1; c > 0; --c)
      for (int b = 0; b < c; ++b) sought[at(b)] -= rowOf(k + c)[k + b] * sought[at(c)];
    for (int c = 0; c < count; ++c) y[k + c] = sought[at(c)];
  }

  const double* rowOf(int row) const { return values + Index{row} * width; }

  void solveDown() const {
    int k = 0;
    for (; k + most <= width; k += most) downColumns<most>(k);
    if (width - k == 1) downColumns<1>(k);
    if (width - k == 2) downColumns<2>(k);
    if (width - k == 3) downColumns<3>(k);
  }
  void solveUp() const {
    int k = width - width % most;
    if (width - k == 1) upColumns<1>(k);
    if (width - k == 2) upColumns<2>(k);
    if (width - k == 3) upColumns<3>(k);
    while ((k -= most) >= 0) upColumns<most>(k);
  }

  template <void (WidePanel::*solve)() const>
  static void solveAll(const Run& run, const Factor& factor, double* x) {
    const int* rows = factor.rows + run.firstRow;
    const double* values = factor.values + run.values;
    for (int p = 0; p < run.count; ++p, rows += run.rowCount + 1) {
      const WidePanel panel{run.width, run.rowCount, values, rows + 1, x, x + *rows};
      (panel.*solve)();
      values += Index{run.width} * (run.width + run.rowCount);
    }
  }
};

/// The kernels by width and by number of rows; the last of each are for all others.
struct FrontalLdlt::SolveKernels {
  static constexpr int mostColumns = 8, mostRows = 4;
  struct Pair {
    SolveRun down, up;
  };
  using Row = std::array<Pair, mostRows + 2>;

  template <int width, int rows>
  static constexpr Pair pair() {
    return {SolveKernel<width, rows>::down, SolveKernel<width, rows>::up};
  }
  template <int width>
  static constexpr Row row() {
    return {pair<width, 0>(), pair<width, 1>(), pair<width, 2>(),
            pair<width, 3>(), pair<width, 4>(), pair<width, -1>()};
  }
  static Pair of(int width, int rows) {
    static constexpr std::array<Row, mostColumns> fixed = {row<1>(), row<2>(), row<3>(), row<4>(),
                                                           row<5>(), row<6>(), row<7>(), row<8>()};
    if (width > mostColumns)
      return {WidePanel::solveAll<&WidePanel::solveDown>, WidePanel::solveAll<&WidePanel::solveUp>};
    return fixed[at(width - 1)][at(std::min(rows, mostRows + 1))];
  }
};

void FrontalLdlt::analyse(const SparseMatrix& lower, Values values, Index leading) {
  const EliminationOrder order(lower, leading);
  place_ = order.place;
  formPanels(order);
  leading_ = leading;
  orderSolves(order);
  placeInParents();
  placeEntries(lower);
  upper_.assign(values == Values::any ? values_.size() : 0, 0.0);
  reserve(values == Values::symmetric);
}

/// A column joins the panel before it if the last one there is its child and has the same rows, but
/// for a few.
void FrontalLdlt::formPanels(const EliminationOrder& order) {
  panels_.clear();
  double zeros = 0;
  for (int j = 0; j < static_cast<int>(place_.size()); ++j) {
    const int rowCount = static_cast<int>(order.rows[at(j)].size());
    if (j > 0 && order.parent[at(j - 1)] == j) {
      Panel& panel = panels_.back();
      const int added = rowCount + 1 - panel.rowCount;  // rows that the panel has not yet
      const double joined = zeros + added * panel.width;
      const bool few = panel.width < widestJoined &&
                       joined <= acceptedZeros * entriesBelowDiagonal(panel.width + 1, rowCount);
      if (added == 0 || few) {
        zeros = joined;
        ++panel.width;
        panel.rowCount = rowCount;
        continue;
      }
    }
    zeros = 0;
    Panel panel;
    panel.first = j;
    panel.width = 1;
    panel.rowCount = rowCount;
    panels_.push_back(panel);
  }
}

std::vector<int> FrontalLdlt::panelOfColumns() const {
  std::vector<int> panelOf(place_.size());
  for (int p = 0; p < static_cast<int>(panels_.size()); ++p)
    std::fill_n(panelOf.begin() + panels_[at(p)].first, panels_[at(p)].width, p);
  return panelOf;
}

int FrontalLdlt::placeInFront(const Panel& panel, int row) const {
  if (row < panel.first + panel.width) return row - panel.first;
  const auto below = rows_.begin() + panel.firstRow;
  const auto found = std::lower_bound(below, below + panel.rowCount, row);
  return panel.width + static_cast<int>(found - below);
}

/// Panels of the same height do not wait for each other; those of the same shape among them form a
/// run, and are stored as they are solved.
void FrontalLdlt::orderSolves(const EliminationOrder& order) {
  const std::vector<int> panelOf = panelOfColumns();
  std::vector<int> leadingColumns(panels_.size(), 0);
  for (Index j = 0; j < leading_; ++j)
    ++leadingColumns[at(panelOf[at(place_[static_cast<std::size_t>(j)])])];
  const auto rowsOf = [&](const Panel& panel) -> const std::vector<int>& {
    return order.rows[at(panel.first + panel.width - 1)];
  };
  std::vector<int> height(panels_.size(), 0), sequence(panels_.size());
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    sequence[p] = static_cast<int>(p);
    if (panels_[p].rowCount == 0) continue;
    int& above = height[at(panelOf[at(rowsOf(panels_[p]).front())])];
    above = std::max(above, height[p] + 1);
  }
  const auto leavesOf = [&](int p) {
    if (height[at(p)] > 0) return Leaves::none;
    if (leadingColumns[at(p)] == 0) return Leaves::ofOthers;
    return leadingColumns[at(p)] == panels_[at(p)].width ? Leaves::ofLeading : Leaves::none;
  };
  const auto key = [&](int p) {
    const Panel& panel = panels_[at(p)];
    return std::array{height[at(p)], static_cast<int>(leavesOf(p)), panel.width, panel.rowCount};
  };
  std::stable_sort(sequence.begin(), sequence.end(), [&](int a, int b) { return key(a) < key(b); });
  rows_.clear();
  runs_.clear();
  int values = 0;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    Panel& panel = panels_[at(sequence[i])];
    panel.firstRow = static_cast<int>(rows_.size());
    panel.values = values;
    if (i == 0 || key(sequence[i - 1]) != key(sequence[i])) {
      const SolveKernels::Pair solve = SolveKernels::of(panel.width, panel.rowCount);
      runs_.push_back({leavesOf(sequence[i]), 0, panel.width, panel.rowCount, panel.firstRow,
                       values, solve.down, solve.up});
    }
    ++runs_.back().count;
    rows_.push_back(panel.first);
    rows_.insert(rows_.end(), rowsOf(panel).begin(), rowsOf(panel).end());
    values += panel.size() * panel.width;
    ++panel.firstRow;
  }
  values_.assign(at(values), 0.0);
}

void FrontalLdlt::placeInParents() {
  const std::vector<int> panelOf = panelOfColumns();
  inParent_.assign(rows_.size(), 0);
  for (const Panel& panel : panels_) {
    if (panel.rowCount == 0) continue;
    Panel& parent = panels_[at(panelOf[at(rows_[at(panel.firstRow)])])];
    ++parent.children;
    for (int i = panel.firstRow; i < panel.firstRow + panel.rowCount; ++i)
      inParent_[at(i)] = placeInFront(parent, rows_[at(i)]);
  }
}

void FrontalLdlt::placeEntries(const SparseMatrix& lower) {
  const std::vector<int> panelOf = panelOfColumns();
  std::vector<std::vector<Entry>> entries(panels_.size());
  int source = 0;
  for (Index column = 0; column < lower.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator entry(lower, column); entry; ++entry) {
      const int a = place_[static_cast<std::size_t>(entry.row())];
      const int b = place_[static_cast<std::size_t>(column)];
      const int p = panelOf[at(std::min(a, b))];
      const Panel& panel = panels_[at(p)];
      const int inFront = placeInFront(panel, std::max(a, b));
      const int inColumn = std::min(a, b) - panel.first;
      entries[at(p)].push_back(
          {source++, inFront * panel.size() + inColumn, inColumn * panel.size() + inFront, a < b});
    }
  }
  entries_.clear();
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    std::sort(entries[p].begin(), entries[p].end(),
              [](const Entry& a, const Entry& b) { return a.target < b.target; });
    panels_[p].firstEntry = static_cast<int>(entries_.size());
    panels_[p].entryCount = static_cast<int>(entries[p].size());
    entries_.insert(entries_.end(), entries[p].begin(), entries[p].end());
  }
}

/// Storage for the largest front and the highest stack.
void FrontalLdlt::reserve(bool symmetric) {
  std::size_t size = 0, height = 0, highest = 0;
  std::vector<int> waiting;
  for (int p = 0; p < static_cast<int>(panels_.size()); ++p) {
    const Panel& panel = panels_[at(p)];
    for (int child = 0; child < panel.children; ++child) {
      height -= at(panels_[at(waiting.back())].restSize(symmetric));
      waiting.pop_back();
    }
    size = std::max(size, at(panel.size()));
    if (panel.rowCount == 0) continue;
    waiting.push_back(p);
    height += at(panel.restSize(symmetric));
    highest = std::max(highest, height);
  }
  front_.assign(size * size, 0.0);
  column_.assign(size, 0.0);
  rests_.assign(highest, 0.0);
  waiting_.clear();
  waiting_.reserve(panels_.size());
  const auto n = static_cast<Index>(place_.size());
  for (Vector* x : {&pivots_, &work_}) x->setZero(n);
}

bool FrontalLdlt::factorise(const SparseMatrix& lower) {
  symmetric_ = true;
  return factorise<true>(lower.valuePtr(), nullptr);
}

bool FrontalLdlt::factorise(const SparseMatrix& lower, const std::vector<double>& upper) {
  assert(upper_.size() == values_.size());
  symmetric_ = false;
  return factorise<false>(lower.valuePtr(), upper.data());
}

template <bool symmetric>
bool FrontalLdlt::factorise(const double* lower, const double* upper) {
  double* top = rests_.data();
  waiting_.clear();
  for (int p = 0; p < static_cast<int>(panels_.size()); ++p) {
    const Panel& panel = panels_[at(p)];
    if (panel.isSingleLeaf()) {
      if (!eliminateLeaf<symmetric>(panel, lower, upper, top)) return false;
    } else {
      assemble<symmetric>(panel, lower, upper, top);
      if (!(symmetric ? eliminate(panel, top) : eliminateBothSides(panel, top))) return false;
    }
    if (panel.rowCount > 0) waiting_.push_back(p);
  }
  return true;
}

bool FrontalLdlt::setPivot(int column, double d) {
  pivots_[column] = d;
  return d != 0 && std::isfinite(d);
}

/// A single column needs no front: its entries, sorted by rows, are those of the matrix, and the
/// rest is −l_i a_j.
template <bool symmetric>
bool FrontalLdlt::eliminateLeaf(const Panel& panel, const double* lower, const double* upper,
                                double*& top) {
  const Entry* entry = entries_.data() + panel.firstEntry;
  const double d = lower[entry->source];
  if (!setPivot(panel.first, d)) return false;
  const double inverse = 1 / d;
  double* L = values_.data() + panel.values;
  *L++ = inverse;
  double* column = column_.data();  // for L D U the row of the pivot
  for (int i = 0; i < panel.rowCount; ++i) {
    ++entry;
    const double below = (symmetric || !entry->turned ? lower : upper)[entry->source];
    column[i] = symmetric ? below : (entry->turned ? lower : upper)[entry->source];
    L[i] = below * inverse;
  }
  double* rest = top;
  for (int i = 0; i < panel.rowCount; ++i) {
    const double l = L[i];
    for (int j = 0; j < (symmetric ? i + 1 : panel.rowCount); ++j) *rest++ = -l * column[j];
  }
  top = rest;
  if (symmetric) return true;
  double* U = upper_.data() + panel.values;
  *U++ = inverse;
  for (int i = 0; i < panel.rowCount; ++i) U[i] = column[i] * inverse;
  return true;
}

/// The front of a panel: entries of the matrix and what its children have left.
template <bool symmetric>
void FrontalLdlt::assemble(const Panel& panel, const double* lower, const double* upper,
                           double*& top) {
  const Index size = panel.size();
  double* front = front_.data();
  for (Index i = 0; i < size * size; ++i) front[i] = 0;
  const Entry* entries = entries_.data() + panel.firstEntry;
  for (int e = 0; e < panel.entryCount; ++e) {
    const Entry& entry = entries[e];
    front[entry.target] = (symmetric || !entry.turned ? lower : upper)[entry.source];
    if (!symmetric) front[entry.mirrored] = (entry.turned ? lower : upper)[entry.source];
  }
  for (int c = 0; c < panel.children; ++c) {
    const Panel& child = panels_[at(waiting_.back())];
    waiting_.pop_back();
    top -= child.restSize(symmetric);
    const int* to = inParent_.data() + child.firstRow;
    const double* rest = top;
    for (int i = 0; i < child.rowCount; ++i) {
      double* row = front + to[i] * size;
      for (int j = 0; j < (symmetric ? i + 1 : child.rowCount); ++j) row[to[j]] += *rest++;
    }
  }
}

/// The columns of the panel out of the front, one after the other:
///   l_i = a_ik / d,   a_ij ← a_ij − l_i a_jk,   i ≥ j > k.
bool FrontalLdlt::eliminate(const Panel& panel, double*& top) {
  const Index size = panel.size(), width = panel.width;
  double* front = front_.data();
  double* column = column_.data();
  double* values = values_.data() + panel.values;
  for (Index k = 0; k < width; ++k) {
    const double d = front[k * size + k];
    if (!setPivot(panel.first + static_cast<int>(k), d)) return false;
    const double inverse = 1 / d;
    values[k * width + k] = inverse;
    for (Index i = k + 1; i < size; ++i) {
      double* row = front + i * size;
      column[i] = row[k];
      const double l = row[k] * inverse;
      for (Index j = k + 1; j <= i; ++j) row[j] -= l * column[j];
      values[i * width + k] = l;
    }
  }
  double* rest = top;
  for (Index i = width; i < size; ++i)
    for (Index j = width; j <= i; ++j) *rest++ = front[i * size + j];
  top = rest;
  return true;
}

/// The same for L D U: u_j = a_kj / d,   a_ij ← a_ij − l_i a_kj,   i, j > k.
bool FrontalLdlt::eliminateBothSides(const Panel& panel, double*& top) {
  const Index size = panel.size(), width = panel.width;
  double* front = front_.data();
  double* values = values_.data() + panel.values;
  double* upper = upper_.data() + panel.values;
  for (Index k = 0; k < width; ++k) {
    const double* pivotRow = front + k * size;
    const double d = pivotRow[k];
    if (!setPivot(panel.first + static_cast<int>(k), d)) return false;
    const double inverse = 1 / d;
    values[k * width + k] = upper[k * width + k] = inverse;
    for (Index i = k + 1; i < size; ++i) {
      double* row = front + i * size;
      const double l = row[k] * inverse;
      for (Index j = k + 1; j < size; ++j) row[j] -= l * pivotRow[j];
      values[i * width + k] = l;
      upper[i * width + k] = pivotRow[i] * inverse;
    }
  }
  double* rest = top;
  for (Index i = width; i < size; ++i)
    for (Index j = width; j < size; ++j) *rest++ = front[i * size + j];
  top = rest;
  return true;
}

/// Where the leading unknowns are 0 and alone are sought, leaves of them have nothing to pass on,
/// and nobody asks for the leaves of others.
void FrontalLdlt::solveInOrder(bool leadingAlone) {
  double* y = work_.data();
  Factor factor{values_.data(), rows_.data()};
  for (const Run& run : runs_)
    if (!leadingAlone || run.leaves != Leaves::ofLeading) run.solveDown(run, factor, y);
  if (!symmetric_) factor.values = upper_.data();
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run)
    if (!leadingAlone || run->leaves != Leaves::ofOthers) run->solveUp(*run, factor, y);
}

void FrontalLdlt::solve(VectorOut x) {
  for (Index i = 0; i < x.size(); ++i) work_[place_[static_cast<std::size_t>(i)]] = x[i];
  solveInOrder(false);
  for (Index i = 0; i < x.size(); ++i) x[i] = work_[place_[static_cast<std::size_t>(i)]];
}

void FrontalLdlt::solve(VectorOut x, const Vector& scale) {
  for (Index i = 0; i < x.size(); ++i) work_[place_[static_cast<std::size_t>(i)]] = x[i] * scale[i];
  solveInOrder(false);
  for (Index i = 0; i < x.size(); ++i) x[i] = work_[place_[static_cast<std::size_t>(i)]] * scale[i];
}

void FrontalLdlt::solveLeading(VectorOut x, const Vector& scale) {
  work_.setZero();
  for (Index i = leading_; i < x.size(); ++i)
    work_[place_[static_cast<std::size_t>(i)]] = x[i] * scale[i];
  solveInOrder(true);
  for (Index i = 0; i < leading_; ++i) x[i] = work_[place_[static_cast<std::size_t>(i)]] * scale[i];
}

}  // namespace trammel
