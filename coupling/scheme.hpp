#pragma once

#include <string>

#include "coupling/multiplier_memory.hpp"
#include "solver/types.hpp"

namespace trammel::coupling {

/// Level at which the constraint is enforced at the end of a step, and the course of λ within it
/// (docs/coupling.md).
enum class Scheme {
  pv1,           // λ = c0 + c1 τ, discontinuous; g = g' = 0
  b2,            // λ quadratic through the last two points; g'' + 2 a g' + a² g = 0
  pc2,           // λ = c0, then c1, each for half a step; g = g' = 0
  a1,            // λ linear through the last point; g'' = 0: the level of the paper, it drifts
  explicitLine,  // one pass, λ extrapolated linearly
  explicitHold   // one pass, λ held
};

const char* text(Scheme scheme);

/// Whether steps are repeated until the constraint holds.
bool isIterated(Scheme scheme);

/// Unknowns for each multiplier.
Index blockCount(Scheme scheme);

/// One step of a scheme: H and the gain a of the stabilisation.
struct SchemeStep {
  Scheme scheme = Scheme::pv1;
  double H = 0;     // [s]
  double gain = 0;  // a [1/s]

  /// λ(τ) = C.col(0) + C.col(1) τ + C.col(2) τ², τ = (t − t_n)/H. For pc2 the columns are the two
  /// constants.
  Matrix coefficients(VectorIn c, const MultiplierMemory& memory) const;
  /// Residual in units of acceleration from g, g', g'' at the end of the step.
  Vector residual(VectorIn g, VectorIn gv, VectorIn ga) const;
  /// T in ∂residual/∂c = −T ⊗ S for subsystems that are double integrators over the step; lastStep
  /// as in the memory.
  Matrix stepFactor(double lastStep) const;
  /// Start of the iteration: λ extrapolated.
  Vector predicted(const MultiplierMemory& memory) const;
  /// λ at the end of the step.
  Vector endValue(VectorIn c) const;
  /// Takes an accepted step into the memory, whose `last` then is λ at the end as exactly as it is
  /// known: that of pv1 and pc2 is extrapolated from where their error is smallest. `corrected` is
  /// c with the correction that was not worth another trial: the next step is predicted from it.
  /// `unit` is what errors of λ are measured by, row for row.
  void accept(VectorIn c, VectorIn corrected, VectorIn unit, MultiplierMemory& memory) const;
};

/// λ at τ of the polynomial with these coefficients.
Vector valueAt(const Matrix& coefficients, double tau);

}  // namespace trammel::coupling
