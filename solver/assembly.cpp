#include "solver/assembly.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "solver/at_time.hpp"
#include "solver/error.hpp"
#include "solver/frontal_ldlt.hpp"

namespace trammel {

namespace {

constexpr int maxIterations = 100;
constexpr int maxSettling = 100;
constexpr int maxApproach = 200;
constexpr double nearEnough = 1e-7;  // relative correction that ends the approach
constexpr int maxSweeps = 40;
constexpr double smallestDamping = 1e-4;
constexpr double settledCorrection = 1e-9;  // relative; the next quadratic correction is roundoff
constexpr double settledDistance = 1e-12;   // relative; settling converges linearly
constexpr double contradiction = 1e-10;     // relative residual that consistent constraints lose
constexpr double alreadyThere = 1e-7;       // relative distance whose square is below roundoff
constexpr double roundoff = std::numeric_limits<double>::epsilon();
constexpr std::size_t mostNames = 20;

bool isKept(const std::vector<bool>& kept, Index i) {
  return !kept.empty() && kept[static_cast<std::size_t>(i)];
}

void requireSize(const char* what, std::size_t got, Index expected) {
  if (got == static_cast<std::size_t>(expected)) return;
  throw Error("start values: " + std::string(what) + " has " + std::to_string(got) +
              " entries, expected " + std::to_string(expected));
}

bool any(const std::vector<bool>& kept) {
  return std::find(kept.begin(), kept.end(), true) != kept.end();
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (std::size_t i = 0; i < std::min(texts.size(), mostNames); ++i)
    all += (i == 0 ? "" : ", ") + texts[i];
  if (texts.size() > mostNames) all += " and " + std::to_string(texts.size() - mostNames) + " more";
  return all;
}

}  // namespace

Assembly::Assembly(MechanicalSystem& system, LinearAlgebra choice)
    : system_(system),
      n_(system.coordinateCount()),
      m_(system.constraintCount()),
      free_(shapeOf(system)),
      whole_(free_),
      kkt_(free_, choice),
      rhs_(Vector::Zero(n_ + m_)),
      residual_(Vector::Zero(m_)),
      violation_(Vector::Zero(m_)),
      trial_(Vector::Zero(n_)),
      step_(Vector::Zero(n_)),
      nominal_(n_) {
  for (Index i = 0; i < n_; ++i) nominal_[i] = system.coordinateNominal(i);
}

Report Assembly::assemble(StartValues& start) {
  requireSize("q", static_cast<std::size_t>(start.q.size()), n_);
  requireSize("v", static_cast<std::size_t>(start.v.size()), n_);
  if (!start.keepPosition.empty()) requireSize("keepPosition", start.keepPosition.size(), n_);
  if (!start.keepVelocity.empty()) requireSize("keepVelocity", start.keepVelocity.size(), n_);
  if (m_ == 0) return {};
  const Report report = positions(start.t, start.keepPosition, start.q);
  return report.ok ? velocities(start.t, start.q, start.keepVelocity, start.v) : report;
}

/// Kept coordinates leave the problem: their columns of G are zero and M couples them with nothing,
/// so their corrections vanish.
bool Assembly::refresh(double t, VectorIn q, const Kept& kept) {
  system_.massAndGradient(t, q, whole_);
  const auto copyFree = [&](const SparseMatrix& from, SparseMatrix& to, bool mass) {
    for (Index j = 0; j < from.outerSize(); ++j) {
      SparseMatrix::InnerIterator target(to, j);
      for (SparseMatrix::InnerIterator entry(from, j); entry; ++entry, ++target) {
        const bool drop = isKept(kept, j) || (mass && isKept(kept, entry.row()));
        const bool diagonal = mass && entry.row() == j;
        target.valueRef() = drop && !diagonal ? 0.0 : entry.value();
      }
    }
  };
  copyFree(whole_.M, free_.M, true);
  copyFree(whole_.G, free_.G, false);
  return kkt_.factorise(free_, IterationWeights{});
}

/// [M Gᵀ; G 0] [δ; ·] = [0; −residual].
void Assembly::correction(const Kept& kept, VectorIn residual) {
  rhs_.head(n_).setZero();
  rhs_.tail(m_) = -residual;
  kkt_.solve(rhs_);
  for (Index i = 0; i < n_; ++i)
    if (isKept(kept, i)) rhs_[i] = 0;
}

double Assembly::massNorm(VectorIn x) const { return std::sqrt(std::abs(x.dot(whole_.M * x))); }

/// |residual_i| / Σ_j |G_ij| size_j, and the largest of them.
double Assembly::relativeViolation(VectorIn size) {
  violation_.setConstant(std::numeric_limits<double>::min());
  for (Index j = 0; j < n_; ++j) {
    for (SparseMatrix::InnerIterator entry(whole_.G, j); entry; ++entry)
      violation_[entry.row()] += std::abs(entry.value()) * size[j];
  }
  violation_ = residual_.cwiseAbs().cwiseQuotient(violation_);
  return violation_.maxCoeff();
}

/// Damped by the natural monotonicity test (Deuflhard 2004, section 2.1): the correction that the
/// same factor gives at the trial point is smaller. It does not depend on the units of constraints.
bool Assembly::reach(double t, const Kept& kept, Vector& q) {
  double damping = 1;
  system_.constraint(t, q, residual_);
  for (int iteration = 0; iteration < maxIterations; ++iteration) {
    if (!residual_.allFinite() || !refresh(t, q, kept)) return false;
    correction(kept, residual_);
    step_ = rhs_.head(n_);
    const double size = massNorm(step_);
    const double relative = (step_.array().abs() / (q.array().abs() + nominal_.array())).maxCoeff();
    if (!std::isfinite(relative)) return false;
    damping = std::min({1.0, 2 * damping, 1.0 / std::max(relative, 1e-300)});
    while (true) {
      trial_ = q + damping * step_;
      system_.constraint(t, trial_, residual_);
      correction(kept, residual_);
      if (relative <= settledCorrection) break;
      if (residual_.allFinite() && massNorm(rhs_.head(n_)) <= (1 - 0.25 * damping) * size) break;
      damping *= 0.5;
      if (damping < smallestDamping) {
        system_.constraint(t, q, residual_);
        relativeViolation(q.cwiseAbs() + nominal_);
        return false;
      }
    }
    q = trial_;
    if (relative > settledCorrection) continue;
    // Newton has settled: on the constraints or, where they contradict each other, beside them.
    if (relativeViolation(q.cwiseAbs() + nominal_) <= contradiction) return true;
    if (relative <= 4 * roundoff) return false;
  }
  relativeViolation(q.cwiseAbs() + nominal_);
  return false;
}

/// Levenberg and Marquardt on ½ |D g|², D = 1/length of the row of G in the mass metric:
///   (Gᵀ D² G + μ M) δ = −Gᵀ D² g.
/// At the end only constraints that contradict each other have a residual, because Gᵀ D² g = 0.
void Assembly::approach(double t, const Kept& kept, Vector& q) {
  Vector scale = Vector::Zero(m_);  // D²
  double mu = 1e-3;
  double relative = 1;
  system_.constraint(t, q, residual_);
  for (int iteration = 0; iteration < maxApproach && relative > nearEnough; ++iteration) {
    if (!residual_.allFinite() || !refresh(t, q, kept)) return;
    if (iteration == 0) {
      for (Index j = 0; j < n_; ++j)
        for (SparseMatrix::InnerIterator entry(whole_.G, j); entry; ++entry)
          scale[entry.row()] += entry.value() * entry.value() / whole_.M.coeff(j, j);
      scale = (scale.array() > 0).select(scale.cwiseInverse(), 1.0);
    }
    const double before = residual_.cwiseAbs2().dot(scale);
    const SparseMatrix square = free_.G.transpose() * scale.asDiagonal() * free_.G;
    rhs_.head(n_) = -(free_.G.transpose() * scale.cwiseProduct(residual_));
    for (bool better = false; !better; mu *= better ? 0.1 : 4) {
      if (!(mu < 1e12)) return;
      const SparseMatrix damped = square + mu * free_.M;
      const SparseMatrix lower = damped.triangularView<Eigen::Lower>();
      FrontalLdlt ldlt;
      ldlt.analyse(lower);
      if (!ldlt.factorise(lower)) return;
      step_ = rhs_.head(n_);
      ldlt.solve(step_);
      trial_ = q + step_;
      system_.constraint(t, trial_, residual_);
      better = residual_.cwiseAbs2().dot(scale) < before;
      relative = (step_.array().abs() / (q.array().abs() + nominal_.array())).maxCoeff();
      if (relative <= nearEnough) break;
    }
    q = trial_;
  }
}

/// Descent of ½ (q − wanted)ᵀ M (q − wanted) along the constraints:
///   [M Gᵀ; G 0] [δ; ·] = [−M (q − wanted); 0],   then back to g = 0.
void Assembly::settle(double t, const Kept& kept, VectorIn wanted, Vector& q) {
  Vector candidate;
  double damping = 1;
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < maxSettling; ++iteration) {
    if (!refresh(t, q, kept)) return;
    const Vector away = q - wanted;
    const double distance = massNorm(away);
    rhs_.head(n_) = -(free_.M * away);
    rhs_.tail(m_).setZero();
    kkt_.solve(rhs_);
    const Vector along = rhs_.head(n_);
    const double relative = (along.array().abs() / (q.array().abs() + nominal_.array())).maxCoeff();
    // Where steps are small the distance no longer tells better from worse; their length does.
    const bool small = relative <= alreadyThere;
    if (!(relative > settledDistance) || (small && relative >= before)) return;
    before = relative;
    for (damping = std::min(1.0, 2 * damping);; damping *= 0.5) {
      if (damping < smallestDamping) return;
      candidate = q + damping * along;
      if (reach(t, kept, candidate) && (small || massNorm(candidate - wanted) < distance)) break;
    }
    q = candidate;
  }
}

Report Assembly::positions(double t, const Kept& kept, Vector& q) {
  const Vector wanted = q;
  if (reach(t, kept, q)) {
    const auto away = (q - wanted).array().abs() / (q.array().abs() + nominal_.array());
    if (away.maxCoeff() > alreadyThere) settle(t, kept, wanted, q);
    return {};
  }
  if (!residual_.allFinite() || !q.allFinite())
    return {false, "constraints are not finite" + atTime(t)};
  q = wanted;
  approach(t, kept, q);
  const Vector found = q;
  if (reach(t, kept, q)) return {};
  q = wanted;
  const bool keptAreTheCause = any(kept) && reach(t, {}, q);
  if (!refresh(t, found, kept))
    return {false, "mass matrix or constraint gradient is singular or not finite" + atTime(t)};
  system_.constraint(t, found, residual_);
  relativeViolation(found.cwiseAbs() + nominal_);
  return unmet(t, "positions cannot be made consistent", keptAreTheCause, kept);
}

/// A linear problem, solved by sweeps that take the regularisation out of the factor.
bool Assembly::reachRates(double t, VectorIn q, const Kept& kept, Vector& v) {
  if (!refresh(t, q, kept)) return false;
  double before = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < maxSweeps; ++sweep) {
    system_.constraintRate(t, q, v, residual_);
    if (!residual_.allFinite()) return false;
    const double violation = relativeViolation(v.cwiseAbs() + nominal_);
    if (violation >= before) {
      v = trial_;  // the last sweep did not help any more
      system_.constraintRate(t, q, v, residual_);
      return relativeViolation(v.cwiseAbs() + nominal_) <= contradiction;
    }
    if (violation <= 4 * roundoff) return true;
    before = violation;
    trial_ = v;
    correction(kept, residual_);
    v += rhs_.head(n_);
  }
  return before <= contradiction;
}

Report Assembly::velocities(double t, VectorIn q, const Kept& kept, Vector& v) {
  const Vector wanted = v;
  if (reachRates(t, q, kept, v)) return {};
  if (!residual_.allFinite() || !v.allFinite())
    return {false, "constraint rates are not finite" + atTime(t)};
  Vector released = wanted;
  const bool keptAreTheCause = any(kept) && reachRates(t, q, {}, released);
  system_.constraintRate(t, q, v, residual_);
  relativeViolation(v.cwiseAbs() + nominal_);
  return unmet(t, "velocities cannot be made consistent", keptAreTheCause, kept);
}

/// All constraints that are off, each with its worst equation, and the kept coordinates in them.
Report Assembly::unmet(double t, const char* what, bool keptAreTheCause, const Kept& kept) const {
  const double limit = std::max(contradiction, 1e-3 * violation_.maxCoeff());
  std::vector<std::string> names;
  std::vector<Index> worst;
  for (Index i = 0; i < m_; ++i) {
    if (violation_[i] < limit) continue;
    const std::string name = system_.constraintName(i);
    const auto found = std::find(names.begin(), names.end(), name);
    const auto at = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
      names.push_back(name);
      worst.push_back(i);
    } else if (violation_[i] > violation_[worst[at]]) {
      worst[at] = i;
    }
  }
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::ostringstream text;
    text << "constraint \"" << names[k] << "\" is off by " << residual_[worst[k]];
    texts.push_back(text.str());
  }
  std::string message = what + atTime(t) + ": " + joined(texts);
  if (!keptAreTheCause) return {false, message};
  std::vector<std::string> coordinates;
  for (Index j = 0; j < n_; ++j) {
    if (!isKept(kept, j)) continue;
    bool inOne = false;
    for (SparseMatrix::InnerIterator entry(whole_.G, j); entry; ++entry)
      inOne = inOne || (entry.value() != 0 && violation_[entry.row()] >= limit);
    if (inOne) coordinates.push_back("\"" + system_.coordinateName(j) + "\"");
  }
  return {false, message + "; it could be met without keeping " + joined(coordinates)};
}

}  // namespace trammel
