#include "solver/step_control.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

double ratio(double estimate, int k) {
  const double size = 2 * estimate + 1e-4;
  return k == 1 ? 1 / std::sqrt(size) : std::pow(size, -1.0 / (k + 1));
}

}  // namespace

ErrorEstimates StepControl::estimate(const BdfHistory& history, const ErrorNorms& norms) {
  const int k = history.order();
  ErrorEstimates e;
  e.test = history.errorCoefficient() * norms.atOrder;
  e.atOrder = history.sigma(k + 1) * norms.atOrder;
  e.scaled = (k + 1) * e.atOrder;
  if (k == 1) return e;
  e.below = history.sigma(k) * norms.below;
  e.scaledBelow = k * e.below;
  if (k == 2) {
    e.lower = e.scaledBelow <= 0.5 * e.scaled;
  } else {
    const double scaledTwoBelow = (k - 1) * history.sigma(k - 1) * norms.twoBelow;
    e.lower = std::max(e.scaledBelow, scaledTwoBelow) <= e.scaled;
  }
  return e;
}

double StepControl::growth(double estimate, int k, double most) {
  const double size = 2 * estimate + 1e-4;  // r = size^(−1/(k+1)); most steps need no power of it
  const double twice = 1.0 / (2 << k);      // size for which r is 2
  if (size <= twice) return most > 2 ? std::clamp(0.5 * ratio(estimate, k), 2.0, most) : 2;
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
