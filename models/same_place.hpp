#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace trammel {

/// Whether two lists of numbers are the same bit by bit, eight at a time.
inline bool isSame(const double* x, const double* y, std::size_t count) {
  const auto difference = [&](std::size_t i) {
    return std::bit_cast<std::uint64_t>(x[i]) ^ std::bit_cast<std::uint64_t>(y[i]);
  };
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::uint64_t any = 0;
    for (std::size_t k = 0; k < 8; ++k) any |= difference(i + k);
    if (any != 0) return false;
  }
  for (; i < count; ++i)
    if (difference(i) != 0) return false;
  return true;
}

}  // namespace trammel
