#pragma once

#include <cstddef>
#include <vector>

#include "models/compiled_model.hpp"

namespace trammel::fmi {

/// Inputs as they are set, in the order of Quantity::input:
///   u(t) = value + first (t − origin) + second (t − origin)²/2.
/// Signals that are constant have origin 0, so that equal signals have equal members.
class InputSignals {
 public:
  InputSignals() = default;
  explicit InputSignals(std::vector<double> values);

  std::size_t size() const { return value_.size(); }
  bool isConstant() const;  // no derivative is different from 0
  double at(std::size_t i, double t) const;
  InputPolynomials polynomials() const;

  /// From time t on, input i is this polynomial in time since t; the others go on as they were.
  void set(std::size_t i, double t, double value, double first, double second);
  double valueAtOrigin(std::size_t i) const { return value_[i]; }
  void setValueAtOrigin(std::size_t i, double value) { value_[i] = value; }
  double first(std::size_t i) const { return first_[i]; }  // at the origin
  double second(std::size_t i) const { return second_[i]; }

  bool operator==(const InputSignals&) const = default;

  /// Visits all numbers; `visit` takes a vector or a number.
  template <class Visitor>
  void visit(Visitor&& visit) {
    visit(origin_);
    visit(value_);
    visit(first_);
    visit(second_);
  }

 private:
  void moveOrigin(double t);

  double origin_ = 0;  // [s]
  std::vector<double> value_, first_, second_;
};

}  // namespace trammel::fmi
