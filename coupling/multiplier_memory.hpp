#pragma once

#include <vector>

#include "solver/types.hpp"

namespace trammel::coupling {

/// λ at one time.
struct MultiplierSample {
  double time = 0;  // [s] from t_n, ≤ 0
  Vector lambda;
};

/// What the course of λ continues from. Steps may be of different sizes.
struct MultiplierMemory {
  Vector last, beforeLast;                // λ_n, λ_{n−1}
  double lastStep = 0;                    // [s] between them; 0: there is no λ_{n−1}
  std::vector<MultiplierSample> samples;  // newest first: where λ is most exact
  int degree = 0;                         // of the extrapolation, by what was best in the last step

  bool isFirst() const { return lastStep <= 0; }
  /// λ at t_n + time by the polynomial through the newest samples; `last` where there are none.
  Vector extrapolated(double time, int withDegree) const;
  Vector extrapolated(double time) const { return extrapolated(time, degree); }
  /// Takes samples of the step of size H that begins at t_n, in the order of their times, and makes
  /// its end t_n.
  void take(const std::vector<MultiplierSample>& ofStep, double H);
  /// λ is known at t_n, and nothing before holds any more.
  void restart(const Vector& lambda);
};

}  // namespace trammel::coupling
