#pragma once

#include "solver/bdf_history.hpp"

namespace trammel {

/// Norms that they are made of: of E, φ_{k+1} + E where k > 1, φ_k + φ_{k+1} + E where k > 2.
struct ErrorNorms {
  double atOrder = 0, below = 0, twoBelow = 0;
};

/// Estimates of the local error at the present order and its neighbours, in units of the tolerance,
/// (E16).
struct ErrorEstimates {
  double test = 0;                     // C_k ‖E‖: the step is accepted if <= 1
  double atOrder = 0;                  // of order k
  double below = 0;                    // of order k − 1, where k > 1
  double scaled = 0, scaledBelow = 0;  // the same times k + 1 and k: comparable between orders
  bool lower = false;                  // order k − 1 is at least as good
};

/// Order and size of the next step.
struct StepChoice {
  int order = 1;
  double step = 0;
};

/// The rules of DASSL for order and step size; ‖·‖ is any weighted norm given as a callable on
/// expressions with the history's rows.
class StepControl {
 public:
  static ErrorEstimates estimate(const BdfHistory& history, const ErrorNorms& norms);

  /// Bounds of order and growth.
  struct Bounds {
    int order = 5;
    double growth = 2;
  };
  /// After an accepted step, outside the starting phase. Pre: history not yet updated by accept().
  template <class Norm>
  static StepChoice next(const BdfHistory& history, const Bounds& most, const ErrorEstimates& e,
                         const Vector& E, Norm norm) {
    const int k = history.order();
    const bool justRaised = k == history.lastOrder() + 1;
    if (e.lower) return {k - 1, history.step() * growth(e.below, k - 1, most.growth)};
    if (k == most.order || k + 1 >= history.stepsAtConstant() || justRaised)
      return {k, history.step() * growth(e.atOrder, k, most.growth)};
    const double above = norm(E - history.difference(k + 2)) / (k + 2);
    const double scaledAbove = (k + 2) * above;
    if (k > 1 && e.scaledBelow <= std::min(e.scaled, scaledAbove))
      return {k - 1, history.step() * growth(e.below, k - 1, most.growth)};
    const double bar = k > 1 ? e.scaled : 0.5 * e.scaled;
    if (scaledAbove < bar) return {k + 1, history.step() * growth(above, k + 1, most.growth)};
    return {k, history.step() * growth(e.atOrder, k, most.growth)};
  }

  /// After the `failures`-th error-test failure in a row.
  static StepChoice afterErrorFailure(const BdfHistory& history, const ErrorEstimates& e,
                                      int failures);

  /// Doubles where twice the step would pass, up to `most` where 2 `most` times the step would;
  /// keeps, or reduces to 0.5 … 0.9.
  static double growth(double estimate, int k, double most);
};

}  // namespace trammel
