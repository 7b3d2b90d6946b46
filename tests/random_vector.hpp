#pragma once

#include <random>

#include "solver/types.hpp"

namespace trammel::test {

/// Components between −1 and 1.
inline Vector randomVector(Index size, std::mt19937& random) {
  std::uniform_real_distribution<double> draw(-1, 1);
  Vector x(size);
  for (double& value : x) value = draw(random);
  return x;
}

}  // namespace trammel::test
