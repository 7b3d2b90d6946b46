#pragma once

#include "solver/types.hpp"

namespace trammel {

/// Σ a_k b_k in two sums, which fit a vector register.
inline double dot(const double* a, const double* b, Index count) {
  double even = 0, odd = 0;
  Index k = 0;
  for (; k + 1 < count; k += 2) {
    even += a[k] * b[k];
    odd += a[k + 1] * b[k + 1];
  }
  return k < count ? even + odd + a[k] * b[k] : even + odd;
}

}  // namespace trammel
