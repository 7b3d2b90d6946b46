#include "solver/control_settings.hpp"

#include <algorithm>

namespace trammel {

namespace {

bool isOfYenAndPetzold(Method method) {
  return method == Method::ggl || method == Method::gglStar || method == Method::cs ||
         method == Method::cm;
}

}  // namespace

ControlSettings controlSettings(const SolverOptions& options, const CorrectorTraits& traits) {
  ControlSettings settings;
  settings.maxOrder = options.maxOrder;
  // A multiplier guess that is off does not show in the first correction, so one iteration is not
  // enough to judge.
  settings.minIterations = traits.companionsNoisy ? 2 : 1;
  settings.refreshesWithin = traits.companionsNoisy ? 1 : 0;
  settings.newtonTolerance = traits.newtonTolerance;
  settings.negligibleCorrection = 0.01 * traits.newtonTolerance;
  switch (options.mode) {
    case Mode::follow:
      settings.testVelocities = traits.velocitiesTested;
      settings.maxIterations = 6;
      // A tighter Newton costs a tenth more residuals and halves the error of the motion.
      if (traits.companionsNoisy) {
        settings.newtonTolerance = traits.massVaries ? 0.04 : 0.05;
        settings.roundoffShare = 0.1;
      }
      // A sparse factor costs about as much as two iterations, an aged one costs more than that in
      // the steps to come. Where the mass matrix turns with the bodies, what an aged factor leaves
      // of the residual has a direction that lasts, and energy drifts.
      if (traits.factorAges) {
        settings.refreshAfter = 4;
        settings.freshRuns = true;
      }
      // As in Eich's experiments: rules of DASSL, with a factor of its own for each step.
      if (options.method == Method::index1) {
        settings.dasslFirstStep = true;
        settings.refreshAfter = 1;
      }
      break;
    case Mode::damp:
      settings.testVelocities = false;
      settings.maxOrder = std::min(options.maxOrder, 2);
      settings.maxIterations = 8;
      settings.filtered = true;
      settings.imbalanceTolerance = 1;
      settings.untestedSteps = 3;
      settings.zeroStartAcceleration = true;
      settings.mostGrowth = 4;
      settings.mostGrowthToLimit = 8;
      // Where stiffness outweighs cj² M, the scaling for another cj than that of the factor is
      // wrong; the slow motion changes the linearisation less than the step size does.
      if (traits.companionsNoisy) {
        settings.factorRange = 0.99;
        settings.refactors = true;
        settings.refreshAfter = 4;
        settings.foresight = true;
        settings.refreshesWithin = 2;
      }
      break;
    case Mode::plain:
      settings.testVelocities = false;
      settings.maxOrder = std::min(options.maxOrder, 2);
      settings.dasslFirstStep = true;
      settings.maxIterations = traits.companionsNoisy ? 6 : 4;
      settings.dasslStart = settings.dasslRoundoff = isOfYenAndPetzold(options.method);
      break;
  }
  if (options.errorTest != ErrorTest::automatic) {
    settings.testVelocities = options.errorTest == ErrorTest::positionsAndVelocities;
  }
  return settings;
}

}  // namespace trammel
