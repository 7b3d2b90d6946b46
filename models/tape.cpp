#include "models/tape.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "solver/wide.hpp"

namespace trammel {
void Tape::prepare(const double* parameters, double* storage) const {
  double* slot = std::copy(constants_.begin(), constants_.end(), storage + offset_);
  for (const std::uint32_t index : parameters_) *slot++ = parameters[index];
  for (const Instruction& i : preparation_)
    *slot++ = trammel::evaluate(i.operation, storage[i.a], storage[i.b]);
}

// Labels as values are an extension of C++ that GCC and clang have.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

/// Does instructions up to the end, or to one that calls a function. Each leads to the next by
/// itself, because choosing what to do in one place takes as long as doing it, and nothing is
/// called, so that a short tape has no registers to save.
Tape::Progress Tape::calculate(Progress from, const TapeSources& sources, double* storage) {
  static const void* const doing[] = {&&load,         &&add,    &&subtract,    &&multiply,
                                      &&divide,       &&negate, &&productPlus, &&productMinus,
                                      &&minusProduct, &&calls,  &&calls,       &&calls};
  static_assert(std::size(doing) == static_cast<std::size_t>(TapeCode::end) + 1);
  const double* const x = storage;
  const Instruction* i = from.next;
  double* slot = from.slot;
  goto* doing[static_cast<std::size_t>(i->code)];
load : {
  const double* symbol = sources.of(static_cast<SymbolKind>(i->a)) + i->b;
  std::uint32_t left = i->c;
  for (; left > 1; left -= 2, symbol += 2, slot += 2) pairAt(slot) = pairAt(symbol);
  if (left > 0) *slot++ = *symbol;
}
  goto* doing[static_cast<std::size_t>((++i)->code)];
add:
  *slot++ = x[i->a] + x[i->b];
  goto* doing[static_cast<std::size_t>((++i)->code)];
subtract:
  *slot++ = x[i->a] - x[i->b];
  goto* doing[static_cast<std::size_t>((++i)->code)];
multiply:
  *slot++ = x[i->a] * x[i->b];
  goto* doing[static_cast<std::size_t>((++i)->code)];
divide:
  *slot++ = x[i->a] / x[i->b];
  goto* doing[static_cast<std::size_t>((++i)->code)];
negate:
  *slot++ = -x[i->a];
  goto* doing[static_cast<std::size_t>((++i)->code)];
productPlus:
  *slot++ = x[i->a] * x[i->b] + x[i->c];
  goto* doing[static_cast<std::size_t>((++i)->code)];
productMinus:
  *slot++ = x[i->a] * x[i->b] - x[i->c];
  goto* doing[static_cast<std::size_t>((++i)->code)];
minusProduct:
  *slot++ = x[i->c] - x[i->a] * x[i->b];
  goto* doing[static_cast<std::size_t>((++i)->code)];
calls:
  return {i, slot};
}
#pragma GCC diagnostic pop

/// An instruction that calls functions, and what follows.
void Tape::call(Progress at, const TapeSources& sources, double* storage) {
  for (; at.next->code != TapeCode::end; at = calculate(at, sources, storage)) {
    const Instruction& i = *at.next++;
    const double a = storage[i.a];
    if (i.code == TapeCode::sineCosine) {
      *at.slot++ = std::sin(a);
      *at.slot++ = std::cos(a);
    } else {
      *at.slot++ = trammel::evaluate(i.operation, a, storage[i.b]);
    }
  }
}

}  // namespace trammel
