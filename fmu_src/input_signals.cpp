#include "fmu_src/input_signals.hpp"

#include <algorithm>
#include <utility>

namespace trammel::fmi {

InputSignals::InputSignals(std::vector<double> values)
    : value_(std::move(values)), first_(value_.size()), second_(value_.size()) {}

bool InputSignals::isConstant() const {
  const auto zero = [](double x) { return x == 0; };
  return std::all_of(first_.begin(), first_.end(), zero) &&
         std::all_of(second_.begin(), second_.end(), zero);
}

double InputSignals::at(std::size_t i, double t) const {
  if (first_[i] == 0 && second_[i] == 0) return value_[i];
  const double s = t - origin_;
  return value_[i] + s * (first_[i] + s / 2 * second_[i]);
}

InputPolynomials InputSignals::polynomials() const {
  // Signals without rates: the model need not evaluate polynomials at every time.
  if (isConstant()) return {.origin = 0, .value = value_, .first = {}, .second = {}};
  return {.origin = origin_, .value = value_, .first = first_, .second = second_};
}

void InputSignals::moveOrigin(double t) {
  if (t == origin_) return;
  for (std::size_t i = 0; i < size(); ++i) {
    value_[i] = at(i, t);
    first_[i] += (t - origin_) * second_[i];
  }
  origin_ = t;
}

void InputSignals::set(std::size_t i, double t, double value, double first, double second) {
  const bool derivativesMatter = first != 0 || second != 0 || !isConstant();
  if (derivativesMatter) moveOrigin(t);
  value_[i] = value;
  first_[i] = first;
  second_[i] = second;
  if (derivativesMatter && isConstant()) origin_ = 0;
}

}  // namespace trammel::fmi
