#include "solver/step_control.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

double ratio(double estimate, int k) { return std::pow(2 * estimate + 1e-4, -1.0 / (k + 1)); }

}  // namespace

double StepControl::growth(double estimate, int k, double most) {
  const double size = 2 * estimate + 1e-4;  // r = size^(−1/(k+1)); most steps need no power of it
  if (size <= std::ldexp(1.0, -(k + 1)))
    return most > 2 ? std::clamp(0.5 * ratio(estimate, k), 2.0, most) : 2;
  if (size < 1) return 1;
  return std::clamp(ratio(estimate, k), 0.5, 0.9);
}

StepChoice StepControl::afterErrorFailure(const BdfHistory& history, const ErrorEstimates& e,
                                          int failures) {
  const int k = e.lower ? history.order() - 1 : history.order();
  if (failures == 1) {
    const double r = 0.9 * ratio(e.lower ? e.below : e.atOrder, k);
    return {k, history.step() * std::clamp(r, 0.25, 0.9)};
  }
  if (failures == 2) return {k, 0.25 * history.step()};
  return {1, 0.25 * history.step()};
}

}  // namespace trammel
