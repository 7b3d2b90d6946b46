#include "models/input_signals.hpp"

#include <algorithm>
#include <cassert>

namespace trammel {

void InputSignals::set(const InputPolynomials& inputs) {
  assert(inputs.value.size() == value_.size());
  const auto copy = [](std::span<const double> from, std::vector<double>& to) {
    assert(from.empty() || from.size() == to.size());
    std::fill(to.begin(), to.end(), 0.0);
    std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
  };
  copy(inputs.value, value_);
  copy(inputs.first, first_);
  copy(inputs.second, second_);
  origin_ = inputs.origin;
  vary_ = !inputs.first.empty() || !inputs.second.empty();
}

void InputSignals::follow(double t, TapeSources& sources) {
  const double s = t - origin_;
  for (std::size_t i = 0; i < value_.size(); ++i) {
    valueNow_[i] = value_[i] + s * (first_[i] + s / 2 * second_[i]);
    firstNow_[i] = first_[i] + s * second_[i];
  }
  sources.inputs = valueNow_.data();
  sources.inputRates = firstNow_.data();
}

}  // namespace trammel
