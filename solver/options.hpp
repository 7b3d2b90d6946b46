#pragma once

#include <limits>

#include "solver/linear_algebra.hpp"

namespace trammel {

struct SolverOptions {
  double tolerance = 1e-6;  // relative; absolute is tolerance × nominal of the coordinate
  int maxOrder = 5;         // 1 … 6
  double maxStep = std::numeric_limits<double>::infinity();  // [s]
  double initialStep = 0;                                    // [s], 0: chosen by the solver
  double horizon = 1;  // [s], expected length of the run: bounds the first step
  LinearAlgebra linearAlgebra = LinearAlgebra::automatic;

  /// Throws Error naming the first value out of range.
  void validate() const;
};

}  // namespace trammel
