#pragma once

#include <limits>

#include "solver/archive.hpp"
#include "solver/bdf_history.hpp"
#include "solver/control_settings.hpp"
#include "solver/corrector.hpp"
#include "solver/initial_values.hpp"
#include "solver/integrator.hpp"
#include "solver/step_control.hpp"

namespace trammel {

/// Times closer than this are the same time.
inline double timeResolution(double t) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t));
}

constexpr double freshRate = 100;  // ρ/(1 − ρ) of Newton while no rate has been observed

enum class NewtonOutcome { converged, slow, diverged };

struct Integrator::Implementation {
  Implementation(MechanicalSystem& s, SolverOptions o);

  // The memory: all that decides the future.
  Corrector corrector;
  BdfHistory history;
  Vector multipliers;  // of the last accepted step
  StepChoice next;
  bool starting = true;     // order and step grow at every step until an estimate says stop
  bool factorStale = true;  // refresh before the next iteration
  double rate = freshRate;  // ρ/(1 − ρ) of Newton
  double lastCj = 0;
  int companionOrder = 0;  // of the multiplier predictor
  Statistics statistics;

  template <class Archive>
  void visit(Archive& archive) {
    corrector.visit(archive);
    if constexpr (requires { archive.changed(); }) mustRefactor = archive.changed();
    history.visit(archive);
    archive(multipliers, next.order, next.step, starting, factorStale, rate, lastCj,
            companionOrder);
    Statistics& s = statistics;
    archive(s.steps, s.residuals, s.linearisations, s.factorisations, s.errorFailures,
            s.convergenceFailures);
  }
  void read(std::span<const double> memory);  // Pre: the size fits
  bool mustRefactor = false;  // the linearisation read differs from the one that is factored

  void restart(const Motion& start);
  void keepWithinTolerance(VectorIn q, VectorIn v, Motion& projected) const;
  Report advance(double t, double limit);

  // One step (integrator_step.cpp).
  Report step(double limit);
  double clip(double h, double limit) const;
  bool correct(double cj);
  bool refresh(StepPoint& point, VectorIn curvature);
  NewtonOutcome newton(StepPoint& point);
  bool balanced(double imbalance, double first, int iteration) const;
  void acceptStep(const ErrorEstimates& estimates, double limit);
  void completeCompanions();
  Report failure(const char* what) const;

  // Norms and first step.
  void setWeights();
  double newtonNorm(const Vector& x) const;
  double errorNorm(const Vector& x);
  double correctionFloor(double cj) const;
  double firstStep(const Motion& start);
  double largestFirstStep() const;

  MechanicalSystem& system;
  SolverOptions options;
  CorrectorTraits traits;
  ControlSettings settings;
  Index n, m, rows;
  ConsistencySolver consistency;
  // Workspace: contents do not outlive a call.
  Vector y, derivative, E, delta, scratch, filtered, weights, nominal;
  Motion work;
  Matrix rebaseScratch;
  std::vector<double> backup;
  std::size_t memorySize = 0;
};

}  // namespace trammel
