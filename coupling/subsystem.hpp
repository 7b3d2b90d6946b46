#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coupling/port.hpp"
#include "solver/types.hpp"

namespace trammel::coupling {

/// F(t) = value + first (t − t_n) + second (t − t_n)²/2 from the beginning t_n of a step: forces ON
/// the subsystem, ports one after another.
struct ForcePolynomial {
  Vector value, first, second;

  void setZero(Index size);
};

/// What a subsystem offers to the master; the scheme follows from it.
struct SubsystemCapabilities {
  bool rollback = false;      // save() and restore()
  bool variableStep = false;  // communication steps of different sizes
  int forceOrder = 0;         // degree of the force polynomial it follows: 0, 1 or 2
  int inputOrder = 0;         // degree in time of ordinary inputs: 0 or 1
  bool acceleration = false;  // its ports have accelerations
  bool mobility = false;      // mobility() is known
};

enum class StepOutcome {
  done,
  discarded,  // a shorter step may succeed
  failed,     // only a restored state can go on
  fatal       // nothing can go on
};

struct SubsystemStep {
  StepOutcome outcome = StepOutcome::done;
  double reachedTime = 0;   // [s]
  bool event = false;       // it stands at an event at reachedTime and waits for handleEvent()
  bool wantsToEnd = false;  // the subsystem asks for the end of the run
  std::string message{};    // why it was not done
};

/// Repeatability of port motions: how much a repeated step may differ.
struct PortNoise {
  double r = 0;  // [m]
  double v = 0;  // [m/s]
};

/// Anything that steps in time under port forces: an FMU, or functions in tests. Calls in order:
/// enterInitialization, (set, read)*, exitInitialization, (save | restore | set, step, read)*,
/// terminate. Motions may be read after a set without a step only during initialization.
class Subsystem {
 public:
  virtual ~Subsystem() = default;

  virtual const std::string& name() const = 0;
  virtual std::span<const Port> ports() const = 0;
  virtual std::span<const std::string> inputs() const = 0;   // ordinary ones, no port forces
  virtual std::span<const std::string> outputs() const = 0;  // ordinary ones
  virtual SubsystemCapabilities capabilities() const = 0;

  virtual void enterInitialization(double startTime, std::optional<double> stopTime) = 0;
  virtual void exitInitialization() = 0;
  virtual void setForces(const ForcePolynomial& forces) = 0;
  /// u(t) = value + first (t − t_n).
  virtual void setInputs(VectorIn value, VectorIn first) = 0;
  virtual SubsystemStep step(double t, double H) = 0;
  /// After a step that met an event. True: the subsystem asks for the end of the run.
  virtual bool handleEvent() { return false; }
  virtual void readMotion(std::span<PortMotion> motions) = 0;  // one for each port
  virtual void readOutputs(VectorOut values) = 0;
  /// W = ∂a/∂F of all ports at the last communication point. False where it is not known.
  virtual bool mobility(Matrix& W) = 0;
  virtual PortNoise noise() const = 0;
  /// One state is kept; a second save replaces it. Pre: capabilities().rollback.
  virtual void save() = 0;
  virtual void restore() = 0;
  virtual void terminate() = 0;

  Index forceSize() const;  // of all ports
};

}  // namespace trammel::coupling
