#include "models/tape.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {
namespace {

/// Does the instructions from `i` on that have the same code; their results go to `slot` on.
template <class Instruction, class F>
inline void run(const Instruction*& i, const double* storage, double*& slot, F f) {
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

void Tape::evaluate(const TapeSources& sources, double* storage) const {
  double* slot = storage + firstLoad_;
  const std::uint32_t* load = loads_.data();
  for (const LoadRun& run : loadRuns_) {
    const double* table = sources.of(run.kind);
    const std::uint32_t* const end = load + run.count;
    do {
      *slot++ = table[*load++];
    } while (load != end);
  }
  const Instruction* i = operations_.data();
  for (;;) {
    switch (i->code) {
      case TapeCode::add:
        run(i, storage, slot, [](double a, double b, double) { return a + b; });
        break;
      case TapeCode::subtract:
        run(i, storage, slot, [](double a, double b, double) { return a - b; });
        break;
      case TapeCode::multiply:
        run(i, storage, slot, [](double a, double b, double) { return a * b; });
        break;
      case TapeCode::divide:
        run(i, storage, slot, [](double a, double b, double) { return a / b; });
        break;
      case TapeCode::negate:
        run(i, storage, slot, [](double a, double, double) { return -a; });
        break;
      case TapeCode::productPlus:
        run(i, storage, slot, [](double a, double b, double c) { return a * b + c; });
        break;
      case TapeCode::productMinus:
        run(i, storage, slot, [](double a, double b, double c) { return a * b - c; });
        break;
      case TapeCode::minusProduct:
        run(i, storage, slot, [](double a, double b, double c) { return c - a * b; });
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

void Tape::copyRoots(const double* storage, std::size_t first, std::size_t count,
                     double* values) const {
  const std::uint32_t* slot = roots_.data() + first;
  for (std::size_t k = 0; k < count; ++k) values[k] = storage[slot[k]];
}

}  // namespace trammel
