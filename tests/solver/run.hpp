#pragma once

#include <limits>

#include "solver/integrator.hpp"

namespace trammel::test {

/// The end of a run from a problem's own start values, with its statistics.
struct Run {
  Report report;
  Motion end;
  Statistics statistics;
};

/// Integrates `problem` (with `equations.q0`, `equations.v0`) from 0 to `until` without
/// intermediate stops; no step passes `limit`.
template <class ProblemType>
Run integrate(ProblemType& problem, double until, SolverOptions options,
              double limit = std::numeric_limits<double>::infinity()) {
  options.horizon = until;
  Integrator integrator(problem, options);
  Run run;
  run.report = integrator.start(0.0, problem.equations.q0, problem.equations.v0);
  if (run.report.ok) run.report = integrator.advance(until, limit);
  if (run.report.ok) run.report = integrator.motion(until, true, run.end);
  run.statistics = integrator.statistics();
  return run;
}

}  // namespace trammel::test
