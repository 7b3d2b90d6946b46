#pragma once

#include "models/operation.hpp"

namespace trammel {

/// What an instruction of a tape does: an operation, or the work of two.
enum class TapeCode : std::uint32_t {
  add = static_cast<std::uint32_t>(Operation::add),
  subtract = static_cast<std::uint32_t>(Operation::subtract),
  multiply = static_cast<std::uint32_t>(Operation::multiply),
  divide = static_cast<std::uint32_t>(Operation::divide),
  negate = static_cast<std::uint32_t>(Operation::negate),
  productPlus = static_cast<std::uint32_t>(Operation::sign) + 1,  // a b + c
  productMinus,                                                   // a b − c
  minusProduct,                                                   // c − a b
  sineCosine,                                                     // sin a, then cos a: two results
  end
};

constexpr TapeCode codeOf(Operation operation) { return static_cast<TapeCode>(operation); }

}  // namespace trammel
