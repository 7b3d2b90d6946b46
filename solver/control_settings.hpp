#pragma once

#include "solver/options.hpp"
#include "solver/step_point.hpp"

namespace trammel {

/// The constants by which the modes differ; docs/theory.md section "Control" says why.
struct ControlSettings {
  bool testVelocities = true;
  int maxOrder = 5;
  int minIterations = 1;
  int maxIterations = 4;
  double newtonTolerance = 0.33;         // of the error tolerance
  double negligibleCorrection = 0.0033;  // ends Newton whatever its rate
  int refreshesWithin = 0;               // times that a slow iteration goes on with a fresh factor
  bool foresight = false;    // an iteration that would not settle in time is slow from then on
  double factorRange = 0.6;  // cj over that of the factor stays in [0.6, 1/0.6]
  bool refactors = false;    // out of it the linearisation stays, where it has served well so far
  int refreshAfter = 1000;   // iterations of a step: the next one has a fresh factor
  bool freshRuns = false;    // where aged factors fail, runs of steps have factors of their own
  bool filtered = false;     // error of the filtered correction, (E18)
  double imbalanceTolerance = 0;  // of the force balance, (E19); 0: not tested
  int untestedSteps = 0;          // first steps: backward Euler of constant size without error test
  bool zeroStartAcceleration = false;
  double mostGrowth = 2;         // of the step size from one step to the next
  double mostGrowthToLimit = 2;  // of a step that then ends on the limit of its run
  bool dasslFirstStep = false;   // ½/‖y'‖ instead of ½√(2/‖y''‖)
  bool dasslStart = false;     // start values are taken as they are if projections stay within the
                               // tolerance
  bool dasslRoundoff = false;  // corrections below 100 ε ‖y‖ end Newton
  double roundoffShare = 0;    // of the correction that roundoff causes, which errors may have
};

ControlSettings controlSettings(const SolverOptions& options, const CorrectorTraits& traits);

}  // namespace trammel
