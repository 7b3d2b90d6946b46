#include "coupling/multiplier_iteration.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "solver/error.hpp"

namespace trammel::coupling {
namespace {

constexpr int patience = 5;      // trials that are no better by half before a bearable one is taken
constexpr double worsening = 5;  // growth of the error that makes earlier secants suspect

}  // namespace

void IterationOptions::validate() const {
  const auto check = [](bool ok, const char* what, double got) {
    if (!ok) throw Error(std::string(what) + ", is " + std::to_string(got));
  };
  check(relaxation != 0 && std::isfinite(relaxation), "relaxation must not be 0", relaxation);
  check(maxEvaluations >= 1, "maxEvaluations must be at least 1", maxEvaluations);
  check(reuse >= 0, "reuse must be at least 0", reuse);
  check(divergence > 1, "divergence must be > 1", divergence);
}

const char* text(IterationEnd end) {
  switch (end) {
    case IterationEnd::converged:
      return "converged";
    case IterationEnd::stagnated:
      return "taken at the noise of the subsystems";
    case IterationEnd::trialFailed:
      return "a trial could not be carried out";
    case IterationEnd::notFinite:
      return "a residual is not finite";
    case IterationEnd::diverged:
      return "the iteration diverges";
    case IterationEnd::tooManyTrials:
      return "the iteration did not converge";
  }
  return "";
}

MultiplierIteration::MultiplierIteration(const IterationOptions& options)
    : options_(options), omega_(options.relaxation) {
  options_.validate();
}

IterationReport MultiplierIteration::solve(const IterationProblem& problem, Vector& x) {
  IterationReport report;
  current_ = {};
  best_ = {};
  lastE_.resize(0);
  lastH_.resize(0);
  second_ = {};
  if (options_.acceleration == Acceleration::aitken) {
    omega_ = std::copysign(std::min(std::abs(omega_), 0.5), omega_);
  }
  Vector R, e(x.size());
  while (report.evaluations < options_.maxEvaluations) {
    ++report.evaluations;
    const bool evaluated = problem.residual(x, R);
    report.end = evaluated ? IterationEnd::notFinite : IterationEnd::trialFailed;
    if (!evaluated || !R.allFinite()) return report;
    const bool renew = report.evaluations == 1 || options_.acceleration == Acceleration::newton;
    if (renew && problem.renew) problem.renew();
    problem.precondition(R, e);
    report.errors.push_back(problem.error(x, e));
    const double error = report.errors.back();
    if (!std::isfinite(error)) return report;
    if (report.evaluations == 2) judge(problem, x, e);
    if (error <= 1) {
      report.end = IterationEnd::converged;
      if (!current_.e.empty()) earlier_.push_front(std::move(current_));
      while (earlier_.size() > static_cast<std::size_t>(options_.reuse)) earlier_.pop_back();
      return report;
    }
    const bool isWorse = best_.x.size() > 0 && error > worsening * best_.error;
    if (isWorse && !earlier_.empty() && options_.acceleration == Acceleration::iqnIls) {
      x = withoutEarlierSecants();
      continue;
    }
    report.end = IterationEnd::diverged;
    if (error > options_.divergence * report.errors.front()) return report;
    const bool isBetter = best_.x.size() == 0 || error < best_.error / 2;
    if (isBetter) {
      best_ = {x, e, error, report.evaluations, problem.bearable && problem.bearable()};
    }
    if (report.evaluations - best_.evaluation >= patience && best_.bearable) break;
    x = nextTrial(x, e);
  }
  report.end = IterationEnd::tooManyTrials;
  if (best_.bearable) takeBest(problem, x, report);
  return report;
}

/// Goes back to the best trial. What was learnt on the way is noise.
void MultiplierIteration::takeBest(const IterationProblem& problem, Vector& x,
                                   IterationReport& report) {
  x = best_.x;
  Vector R;
  ++report.evaluations;
  forget();
  const bool evaluated = problem.residual(x, R) && R.allFinite();
  report.end = evaluated ? IterationEnd::stagnated : IterationEnd::trialFailed;
}

/// Secants of earlier steps have misled: they are dropped, and the best trial so far is corrected
/// by P alone.
Vector MultiplierIteration::withoutEarlierSecants() {
  earlier_.clear();
  current_ = {};
  lastE_ = best_.e;
  lastH_ = best_.x + best_.e;
  return lastH_;
}

void MultiplierIteration::forget() {
  earlier_.clear();
  misses_ = {};
  omega_ = options_.relaxation;
}

Vector MultiplierIteration::nextTrial(const Vector& x, const Vector& e) {
  switch (options_.acceleration) {
    case Acceleration::relaxation:
      return x + options_.relaxation * e;
    case Acceleration::newton:
      return x + e;
    case Acceleration::aitken: {
      // ω ← −ω e_{i−1}·(e_i − e_{i−1}) / |e_i − e_{i−1}|²
      if (lastE_.size() > 0) {
        const Vector de = e - lastE_;
        if (de.squaredNorm() > 0) omega_ *= -lastE_.dot(de) / de.squaredNorm();
      }
      lastE_ = e;
      return x + omega_ * e;
    }
    case Acceleration::iqnIls:
      return lastE_.size() == 0 ? secondTrial(x, e) : secantStep(x, e);
  }
  return x;
}

/// Secants of earlier steps know what P leaves out, and the noise of the steps they come from: the
/// second trial follows them if that has brought it closer of late, later ones always do.
Vector MultiplierIteration::secondTrial(const Vector& x, const Vector& e) {
  second_ = {x + e, secantStep(x, e)};
  return misses_.secant <= misses_.plain ? second_.secant : second_.plain;
}

/// Compares both places of the second trial with what x + e now says; the last step counts half.
void MultiplierIteration::judge(const IterationProblem& problem, const Vector& x, const Vector& e) {
  if (second_.plain.size() != x.size() || earlier_.empty()) return;
  const auto take = [&](const Vector& place, double& miss) {
    const Vector off = x + e - place;
    const double size = problem.size ? problem.size(x, off) : off.lpNorm<Eigen::Infinity>();
    miss = (miss + size * size) / 2;
  };
  take(second_.plain, misses_.plain);
  take(second_.secant, misses_.secant);
}

/// x + e + ΔH α with α = argmin |ΔE α + e|, H = x + e: Newton's step with the Jacobian that the
/// secants have seen and P everywhere else.
Vector MultiplierIteration::secantStep(const Vector& x, const Vector& e) {
  Vector h = x + e;
  if (lastE_.size() > 0) {
    current_.e.insert(current_.e.begin(), e - lastE_);
    current_.h.insert(current_.h.begin(), h - lastH_);
  }
  lastE_ = e;
  lastH_ = h;
  // Newest first; a column that the newer ones nearly span says nothing new.
  std::vector<Vector> basis;
  std::vector<const Vector*> E, H;
  const auto offer = [&](const Secants& secants) {
    for (std::size_t k = 0; k < secants.e.size(); ++k) {
      const Vector& column = secants.e[k];
      if (column.size() != e.size() || std::ssize(basis) >= e.size()) continue;
      Vector u = column;
      for (int pass = 0; pass < 2; ++pass) {
        for (const Vector& q : basis) u -= q * q.dot(u);
      }
      if (!(u.norm() > 1e-6 * column.norm())) continue;
      basis.push_back(u.normalized());
      E.push_back(&column);
      H.push_back(&secants.h[k]);
    }
  };
  offer(current_);
  for (const Secants& secants : earlier_) offer(secants);
  if (E.empty()) return h;
  const auto n = std::ssize(E);
  Matrix dE(e.size(), n), dH(e.size(), n);
  for (Index k = 0; k < n; ++k) {
    dE.col(k) = *E[static_cast<std::size_t>(k)];
    dH.col(k) = *H[static_cast<std::size_t>(k)];
  }
  const Vector alpha = dE.colPivHouseholderQr().solve(-e);
  return h + dH * alpha;
}

}  // namespace trammel::coupling
