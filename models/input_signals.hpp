#pragma once

#include <span>
#include <vector>

#include "models/compiled_model.hpp"
#include "models/tape.hpp"

namespace trammel {

/// The inputs of an instance as polynomials in time.
class InputSignals {
 public:
  explicit InputSignals(std::span<const double> values)
      : value_(values.begin(), values.end()),
        first_(value_.size()),
        second_(value_.size()),
        valueNow_(value_),
        firstNow_(value_.size()) {}

  void set(const InputPolynomials& inputs);
  /// Puts inputs and their derivatives at time t into the sources, which stay valid until the next
  /// call.
  void at(double t, TapeSources& sources) {
    sources.inputs = value_.data();
    sources.inputRates = first_.data();
    sources.inputSecondRates = second_.data();
    if (vary_) follow(t, sources);
  }

 private:
  void follow(double t, TapeSources& sources);

  std::vector<double> value_, first_, second_;
  std::vector<double> valueNow_, firstNow_;
  double origin_ = 0;  // [s]
  bool vary_ = false;
};

}  // namespace trammel
