#include "solver/constraint_rank.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace trammel {

namespace {

constexpr Index smallSystem = 48;  // rows and columns up to which a dense factor is quick

constexpr Index dependenciesApart = 64;   // more are looked at through one combination of all
constexpr double negligibleShare = 1e-6;  // of a row in a dependency
constexpr double goodPivot = 1e-2;        // share that makes a row the one to drop

/// The factor R of A = D_M Gᵀ D_G (n×m) with the columns in `order`; a dependent column has no row.
struct Factor {
  struct Entry {
    Index column;
    double value;
  };
  std::vector<Index> order;             // constraint that stands in column j
  std::vector<std::vector<Entry>> row;  // row j of R from its diagonal on; empty: dependent
  Index rank = 0;
  Index entries = 0;
};

/// Empty if M or G is not finite.
SparseMatrix equilibrated(const Linearisation& at) {
  const Vector massDiagonal = at.M.diagonal();
  SparseMatrix A = at.G.transpose();
  const auto finite = [](const SparseMatrix& x) {
    return Eigen::Map<const Vector>(x.valuePtr(), x.nonZeros()).allFinite();
  };
  if (!massDiagonal.allFinite() || !finite(A)) return {};
  for (Index j = 0; j < A.outerSize(); ++j) {
    double square = 0;
    for (SparseMatrix::InnerIterator entry(A, j); entry; ++entry) {
      const double mass = massDiagonal[entry.row()];
      if (mass > 0) entry.valueRef() /= std::sqrt(mass);
      square += entry.value() * entry.value();
    }
    if (square > 0) A.col(j) /= std::sqrt(square);
  }
  return A;
}

Factor factorDense(const SparseMatrix& A, double tolerance) {
  Eigen::ColPivHouseholderQR<Matrix> qr;
  qr.setThreshold(tolerance);
  qr.compute(Matrix(A));
  Factor factor;
  factor.rank = qr.rank();
  factor.entries = A.size();
  factor.row.resize(static_cast<std::size_t>(A.cols()));
  for (Index j = 0; j < A.cols(); ++j) {
    factor.order.push_back(qr.colsPermutation().indices()[j]);
    if (j >= factor.rank) continue;
    for (Index k = j; k < A.cols(); ++k)
      factor.row[static_cast<std::size_t>(j)].push_back({k, qr.matrixR()(j, k)});
  }
  return factor;
}

/// Orthogonal elimination column by column. The rows that begin with a column form a small dense
/// block; its triangular factor gives the row of R and, for each later column, at most one row that
/// waits there. Nothing else is kept, so a chain costs memory in proportion to its length.
class FrontalElimination {
 public:
  FrontalElimination(const SparseMatrix& A, double tolerance)
      : tolerance_(tolerance), waiting_(static_cast<std::size_t>(A.cols())) {
    const SparseMatrix product = A.transpose() * A;
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
    Eigen::AMDOrdering<int>()(product.selfadjointView<Eigen::Lower>(), permutation);
    const SparseMatrix ordered = A * permutation;
    for (Index j = 0; j < A.cols(); ++j) factor.order.push_back(permutation.indices()[j]);
    factor.row.resize(waiting_.size());
    const Eigen::SparseMatrix<double, Eigen::RowMajor> rows = ordered;
    for (Index i = 0; i < rows.outerSize(); ++i) {
      Row row;
      for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator entry(rows, i); entry;
           ++entry)
        row.push_back({entry.col(), entry.value()});
      if (!row.empty()) waiting_[static_cast<std::size_t>(row.front().column)].push_back(row);
    }
    for (std::size_t j = 0; j < waiting_.size(); ++j) eliminate(j);
  }

  Factor factor;

 private:
  using Row = std::vector<Factor::Entry>;

  void eliminate(std::size_t j) {
    std::vector<Row> front;
    front.swap(waiting_[j]);
    if (front.empty()) return;
    std::vector<Index> columns;
    for (const Row& row : front)
      for (const Factor::Entry& entry : row) columns.push_back(entry.column);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    Matrix block =
        Matrix::Zero(static_cast<Index>(front.size()), static_cast<Index>(columns.size()));
    for (std::size_t i = 0; i < front.size(); ++i) {
      for (const Factor::Entry& entry : front[i]) {
        const auto at = std::lower_bound(columns.begin(), columns.end(), entry.column);
        block(static_cast<Index>(i), at - columns.begin()) = entry.value;
      }
    }
    const bool dependent = block.col(0).norm() <= tolerance_;
    const Index first = dependent ? 1 : 0;
    const Eigen::HouseholderQR<Matrix> qr(block.rightCols(block.cols() - first));
    const Index rows = std::min(block.rows(), block.cols() - first);
    for (Index i = 0; i < rows; ++i) {
      Row row;
      for (Index k = i; k + first < block.cols(); ++k)
        row.push_back({columns[static_cast<std::size_t>(k + first)], qr.matrixQR()(i, k)});
      if (i == 0 && !dependent) {
        factor.entries += static_cast<Index>(row.size());
        ++factor.rank;
        factor.row[j] = std::move(row);
      } else {
        waiting_[static_cast<std::size_t>(row.front().column)].push_back(std::move(row));
      }
    }
  }

  double tolerance_;
  std::vector<std::vector<Row>> waiting_;
};

/// Columns x with A x = 0 by back substitution, free in the dependent columns: one for each of
/// them, or, where they are many, one for all with weights that do not cancel by accident.
Matrix dependencies(const Factor& factor) {
  const auto m = factor.order.size();
  const Index dependent = static_cast<Index>(m) - factor.rank;
  const bool apart = dependent <= dependenciesApart;
  Matrix null = Matrix::Zero(static_cast<Index>(m), apart ? dependent : 1);
  Vector x(static_cast<Index>(m));
  for (Index k = 0; k < null.cols(); ++k) {
    Index met = 0;
    for (std::size_t j = m; j-- > 0;) {
      const double turn = 0.6180339887498949 * static_cast<double>(j);
      double value = apart ? (met == k ? 1.0 : 0.0) : 0.5 + turn - std::floor(turn);
      if (factor.row[j].empty()) {
        ++met;
      } else {
        value = 0;
        for (const auto& [column, entry] : factor.row[j])
          if (column != static_cast<Index>(j)) value -= entry * x[column];
        value /= factor.row[j].front().value;
      }
      x[static_cast<Index>(j)] = value;
      null(factor.order[j], k) = value;
    }
    null.col(k) /= null.col(k).lpNorm<Eigen::Infinity>();
  }
  return null;
}

/// From the last row up, the rows that can be expressed by rows before them: elimination in the
/// dependencies.
std::vector<Index> lastOfEach(Matrix null) {
  std::vector<Index> rows;
  for (Index row = null.rows() - 1; row >= 0 && null.cols() > 0; --row) {
    Index pivot = 0;
    if (null.row(row).cwiseAbs().maxCoeff(&pivot) < goodPivot) continue;
    rows.push_back(row);
    const Vector column = null.col(pivot) / null(row, pivot);
    const Vector shares = null.row(row);
    null -= column * shares.transpose();
    null.col(pivot) = null.col(null.cols() - 1);
    null.conservativeResize(Eigen::NoChange, null.cols() - 1);
    for (Index k = 0; k < null.cols(); ++k) null.col(k) /= null.col(k).lpNorm<Eigen::Infinity>();
  }
  std::reverse(rows.begin(), rows.end());
  return rows;
}

/// The rows with the largest shares: elimination in the dependencies with all pivots to choose
/// from.
std::vector<Index> strongestOfEach(Matrix null) {
  std::vector<Index> rows;
  while (null.cols() > 0) {
    Index row = 0, pivot = 0;
    if (null.cwiseAbs().maxCoeff(&row, &pivot) < goodPivot) return {};
    rows.push_back(row);
    const Vector column = null.col(pivot) / null(row, pivot);
    const Vector shares = null.row(row);
    null -= column * shares.transpose();
    null.row(row).setZero();
    null.col(pivot) = null.col(null.cols() - 1);
    null.conservativeResize(Eigen::NoChange, null.cols() - 1);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

void nameDependencies(const Factor& factor, double tolerance, ConstraintRank& out) {
  const Matrix null = dependencies(factor);
  const double share = std::max(negligibleShare, 3 * tolerance);
  for (Index i = 0; i < null.rows(); ++i)
    if (null.row(i).lpNorm<Eigen::Infinity>() > share) out.involved.push_back(i);
  const auto dependent = static_cast<std::size_t>(out.equations - out.rank);
  if (null.cols() == out.equations - out.rank) {
    out.redundant = lastOfEach(null);
    out.implied = strongestOfEach(null);
  }
  std::vector<Index> without;  // a row of the factor
  for (std::size_t j = 0; j < factor.row.size(); ++j)
    if (factor.row[j].empty()) without.push_back(factor.order[j]);
  std::sort(without.begin(), without.end());
  for (std::vector<Index>* rows : {&out.redundant, &out.implied})
    if (rows->size() != dependent) *rows = without;
}

}  // namespace

ConstraintRank constraintRank(MechanicalSystem& system, double t, VectorIn q, double tolerance) {
  ConstraintRank out;
  out.equations = system.constraintCount();
  out.degreesOfFreedom = system.coordinateCount();
  if (out.equations == 0) return out;
  Linearisation at;
  system.shape(at);
  system.massAndGradient(t, q, at);
  const SparseMatrix A = equilibrated(at);
  if (A.size() == 0) {
    out.finite = false;
    return out;
  }
  const bool small = A.rows() + A.cols() <= smallSystem;
  const Factor factor = small ? factorDense(A, tolerance) : FrontalElimination(A, tolerance).factor;
  out.rank = factor.rank;
  out.degreesOfFreedom -= factor.rank;
  out.factorEntries = factor.entries;
  if (!out.full()) nameDependencies(factor, tolerance, out);
  return out;
}

std::string describeRedundancy(const ConstraintRank& rank, const MechanicalSystem& system) {
  std::map<std::string, std::pair<Index, Index>> equations;  // redundant, all
  for (const Index row : rank.redundant) ++equations[system.constraintName(row)].first;
  for (Index row = 0; row < rank.equations; ++row) {
    const auto found = equations.find(system.constraintName(row));
    if (found != equations.end()) ++found->second.second;
  }
  std::ostringstream text;
  const char* separator = "";
  for (const Index row : rank.redundant) {
    const auto found = equations.find(system.constraintName(row));
    if (found == equations.end()) continue;
    const auto& [name, count] = *found;
    text << separator << name << ": " << count.first << " of " << count.second
         << (count.second == 1 ? " equation redundant" : " equations redundant");
    separator = ", ";
    equations.erase(found);
  }
  return text.str();
}

std::string namesOf(const std::vector<Index>& rows, const MechanicalSystem& system,
                    std::size_t most) {
  std::vector<std::string> names;
  for (const Index row : rows) {
    const std::string name = "\"" + system.constraintName(row) + "\"";
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    if (names.size() > most) break;
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  return names.size() > most ? text + " and more" : text;
}

}  // namespace trammel
