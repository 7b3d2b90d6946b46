#pragma once

#include <array>
#include <cmath>
#include <span>

#include "solver/integrator.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel::test {

/// The experiment of Eich, section 3.3: the pendulum with a period of 2 s, index 1, 100 s, largest
/// order 6, with or without projection. End errors change sign with the tolerance, so a row is the
/// geometric mean over runs with tolerances near its own.
struct EichRow {
  std::array<double, 6> errors{};  // |Δx|, |Δy|, |Δx'|, |Δy'|, |Δλ|, |x² + y² − 1|
  double steps = 0;                // mean
  int runs = 0, failures = 0;

  double velocityError() const { return errors[3]; }
  double residual() const { return errors[5]; }
};

inline EichRow eichRow(double tolerance, Projection projection, std::span<const double> factors) {
  Problem<Pendulum> pendulum;
  pendulum.equations.gravity = 13.7503716373294544;
  const double end = 100.0;
  EichRow row;
  for (const double factor : factors) {
    SolverOptions options;
    options.method = Method::index1;
    options.projection = projection;
    options.maxOrder = 6;
    options.tolerance = factor * tolerance;
    options.horizon = end;
    Integrator integrator(pendulum, options);
    Motion motion;
    const bool ok = integrator.start(0, pendulum.equations.q0, pendulum.equations.v0).ok &&
                    integrator.advance(end, end).ok && integrator.motion(end, true, motion).ok;
    if (!ok) {
      ++row.failures;
      continue;
    }
    ++row.runs;
    row.steps += static_cast<double>(integrator.statistics().steps);
    const std::array errors{motion.q[0] - 1, motion.q[1],      motion.v[0],
                            motion.v[1],     motion.lambda[0], motion.q.squaredNorm() - 1};
    for (std::size_t i = 0; i < errors.size(); ++i)
      row.errors[i] += std::log(std::abs(errors[i]) + 1e-17);
  }
  row.steps /= row.runs;
  for (double& error : row.errors) error = std::exp(error / row.runs);
  return row;
}

}  // namespace trammel::test
