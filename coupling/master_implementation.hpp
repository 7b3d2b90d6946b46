#pragma once

#include <functional>
#include <span>

#include "coupling/fmu_error.hpp"
#include "coupling/master.hpp"

namespace trammel::coupling {

/// Result of one trial of a step.
struct Trial {
  Motions motions;
  std::vector<Vector> outputs;
  InterfaceValues interface;
  bool wantsToEnd = false;
  int subsystem = -1;    // that could not do the step, or wants the end
  SubsystemStep step{};  // its answer
};

/// Whose mobilities are found by steps with changed forces: those that nothing is known of, or all
/// that have no derivatives.
enum class Probe { unknown, stale };

/// Part of a step of size H from τ = begin to τ = end, for inputs that run along lines.
struct InputSpan {
  double begin = 0, end = 1;
  double H = 0;  // [s]
};

/// What decides the future must be among what visitState() of master_state.cpp saves and restores.
struct Master::Implementation {
  Implementation(CoupledSystem theSystem, const MasterOptions& theOptions);

  // master_initialization.cpp
  void enterInitialization(double startTime, std::optional<double> stopTime);
  void exitInitialization(double H);
  void findConsistentStart();
  void probeAtStart(std::size_t k);
  void readAll(Motions& to, std::vector<Vector>& outputsTo);
  void checkGaps(double H) const;
  void probeMobilities(double H, Probe probe);
  void probeMobility(std::size_t k, double H);
  void estimateNoise(double H);
  void chooseScheme(double H);
  void certify();
  double largestNoise() const;

  // master_trial.cpp
  bool trial(const SchemeStep& step, const Vector& x, Vector& R);
  bool stepAll(const SchemeStep& step, const Vector& x);
  bool stepOne(std::size_t k, const ForcePolynomial& all, double from, double H);
  void setInputsOf(std::size_t k, const Vector& next, const InputSpan& span);
  Vector connectedValues(const std::vector<Vector>& from) const;
  void takeMobilities();
  void renewInterface(const InterfaceValues& values);
  void removeIdlePart(Vector& lambda) const;
  void solveRows(Preconditioner p, VectorIn r, VectorOut e) const;
  void precondition(const SchemeStep& step, Preconditioner p, const Vector& R, Vector& e) const;
  double error(const SchemeStep& step, const Vector& x, const Vector& e) const;
  double noiseFloor(const SchemeStep& step) const;

  // master_failure.cpp
  std::string failureText(double H, const IterationReport& report) const;
  std::string jointsText(int subsystem) const;
  bool canRetry(double h, double H) const;
  bool saveAll();
  bool restoreAll();
  bool shrinkStep(double h);
  void growStep(double H);
  void changeStep();
  /// Whether a call of subsystem k was carried out; if not, `last` holds why.
  template <class Function>
  bool carriedOut(std::size_t k, const Function& call,
                  StepOutcome otherwise = StepOutcome::failed) {
    try {
      call();
      return true;
    } catch (const FmuError& error) {
      last.subsystem = static_cast<int>(k);
      last.step = {otherwise, t, false, error.what()};
      return false;
    }
  }

  // master.cpp
  IterationReport attempt(double h, Vector& x);
  IterationReport iterate(double H, Vector& x);
  bool explicitStep(double H);
  void accept(const SchemeStep& step, const Vector& x, const IterationReport& report);
  void count(const IterationReport& report);
  void publish(const SchemeStep& step, const Vector& c);

  Index unknownsOfJoints(Scheme ofStep) const { return blockCount(ofStep) * joints.rowCount(); }
  const std::string& nameOf(int subsystem) const {
    return system.subsystems[static_cast<std::size_t>(subsystem)]->name();
  }
  double gain(double H) const { return options.gain > 0 ? options.gain : 0.2 / H; }

  CoupledSystem system;
  MasterOptions options;
  JointSet joints;
  Certificate certificate;
  Scheme scheme = Scheme::pv1;
  ConnectionMode connectionMode = ConnectionMode::iterated;
  bool allRollBack = true, allVaryStep = true, allAccelerate = true, allFollowParabolas = true;

  double t = 0;            // [s]
  double presentStep = 0;  // [s], smaller than the nominal one after a failure
  int goodSteps = 0;       // since the last failure
  Motions motions;         // at t
  std::vector<Vector> outputs;
  Vector u;  // connected inputs at t
  MultiplierMemory memory;
  Vector published;           // λ at t
  Vector upperGauss;          // λ at the upper Gauss point of the last step; empty: none
  double upperGaussStep = 0;  // [s], its H

  std::vector<Matrix> W;  // of each subsystem
  std::vector<PortNoise> noise;
  SparseMatrix S;
  InterfaceSolver solver;        // of S
  InterfaceSolver sideA, sideB;  // of the sides, where a split is asked for
  double scalarEstimate = 0;
  double smallestMobility = 1;
  double largestMultiplier = 0;  // so far
  double largestInput = 0;       // so far

  bool isFirstTrial = true;
  bool mobilityIsStale = false;  // no derivatives and too many iterations: probe again
  Trial last;
  std::unique_ptr<StepForces> stepForces;
  MultiplierIteration iteration;
  MasterStatistics statistics;
  std::vector<double> acceptedErrors;  // of the trials of the last accepted step
};

}  // namespace trammel::coupling
