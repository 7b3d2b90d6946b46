#pragma once

#include <cstddef>
#include <cstdint>
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
  double lastSuccessfulTime = 0;  // [s]
};

/// A version-neutral FMU instance: model (const) + snapshot (mutable) + log. Functions may throw
/// Error; `guarded` turns that into a status. Modes are checked by `guarded` (FMI) or by the caller
/// (in process), not here; only what may be set depends on the mode.
class Instance {
 public:
  Instance(CompiledModel model, Log log);
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
  void terminate();
  void reset();                                                // as freshly constructed
  void fail(const char* where, const char* message) noexcept;  // logs, mode failed

  /// All or nothing: throws Error naming the variable that may not be set now, or not to this
  /// value.
  void setReal(std::span<const std::uint32_t> valueReferences, std::span<const double> values);
  /// Throws Error for an unknown reference, Discarded where the values cannot be computed.
  void getReal(std::span<const std::uint32_t> valueReferences, std::span<double> values);

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
