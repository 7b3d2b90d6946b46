#include "solver/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "solver/archive.hpp"
#include "solver/bdf_history.hpp"
#include "solver/initial_values.hpp"
#include "solver/kkt_iteration.hpp"
#include "solver/step_control.hpp"

namespace trammel {

namespace {

constexpr double roundoff = std::numeric_limits<double>::epsilon();
constexpr int minIterations = 2;             // one correction does not show a multiplier that is off
constexpr int maxIterations = 6;
constexpr double divergenceRate = 0.9;
constexpr double newtonTolerance = 0.33;     // of the error tolerance
constexpr double negligibleCorrection = 0.01 * newtonTolerance;
constexpr double freshRate = 100;            // ρ/(1 − ρ) while no rate has been observed
constexpr double factorRange = 0.6;          // cj / cj of the factor stays in [0.6, 1/0.6]
constexpr int maxConvergenceFailures = 10;
constexpr int maxErrorFailures = 20;
constexpr int maxCompanionOrder = 3;

/// Times closer than this are the same time.
double timeResolution(double t) { return 16 * roundoff * std::max(1.0, std::abs(t)); }

}  // namespace

struct Integrator::Implementation {
  Implementation(MechanicalSystem& s, SolverOptions o);

  // The memory: all that decides the future.
  BdfHistory history;
  KktIteration iteration;
  Vector multipliers;       // of the last accepted step
  StepChoice next;
  bool starting = true;     // order and step grow at every step until an estimate says stop
  bool factorStale = true;  // refresh before the next iteration
  double rate = freshRate;  // ρ/(1 − ρ) of Newton
  double lastCj = 0;
  int companionOrder = 0;   // of the multiplier predictor
  Statistics statistics;

  template <class Archive>
  void visit(Archive& archive) {
    iteration.visit(archive);
    if constexpr (requires { archive.changed(); }) refactor = archive.changed();
    history.visit(archive);
    archive(multipliers, next.order, next.step, starting, factorStale, rate, lastCj, companionOrder);
    Statistics& s = statistics;
    archive(s.steps, s.residuals, s.linearisations, s.factorisations, s.errorFailures, s.convergenceFailures);
  }
  bool refactor = false;  // the linearisation read differs from the one that is factored

  Report advance(double t, double limit);
  Report step(double limit);
  double clip(double h, double limit) const;
  bool correct(double cj);
  bool newton(double cj);
  void acceptStep(const ErrorEstimates& estimates, double limit);
  void chooseCompanionOrder();
  double firstStep(const Motion& start);
  void setWeights();
  double norm(const Vector& x) const;
  double correctionFloor(double cj) const;
  Report failure(const char* what) const;

  MechanicalSystem& system;
  SolverOptions options;
  Index n, m;
  ConsistencySolver consistency;
  // Workspace: contents do not outlive a call.
  Vector y, derivative, E, delta, scratch, weights, nominal;
  Motion work;
  Matrix rebaseScratch;
  std::vector<double> backup;
  std::size_t stateSize = 0;
};

Integrator::Implementation::Implementation(MechanicalSystem& s, SolverOptions o)
    : history(2 * s.coordinateCount() + s.constraintCount(), o.maxOrder),
      iteration(s, o.linearAlgebra),
      multipliers(Vector::Zero(s.constraintCount())),
      system(s),
      options(o),
      n(s.coordinateCount()),
      m(s.constraintCount()),
      consistency(s, o.linearAlgebra) {
  const Index rows = 2 * n + m;
  for (Vector* x : {&y, &derivative, &E, &delta, &scratch}) x->setZero(rows);
  weights.setOnes(2 * n);
  nominal.resize(n);
  for (Index i = 0; i < n; ++i) nominal[i] = system.coordinateNominal(i);
  work.q.setZero(n);
  work.v.setZero(n);
  work.a.setZero(n);
  work.lambda.setZero(m);
  StateWriter writer(backup);
  visit(writer);
  stateSize = backup.size();
}

/// w_i = tol (|y_i| + nominal_i); velocities have the nominal of their position per second.
void Integrator::Implementation::setWeights() {
  const auto now = history.current();
  weights.head(n) = options.tolerance * (now.head(n).cwiseAbs() + nominal);
  weights.tail(n) = options.tolerance * (now.segment(n, n).cwiseAbs() + nominal);
}

double Integrator::Implementation::norm(const Vector& x) const {
  return std::sqrt((x.head(2 * n).array() / weights.array()).square().mean());
}

/// The correction that roundoff in q alone causes: ε|q| in positions, cj ε|q| in velocities.
double Integrator::Implementation::correctionFloor(double cj) const {
  const auto q = y.head(n).array();
  const double squares = (q / weights.head(n).array()).square().sum() + cj * cj * (q / weights.tail(n).array()).square().sum();
  return roundoff * std::sqrt(squares / static_cast<double>(2 * n));
}

Report Integrator::Implementation::failure(const char* what) const {
  std::ostringstream text;
  text.precision(12);
  text << what << " at t = " << history.time() << " s, step size " << history.step() << " s, order " << history.order();
  return {false, text.str()};
}

/// h₀ = ½ √(2/‖y''‖), y'' = (a, jerk); the jerk from one more acceleration at a nearby time.
double Integrator::Implementation::firstStep(const Motion& start) {
  const double bound = std::min(1e-3 * options.horizon, options.maxStep);
  if (options.initialStep > 0) return std::min(options.initialStep, options.maxStep);
  const double ahead = 1e-4 * options.horizon;
  work.q = start.q + ahead * start.v + 0.5 * ahead * ahead * start.a;
  work.v = start.v + ahead * start.a;
  scratch.head(n) = start.a;
  if (consistency.accelerate(start.t + ahead, work.q, work.v, work.a, work.lambda).ok) {
    scratch.segment(n, n) = (work.a - start.a) / ahead;
  } else {
    scratch.segment(n, n).setZero();
  }
  const double size = norm(scratch);
  return size > 0 && std::isfinite(size) ? std::min(bound, 0.5 * std::sqrt(2 / size)) : bound;
}

/// A step that would end near the limit ends on it; two equal steps where one would leave a small rest.
double Integrator::Implementation::clip(double h, double limit) const {
  const double rest = limit - history.time();
  if (h >= rest * (1 - 1e-9)) {
    h = rest;
  } else if (h > 0.5 * rest) {
    h = 0.5 * rest;
  }
  // The same step size up to the rounding of times: keep it the same, so that orders can grow.
  const double same = std::min(timeResolution(limit), 1e-6 * h);
  if (std::abs(h - history.lastStep()) <= same) h = history.lastStep();
  return h;
}

Report Integrator::Implementation::advance(double t, double limit) {
  if (t <= history.time() + timeResolution(t)) return {};
  StateWriter save(backup);
  visit(save);
  while (history.time() < t - timeResolution(t)) {
    const Report report = step(limit);
    if (report.ok) continue;
    StateReader restore(backup);
    visit(restore);
    if (refactor) iteration.refactor();
    return report;
  }
  return {};
}

Report Integrator::Implementation::step(double limit) {
  setWeights();
  double h = std::isfinite(limit) ? clip(std::min(next.step, options.maxStep), limit) : std::min(next.step, options.maxStep);
  int k = next.order;
  for (int convergenceFailures = 0, errorFailures = 0;;) {
    if (h <= 4 * roundoff * std::abs(history.time())) return failure("step size below the resolution of time");
    history.begin(h, k);
    const double cj = history.leadingCoefficient();
    if (!(cj >= factorRange * iteration.factoredFor() && factorRange * cj <= iteration.factoredFor())) factorStale = true;
    if (cj != lastCj) rate = freshRate;
    lastCj = cj;
    if (!correct(cj)) {
      ++statistics.convergenceFailures;
      starting = false;
      if (++convergenceFailures == maxConvergenceFailures) {
        return failure(y.allFinite() ? "Newton iteration does not converge" : "the model's equations are not finite");
      }
      history.reject();
      h *= 0.25;
      continue;
    }
    const auto norms = [this](const Vector& x) { return norm(x); };
    const ErrorEstimates estimates = StepControl::estimate(history, E, scratch, norms);
    if (estimates.test <= 1) {
      acceptStep(estimates, limit);
      return {};
    }
    ++statistics.errorFailures;
    starting = false;
    if (++errorFailures == maxErrorFailures) return failure("error test fails repeatedly");
    history.reject();
    const StepChoice smaller = StepControl::afterErrorFailure(history, estimates, errorFailures);
    h = smaller.step;
    k = smaller.order;
  }
}

/// Newton from the predictor, once more with a fresh factor if the one at hand was not good enough.
bool Integrator::Implementation::correct(double cj) {
  for (bool fresh = false;;) {
    history.predict(y, derivative, m, companionOrder);
    if (factorStale) {
      ++statistics.linearisations;
      ++statistics.factorisations;
      rate = freshRate;
      fresh = true;
      if (!iteration.refresh(history.time(), y, derivative, multipliers, cj)) return false;
      factorStale = false;
    }
    if (newton(cj)) return true;
    factorStale = true;
    if (fresh) return false;
  }
}

bool Integrator::Implementation::newton(double cj) {
  const double floor = correctionFloor(cj);
  double first = 1;
  E.setZero();
  iteration.begin();
  for (int i = 0; i < maxIterations; ++i) {
    ++statistics.residuals;
    iteration.iterate(history.time(), y, derivative, cj, delta);
    y += delta;
    E += delta;
    derivative.head(2 * n) += cj * delta.head(2 * n);
    const double size = norm(delta);
    if (!std::isfinite(size)) return false;
    if (size <= negligibleCorrection || size <= 2 * floor) return true;
    if (i == 0) {
      first = size;
    } else {
      const double observed = std::pow(size / first, 1.0 / i);
      if (observed > divergenceRate) return false;
      rate = observed / (1 - observed);
    }
    if (rate * size <= newtonTolerance && i + 1 >= minIterations) return true;
  }
  return false;
}

/// Multipliers are extrapolated with the order that would have served best in this step: noise in λ grows with it, error falls.
void Integrator::Implementation::chooseCompanionOrder() {
  const int highest = std::min(history.order(), starting ? 1 : maxCompanionOrder);
  auto lambda = scratch.tail(m);
  lambda = y.tail(m);
  double best = std::numeric_limits<double>::infinity();
  for (int j = 1; j <= highest + 1; ++j) {
    lambda -= history.difference(j).tail(m);
    const double error = lambda.norm();
    if (error < 0.8 * best) {
      best = error;
      companionOrder = j - 1;
    }
  }
  for (int j = highest + 2; j <= history.order() + 1; ++j) lambda -= history.difference(j).tail(m);
  E.tail(m) = lambda;  // difference to the prediction of full order, as the history needs it
}

void Integrator::Implementation::acceptStep(const ErrorEstimates& estimates, double limit) {
  ++statistics.steps;
  chooseCompanionOrder();
  const auto norms = [this](const Vector& x) { return norm(x); };
  if (estimates.lower || history.order() == options.maxOrder) starting = false;
  if (starting) {
    next = {history.order() + 1, 2 * history.step()};
  } else {
    next = StepControl::next(history, options.maxOrder, estimates, E, scratch, norms);
  }
  multipliers = y.tail(m);
  history.accept(E);
  if (std::abs(history.time() - limit) <= timeResolution(limit)) history.setTime(limit);
}

Integrator::Integrator(MechanicalSystem& system, SolverOptions options) {
  options.validate();
  implementation_ = std::make_unique<Implementation>(system, options);
}
Integrator::~Integrator() = default;
Integrator::Integrator(Integrator&&) noexcept = default;

Report Integrator::start(double t, VectorIn q, VectorIn v) {
  Implementation& s = *implementation_;
  Motion motion{t, q, v, Vector::Zero(s.n), Vector::Zero(s.m)};
  if (const Report report = s.consistency.projectPosition(t, motion.q); !report.ok) return report;
  if (const Report report = s.consistency.projectVelocity(t, motion.q, motion.v); !report.ok) return report;
  if (const Report report = s.consistency.accelerate(t, motion.q, motion.v, motion.a, motion.lambda); !report.ok) return report;
  s.y << motion.q, motion.v, motion.lambda;
  s.derivative << motion.v, motion.a, Vector::Zero(s.m);
  s.history.restart(t, s.y, s.derivative, 1.0);
  s.setWeights();
  const double h = s.firstStep(motion);
  s.history.restart(t, s.y, s.derivative, h);
  s.multipliers = motion.lambda;
  s.next = {1, h};
  s.starting = true;
  s.factorStale = true;
  s.rate = freshRate;
  s.lastCj = 0;
  s.companionOrder = 0;
  s.statistics = {};
  return {};
}

Report Integrator::advance(double t, double limit) { return implementation_->advance(t, limit); }

Report Integrator::motion(double t, bool withForces, Motion& out) {
  Implementation& s = *implementation_;
  s.history.interpolate(t, s.y);
  out.t = t;
  out.q = s.y.head(s.n);
  out.v = s.y.segment(s.n, s.n);
  out.a.resize(s.n);
  out.lambda.resize(s.m);
  if (const Report report = s.consistency.projectPosition(t, out.q); !report.ok) return report;
  if (const Report report = s.consistency.projectVelocity(t, out.q, out.v); !report.ok) return report;
  if (!withForces) return {};
  return s.consistency.accelerate(t, out.q, out.v, out.a, out.lambda);
}

Report Integrator::returnTo(double t) {
  Implementation& s = *implementation_;
  if (std::abs(t - s.history.time()) <= timeResolution(t)) return {};
  if (const Report report = motion(t, false, s.work); !report.ok) return report;
  s.history.rebase(t, s.rebaseScratch);
  s.delta.head(s.n) = s.work.q - s.history.current().head(s.n);
  s.delta.segment(s.n, s.n) = s.work.v - s.history.current().segment(s.n, s.n);
  s.history.shiftValue(0, s.delta.head(2 * s.n));
  s.next.order = std::min(s.next.order, s.history.lastOrder());
  return {};
}

Report Integrator::shift(const Motion& before) {
  Implementation& s = *implementation_;
  const Report report = s.consistency.accelerate(before.t, before.q, before.v, s.work.a, s.work.lambda);
  if (!report.ok) return report;
  s.work.a -= before.a;
  s.work.lambda -= before.lambda;
  s.history.shiftAcceleration(s.work.a);
  s.history.shiftValue(2 * s.n, s.work.lambda);
  s.multipliers += s.work.lambda;
  return {};
}

double Integrator::time() const { return implementation_->history.time(); }
const Statistics& Integrator::statistics() const { return implementation_->statistics; }
const SolverOptions& Integrator::options() const { return implementation_->options; }

void Integrator::save(std::vector<double>& out) const {
  StateWriter writer(out);
  implementation_->visit(writer);
}

bool Integrator::restore(const std::vector<double>& in) {
  Implementation& s = *implementation_;
  if (in.size() != s.stateSize) return false;
  StateReader reader(in);
  s.visit(reader);
  if (s.refactor) s.iteration.refactor();
  return true;
}

}  // namespace trammel
