#pragma once

#include <limits>
#include <numbers>

#include "solver/integrator.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel::test {

/// The slider-crank of numerics' input tables: unit gravity, rod 2, crank at 0.5 rad with 3 rad/s,
/// and on the slider a force that is a straight line in each communication step.
struct DrivenSliderCrank : PointSliderCrank {
  double value = 0, slope = 0, origin = 0;
  DrivenSliderCrank() : PointSliderCrank(0.5, 3.0, 2.0) { gravity = 1; }
  template <class S>
  void force(S t, const S* q, const S* v, S* f) const {
    PointSliderCrank::force(t, q, v, f);
    f[2] = value + slope * (t - origin);
  }
};

/// What is done at a communication point.
enum class AtJump { nothing, restart, shift, shiftWithJerk };

/// A run with the force sampled at every communication step (or its best straight line there).
struct DrivenRun {
  double step = 0.01, interval = 10, tolerance = 1e-6;  // step: of communication [s]
  double amplitude = 2, ripple = 0.3;                   // of 2π·0.7 rad/s and of 37 rad/s [N]
  bool straightLine = false;
  int changeEvery = 1;    // communication steps: then a new force
  bool overstep = false;  // steps go past communication points, and back where the force changes

  bool ok = true;
  double residuals = 0;  // a communication step
  Vector end = {};       // q

  double force(double t) const {
    return amplitude * std::sin(2 * std::numbers::pi * 0.7 * t) + ripple * std::sin(37 * t);
  }

  /// Sample at t, or L2 projection on straight lines over [t, t + step] by four-point Gauss.
  void drive(DrivenSliderCrank& crank, double t) const {
    crank.origin = t;
    crank.value = force(t);
    crank.slope = 0;
    if (!straightLine) return;
    constexpr double x[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                            0.8611363115940526};
    constexpr double w[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                            0.3478548451374538};
    double mean = 0, moment = 0;
    for (int i = 0; i < 4; ++i) {
      const double u = force(t + step * (1 + x[i]) / 2);
      mean += w[i] * u / 2;
      moment += 1.5 * w[i] * u * x[i];
    }
    crank.value = mean - moment;
    crank.slope = 2 * moment / step;
  }

  void run(AtJump action) {
    Problem<DrivenSliderCrank> problem;
    SolverOptions options;
    options.tolerance = tolerance;
    options.horizon = interval;
    Integrator integrator(problem, options);
    drive(problem.equations, 0);
    ok = integrator.start(0, problem.equations.q0, problem.equations.v0).ok;
    Motion before;
    Rates rates;
    const double endless = std::numeric_limits<double>::infinity();
    const int count = static_cast<int>(std::lround(interval / step));
    for (int i = 1; i <= count && ok; ++i) {
      const double t = i * step;
      ok =
          integrator.advance(t, overstep ? endless : t).ok && integrator.motion(t, true, before).ok;
      if (i % changeEvery != 0) continue;
      ok = ok && integrator.returnTo(t).ok && integrator.rates(before, rates).ok;
      drive(problem.equations, t);
      if (action == AtJump::restart) ok = ok && integrator.restart(before.q, before.v).ok;
      if (action == AtJump::shift) ok = ok && integrator.shift(before).ok;
      if (action == AtJump::shiftWithJerk) ok = ok && integrator.shift(before, rates).ok;
    }
    end = before.q;
    residuals = static_cast<double>(integrator.statistics().residuals) / count;
  }
};

}  // namespace trammel::test
