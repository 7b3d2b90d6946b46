#pragma once

#include <cmath>

#include "solver/mechanical_system.hpp"

namespace trammel {

/// A point of a BDF step: y = (q, v, companions) and its derivative at time t, with the leading
/// coefficient cj of the step: a correction δ of y changes the derivative by cj δ. Companions are
/// multipliers that are extrapolated along.
struct StepPoint {
  double t;
  double cj;
  VectorOut y;
  VectorOut derivative;
};

/// The linearisation there, with v' as the acceleration.
inline void linearise(MechanicalSystem& system, const StepPoint& point, VectorIn lambda,
                      Linearisation& out) {
  const Index n = system.coordinateCount();
  system.linearise(point.t, point.y.head(n), point.y.segment(n, n), point.derivative.segment(n, n),
                   lambda, out);
}

/// (E19): the unbalanced force as the velocity it causes in one step, in units of the velocity
/// weights.
template <class Diagonal>
double imbalanceOf(VectorIn balance, const Diagonal& cjM, VectorIn inverseWeights) {
  const auto scaled = balance.array() * inverseWeights.array() / cjM.array();
  return std::sqrt(scaled.square().mean());
}

/// What a formulation tells the step controller about itself.
struct CorrectorTraits {
  Index companions = 0;             // rows of y behind (q, v)
  bool companionsInNewton = false;  // they are part of the Newton test
  bool companionsNoisy =
      false;  // extrapolate them with the order that served best, not with the full order
  bool velocitiesTested = true;   // false: they carry the order reduction of index 3
  double newtonTolerance = 0.33;  // of the error tolerance
  bool projectedOutput = true;    // dense output is projected on the constraints
  bool finishMoves = true;        // finish() changes (q, v)
  bool massVaries = false;        // with the positions
  bool factorAges = false;        // it is cheap beside the iterations it serves, or ages soon
};

}  // namespace trammel
