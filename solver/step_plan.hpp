#pragma once

#include <algorithm>

namespace trammel {

/// What was decided at the start of an interval about its steps (SolverOptions::repeatable). Order
/// and size of the steps are those of StepChoice. A plan is made for the ordinary tests of error
/// and Newton, and kept as long as lenient ones hold: so a small change of the forces does not
/// break it, and what the interval has shown enters the next plan.
struct StepPlan {
  static constexpr double errorLeniency = 4;   // largest error, in tolerances, of a planned step
  static constexpr double newtonLeniency = 6;  // the same for the tolerances of Newton
  static constexpr int fewestIterations = 2;
  static constexpr double keptSize = 0.4;  // an error estimate that keeps the step size as it is
  static constexpr int longest = 16;  // steps; a plan with more to come is revised at every step

  double limit = 0;    // [s], end of the interval
  int remaining = 0;   // steps of equal size up to there; 0: none planned yet
  int iterations = 3;  // of Newton, in every step
  int needed = 0;      // largest number that a step of this interval needed
  double worst = 0;    // largest error estimate of this interval, in tolerances

  /// Another order or size was chosen on the way: the rest of the interval is planned anew.
  void revise() {
    remaining = 0;
    worst = 0;
  }
  void endInterval() {
    if (needed > 0) iterations = std::max(needed, fewestIterations);
    remaining = needed = 0;
    worst = 0;
  }
};

}  // namespace trammel
