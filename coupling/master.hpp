#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coupling/certificate.hpp"
#include "coupling/joint.hpp"
#include "coupling/joint_set.hpp"
#include "coupling/multiplier_iteration.hpp"
#include "coupling/scheme.hpp"

namespace trammel::coupling {

/// An ordinary connection: input = factor × output + offset.
struct Connection {
  int from = 0, output = 0;  // subsystem, number among its outputs()
  int to = 0, input = 0;     // subsystem, number among its inputs()
  double factor = 1, offset = 0;
};

struct CoupledSystem {
  SubsystemList subsystems;
  std::vector<Joint> joints;
  std::vector<Connection> connections;
};

enum class ConnectionMode {
  jacobi,       // inputs are the outputs at the beginning of the step
  gaussSeidel,  // in the order of the subsystems, from those before at the end of the step
  iterated      // repeated until inputs and outputs agree at the end of the step
};

/// From where the iteration takes its estimate of the correction.
enum class Preconditioner {
  mobility,  // S, both sides: interface Newton
  sideA,     // the plain splits: the constraint on one side
  sideB,
  weighted,  // weight × (side B) + (1 − weight) × (side A)
  scalar     // no derivatives: one number for all rows, 0.3 / largest diagonal of S
};

/// Communication steps divided so that the error of each stays below a tolerance.
struct StepControl {
  double tolerance = 0;  // of open joints within a step [m, rad]; 0: steps are as large as asked
  double connectionTolerance = 1e-4;  // of connected inputs, relative to their largest so far
  double minStep = 0;                 // [s]; 0: a thousandth of the communication step
  double maxStep = 0;                 // [s]; 0: the communication step

  bool isOn() const { return tolerance > 0; }
  void validate() const;  // throws CouplingError
};

struct MasterOptions {
  std::optional<Scheme> scheme;  // none: from the capabilities
  ConnectionMode connections = ConnectionMode::iterated;
  Preconditioner preconditioner = Preconditioner::mobility;
  double splitWeight = 1;  // of Preconditioner::weighted
  IterationOptions iteration;
  StepControl stepControl;
  double relativeTolerance = 1e-6;  // of multipliers and of connected values
  double nominalMultiplier = 0;  // below it errors count as for it; 0: 1e-3 of the largest so far
  double gain = 0;               // a of B2 [1/s]; 0: 0.2/H
  double gapTolerance = 1e-8;    // of joints at the start [m, rad], rates: tenfold in 1/s
  double massEstimate = 0;       // [kg] for subsystems of unknown mobility; 0: none
  double mobilityFactor = 1.25;  // of S in explicit schemes
  int maxHalvings = 10;          // of a step that fails
  bool estimateNoise = true;     // by repeating the first step

  void validate() const;  // throws CouplingError
};

/// What happened on the way to one communication point.
struct MasterStep {
  bool completed = true;
  double reachedTime = 0;  // [s]
  int evaluations = 0;     // trials, also those of steps that failed
  int steps = 0;           // accepted, more than one where a step was divided
  int failures = 0;
  bool wantsToEnd = false;
  std::string subsystem;        // that wants the end or failed; empty: none
  std::string failure;          // one line: what, where, when, residual history
  std::vector<double> history;  // errors of the last iteration, in units of what is tolerated
};

/// Of a joint over the run.
struct JointStatistics {
  double largestGap = 0;      // |g| [m, rad]
  double largestGapRate = 0;  // |g'|
  double largestPower = 0;    // |λᵀ g'| [W], produced by the coupling itself
};

struct MasterStatistics {
  long steps = 0, evaluations = 0, failures = 0;
  long rejected = 0;                         // steps repeated because of their error
  long tooInexact = 0;                       // steps of the smallest size whose error was too large
  long events = 0;                           // that subsystems reported
  double smallestStep = 0, largestStep = 0;  // [s], accepted
  long stagnated = 0;                        // steps taken at the noise of the subsystems
  int mostEvaluations = 0;                   // of one accepted step
  std::vector<JointStatistics> joints;
};

/// Couples subsystems by joints and ordinary connections, step by step.
class Master final {
 public:
  /// Throws CouplingError naming the joint or connection that is wrong.
  Master(CoupledSystem system, const MasterOptions& options);
  ~Master();

  /// Initializes all subsystems with consistent multipliers and inputs; H is the communication step
  /// intended. Throws CouplingError naming a joint that is open at the start.
  const Certificate& initialize(double startTime, std::optional<double> stopTime, double H);
  /// The parts of it, for a system that is initialized from outside: findStart after every change.
  void enterInitialization(double startTime, std::optional<double> stopTime);
  void findStart();
  const Certificate& exitInitialization(double H);
  /// Called before every step with the time at its beginning, for inputs of the subsystems that
  /// vary in time and are set from outside.
  void setBeforeStep(std::function<void(double t)> function);
  /// To the communication point at targetTime. Steps that fail are halved and repeated.
  MasterStep advance(double targetTime);
  void terminate();

  /// All that decides the future besides the states of the subsystems.
  std::vector<double> saveState() const;
  /// Throws CouplingError and changes nothing where the numbers are no state of this system.
  void restoreState(std::span<const double> numbers);

  double time() const;
  const Certificate& certificate() const;
  const JointSet& joints() const;
  const SubsystemList& subsystems() const;
  const Motions& motions() const;              // at time()
  const std::vector<Vector>& outputs() const;  // of each subsystem at time()
  /// λ at time(). For PV1 and PC2 extrapolated from the points of the last steps where its error is
  /// smallest.
  const Vector& multipliers() const;
  const MasterStatistics& statistics() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel::coupling
