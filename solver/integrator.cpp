#include "solver/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "solver/assembly.hpp"
#include "solver/integrator_implementation.hpp"
#include "solver/wide.hpp"

namespace trammel {

Integrator::Implementation::Implementation(MechanicalSystem& s, SolverOptions o)
    : corrector(s, o),
      multipliers(Vector::Zero(s.constraintCount())),
      system(s),
      options(o),
      traits(corrector.traits()),
      settings(controlSettings(o, traits)),
      n(s.coordinateCount()),
      m(s.constraintCount()),
      rows(2 * n + traits.companions),
      consistency(s, o.linearAlgebra) {
  history = BdfHistory(rows, settings.maxOrder);
  implied.setZero(m);
  for (Vector* x : {&y, &derivative, &E, &delta, &scratch, &filtered}) x->setZero(rows);
  inverseWeights.setOnes(rows);
  newtonShare = static_cast<double>(n) / (static_cast<double>(newtonRows()) * countedCoordinates());
  nominal.resize(n);
  for (Index i = 0; i < n; ++i) nominal[i] = system.coordinateNominal(i);
  for (Vector* x : {&work.q, &work.v, &work.a}) x->setZero(n);
  work.lambda.setZero(m);
  workRates = {Vector::Zero(n), Vector::Zero(m)};
  const Index rootCount = system.rootCount();
  for (Vector* x : {&roots.side, &roots.fired, &rootValues, &crossings}) x->setZero(rootCount);
  rootSamples.setZero(rootCount, rootSampleCount);
  StateWriter writer(backup);
  visit(writer);
  memorySize = backup.size();
}

void Integrator::Implementation::read(std::span<const double> memory) {
  StateReader reader(memory);
  visit(reader);
  if (!mustRefactor) return;
  leaveOut(implied);
  corrector.refactor();
}

/// w_i = tol (|y_i| + nominal_i); velocities have the nominal of their position per second,
/// multipliers that of one.
void Integrator::Implementation::setWeights() {
  weightsDue = false;
  const auto now = history.current();
  const double *q = now.data(), *v = q + n, *sizes = nominal.data();
  double *ofQ = inverseWeights.data(), *ofV = ofQ + n;
  const double tolerance = options.tolerance;
  const Index count = n;
  std::array<double, 2> squares{};
  actOn(
      count, [ =, &squares ]() __attribute__((always_inline)) {
        QuadSum inQ, inV;
        forQuads(
            count, [&]<class Some>(Index i) __attribute__((always_inline)) {
              const Some &position = at<Some>(q + i), &velocity = at<Some>(v + i),
                         &size = at<Some>(sizes + i);
              const Some far = position < 0 ? -position : position,
                         fast = velocity < 0 ? -velocity : velocity;
              const Some byQ = 1 / (tolerance * (far + size)),
                         byV = 1 / (tolerance * (fast + size));
              at<Some>(ofQ + i) = byQ;
              at<Some>(ofV + i) = byV;
              const Some inUnitsOfQ = position * byQ, inUnitsOfV = position * byV;
              inQ.add(inUnitsOfQ * inUnitsOfQ);
              inV.add(inUnitsOfV * inUnitsOfV);
            });
        squares = {inQ.total(), inV.total()};
      });
  positionSquares = squares;
  if (!traits.companionsInNewton && !settings.dasslRoundoff) return;  // nobody asks for theirs
  inverseWeights.tail(traits.companions) =
      (options.tolerance * (now.tail(traits.companions).array().abs() + 1.0)).inverse();
}

/// Coordinates that norms count: dependent ones repeat the error of the independent ones, so a mean
/// over all would dilute it. n − m, but at least a share where rows of G may be redundant.
double Integrator::Implementation::countedCoordinates() const {
  constexpr double leastShare = 0.216;
  const auto all = static_cast<double>(n);
  if (!traits.companionsNoisy) return all;
  return std::max({1.0, static_cast<double>(n - m), leastShare * all});
}

double Integrator::Implementation::newtonNorm(double squares) const {
  return std::sqrt(squares * newtonShare);
}

double Integrator::Implementation::newtonNorm(const Vector& x) const {
  const auto tested = x.head(newtonRows()).array() * inverseWeights.head(newtonRows()).array();
  return newtonNorm(tested.square().sum());
}

/// One iteration. Returns the norm of the correction, near a loss of rank of its tangential part.
double Integrator::Implementation::iterate(StepPoint& point) {
  const double squares = corrector.iterate(point, inverseWeights, delta);
  if (!corrector.isNearLossOfRank()) return newtonNorm(squares);
  filtered = delta;
  corrector.keepTangential(filtered);
  return newtonNorm(filtered);
}

/// The part of x that the mode tests: of a split formulation only its independent directions X Xᵀ,
/// near a loss of rank the tangential ones, in mode damp filtered. In `filtered`.
void Integrator::Implementation::keepTested() {
  if (settings.filtered) {
    corrector.filter(corrector.factoredFor(), filtered, settings.testVelocities);
  } else if (corrector.isNearLossOfRank()) {
    corrector.keepTangential(filtered);
  }
  const Matrix* directions = corrector.independentDirections();
  if (!directions) return;
  for (Index first = 0; first < testedRows(); first += n) {
    work.q.head(directions->cols()).noalias() =
        directions->transpose() * filtered.segment(first, n);
    filtered.segment(first, n).noalias() = *directions * work.q.head(directions->cols());
  }
}

/// RMS over positions and, if the mode tests them, velocities; see keepTested().
double Integrator::Implementation::testedCount() {
  const double fields = settings.testVelocities ? 2 : 1;
  if (const Matrix* directions = corrector.independentDirections())
    return fields * static_cast<double>(directions->cols());
  return fields * (settings.filtered ? static_cast<double>(n) : countedCoordinates());
}

/// Twice the correction that roundoff in q alone causes: ε|q| in positions, cj ε|q| in velocities.
/// The q are those of the last step; DASSL's are those of y.
double Integrator::Implementation::correctionFloor(double cj) const {
  if (settings.dasslRoundoff)
    return 100 * std::numeric_limits<double>::epsilon() *
           std::sqrt((y.array() * inverseWeights.array()).square().mean());
  const double squares = positionSquares[0] + cj * cj * positionSquares[1];
  return 2 * std::numeric_limits<double>::epsilon() *
         std::sqrt(squares / static_cast<double>(2 * n));
}

double Integrator::Implementation::largestFirstStep() const {
  const double fraction = settings.untestedSteps > 0 ? 0.05 : 1e-3;  // of the run
  return std::min(fraction * options.horizon, options.maxStep);
}

/// h₀ = ½ √(2/‖y''‖), y'' = (a, jerk), the jerk from one more acceleration at a nearby time;
/// DASSL's rule is ½/‖y'‖.
double Integrator::Implementation::firstStep(const Motion& start) {
  if (options.initialStep > 0) return std::min(options.initialStep, options.maxStep);
  const double bound = largestFirstStep();
  if (settings.untestedSteps > 0) return bound;
  if (settings.dasslFirstStep) {
    const Index tested = settings.testVelocities ? 2 * n : rows;  // multipliers are not tested
    const double speed = std::sqrt(
        (derivative.head(tested).array() * inverseWeights.head(tested).array()).square().mean());
    return speed * bound > 0.5 ? 0.5 / speed : bound;
  }
  const double ahead = 1e-4 * options.horizon;
  work.q = start.q + ahead * start.v + 0.5 * ahead * ahead * start.a;
  work.v = start.v + ahead * start.a;
  scratch.setZero();
  scratch.head(n) = start.a;
  if (consistency.accelerate(start.t + ahead, work.q, work.v, work.a, work.lambda).ok) {
    scratch.segment(n, n) = (work.a - start.a) / ahead;
  }
  const double size = newtonNorm(scratch);
  return size > 0 && std::isfinite(size) ? std::min(bound, 0.5 * std::sqrt(2 / size)) : bound;
}

void Integrator::Implementation::restart(const Motion& start) {
  y.setZero();
  derivative.setZero();
  y.head(n) = start.q;
  y.segment(n, n) = start.v;
  derivative.head(n) = start.v;
  if (!settings.zeroStartAcceleration) derivative.segment(n, n) = start.a;
  if (traits.companions >= m) y.segment(2 * n, m) = start.lambda;
  history.restart(start.t, y, derivative, 1.0);
  setWeights();
  const double h = firstStep(start);
  history.restart(start.t, y, derivative, h);
  multipliers = start.lambda;
  next = {1, h};
  plan = {};
  starting = true;
  factorStale = true;
  corrector.forget();
  factorLife = {};
  contraction = {};
  lastCj = 0;
  companionOrder = 0;
  transient = {};
  transient.over = settings.untestedSteps == 0;
  armRoots(start, h);
}

/// DASSL starts from what it is given: takes (q, v) back where their projection moved no component
/// by more than its weight.
void Integrator::Implementation::keepWithinTolerance(VectorIn q, VectorIn v,
                                                     Motion& projected) const {
  if (!settings.dasslStart) return;
  const auto moved = [this](VectorIn from, VectorIn to) {
    return ((to - from).array() / (from.cwiseAbs() + nominal).array()).abs().maxCoeff();
  };
  if (moved(q, projected.q) <= options.tolerance && moved(v, projected.v) <= options.tolerance) {
    projected.q = q;
    projected.v = v;
  }
}

Report Integrator::Implementation::advance(double t, double limit) {
  if (roots.pending && roots.eventTime <= t + timeResolution(t)) return reportEvent();
  if (t <= history.time() + timeResolution(t)) return {};
  StateWriter save(backup);
  visit(save);
  while (!roots.pending && history.time() < t - timeResolution(t)) {
    const double from = history.time();
    Report report = step(limit);
    if (report.ok && roots.side.size() > 0) report = watchRoots(from);
    if (report.ok) continue;
    read(backup);
    return report;
  }
  return roots.pending && roots.eventTime <= t + timeResolution(t) ? reportEvent() : Report{};
}

Report Integrator::Implementation::startFrom(const StartValues& values, bool keepStatistics) {
  StartValues found = values;
  if (Report report = Assembly(system, options.linearAlgebra).assemble(found); !report.ok)
    return report;
  Motion start{found.t, found.q, found.v, Vector::Zero(n), Vector::Zero(m)};
  keepWithinTolerance(values.q, values.v, start);
  const Vector impliedBefore = implied;
  const double limitBefore = coefficientLimit;
  leaveOut(Vector::Zero(m));
  std::string note;
  for (int pass = 0; pass < 2; ++pass) {
    if (Report report = consistency.accelerate(start.t, start.q, start.v, start.a, start.lambda);
        !report.ok) {
      leaveOut(impliedBefore);
      coefficientLimit = limitBefore;
      return report;
    }
    if (pass == 0) note = findImplied(start);
    if (m == 0 || implied.maxCoeff() == 0) break;
  }
  if (!keepStatistics) {
    statistics = {};
    roots.fired.setZero();
  }
  restart(start);
  return {true, note};
}

Report Integrator::Implementation::motion(double t, bool withForces, Motion& out) {
  history.interpolate(t, y);
  out.t = t;
  out.q = y.head(n);
  out.v = y.segment(n, n);
  out.a.resize(n);
  out.lambda.resize(m);
  if (traits.projectedOutput) {
    if (Report report = consistency.projectPosition(t, out.q); !report.ok) return report;
    if (Report report = consistency.projectVelocity(t, out.q, out.v); !report.ok) return report;
  }
  if (!withForces) return {};
  return consistency.accelerate(t, out.q, out.v, out.a, out.lambda);
}

Integrator::Integrator(MechanicalSystem& system, SolverOptions options) {
  options.validate();
  implementation_ = std::make_unique<Implementation>(system, options);
  time_ = &implementation_->history.time();
}
Integrator::~Integrator() = default;
Integrator::Integrator(Integrator&&) noexcept = default;

Report Integrator::start(double t, VectorIn q, VectorIn v) {
  return start(StartValues{t, q, v, {}, {}});
}

Report Integrator::start(const StartValues& values) {
  return implementation_->startFrom(values, false);
}

Report Integrator::restart(VectorIn q, VectorIn v) {
  return implementation_->startFrom(StartValues{time(), q, v, {}, {}}, true);
}

Report Integrator::advance(double t, double limit) { return implementation_->advance(t, limit); }

const Vector& Integrator::events() const { return implementation_->roots.fired; }

Report Integrator::motion(double t, bool withForces, Motion& out) {
  return implementation_->motion(t, withForces, out);
}

Report Integrator::returnTo(double t) {
  Report report = implementation_->returnTo(t);
  if (report.ok) implementation_->roots.forgetAfter(t);
  return report;
}

Report Integrator::rates(const Motion& at, Rates& out) { return implementation_->rates(at, out); }

Report Integrator::shift(const Motion& before) { return implementation_->shift(before, nullptr); }

Report Integrator::shift(const Motion& before, const Rates& ratesBefore) {
  return implementation_->shift(before, &ratesBefore);
}

const Statistics& Integrator::statistics() const { return implementation_->statistics; }
const SolverOptions& Integrator::options() const { return implementation_->options; }

void Integrator::save(std::vector<double>& out) const {
  StateWriter writer(out);
  implementation_->visit(writer);
}

bool Integrator::restore(const std::vector<double>& in) {
  if (in.size() != implementation_->memorySize) return false;
  implementation_->read(in);
  return true;
}

}  // namespace trammel
