#pragma once

#include "solver/types.hpp"

namespace trammel {

/// Two numbers, which fill a register of every machine, and four, which fill one where there is
/// AVX2 and take two elsewhere. May stand for numbers in memory.
using Pair = double __attribute__((vector_size(16), aligned(8), may_alias));
using Quad = double __attribute__((vector_size(32), aligned(8), may_alias));

inline const Pair& pairAt(const double* x) { return *reinterpret_cast<const Pair*>(x); }
inline Pair& pairAt(double* x) { return *reinterpret_cast<Pair*>(x); }
inline const Quad& quadAt(const double* x) { return *reinterpret_cast<const Quad*>(x); }
inline Quad& quadAt(double* x) { return *reinterpret_cast<Quad*>(x); }

// Not on Windows: there g++ may keep wide numbers on the stack as if it were aligned to 32 bytes,
// which it is not (GCC bug 54412).
#if defined(__x86_64__) && !defined(_WIN32)
inline bool hasWide() { return __builtin_cpu_supports("avx2"); }

/// Pre: hasWide(). The action must always be inlined.
template <class Action>
[[gnu::target("avx2")]] void actWide(const Action& action) {
  const Action own = action;  // what it has captured stays in registers
  own();
}
#else
inline bool hasWide() { return false; }

template <class Action>
void actWide(const Action& action) {
  action();
}
#endif

/// An action with the registers that the machine has. Its operations must be those of single
/// numbers, so that its results are the same on all machines; it must always be inlined.
template <class Action>
void act(const Action& action) {
  if (hasWide()) {
    actWide(action);
  } else {
    const Action own = action;
    own();
  }
}

/// Of fewer numbers calling the wide form takes longer than what it saves.
constexpr Index fewestWide = 32;

/// The same with what every machine has where there are few numbers.
template <class Action>
void actOn(Index count, const Action& action) {
  if (count >= fewestWide && hasWide()) {
    actWide(action);
  } else {
    const Action own = action;
    own();
  }
}

/// Numbers in memory: four, two or one.
template <class Some>
[[gnu::always_inline]] inline const Some& at(const double* x) {
  return *reinterpret_cast<const Some*>(x);
}
template <class Some>
[[gnu::always_inline]] inline Some& at(double* x) {
  return *reinterpret_cast<Some*>(x);
}

/// Calls visit<Quad>(i) for i = 0, 4, 8, … below `count`, and for the last ones visit<Pair>(i) and
/// visit<double>(i). To be used in an action; the visit must always be inlined.
template <class Visit>
[[gnu::always_inline]] inline void forQuads(Index count, const Visit& visit) {
  Index i = 0;
  for (; i + 3 < count; i += 4) visit.template operator()<Quad>(i);
  if (i + 1 < count) {
    visit.template operator()<Pair>(i);
    i += 2;
  }
  if (i < count) visit.template operator()<double>(i);
}

/// A sum over such visits, the same with both sizes of registers.
class QuadSum {
 public:
  [[gnu::always_inline]] void add(const Quad& x) { quads_ += x; }
  [[gnu::always_inline]] void add(const Pair& x) { pair_ += x; }
  [[gnu::always_inline]] void add(const double& x) { single_ += x; }
  [[gnu::always_inline]] double total() const {
    return ((quads_[0] + quads_[1]) + (quads_[2] + quads_[3])) + ((pair_[0] + pair_[1]) + single_);
  }

 private:
  Quad quads_ = {};
  Pair pair_ = {};
  double single_ = 0;
};

}  // namespace trammel
