#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solver/archive.hpp"
#include "solver/bdf_history.hpp"
#include "solver/control_settings.hpp"
#include "solver/corrector.hpp"
#include "solver/initial_values.hpp"
#include "solver/integrator.hpp"
#include "solver/step_control.hpp"
#include "solver/step_plan.hpp"

namespace trammel {

/// Times closer than this are the same time.
inline double timeResolution(double t) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t));
}

/// How much a correction of Newton leaves with the present factor: learnt from iterations, kept for
/// the steps that use it too.
struct Contraction {
  static constexpr double unknownRate = 100;
  double rate = unknownRate;  // ρ/(1 − ρ) of the corrections
  double ofForces = 1;        // the share of the unbalanced force, where it is tested
  bool ofAged = false;        // observed with a linearisation of an earlier step

  /// `share`: of the force before the first correction that is left after `corrections`.
  void observe(double share, int corrections) {
    const double each = corrections == 1 ? share : std::pow(share, 1.0 / corrections);
    ofForces = std::min(0.9, each);
  }
};

/// What is known about the root functions of the system.
struct RootMemory {
  Vector side;           // sign of each at the current time; 0: not known yet
  Vector fired;          // direction of those of the last event, else 0
  double eventTime = 0;  // [s]
  bool pending = false;  // an event was found, at the current time, and not yet reported
  /// The motion goes on from a time t before the event: it has not happened.
  void forgetAfter(double t);
};

constexpr double smallShare = 0.1;    // of the unbalanced force, left by a correction
constexpr Index rootSampleCount = 5;  // times at which a step is looked at, its ends included

/// How many steps a factor serves, where it ages soon: learnt from steps that had to replace it.
struct FactorLife {
  static constexpr int longestRun = 16;
  int run = 0;        // of steps with factors of their own, after which an aged one is tried again
  int remaining = 0;  // steps of it

  /// `aged`: the step has ended with a factor of an earlier one; `tooOld`: it began with one, with
  /// which the iteration did not converge.
  void endStep(bool aged, bool tooOld) {
    if (tooOld) {
      run = std::min(std::max(2 * run, 1), longestRun);
      remaining = run;
    } else if (aged) {
      run = 0;
    } else if (remaining > 0) {
      --remaining;
    }
  }
  bool isOver() const { return remaining > 0; }
};

/// The first steps of mode damp, without an error test: they go on while they damp.
struct Transient {
  static constexpr int most = 20;
  int steps = 0;     // taken so far
  int halvings = 0;  // of the step size, because Newton has failed; such a step damps little
  double size = 0;  // error of the last one in tolerances, as it would be tested but for the filter
  double sizeBefore = 0;  // of the one before it: the phase of an oscillation makes one small
  bool over = true;

  /// Whether the present step may be the last of them.
  bool mayEnd(int fewest) const { return steps + 1 >= fewest; }

  /// The step size that shall be next, in units of the last one.
  double endStep(double newSize, int fewest) {
    ++steps;
    const bool damps = newSize > 1 && newSize < 0.5 * std::max(size, 0.5 * sizeBefore);
    over = (steps >= fewest && !damps && halvings == 0) || steps >= most;
    sizeBefore = size;
    size = newSize;
    if (halvings == 0) return 1;
    --halvings;
    return 2;
  }
};

enum class NewtonOutcome { converged, slow, diverged };

struct Integrator::Implementation {
  Implementation(MechanicalSystem& s, SolverOptions o);

  // The memory: all that decides the future.
  Corrector corrector;
  BdfHistory history;
  Vector implied;  // flags of the constraints that the others imply, which are left out
  bool anyImplied = false;
  double coefficientLimit = 0;  // of the others in them, above which they are chosen anew
  Vector multipliers;           // of the last accepted step
  StepChoice next;
  StepPlan plan;
  bool starting = true;     // order and step grow at every step until an estimate says stop
  bool factorStale = true;  // refresh before the next iteration
  FactorLife factorLife;
  Contraction contraction;
  double lastCj = 0;
  int companionOrder = 0;  // of the multiplier predictor
  Transient transient;
  RootMemory roots;
  Statistics statistics;

  template <class Archive>
  void visit(Archive& archive) {
    archive(implied, coefficientLimit);
    corrector.visit(archive);
    if constexpr (requires { archive.changed(); }) mustRefactor = archive.changed();
    history.visit(archive);
    archive(multipliers, next.order, next.step, starting, factorStale, contraction.rate,
            contraction.ofForces, contraction.ofAged, lastCj, companionOrder, transient.steps,
            transient.halvings, transient.size, transient.sizeBefore, transient.over);
    archive(factorLife.run, factorLife.remaining);
    archive(plan.limit, plan.remaining, plan.iterations, plan.needed, plan.worst);
    archive(roots.side, roots.fired, roots.eventTime, roots.pending);
    Statistics& s = statistics;
    archive(s.steps, s.residuals, s.linearisations, s.factorisations, s.errorFailures,
            s.convergenceFailures);
  }
  void read(std::span<const double> memory);  // Pre: the size fits
  bool mustRefactor = false;  // the linearisation read differs from the one that is factored

  void restart(const Motion& start);
  void keepWithinTolerance(VectorIn q, VectorIn v, Motion& projected) const;
  Report advance(double t, double limit);
  Report startFrom(const StartValues& values, bool keepStatistics);
  Report motion(double t, bool withForces, Motion& out);

  // Jumps at the current time (integrator_jumps.cpp).
  Report returnTo(double t);
  double rateStep() const;
  Report rates(const Motion& at, Rates& out);
  Report shift(const Motion& before, const Rates* ratesBefore);

  // Constraints that the others imply (integrator_implied.cpp).
  void leaveOut(const Vector& flags);
  std::string findImplied(const Motion& at);
  bool chooseImplied();
  Report watchImplied(bool refreshed);

  // Events (integrator_events.cpp).
  void armRoots(const Motion& start, double h);
  Report watchRoots(double from);
  Report reportEvent();
  void evaluateRoots(double t, bool projected);
  double rootValue(Index i, double t, bool projected);
  double findCrossing(Index i, double from, double to);
  double findDip(Index i, double from, double to, Index before);

  // One step (integrator_step.cpp).
  Report step(double limit);
  double clip(double h, double limit) const;
  double sameOrNew(double h, double limit) const;
  bool plans(double limit) const { return options.repeatable && std::isfinite(limit); }
  double tryFirst(double limit);
  double makePlan(double h, double limit);
  bool correct(double cj);
  bool isFactoredFor(double cj);
  bool refactorFor(double cj);
  void beginFromPresent(StepPoint& point);
  bool refresh(StepPoint& point, VectorIn curvature);
  NewtonOutcome newton(StepPoint& point, bool aged);
  bool wouldNotSettle(double size, double observed, double imbalance, int iteration) const;
  bool balanced(double imbalance) const;
  bool passesOn() const;
  bool oneIsEnough(double size, double imbalance, bool aged) const;
  StepChoice nextInTransient(double estimate);
  StepChoice nextWhileStarting(double estimate) const;
  void acceptStep(const ErrorEstimates& estimates, double limit);
  void reach(double limit, const ErrorEstimates& estimates);
  void enterStep(bool chooseOrder);
  double iterate(StepPoint& point);
  ErrorNorms errorNorms();
  /// Of E; enterStep() makes that of noisy companions.
  Index measuredRows() const { return traits.companionsNoisy ? 2 * n : rows; }
  Report failure(const char* what) const;

  // Norms and first step.
  void setWeights();
  double countedCoordinates() const;
  Index newtonRows() const { return traits.companionsInNewton ? rows : 2 * n; }
  double newtonNorm(double squares) const;  // of rows times inverse weights
  double newtonNorm(const Vector& x) const;
  Index testedRows() const { return settings.testVelocities ? 2 * n : n; }
  void keepTested();
  double testedCount();
  /// What the mode tests of an error are its rows as they are.
  bool testsAll() {
    return !settings.filtered && !corrector.independentDirections() &&
           !corrector.isNearLossOfRank();
  }
  /// RMS of what the mode tests of x, in units of the tolerance and of what roundoff adds to it.
  template <class Expression>
  double errorNorm(const Expression& x) {
    const auto inverse = inverseWeights.head(testedRows()).array();
    const auto squares = [&](const auto& tested) {
      return (tested.array() * inverse).square().sum();
    };
    double sum = 0;
    if (testsAll()) {
      sum = squares(x.head(testedRows()));
    } else {
      filtered.head(2 * n) = x.head(2 * n);
      keepTested();
      sum = squares(filtered.head(testedRows()));
    }
    return std::sqrt(sum / testedCount()) / errorUnit;
  }
  double unfilteredNorm(const Vector& x) const {
    const auto tested = x.head(testedRows()).array() * inverseWeights.head(testedRows()).array();
    return std::sqrt(tested.square().mean());
  }
  double correctionFloor(double cj) const;
  double firstStep(const Motion& start);
  double largestFirstStep() const;

  MechanicalSystem& system;
  SolverOptions options;
  CorrectorTraits traits;
  ControlSettings settings;
  Index n, m, rows;
  ConsistencySolver consistency;
  // Workspace: contents do not outlive a call.
  Vector y, derivative, E, delta, scratch, filtered, nominal;
  Vector inverseWeights;
  double newtonShare = 1;                   // of Newton's sum of squares in the square of its norm
  bool weightsDue = true;                   // inverseWeights are those of an earlier step
  std::array<double, 2> positionSquares{};  // Σ q² in units of the weights of q, and of v
  Motion work;
  Rates workRates;
  Matrix rebaseScratch;
  bool unfactorable = false;  // the last refresh failed
  int plannedIterations = 0;  // of the present step; 0: as many as it takes
  double errorUnit = 1;       // of the present step, in tolerances
  Vector rootValues, crossings;
  Matrix rootSamples;  // a column for each time at which a step is looked at
  std::vector<double> backup;
  std::size_t memorySize = 0;
};

}  // namespace trammel
