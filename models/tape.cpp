#include "models/tape.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel {
namespace {

/// Fills the slots from `slot` on with the operation on each of the operands.
template <class Operands, class F>
double* fill(const Operands*& from, std::uint32_t count, const double* storage, double* slot, F f) {
  const Operands* const end = from + count;
  for (; from != end; ++from) *slot++ = f(storage[from->a], storage[from->b], storage[from->c]);
  return slot;
}

template <class Operands>
double* fillSineCosine(const Operands*& from, std::uint32_t count, const double* storage,
                       double* slot) {
  const Operands* const end = from + count;
  for (; from != end; ++from) {
    const double angle = storage[from->a];
    const double sine = std::sin(angle), cosine = std::cos(angle);
    *slot++ = sine;
    *slot++ = cosine;
  }
  return slot;
}

}  // namespace

void Tape::prepare(const double* parameters, double* storage) const {
  double* slot = std::copy(constants_.begin(), constants_.end(), storage + offset_);
  for (const std::uint32_t index : parameters_) *slot++ = parameters[index];
  for (const Preparation& i : preparation_)
    *slot++ = trammel::evaluate(i.operation, storage[i.from.a], storage[i.from.b]);
}

void Tape::evaluate(const TapeSources& sources, double* storage) const {
  const std::array<const double*, 10> tables{
      &sources.time,  sources.parameters, sources.inputs,
      sources.q,      sources.v,          sources.a,
      sources.lambda, sources.inputRates, sources.inputSecondRates,
      sources.derived};
  double* slot = storage + firstLoad_;
  const std::uint32_t* load = loads_.data();
  for (const LoadRun& run : loadRuns_) {
    const double* table = tables[static_cast<std::size_t>(run.kind)];
    for (const std::uint32_t* end = load + run.count; load != end; ++load) *slot++ = table[*load];
  }
  const Operands* from = operations_.data();
  const auto all = [&](const Run& run, auto f) { slot = fill(from, run.count, storage, slot, f); };
  for (const Run& run : runs_) {
    switch (run.fusion) {
      case Fusion::productPlus:
        all(run, [](double a, double b, double c) { return a * b + c; });
        continue;
      case Fusion::productMinus:
        all(run, [](double a, double b, double c) { return a * b - c; });
        continue;
      case Fusion::minusProduct:
        all(run, [](double a, double b, double c) { return c - a * b; });
        continue;
      case Fusion::sineCosine:
        slot = fillSineCosine(from, run.count, storage, slot);
        continue;
      case Fusion::none:
        break;
    }
    switch (run.operation) {
      case Operation::add:
        all(run, [](double a, double b, double) { return a + b; });
        break;
      case Operation::subtract:
        all(run, [](double a, double b, double) { return a - b; });
        break;
      case Operation::multiply:
        all(run, [](double a, double b, double) { return a * b; });
        break;
      case Operation::divide:
        all(run, [](double a, double b, double) { return a / b; });
        break;
      case Operation::negate:
        all(run, [](double a, double, double) { return -a; });
        break;
      default:
        all(run,
            [&](double a, double b, double) { return trammel::evaluate(run.operation, a, b); });
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
