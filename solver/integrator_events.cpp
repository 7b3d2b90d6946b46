#include <cmath>
#include <limits>

#include "solver/at_time.hpp"
#include "solver/integrator_implementation.hpp"
#include "solver/root_search.hpp"

namespace trammel {

namespace {

constexpr double aheadOfStart = 1e-3;  // of the first step: where a root that is zero has gone
constexpr double zeroAtStart = 1e-6;   // of the change until there
constexpr double never = std::numeric_limits<double>::infinity();

double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }

/// Width of the bracket of an event; events closer than this are one.
double eventResolution(double t, double h) {
  return 100 * std::numeric_limits<double>::epsilon() * (std::abs(t) + h);
}

}  // namespace

void RootMemory::forgetAfter(double t) {
  if (!(fired.array() != 0).any() || t >= eventTime - timeResolution(t)) return;
  if (!pending) side = (fired.array() != 0).select(-fired, side);
  fired.setZero();
  pending = false;
}

/// A root that is zero at the start, or fired just before a restart, is on the side where it goes.
void Integrator::Implementation::armRoots(const Motion& start, double h) {
  if (roots.side.size() == 0) return;
  const bool justFired = std::abs(start.t - roots.eventTime) <= timeResolution(start.t);
  const double ahead = aheadOfStart * h;
  work.q = start.q + ahead * start.v + 0.5 * ahead * ahead * start.a;
  work.v = start.v + ahead * start.a;
  system.roots(start.t, start.q, start.v, rootValues);
  system.roots(start.t + ahead, work.q, work.v, crossings);
  for (Index i = 0; i < roots.side.size(); ++i) {
    const bool zero =
        std::abs(rootValues[i]) <= zeroAtStart * std::abs(crossings[i] - rootValues[i]);
    const bool fired = justFired && roots.fired[i] != 0;
    roots.side[i] = sign(zero || fired ? crossings[i] : rootValues[i]);
  }
  roots.fired.setZero();
  roots.pending = false;
}

void Integrator::Implementation::evaluateRoots(double t, bool projected) {
  if (projected && motion(t, false, work).ok) {
    system.roots(t, work.q, work.v, rootValues);
    return;
  }
  history.interpolate(t, y);
  system.roots(t, y.head(n), y.segment(n, n), rootValues);
}

/// Positive as long as root i is on its side.
double Integrator::Implementation::rootValue(Index i, double t, bool projected) {
  evaluateRoots(t, projected);
  return roots.side[i] * rootValues[i];
}

/// Looks at the dense output of the step from `from` to the current time; an event found there
/// becomes the current time. Pre: there are roots.
Report Integrator::Implementation::watchRoots(double from) {
  roots.fired.setZero();
  const double to = history.time();
  const double spacing = (to - from) / static_cast<double>(rootSampleCount - 1);
  for (Index j = 0; j < rootSampleCount; ++j) {
    evaluateRoots(from + static_cast<double>(j) * spacing, false);
    rootSamples.col(j) = rootValues;
  }
  if (!rootSamples.allFinite()) return {false, "root functions are not finite" + atTime(to)};
  for (Index i = 0; i < crossings.size(); ++i) crossings[i] = findCrossing(i, from, to);
  const double first = crossings.minCoeff();
  if (first == never) return {};
  for (Index i = 0; i < crossings.size(); ++i) {
    if (crossings[i] <= first + eventResolution(to, to - from)) roots.fired[i] = -roots.side[i];
  }
  Report report = returnTo(first);
  roots.eventTime = history.time();
  roots.pending = true;
  return report;
}

/// The time at which root i leaves its side, or never.
double Integrator::Implementation::findCrossing(Index i, double from, double to) {
  const auto sample = rootSamples.row(i);
  if (roots.side[i] == 0) {  // it was zero so far
    for (Index j = 1; j < rootSampleCount && roots.side[i] == 0; ++j)
      roots.side[i] = sign(sample[j]);
    return never;
  }
  Index j = 1;
  while (j < rootSampleCount && roots.side[i] * sample[j] >= 0) ++j;
  const double spacing = (to - from) / static_cast<double>(rootSampleCount - 1);
  double left = from + static_cast<double>(j - 1) * spacing;
  double right = j + 1 >= rootSampleCount ? to : left + spacing;
  if (const double dip = findDip(i, from, to, j); !std::isnan(dip)) {
    left = from + std::floor((dip - from) / spacing) * spacing;
    right = dip;
  } else if (j == rootSampleCount) {
    return never;
  }
  // On what motion() would show, if it shows the change as well.
  const bool projected = m > 0 && traits.projectedOutput && rootValue(i, right, true) < 0;
  return locateSignChange([&](double t) { return rootValue(i, t, projected); }, left, right,
                          eventResolution(to, to - from));
}

/// A time in front of sample `before` at which root i is on the other side and back again by the
/// next sample; NaN if none shows.
double Integrator::Implementation::findDip(Index i, double from, double to, Index before) {
  const double spacing = (to - from) / static_cast<double>(rootSampleCount - 1);
  const double s = roots.side[i];
  for (Index j = 1; j + 1 < before; ++j) {
    const double t = from + static_cast<double>(j) * spacing;
    const Samples x{t - spacing,           t,
                    t + spacing,           s * rootSamples(i, j - 1),
                    s * rootSamples(i, j), s * rootSamples(i, j + 1)};
    if (!(x.fLeft > 0 && x.fMiddle > 0 && x.fRight > 0)) continue;  // a root that starts at zero
    const double dip = searchDip([&](double time) { return rootValue(i, time, false); }, x);
    if (!std::isnan(dip)) return dip;
  }
  return std::nan("");
}

Report Integrator::Implementation::reportEvent() {
  roots.pending = false;
  roots.side = (roots.fired.array() != 0).select(roots.fired, roots.side);
  Report report;
  report.event = true;
  return report;
}

}  // namespace trammel
