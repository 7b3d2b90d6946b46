#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fmu_src/instance.hpp"

namespace trammel::fmi {

/// How much of the motion at the communication time has been evaluated since the last change.
enum class Evaluated { nothing, kinematics, forces };

/// Inside of Instance, shared by instance.cpp (modes and steps) and instance_variables.cpp (get and
/// set).
struct Instance::Implementation {
  Implementation(CompiledModel compiledModel, Log sink);

  // Modes and steps.
  void makeIntegrator(double tolerance);
  void clear();  // all variables at their start values
  void applyOutsideValues();
  Report solveInitialValues();
  bool meetsStopTime(double currentTime, double stepSize) const;
  void checkStep(double currentTime, double stepSize) const;
  Report applyChanges();
  Report tryStep(double target);

  // Get and set.
  bool beforeStep() const;  // instantiated or in initialization mode
  void checkSettable(const Variable& variable, double value) const;
  void assign(const Variable& variable, double value);
  void acceptParameters(const std::vector<double>& candidate);
  void startGuess(Vector& q, Vector& v);
  void evaluate(bool withForces);
  void evaluateOutputs();
  void evaluateResiduals();
  double value(const Variable& variable);
  void forget();  // evaluated values are no longer those of the snapshot

  CompiledModel model;
  Log log;
  std::unique_ptr<ModelSystem> system;
  std::optional<Integrator> integrator;
  Snapshot snapshot;           // its `memory` stays empty: the integrator holds it
  std::size_t memorySize = 0;  // of a started integrator
  Status lastStepStatus = Status::ok;

  // Workspace: nothing here decides the future.
  Motion motion;  // at snapshot.time
  Evaluated evaluated = Evaluated::nothing;
  std::vector<double> outputs;
  bool outputsEvaluated = false;
  Vector residuals;  // g(q, t)
  bool residualsEvaluated = false;
  Motion before;                      // a jump of the forces
  Vector g, rate, gAfter, rateAfter;  // constraints before and after it
  OutsideValues formerlyApplied;      // of a step that may be discarded
  std::vector<double> rollback;       // memory of the integrator, likewise
};

}  // namespace trammel::fmi
