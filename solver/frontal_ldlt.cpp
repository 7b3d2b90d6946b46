#include "solver/frontal_ldlt.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <type_traits>

namespace trammel {

namespace {

// Columns join a panel where this adds few zeros: a wider panel has less overhead for each column.
constexpr int widestJoined = 12;
constexpr double acceptedZeros = 0.2;  // of the entries of the panel

std::size_t at(int i) { return static_cast<std::size_t>(i); }

int entriesBelowDiagonal(int width, int rows) { return width * (width - 1) / 2 + width * rows; }

/// Calls visit with the width as a constant up to that of a rigid body, else with 0.
template <class Visit>
void withWidth(int width, const Visit& visit) {
  switch (width) {
    case 1:
      return visit(std::integral_constant<int, 1>());
    case 2:
      return visit(std::integral_constant<int, 2>());
    case 3:
      return visit(std::integral_constant<int, 3>());
    case 4:
      return visit(std::integral_constant<int, 4>());
    case 7:
      return visit(std::integral_constant<int, 7>());
    default:
      return visit(std::integral_constant<int, 0>());
  }
}

}  // namespace

void FrontalLdlt::analyse(const SparseMatrix& lower, Values values) {
  const EliminationOrder order(lower);
  place_ = order.place;
  formPanels(order);
  placeRows(order);
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

void FrontalLdlt::placeRows(const EliminationOrder& order) {
  std::vector<int> panelOf(place_.size());
  rows_.clear();
  int values = 0;
  for (int p = 0; p < static_cast<int>(panels_.size()); ++p) {
    Panel& panel = panels_[at(p)];
    std::fill_n(panelOf.begin() + panel.first, panel.width, p);
    const std::vector<int>& rows = order.rows[at(panel.first + panel.width - 1)];
    panel.firstRow = static_cast<int>(rows_.size());
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    panel.values = values;
    values += panel.size() * panel.width;
  }
  values_.assign(at(values), 0.0);

  inParent_.assign(rows_.size(), 0);
  for (const Panel& panel : panels_) {
    if (panel.rowCount == 0) continue;
    Panel& parent = panels_[at(panelOf[at(rows_[at(panel.firstRow)])])];
    ++parent.children;
    const auto below = rows_.begin() + parent.firstRow;
    for (int i = panel.firstRow; i < panel.firstRow + panel.rowCount; ++i) {
      const int row = rows_[at(i)];
      const auto found = std::lower_bound(below, below + parent.rowCount, row);
      inParent_[at(i)] = row < parent.first + parent.width
                             ? row - parent.first
                             : parent.width + static_cast<int>(found - below);
    }
  }
}

void FrontalLdlt::placeEntries(const SparseMatrix& lower) {
  std::vector<int> panelOf(place_.size());
  for (int p = 0; p < static_cast<int>(panels_.size()); ++p)
    std::fill_n(panelOf.begin() + panels_[at(p)].first, panels_[at(p)].width, p);
  std::vector<std::vector<Entry>> entries(panels_.size());
  int source = 0;
  for (Index column = 0; column < lower.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator entry(lower, column); entry; ++entry) {
      const int a = place_[static_cast<std::size_t>(entry.row())];
      const int b = place_[static_cast<std::size_t>(column)];
      const int p = panelOf[at(std::min(a, b))];
      const Panel& panel = panels_[at(p)];
      const auto below = rows_.begin() + panel.firstRow;
      const int row = std::max(a, b);
      const int inFront =
          row < panel.first + panel.width
              ? row - panel.first
              : panel.width +
                    static_cast<int>(std::lower_bound(below, below + panel.rowCount, row) - below);
      const int inColumn = std::min(a, b) - panel.first;
      entries[at(p)].push_back(
          {source++, inFront * panel.size() + inColumn, inColumn * panel.size() + inFront, a < b});
    }
  }
  entries_.clear();
  for (std::size_t p = 0; p < panels_.size(); ++p) {
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
  for (Vector* x : {&pivots_, &inverse_, &work_}) x->setZero(n);
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
    assemble<symmetric>(panel, lower, upper, top);
    if (!(symmetric ? eliminate(panel) : eliminateBothSides(panel))) return false;
    if (panel.rowCount == 0) continue;
    const int size = panel.size();
    const double* row = front_.data() + panel.width * size;
    for (int i = panel.width; i < size; ++i, row += size)
      top = std::copy(row + panel.width, row + (symmetric ? i + 1 : size), top);
    waiting_.push_back(p);
  }
  return true;
}

/// The front of a panel: entries of the matrix and what its children have left.
template <bool symmetric>
void FrontalLdlt::assemble(const Panel& panel, const double* lower, const double* upper,
                           double*& top) {
  const int size = panel.size();
  std::fill_n(front_.begin(), size * size, 0.0);
  double* front = front_.data();
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
bool FrontalLdlt::eliminate(const Panel& panel) {
  const int size = panel.size();
  double* front = front_.data();
  double* column = column_.data();
  for (int k = 0; k < panel.width; ++k) {
    const double d = front[k * size + k];
    if (d == 0 || !std::isfinite(d)) return false;
    pivots_[panel.first + k] = d;
    inverse_[panel.first + k] = 1 / d;
    for (int i = k + 1; i < size; ++i) {
      double* row = front + i * size;
      column[i] = row[k];
      const double l = row[k] / d;
      for (int j = k + 1; j <= i; ++j) row[j] -= l * column[j];
      row[k] = l;
    }
  }
  double* values = values_.data() + panel.values;
  for (int i = 0; i < size; ++i) values = std::copy_n(front + i * size, panel.width, values);
  return true;
}

/// The same for L D U: u_j = a_kj / d,   a_ij ← a_ij − l_i a_kj,   i, j > k.
bool FrontalLdlt::eliminateBothSides(const Panel& panel) {
  const int size = panel.size();
  double* front = front_.data();
  double* upper = upper_.data() + panel.values;
  for (int k = 0; k < panel.width; ++k) {
    const double* pivotRow = front + k * size;
    const double d = pivotRow[k];
    if (d == 0 || !std::isfinite(d)) return false;
    pivots_[panel.first + k] = d;
    inverse_[panel.first + k] = 1 / d;
    for (int i = k + 1; i < size; ++i) {
      double* row = front + i * size;
      const double l = row[k] / d;
      for (int j = k + 1; j < size; ++j) row[j] -= l * pivotRow[j];
      row[k] = l;
      upper[i * panel.width + k] = pivotRow[i] / d;
    }
  }
  double* values = values_.data() + panel.values;
  for (int i = 0; i < size; ++i) values = std::copy_n(front + i * size, panel.width, values);
  return true;
}

/// L y = x for the columns of a panel: y first, then what they add to the rows below. `width` is
/// known to the compiler where it is not 0.
template <int width>
void FrontalLdlt::solveDown(const Panel& panel, double* x) const {
  const int w = width > 0 ? width : panel.width;
  const double* L = values_.data() + panel.values;
  double* y = x + panel.first;
  for (int i = 1; i < w; ++i)
    for (int k = 0; k < i; ++k) y[i] -= L[i * w + k] * y[k];
  L += w * w;
  const int* row = rows_.data() + panel.firstRow;
  for (int i = 0; i < panel.rowCount; ++i, L += w) {
    double sum = 0;
    for (int k = 0; k < w; ++k) sum += L[k] * y[k];
    x[row[i]] -= sum;
  }
}

/// U x = y, U = Lᵀ if symmetric, for the columns of a panel, the rows below being solved.
template <int width>
void FrontalLdlt::solveUp(const Panel& panel, const double* U, double* x) const {
  const int w = width > 0 ? width : panel.width;
  const double* diagonal = U + panel.values;
  const double* L = diagonal + w * w;
  double* y = x + panel.first;
  const int* row = rows_.data() + panel.firstRow;
  for (int i = 0; i < panel.rowCount; ++i, L += w) {
    const double below = x[row[i]];
    for (int k = 0; k < w; ++k) y[k] -= L[k] * below;
  }
  for (int i = w - 1; i > 0; --i)
    for (int k = 0; k < i; ++k) y[k] -= diagonal[i * w + k] * y[i];
}

void FrontalLdlt::solve(Vector& x) {
  double* y = work_.data();
  for (std::size_t i = 0; i < place_.size(); ++i) y[place_[i]] = x[static_cast<Index>(i)];
  for (const Panel& panel : panels_)
    withWidth(panel.width, [&](auto width) { solveDown<width>(panel, y); });
  work_.array() *= inverse_.array();
  const double* U = symmetric_ ? values_.data() : upper_.data();
  for (auto panel = panels_.rbegin(); panel != panels_.rend(); ++panel)
    withWidth(panel->width, [&](auto width) { solveUp<width>(*panel, U, y); });
  for (std::size_t i = 0; i < place_.size(); ++i) x[static_cast<Index>(i)] = y[place_[i]];
}

}  // namespace trammel
