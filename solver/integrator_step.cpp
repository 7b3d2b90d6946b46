#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "solver/constraint_rank.hpp"
#include "solver/integrator_implementation.hpp"
#include "solver/pairs.hpp"

namespace trammel {

namespace {

constexpr double roundoff = std::numeric_limits<double>::epsilon();
constexpr double divergenceRate = 0.9;
constexpr double stallRate = 0.3;  // of corrections that roundoff keeps from shrinking
constexpr int maxConvergenceFailures = 10;
constexpr int maxErrorFailures = 20;
constexpr int maxCompanionOrder = 3;
constexpr double maxPlannedSteps = 1e6;
constexpr double nearLossOfRank = 0.03;  // share of a row that the others leave of it; there
                                         // multipliers have grown by its inverse

}  // namespace

Report Integrator::Implementation::failure(const char* what) const {
  std::ostringstream text;
  text.precision(12);
  text << what << " at t = " << history.time() << " s, step size " << history.step() << " s, order "
       << history.order();
  const ConstraintRank rank =
      constraintRank(system, history.time(), history.current().head(n), nearLossOfRank);
  if (rank.finite && !rank.full()) {
    text << "; the constraints are close to a loss of rank (" << rank.rank << " of "
         << rank.equations << " equations are independent): " << namesOf(rank.involved, system);
  }
  return {false, text.str()};
}

/// A step that would end near the limit ends on it; two equal steps where one would leave a small
/// rest.
double Integrator::Implementation::clip(double h, double limit) const {
  if (!std::isfinite(limit)) return h;
  const double rest = limit - history.time();
  if (h >= rest * (1 - 1e-9)) {
    h = rest;
  } else if (h > 0.5 * rest) {
    h = 0.5 * rest;
  }
  return sameOrNew(h, limit);
}

/// The same step size up to the rounding of times stays the same, so that orders can grow.
double Integrator::Implementation::sameOrNew(double h, double limit) const {
  const double same = std::min(timeResolution(limit), 1e-6 * h);
  return std::abs(h - history.lastStep()) <= same ? history.lastStep() : h;
}

/// The step size to try first.
double Integrator::Implementation::tryFirst(double limit) {
  const double h = std::min(next.step, options.maxStep);
  plannedIterations = plans(limit) ? plan.iterations : 0;
  if (!plans(limit)) return clip(h, limit);
  if (plan.limit != limit) factorStale = true;  // one that ages would have to be replaced some time
  if (plan.remaining == 0 || plan.limit != limit) return makePlan(h, limit);
  return sameOrNew((limit - history.time()) / plan.remaining, limit);
}

/// Equal steps of at most h up to the limit; in the starting phase, where they grow at every step,
/// only the next one.
double Integrator::Implementation::makePlan(double h, double limit) {
  if (!plans(limit)) return h;
  plan.limit = limit;
  plan.remaining = 0;
  if (starting) return clip(h, limit);
  const double rest = limit - history.time();
  const double count = std::ceil(rest * (1 - 1e-9) / h);
  if (count > maxPlannedSteps) return h;
  plan.remaining = std::max(1, static_cast<int>(count));
  return sameOrNew(rest / plan.remaining, limit);
}

Report Integrator::Implementation::step(double limit) {
  weightsDue = true;
  double h = tryFirst(limit);
  int k = next.order;
  const long linearisations = statistics.linearisations;
  const double largest = plan.remaining > 0 ? StepPlan::errorLeniency : 1;  // error, in tolerances
  for (int convergenceFailures = 0, errorFailures = 0;;) {
    if (!(h > 4 * roundoff * std::abs(history.time())))  // also where it is not a number
      return failure("step size below the resolution of time");
    history.begin(h, k);
    const double cj = history.leadingCoefficient();
    if (!isFactoredFor(cj)) {
      factorStale = !(settings.refactors && refactorFor(cj));
    } else if (cj != lastCj) {
      contraction = {};
    }
    lastCj = cj;
    const long before = statistics.residuals;
    if (!correct(cj)) {
      ++statistics.convergenceFailures;
      starting = false;
      if (++convergenceFailures == maxConvergenceFailures) {
        return failure(!y.allFinite() ? "the model's equations are not finite"
                       : unfactorable ? "the model's mass, gradient or stiffness is not finite or "
                                        "makes a singular matrix"
                                      : "Newton iteration does not converge");
      }
      history.reject();
      h = makePlan(0.25 * h, limit);
      if (!transient.over) transient.halvings += 2;
      continue;
    }
    errorUnit = settings.roundoffShare > 0 ? 1 + settings.roundoffShare * correctionFloor(cj) : 1;
    const ErrorEstimates estimates = StepControl::estimate(history, errorNorms());
    if (statistics.residuals - before >= settings.refreshAfter) factorStale = true;
    if (estimates.test <= largest || !transient.over) {
      acceptStep(estimates, limit);
      return watchImplied(statistics.linearisations != linearisations);
    }
    ++statistics.errorFailures;
    starting = false;
    if (++errorFailures == maxErrorFailures) return failure("error test fails repeatedly");
    history.reject();
    const StepChoice smaller = StepControl::afterErrorFailure(history, estimates, errorFailures);
    h = makePlan(smaller.step, limit);
    plan.worst = std::max(plan.worst, StepPlan::keptSize);
    k = smaller.order;
  }
}

bool Integrator::Implementation::isFactoredFor(double cj) {
  const double factored = corrector.factoredFor(), range = settings.factorRange;
  return cj >= range * factored && range * cj <= factored;
}

/// Another step size with the same linearisation, whose rates last with it; false where that has
/// not served well.
bool Integrator::Implementation::refactorFor(double cj) {
  if (factorStale || !corrector.refactorFor(cj)) return false;
  ++statistics.factorisations;
  return true;
}

/// Of E, which it completes from −y⁰ to y − y⁰: one pass, where norms are sums over the rows.
ErrorNorms Integrator::Implementation::errorNorms() {
  const Index measured = measuredRows();
  if (testsAll()) {
    const BdfHistory::Squares squares = history.completeError(y.head(measured), E.head(measured),
                                                              inverseWeights.head(testedRows()));
    const auto norm = [this](double sum) { return std::sqrt(sum / testedCount()) / errorUnit; };
    return {norm(squares.atOrder), norm(squares.below), norm(squares.twoBelow)};
  }
  E.head(measured) += y.head(measured);
  if (!transient.over && !transient.mayEnd(settings.untestedSteps)) return {};
  const int k = history.order();
  ErrorNorms norms{errorNorm(E), 0, 0};
  if (k > 1) norms.below = errorNorm(history.difference(k + 1) + E);
  if (k > 2) norms.twoBelow = errorNorm(history.difference(k + 1) + E + history.difference(k));
  return norms;
}

/// Newton from the predictor. An iteration that converges too slowly goes on from where it is with
/// a factor of its iterate; one that diverges starts again from the predictor with a fresh factor.
bool Integrator::Implementation::correct(double cj) {
  bool tooOld = false;  // the factor that the step began with
  for (bool fresh = false;;) {
    history.predict({y, derivative, E.head(measuredRows())}, traits.companions,
                    traits.companionsNoisy ? companionOrder : highestOrder);
    if (weightsDue) setWeights();  // now, because the prediction has settled the history
    StepPoint point{history.time(), cj, y, derivative};
    if (!transient.over) beginFromPresent(point);
    if (factorStale) {
      fresh = true;
      if (!refresh(point, multipliers)) return false;
    }
    corrector.begin(point);
    const bool aged = !fresh;
    NewtonOutcome outcome = newton(point, aged);
    tooOld = tooOld || (aged && outcome != NewtonOutcome::converged);
    for (int i = 0; outcome == NewtonOutcome::slow && i < settings.refreshesWithin; ++i) {
      fresh = true;
      if (!refresh(point, y.tail(m))) return false;
      outcome = newton(point, false);
    }
    if (outcome == NewtonOutcome::converged) {
      factorLife.endStep(!fresh, tooOld);
      return true;
    }
    factorStale = true;
    if (fresh) return false;
  }
}

/// Takes (q, v) of the last step in place of the prediction. What is left of a stiff oscillation
/// after a long step is little, and the first iteration, linearised here, finds it; the prediction
/// h v may lie where forces are larger by orders of magnitude.
void Integrator::Implementation::beginFromPresent(StepPoint& point) {
  const double* now = history.current().data();
  double *value = point.y.data(), *rate = point.derivative.data();
  forPairs(2 * n, [&]<class Some>(Index i) {
    const Some predicted = load<Some>(value + i);
    const Some move = load<Some>(now + i) - predicted;
    store<Some>(predicted + move, value + i);
    store<Some>(load<Some>(rate + i) + point.cj * move, rate + i);
  });
}

bool Integrator::Implementation::refresh(StepPoint& point, VectorIn curvature) {
  ++statistics.linearisations;
  ++statistics.factorisations;
  contraction = {};
  factorStale = unfactorable = !corrector.refresh(point, curvature);
  return !factorStale;
}

/// Iterates until the corrections say that it is enough, or as often as planned. More than planned
/// only where the tests are missed by far. `aged`: with a linearisation of an earlier step.
NewtonOutcome Integrator::Implementation::newton(StepPoint& point, bool aged) {
  const double floor = correctionFloor(point.cj);
  double first = 1;
  double firstImbalance = 1;
  double before = 1;
  int needed = 0;  // iterations after which the tests held
  for (int i = 0; i < settings.maxIterations; ++i) {
    ++statistics.residuals;
    const double size = iterate(point);
    if (!std::isfinite(size)) return NewtonOutcome::diverged;
    const double imbalance = settings.imbalanceTolerance > 0
                                 ? corrector.imbalance(point.cj, inverseWeights.segment(n, n))
                                 : 0;
    const bool stalls =
        settings.dasslRoundoff || i + 1 == settings.maxIterations || size > stallRate * before;
    const bool atFloor = size <= floor && i + 1 >= settings.minIterations && stalls;
    before = size;
    if (i == 0) {
      first = size;
      firstImbalance = imbalance;
    } else if (!atFloor && needed == 0) {
      const double reduction = size / first;
      const double observed = i == 1 ? reduction : std::pow(reduction, 1.0 / i);
      if (observed > divergenceRate) return NewtonOutcome::diverged;
      contraction.rate = observed / (1 - observed);
      contraction.ofAged = aged;
      if (settings.imbalanceTolerance > 0) contraction.observe(imbalance / firstImbalance, i);
      if (settings.foresight && wouldNotSettle(size, observed, imbalance, i))
        return NewtonOutcome::slow;
    }
    const auto settled = [&](double leniency) {
      const bool negligible = size <= leniency * settings.negligibleCorrection;
      const bool enough =
          i + 1 >= settings.minIterations || negligible || oneIsEnough(size, imbalance, aged);
      return enough &&
             (negligible || contraction.rate * size <= leniency * settings.newtonTolerance) &&
             (balanced(imbalance) || passesOn());
    };
    if (needed == 0 && (atFloor || settled(1))) needed = i + 1;
    if (needed == 0 && i + 1 == plannedIterations && settled(StepPlan::newtonLeniency))
      needed = i + 2;
    if (needed == 0 || i + 1 < plannedIterations) continue;
    if (plannedIterations > 0)
      plan.needed = std::clamp(needed, plan.needed, settings.maxIterations);
    return NewtonOutcome::converged;
  }
  return NewtonOutcome::slow;
}

/// By the rates that earlier steps have shown: a guess of the multipliers that is off does not show
/// in the first correction, but in the force balance. A tested step trusts only rates of a
/// linearisation that was as old as its own, and not where velocities are tested, in which the
/// steps would see what one iteration leaves.
bool Integrator::Implementation::oneIsEnough(double size, double imbalance, bool aged) const {
  if (!transient.over) return contraction.ofForces <= smallShare;
  return settings.imbalanceTolerance > 0 && !settings.testVelocities && aged &&
         contraction.ofAged && contraction.rate * size <= smallShare * settings.newtonTolerance &&
         contraction.ofForces * imbalance <= smallShare * settings.imbalanceTolerance;
}

/// Whether corrections and forces that go on to shrink at their rates are too large after the last
/// iteration.
bool Integrator::Implementation::wouldNotSettle(double size, double observed, double imbalance,
                                                int iteration) const {
  if (contraction.rate * size <= settings.newtonTolerance && balanced(imbalance)) return false;
  for (int left = settings.maxIterations - 1 - iteration; left > 0; --left) {
    size *= observed;
    imbalance *= contraction.ofForces;
  }
  return contraction.rate * size > settings.newtonTolerance || !balanced(imbalance);
}

/// The unbalanced force before the last correction, times the rate at which corrections reduce it.
bool Integrator::Implementation::balanced(double imbalance) const {
  return settings.imbalanceTolerance <= 0 ||
         contraction.ofForces * imbalance <= settings.imbalanceTolerance;
}

/// An untested step that another one follows may leave a share of the unbalanced force to it: the
/// next one begins at its end and finds it, as it finds what is left of the oscillation.
bool Integrator::Implementation::passesOn() const {
  return !transient.over && !transient.mayEnd(settings.untestedSteps) &&
         contraction.ofForces <= smallShare;
}

/// Enters the step. E of companions is their difference to the prediction of full order; the order
/// of their next extrapolation: noise in multipliers grows with it, error falls; the order that
/// would have served best now.
void Integrator::Implementation::enterStep(bool chooseOrder) {
  if (!traits.companionsNoisy) {
    history.accept(E);
    return;
  }
  const BdfHistory::Leftovers squares = history.accept(E, y.tail(traits.companions));
  if (!chooseOrder) return;
  const int highest = std::min(history.order(), starting ? 1 : maxCompanionOrder);
  double best = std::numeric_limits<double>::infinity();
  for (int j = 1; j <= highest + 1; ++j) {
    const double error = std::sqrt(squares[static_cast<std::size_t>(j)]);
    if (!(error < 0.8 * best)) continue;
    best = error;
    companionOrder = j - 1;
  }
}

/// The first steps of mode damp are equal; the step after the last of them grows as its error
/// allows.
StepChoice Integrator::Implementation::nextInTransient(double estimate) {
  const double error = history.errorCoefficient() * unfilteredNorm(E);
  const double factor = transient.endStep(error, settings.untestedSteps);
  if (!transient.over) return {1, history.step() * factor};
  return {1,
          history.step() * std::max(factor, StepControl::growth(estimate, 1, settings.mostGrowth))};
}

/// Order and step grow at every step. In mode damp the order stays where its error lets the step
/// double: what is left of oscillations counts for nothing there, and low orders damp it best.
StepChoice Integrator::Implementation::nextWhileStarting(double estimate) const {
  const int k = history.order();
  const double growth = StepControl::growth(estimate, k, settings.mostGrowth);
  if (settings.filtered && growth >= 2) return {k, growth * history.step()};
  return {k + 1, 2 * history.step()};
}

/// The last step up to the limit may be longer than its growth allows, as far as its error does.
void Integrator::Implementation::reach(double limit, const ErrorEstimates& estimates) {
  const double rest = limit - history.time();
  if (next.step >= rest || next.order != history.order()) return;
  const double growth =
      StepControl::growth(estimates.atOrder, next.order, settings.mostGrowthToLimit);
  if (rest <= growth * history.step()) next.step = rest;
}

void Integrator::Implementation::acceptStep(const ErrorEstimates& estimates, double limit) {
  ++statistics.steps;
  const auto norm = [this](const auto& x) { return errorNorm(x); };
  const bool onLimit = std::abs(history.time() - limit) <= timeResolution(history.time());
  plan.worst = std::max(plan.worst, estimates.atOrder);
  const bool planned = plans(limit) && !onLimit;
  // To decide anew, not bound by a plan: few steps of an interval must not depend on chance, many
  // cannot do without control.
  const bool free = !planned || starting || plan.remaining > StepPlan::longest;
  if ((estimates.lower && free) || history.order() == settings.maxOrder) starting = false;
  if (!transient.over) {
    next = nextInTransient(estimates.atOrder);
  } else if (starting) {
    next = nextWhileStarting(estimates.atOrder);
  } else if (free) {
    next = StepControl::next(history, {settings.maxOrder, settings.mostGrowth}, estimates, E, norm);
    if (plans(limit)) {
      const double growth = StepControl::growth(plan.worst, history.order(), settings.mostGrowth);
      next.step = std::min(next.step, history.step() * growth);
    }
  } else {
    next = {history.order(), history.step()};
  }
  if (settings.mostGrowthToLimit > settings.mostGrowth && transient.over && !planned)
    reach(limit, estimates);
  if (settings.freshRuns && factorLife.isOver()) factorStale = true;
  if (corrector.isNearLossOfRank()) factorStale = true;  // factors watch it
  StepPoint point{history.time(), history.leadingCoefficient(), y, derivative};
  if (traits.finishMoves) delta.head(2 * n) = y.head(2 * n);
  corrector.finish(point, multipliers);
  if (traits.finishMoves) E.head(2 * n) += y.head(2 * n) - delta.head(2 * n);
  enterStep(free);
  if (onLimit) history.setTime(limit);
  if (plan.remaining > 0) --plan.remaining;
  if (planned && (next.step != history.lastStep() || next.order != history.order())) plan.revise();
  if (onLimit) plan.endInterval();
}

}  // namespace trammel
