#pragma once

#include <cmath>
#include <cstdint>

namespace trammel {

/// What a node of an expression does with its operands a and b.
enum class Operation : std::uint8_t {
  constant,
  symbol,
  // two operands
  add,
  subtract,
  multiply,
  divide,
  power,
  atan2,
  min,
  max,
  notLess,  // 1 where a >= b, else 0: the derivative of max, not to be written in a model file
  // one operand
  negate,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  abs,
  sign,
};

constexpr bool isBinary(Operation operation) {
  return operation >= Operation::add && operation <= Operation::notLess;
}

/// The value of an operation; b is not looked at where there is one operand.
inline double evaluate(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return std::pow(a, b);
    case Operation::atan2:
      return std::atan2(a, b);
    case Operation::min:
      return b < a || std::isnan(b) ? b : a;
    case Operation::max:
      return b > a || std::isnan(b) ? b : a;
    case Operation::notLess:
      return a >= b ? 1.0 : 0.0;
    case Operation::negate:
      return -a;
    case Operation::sin:
      return std::sin(a);
    case Operation::cos:
      return std::cos(a);
    case Operation::tan:
      return std::tan(a);
    case Operation::asin:
      return std::asin(a);
    case Operation::acos:
      return std::acos(a);
    case Operation::atan:
      return std::atan(a);
    case Operation::sinh:
      return std::sinh(a);
    case Operation::cosh:
      return std::cosh(a);
    case Operation::tanh:
      return std::tanh(a);
    case Operation::exp:
      return std::exp(a);
    case Operation::log:
      return std::log(a);
    case Operation::log10:
      return std::log10(a);
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::abs:
      return std::abs(a);
    case Operation::sign:
      return a > 0 ? 1.0 : (a < 0 ? -1.0 : a);
    case Operation::constant:
    case Operation::symbol:
      break;
  }
  return std::nan("");
}

}  // namespace trammel
