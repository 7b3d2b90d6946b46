#pragma once

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

}  // namespace trammel
