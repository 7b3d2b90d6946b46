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
  int subsystem = -1;                // that could not do the step, or wants the end
  SubsystemStep step{};              // its answer
  std::vector<std::size_t> atEvent;  // subsystems that met an event at the end of the step

  /// Whether a subsystem met an event before the end of the step.
  bool endedEarly() const {
    return subsystem >= 0 && step.event && step.outcome == StepOutcome::done;
  }
};

/// Whose mobilities are found by steps with changed forces: those that nothing is known of, or all
/// that have no derivatives.
enum class Probe { unknown, stale };

/// Part of a step of size H from τ = begin to τ = end, for inputs that run along lines.
struct InputSpan {
  double begin = 0, end = 1;
  double H = 0;  // [s]
};

/// Error of a step in units of what is tolerated, and what it says about the next one.
struct StepVerdict {
  double error = 0;
  double growth = 2;  // of the step size, at most

  /// An error that grows with this power of H.
  void consider(double partOfTolerance, double power);
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
  bool stepOne(std::size_t k, const ForcePolynomial& all, double from, double H, double end);
  void setInputsOf(std::size_t k, const Vector& next, const InputSpan& span);
  Vector connectedValues(const std::vector<Vector>& from) const;
  void takeMobilities();
  void renewInterface(const InterfaceValues& values);
  void removeIdlePart(VectorOut lambda) const;
  void solveRows(Preconditioner p, VectorIn r, VectorOut e) const;
  void precondition(const SchemeStep& step, Preconditioner p, const Vector& R, Vector& e) const;
  Vector toleratedErrors(const SchemeStep& step, VectorIn c) const;
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
  /// Whether a call of subsystem k was carried out; if not, `last` holds why.
  template <class Function>
  bool carriedOut(std::size_t k, const Function& call,
                  StepOutcome otherwise = StepOutcome::failed) {
    try {
      call();
      return true;
    } catch (const FmuError& error) {
      last.subsystem = static_cast<int>(k);
      last.step = {.outcome = otherwise, .reachedTime = t, .message = error.what()};
      return false;
    }
  }

  // master_step_control.cpp
  void checkStepControl() const;
  double smallestStep(double H) const;
  double nextStep(double left) const;
  StepVerdict verdict(const SchemeStep& step, const Vector& x) const;
  double jointError(const SchemeStep& step, const Vector& c) const;
  bool reject(double h, const StepVerdict& verdict);
  void adapt(double h, const StepVerdict& verdict);

  // master_events.cpp
  /// How far from the end of a step an event may be and still be at its end [s].
  double eventRounding() const { return 1e-9 * nominalStep; }
  /// A step so short leads to an event, no more: joints cannot open in it.
  bool isTiny(double H) const { return H < 1e-4 * nominalStep && !options.stepControl.isOn(); }
  bool goToEvent();
  bool handleEvents();
  void restartMultipliers();

  // master.cpp
  void prepareAdvance(double H);
  IterationReport attempt(double h, Vector& x);
  IterationReport iterate(double H, MultiplierIteration& by, Vector& x);
  bool findSecondPoint(double H);
  bool explicitStep(double H);
  void accept(const SchemeStep& step, const Vector& x, const IterationReport& report);
  void count(const IterationReport& report);

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
  double nominalStep = 0;    // [s], to the communication point under way
  Vector sentAtEnd;          // λ that was sent for t, which that of PV1 and PC2 misses a little
  Vector uBefore;            // connected inputs before the last step
  double uStep = 0;          // [s], the last step; 0: there is none
  Vector uLargest;           // so far, of each connected input
  bool wasRejected = false;  // the last step, for its error
  double eventTime = 0;      // [s], where the next step has to end; not after t: nowhere
  int eventsInRow = 0;       // without a step of some size between them

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
  Vector tried;                              // the unknowns of the last trial
  Vector correction;                         // of the unknowns, as the last trial asks for it
  std::function<void(double t)> beforeStep;  // may be empty
  std::unique_ptr<StepForces> stepForces;
  MultiplierIteration iteration;
  MasterStatistics statistics;
  std::vector<double> acceptedErrors;  // of the trials of the last accepted step
};

}  // namespace trammel::coupling
