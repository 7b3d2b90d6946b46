#pragma once

#include "models/operation.hpp"

namespace trammel {

/// What an instruction of a tape does.
enum class TapeCode : std::uint16_t {
  load,  // symbols of one kind, one after the other
  add,
  subtract,
  multiply,
  divide,
  negate,
  productPlus,   // a b + c
  productMinus,  // a b − c
  minusProduct,  // c − a b
  sineCosine,    // sin a, then cos a: two results
  function,      // an operation that none of these is
  end
};

constexpr TapeCode codeOf(Operation operation) {
  switch (operation) {
    case Operation::add:
      return TapeCode::add;
    case Operation::subtract:
      return TapeCode::subtract;
    case Operation::multiply:
      return TapeCode::multiply;
    case Operation::divide:
      return TapeCode::divide;
    case Operation::negate:
      return TapeCode::negate;
    default:
      return TapeCode::function;
  }
}

}  // namespace trammel
