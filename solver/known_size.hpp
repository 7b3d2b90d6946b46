#pragma once

#include <type_traits>

#include "solver/types.hpp"

namespace trammel {

/// Calls visit(size), for few rows with a constant in place of the number: there loops take longer
/// to begin and to end than to run, and the compiler writes them out.
template <class Visit>
[[gnu::always_inline]] inline decltype(auto) withKnownSize(Index size, Visit visit) {
  switch (size) {
    case 1:
      return visit(std::integral_constant<Index, 1>{});
    case 2:
      return visit(std::integral_constant<Index, 2>{});
    case 3:
      return visit(std::integral_constant<Index, 3>{});
    case 4:
      return visit(std::integral_constant<Index, 4>{});
    case 5:
      return visit(std::integral_constant<Index, 5>{});
    case 6:
      return visit(std::integral_constant<Index, 6>{});
    default:
      return visit(size);
  }
}

/// The same with constants for the fewest alone, where there is much to write out.
template <class Visit>
[[gnu::always_inline]] inline decltype(auto) withFewestKnown(Index size, Visit visit) {
  switch (size) {
    case 1:
      return visit(std::integral_constant<Index, 1>{});
    case 2:
      return visit(std::integral_constant<Index, 2>{});
    case 3:
      return visit(std::integral_constant<Index, 3>{});
    default:
      return visit(size);
  }
}

/// The largest of these numbers, of which 1 is the smallest.
constexpr Index largestKnownSize = 6;
constexpr bool isKnownSize(Index size) { return 1 <= size && size <= largestKnownSize; }

/// Numbers from one column of a matrix to the next: filled up to whole registers of four, but not
/// of few rows, which are written out as they are.
constexpr Index strideOf(Index size) { return isKnownSize(size) ? size : (size + 3) / 4 * 4; }

}  // namespace trammel
