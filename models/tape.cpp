#include "models/tape.hpp"

#include <algorithm>
#include <cmath>

#include "solver/pairs.hpp"

namespace trammel {
namespace {

/// Does the instructions from `i` on that have the same code; their results go to `slot` on.
template <class Instruction, class F>
inline void perform(const Instruction*& i, const double* storage, double*& slot, F f) {
  const Instruction* next = i;
  double* to = slot;
  const TapeCode code = next->code;
  do {
    *to++ = f(storage[next->a], storage[next->b], storage[next->c]);
    ++next;
  } while (next->code == code);
  i = next;
  slot = to;
}

}  // namespace

void Tape::prepare(const double* parameters, double* storage) const {
  double* slot = std::copy(constants_.begin(), constants_.end(), storage + offset_);
  for (const std::uint32_t index : parameters_) *slot++ = parameters[index];
  for (const Instruction& i : preparation_)
    *slot++ = trammel::evaluate(static_cast<Operation>(i.code), storage[i.a], storage[i.b]);
}

void Tape::run(const TapeSources& sources, double* storage) const {
  double* slot = storage + firstLoad_;
  for (const LoadRun& run : loadRuns_) {
    const double* from = sources.of(run.kind) + run.first;
    forPairs(run.count, [&]<class Some>(Index k) { store<Some>(load<Some>(from + k), slot + k); });
    slot += run.count;
  }
  const Instruction* i = operations_.data();
  for (;;) {
    switch (i->code) {
      case TapeCode::add:
        perform(i, storage, slot, [](double a, double b, double) { return a + b; });
        break;
      case TapeCode::subtract:
        perform(i, storage, slot, [](double a, double b, double) { return a - b; });
        break;
      case TapeCode::multiply:
        perform(i, storage, slot, [](double a, double b, double) { return a * b; });
        break;
      case TapeCode::divide:
        perform(i, storage, slot, [](double a, double b, double) { return a / b; });
        break;
      case TapeCode::negate:
        perform(i, storage, slot, [](double a, double, double) { return -a; });
        break;
      case TapeCode::productPlus:
        perform(i, storage, slot, [](double a, double b, double c) { return a * b + c; });
        break;
      case TapeCode::productMinus:
        perform(i, storage, slot, [](double a, double b, double c) { return a * b - c; });
        break;
      case TapeCode::minusProduct:
        perform(i, storage, slot, [](double a, double b, double c) { return c - a * b; });
        break;
      case TapeCode::sineCosine: {
        const double angle = storage[i++->a];
        *slot++ = std::sin(angle);
        *slot++ = std::cos(angle);
        break;
      }
      case TapeCode::end:
        return;
      default:
        *slot++ = trammel::evaluate(static_cast<Operation>(i->code), storage[i->a], storage[i->b]);
        ++i;
        break;
    }
  }
}

}  // namespace trammel
