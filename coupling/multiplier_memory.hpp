#pragma once

#include <array>
#include <vector>

#include "solver/types.hpp"

namespace trammel::coupling {

/// λ at one time.
struct MultiplierSample {
  double time = 0;  // [s] from t_n, ≤ 0
  Vector lambda;
};

/// A way to extrapolate: by the polynomial of this degree that is nearest to so many of the newest
/// samples.
struct Extrapolation {
  int degree = 0;
  int count = 1;  // > degree; degree + 1: the polynomial goes through the samples
};

/// Polynomials through samples follow λ most closely, those between twice as many make less of the
/// noise of members.
constexpr std::array<Extrapolation, 9> extrapolations{
    {{0, 1}, {1, 2}, {1, 4}, {2, 3}, {2, 6}, {3, 4}, {3, 8}, {4, 5}, {4, 10}}};

/// What the course of λ continues from. Steps may be of different sizes.
struct MultiplierMemory {
  MultiplierMemory() { misses.fill(untried); }

  Vector last, beforeLast;                // λ_n, λ_{n−1}
  double lastStep = 0;                    // [s] between them; 0: there is no λ_{n−1};
                                          // < 0: in its place stands a λ of the step to come
  std::vector<MultiplierSample> samples;  // newest first: where λ is most exact
  std::array<double, extrapolations.size()> misses;  // squared, of late, of each extrapolation
  int chosen = 0;                                    // the extrapolation that has missed least

  bool isFirst() const { return lastStep <= 0; }
  bool hasTwoPoints() const { return lastStep != 0; }
  /// λ at t_n + time, by as many samples as there are; `last` where there are none.
  Vector extrapolated(double time, const Extrapolation& by) const;
  Vector extrapolated(double time) const {
    return extrapolated(time, extrapolations[static_cast<std::size_t>(chosen)]);
  }
  /// Takes samples of the step of size H that begins at t_n, in the order of their times, and makes
  /// its end t_n. `unit` is what a difference of λ is measured by, row for row.
  void take(const std::vector<MultiplierSample>& ofStep, double H, VectorIn unit);
  /// λ is known at t_n, and nothing before holds any more.
  void restart(const Vector& lambda);

 private:
  static constexpr double untried = -1;

  void judge(const std::vector<MultiplierSample>& ofStep, VectorIn unit);
  void choose();
};

}  // namespace trammel::coupling
