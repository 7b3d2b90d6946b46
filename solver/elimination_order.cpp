#include "solver/elimination_order.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>

namespace trammel {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The place of each column.
std::vector<int> minimumDegree(const SparseMatrix& full) {
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(full, permutation);
  std::vector<int> place(static_cast<std::size_t>(full.rows()));
  for (int k = 0; k < static_cast<int>(place.size()); ++k) place[at(permutation.indices()[k])] = k;
  return place;
}

}  // namespace

/// Columns [first, end) whose entries of L are in the same rows, in the tree of such.
struct EliminationOrder::Clique {
  int first = 0, end = 0;
  int parent = -1;
  double height = 0;      // [cycles] until its own columns are solved for, from its leaves on
  int deepestChild = -1;  // the one that it waits for

  int width() const { return end - first; }
  /// [cycles], about, between the solution of its columns and that of its parent's, both ways.
  double latency() const { return 40 + 16 * width(); }
};

EliminationOrder::EliminationOrder(const SparseMatrix& lower, Index leading) {
  const SparseMatrix full = lower.selfadjointView<Eigen::Lower>();
  place = minimumDegree(full);
  complete(lower);
  turn(lower);
  if (leading == 0 || leading == lower.rows()) return;
  EliminationOrder other;
  if (!other.orderLeadingFirst(full, leading)) return;
  other.complete(lower);
  other.turn(lower);
  if (other.costOfSolve() < costOfSolve()) *this = std::move(other);
}

void EliminationOrder::complete(const SparseMatrix& lower) {
  findParents(rowsOfMatrix(lower));
  makeSubtreesConsecutive();
  const Lists below = rowsOfMatrix(lower);
  findParents(below);
  findRows(below, place.size());
}

/// False if the leading columns leave too many entries to the others, as one body with very many
/// joints does.
bool EliminationOrder::orderLeadingFirst(const SparseMatrix& full, Index leading) {
  constexpr double mostEntries = 32;  // that others get, over those of the matrix
  place = minimumDegree(full.topLeftCorner(leading, leading));
  for (Index i = leading; i < full.rows(); ++i) place.push_back(static_cast<int>(i));
  const Lists below = rowsOfMatrix(full.triangularView<Eigen::Lower>());
  findParents(below);
  findRows(below, static_cast<std::size_t>(leading));
  const int others = static_cast<int>(leading);
  double count = 0;
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < others; ++j) {
    if (parent[at(j)] < others) continue;  // what it leaves, its parent leaves too
    const std::vector<int>& clique = rows[at(j)];
    count += static_cast<double>(clique.size()) * static_cast<double>(clique.size());
    if (count > mostEntries * static_cast<double>(full.nonZeros())) return false;
    for (const int row : clique)
      for (const int column : clique) entries.emplace_back(row - others, column - others, 1.0);
  }
  const Index rest = full.rows() - leading;
  for (int i = 0; i < rest; ++i) entries.emplace_back(i, i, 1.0);
  SparseMatrix schur = full.bottomRightCorner(rest, rest);
  SparseMatrix filled(rest, rest);
  filled.setFromTriplets(entries.begin(), entries.end());
  schur += filled;
  const std::vector<int> placeOfRest = minimumDegree(schur);
  std::transform(placeOfRest.begin(), placeOfRest.end(), place.begin() + leading,
                 [&](int k) { return others + k; });
  return true;
}

/// The tree of cliques, children before parents.
std::vector<EliminationOrder::Clique> EliminationOrder::cliques() const {
  std::vector<Clique> found;
  std::vector<int> cliqueOf(place.size());
  for (int j = 0; j < static_cast<int>(place.size()); ++j) {
    const bool joins =
        j > 0 && parent[at(j - 1)] == j && rows[at(j - 1)].size() == rows[at(j)].size() + 1;
    if (!joins) found.push_back({.first = j});
    found.back().end = j + 1;
    cliqueOf[at(j)] = static_cast<int>(found.size()) - 1;
  }
  for (int c = 0; c < static_cast<int>(found.size()); ++c) {
    Clique& clique = found[at(c)];
    clique.height += clique.latency();
    const int next = parent[at(clique.end - 1)];
    if (next < 0) continue;
    clique.parent = cliqueOf[at(next)];
    Clique& above = found[at(clique.parent)];
    if (clique.height <= above.height) continue;
    above.height = clique.height;
    above.deepestChild = c;
  }
  return found;
}

/// Makes the middle of the longest path of each tree its root: on the way there from the old root
/// P_0, P_1 … P_k the clique P_i is eliminated but for what it shares with P_{i+1}. L keeps its
/// number of entries, because the tree of cliques is the same (Jess and Kees).
void EliminationOrder::turn(const SparseMatrix& lower) {
  const std::vector<Clique> tree = cliques();
  std::vector<bool> onPath(place.size(), false), taken(place.size(), false);
  std::vector<int> sequence, last;
  const auto take = [&](int column, std::vector<int>& where) {
    if (taken[at(column)]) return;
    taken[at(column)] = true;
    where.push_back(column);
  };
  for (const Clique& root : tree) {
    if (root.parent >= 0) continue;
    double above = 0;
    for (const Clique* clique = &root;;) {
      for (int j = clique->first; j < clique->end; ++j) onPath[at(j)] = true;
      const std::vector<int>& shared = rows[at(clique->end - 1)];
      above += clique->latency();
      const Clique* next = clique->deepestChild < 0 ? nullptr : &tree[at(clique->deepestChild)];
      if (next && next->height <= above) next = nullptr;
      const std::vector<int> none;
      const std::vector<int>& kept = next ? rows[at(next->end - 1)] : none;
      const auto takeUnlessKept = [&](int column) {
        if (!std::binary_search(kept.begin(), kept.end(), column)) take(column, last);
      };
      for (int j = clique->first; j < clique->end; ++j) takeUnlessKept(j);
      for (const int j : shared) takeUnlessKept(j);
      if (!next) break;
      clique = next;
    }
  }
  for (int j = 0; j < static_cast<int>(place.size()); ++j)
    if (!onPath[at(j)]) sequence.push_back(j);
  sequence.insert(sequence.end(), last.begin(), last.end());
  std::vector<int> renumbered(place.size());
  for (int k = 0; k < static_cast<int>(sequence.size()); ++k) renumbered[at(sequence[at(k)])] = k;
  for (int& k : place) k = renumbered[at(k)];
  complete(lower);
}

/// [cycles], about: what all columns take together, or what waits for each other.
double EliminationOrder::costOfSolve() const {
  double work = 0, waiting = 0;
  for (const Clique& clique : cliques()) {
    const double below = static_cast<double>(rows[at(clique.end - 1)].size());
    work += 16 + 2 * clique.width() * (0.5 * (clique.width() - 1) + below);
    waiting = std::max(waiting, clique.height);
  }
  return std::max(work, waiting) + 0.25 * std::min(work, waiting);
}

/// The rows of the matrix below the diagonal, by columns, in the present order.
EliminationOrder::Lists EliminationOrder::rowsOfMatrix(const SparseMatrix& lower) const {
  Lists below(place.size());
  for (Index column = 0; column < lower.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator entry(lower, column); entry; ++entry) {
      const int a = place[static_cast<std::size_t>(entry.row())];
      const int b = place[static_cast<std::size_t>(column)];
      if (a != b) below[at(std::min(a, b))].push_back(std::max(a, b));
    }
  }
  return below;
}

/// parent(j) is the first row below the diagonal of column j of L (Liu's algorithm, with paths
/// compressed).
void EliminationOrder::findParents(const Lists& below) {
  const int n = static_cast<int>(place.size());
  Lists before(place.size());
  for (int j = 0; j < n; ++j)
    for (const int i : below[at(j)]) before[at(i)].push_back(j);
  parent.assign(place.size(), -1);
  std::vector<int> ancestor(place.size(), -1);
  for (int i = 0; i < n; ++i) {
    for (int j : before[at(i)]) {
      while (j != -1 && j < i) {
        const int next = ancestor[at(j)];
        ancestor[at(j)] = i;
        if (next == -1) parent[at(j)] = i;
        j = next;
      }
    }
  }
}

/// Numbers the columns anew, from the last one down and parents first; the fill is the same.
void EliminationOrder::makeSubtreesConsecutive() {
  const int n = static_cast<int>(place.size());
  Lists children(place.size());
  std::vector<int> pending;  // the roots, the last on top
  for (int j = 0; j < n; ++j) {
    if (parent[at(j)] < 0) {
      pending.push_back(j);
    } else {
      children[at(parent[at(j)])].push_back(j);
    }
  }
  std::vector<int> renumbered(place.size());
  for (int next = n - 1; next >= 0; --next) {
    const int j = pending.back();
    pending.pop_back();
    renumbered[at(j)] = next;
    pending.insert(pending.end(), children[at(j)].begin(), children[at(j)].end());
  }
  for (int& k : place) k = renumbered[at(k)];
}

/// Column j of L has the rows of the matrix and those of its children in the tree.
void EliminationOrder::findRows(const Lists& below, std::size_t columns) {
  const int n = static_cast<int>(columns);
  rows.assign(place.size(), {});
  Lists children(place.size());
  std::vector<int> seenBy(place.size(), -1);
  for (int j = 0; j < n; ++j) {
    const auto add = [&](int row) {
      if (row <= j || seenBy[at(row)] == j) return;
      seenBy[at(row)] = j;
      rows[at(j)].push_back(row);
    };
    for (const int row : below[at(j)]) add(row);
    for (const int child : children[at(j)])
      for (const int row : rows[at(child)]) add(row);
    std::sort(rows[at(j)].begin(), rows[at(j)].end());
    if (parent[at(j)] >= 0) children[at(parent[at(j)])].push_back(j);
  }
}

}  // namespace trammel
