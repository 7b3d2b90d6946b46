#include <algorithm>

#include "solver/integrator_implementation.hpp"

namespace trammel {

namespace {

constexpr double aheadForRates = 0.01;  // of the last step: where the forces are looked at again

}  // namespace

Report Integrator::Implementation::returnTo(double t) {
  if (std::abs(t - history.time()) <= timeResolution(t)) return {};
  if (Report report = motion(t, false, work); !report.ok) return report;
  history.rebase(t, rebaseScratch);
  delta.head(n) = work.q - history.current().head(n);
  delta.segment(n, n) = work.v - history.current().segment(n, n);
  history.shiftValue(0, delta.head(2 * n));
  next.order = std::min(next.order, history.lastOrder());
  plan.endInterval();
  return {};
}

/// How far ahead rates of the forces are taken. The same for old and new forces, so that what the
/// difference quotient neglects cancels where the forces do not jump.
double Integrator::Implementation::rateStep() const {
  return aheadForRates * (history.lastStep() > 0 ? history.lastStep() : history.step());
}

Report Integrator::Implementation::rates(const Motion& at, Rates& out) {
  work = at;
  if (Report report = consistency.accelerate(at.t, at.q, at.v, work.a, work.lambda); !report.ok)
    return report;
  return consistency.accelerationRates(work, rateStep(), out);
}

/// (E20) with δa and, if the old rates are known, with the jump of the jerk too.
Report Integrator::Implementation::shift(const Motion& before, const Rates* ratesBefore) {
  work = before;
  if (Report report = consistency.accelerate(before.t, before.q, before.v, work.a, work.lambda);
      !report.ok)
    return report;
  if (ratesBefore != nullptr) {
    if (Report report = consistency.accelerationRates(work, rateStep(), workRates); !report.ok)
      return report;
    workRates.jerk -= ratesBefore->jerk;
    workRates.lambda -= ratesBefore->lambda;
    history.shiftJerk(workRates.jerk);
    if (traits.companions >= m) history.shiftSlope(2 * n, workRates.lambda);
  }
  work.a -= before.a;
  work.lambda -= before.lambda;
  history.shiftAcceleration(work.a);
  if (traits.companions >= m) history.shiftValue(2 * n, work.lambda);
  multipliers += work.lambda;
  return {};
}

}  // namespace trammel
