#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fmu_src/log.hpp"
#include "fmu_src/snapshot.hpp"
#include "fmu_src/status.hpp"
#include "models/compiled_model.hpp"
#include "solver/integrator.hpp"

namespace trammel::fmi {

struct StepResult {
  Status status = Status::ok;
  double lastSuccessfulTime = 0;     // [s]
  bool eventHandlingNeeded = false;  // an event was met, the importer is to enter event mode
  bool earlyReturn = false;          // the step ended before its end
};

/// A time inside a step at which the importer may look in, FMI 3.
struct IntermediatePoint {
  double time = 0;            // [s]
  bool setRequested = false;  // inputs at this time are asked for
  bool getAllowed = false;    // the motion up to this time is known
  bool canReturnEarly = false;
};

/// How an importer wants steps to be done; the default is all that FMI 2 knows.
struct StepOptions {
  bool eventModeUsed = false;
  bool earlyReturnAllowed = false;
  std::vector<std::uint32_t> intermediateVariables;  // value references of inputs and outputs
  /// Returns the time at which the importer wants the step to end early, if it does.
  std::function<std::optional<double>(const IntermediatePoint&)> intermediateUpdate;
};

/// A version-neutral FMU instance: model (const) + snapshot (mutable) + log. Functions may throw
/// Error; `guarded` turns that into a status. Modes are checked by `guarded` (FMI) or by the caller
/// (in process), not here; only what may be set depends on the mode.
class Instance {
 public:
  Instance(CompiledModel model, Log log);
  /// Throws Error where an intermediate variable is not a continuous input or output.
  Instance(CompiledModel model, Log log, StepOptions options);
  Instance(Instance&&) noexcept;
  ~Instance();

  const CompiledModel& model() const;
  Mode mode() const;
  Log& log();

  /// Throws Error if the tolerance is not > 0, a time is not finite or the stop time lies before
  /// the start time.
  void setupExperiment(std::optional<double> tolerance, double startTime,
                       std::optional<double> stopTime);
  /// With the experiment as last set up, or the model's default one without a stop time.
  void enterInitializationMode();
  void enterInitializationMode(std::optional<double> tolerance, double startTime,
                               std::optional<double> stopTime);
  /// Solves for consistent q, v, a, λ. Throws Error naming the constraint where there are none.
  void exitInitializationMode();
  /// Goes to currentTime + stepSize. discard: the state is bit for bit what it was before the call.
  /// Throws Error where currentTime is not the communication time or stepSize is not > 0.
  StepResult doStep(double currentTime, double stepSize);
  void enterEventMode();
  /// Handles an event that a step has met: the integrator starts anew from the motion there.
  void updateDiscreteStates();
  void enterStepMode();
  void terminate();
  void reset();                                                // as freshly constructed
  void fail(const char* where, const char* message) noexcept;  // logs, mode failed

  /// All or nothing: throws Error naming the variable that may not be set now, or not to this
  /// value.
  void setReal(std::span<const std::uint32_t> valueReferences, std::span<const double> values);
  /// Throws Error for an unknown reference, Discarded where the values cannot be computed.
  void getReal(std::span<const std::uint32_t> valueReferences, std::span<double> values);

  void setInteger(std::span<const std::uint32_t> valueReferences,
                  std::span<const std::int32_t> values);
  void getInteger(std::span<const std::uint32_t> valueReferences, std::span<std::int32_t> values);
  void setString(std::span<const std::uint32_t> valueReferences,
                 std::span<const char* const> values);
  /// The texts live as long as the program.
  void getString(std::span<const std::uint32_t> valueReferences, std::span<const char*> values);

  /// sensitivity = (∂unknowns/∂knowns) seed at the communication time, FMI 2 and 3. In
  /// initialization mode the knowns are inputs, parameters and start values, and act through the
  /// consistent initial values too; afterwards inputs, tunable parameters, positions and
  /// velocities. Throws Error naming a variable that is none of these, Discarded where nothing can
  /// be computed.
  void directionalDerivative(std::span<const std::uint32_t> unknowns,
                             std::span<const std::uint32_t> knowns, std::span<const double> seed,
                             std::span<double> sensitivity);
  /// sensitivity = (∂unknowns/∂knowns)ᵀ seed.
  void adjointDerivative(std::span<const std::uint32_t> unknowns,
                         std::span<const std::uint32_t> knowns, std::span<const double> seed,
                         std::span<double> sensitivity);
  /// Time derivatives of outputs, orders 1 and 2, along the motion at the communication time.
  void outputDerivatives(std::span<const std::uint32_t> valueReferences,
                         std::span<const std::int32_t> orders, std::span<double> values);
  /// Time derivatives of inputs, orders 1 and 2, from the communication time on.
  void setInputDerivatives(std::span<const std::uint32_t> valueReferences,
                           std::span<const std::int32_t> orders, std::span<const double> values);

  /// The complete mutable part; `out` keeps its storage.
  void save(Snapshot& out) const;
  void restore(
      const Snapshot& snapshot);  // throws Error and changes nothing if it does not fit the model

  /// The complete mutable part as bytes: magic, version, token, sizes, numbers, checksum.
  std::vector<std::byte> serialize() const;
  std::vector<std::byte> serialize(const Snapshot& snapshot) const;
  /// Throws Error and changes nothing if anything is wrong.
  void deserialize(std::span<const std::byte> bytes);
  Snapshot readSnapshot(std::span<const std::byte> bytes) const;

  double time() const;            // [s], communication time
  Status lastStepStatus() const;  // of the last doStep, ok before the first
  const Statistics& statistics() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel::fmi
