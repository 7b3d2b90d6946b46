#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fmu_src/component.hpp"
#include "fmu_src/log.hpp"
#include "fmu_src/snapshot.hpp"
#include "fmu_src/status.hpp"
#include "models/compiled_model.hpp"
#include "solver/integrator.hpp"

namespace trammel::fmi {

/// A version-neutral FMU instance of one model: model (const) + snapshot (mutable) + log. Functions
/// may throw Error; `guarded` turns that into a status. Modes are checked by `guarded` (FMI) or by
/// the caller (in process), not here; only what may be set depends on the mode.
class Instance final : public Component {
 public:
  Instance(CompiledModel model, Log log);
  /// Throws Error where an intermediate variable is not a continuous input or output.
  Instance(CompiledModel model, Log log, StepOptions options);
  Instance(Instance&&) noexcept;
  ~Instance() override;

  const CompiledModel& model() const;
  Log& log() override;

  /// Throws Error if the tolerance is not > 0, a time is not finite or the stop time lies before
  /// the start time.
  void setupExperiment(std::optional<double> tolerance, double startTime,
                       std::optional<double> stopTime) override;
  void enterConfigurationMode() override;
  /// Compiles the model with the structural parameters set. Parameters, inputs and settings stay as
  /// they were set; start values of positions and velocities are the model's.
  void exitConfigurationMode() override;
  /// With the experiment as last set up, or the model's default one without a stop time.
  void enterInitializationMode() override;
  using Component::enterInitializationMode;
  /// Solves for consistent q, v, a, λ. Throws Error naming the constraint where there are none.
  void exitInitializationMode() override;
  /// Goes to currentTime + stepSize. discard: the state is bit for bit what it was before the call.
  /// Throws Error where currentTime is not the communication time or stepSize is not > 0.
  StepResult doStep(double currentTime, double stepSize) override;
  void enterEventMode() override;
  /// Handles an event that a step has met: the integrator starts anew from the motion there.
  void updateDiscreteStates() override;
  void enterStepMode() override;
  void terminate() override;
  void reset() override;                                                // as freshly constructed
  void fail(const char* where, const char* message) noexcept override;  // logs, mode failed

  /// Variables of a type that has numbers; Booleans are 0 and 1. All or nothing: throws Error
  /// naming the variable that may not be set now, or not to this value.
  void setNumbers(Type type, std::span<const std::uint32_t> valueReferences,
                  std::span<const double> values) override;
  void readAgain(double* values) override;
  void setString(std::span<const std::uint32_t> valueReferences,
                 std::span<const char* const> values) override;
  /// The texts live as long as the program.
  void getString(std::span<const std::uint32_t> valueReferences,
                 std::span<const char*> values) override;

  /// sensitivity = (∂unknowns/∂knowns) seed at the communication time, FMI 2 and 3. In
  /// initialization mode the knowns are inputs, parameters and start values, and act through the
  /// consistent initial values too; afterwards inputs, tunable parameters, positions and
  /// velocities. Throws Error naming a variable that is none of these, Discarded where nothing can
  /// be computed.
  void directionalDerivative(std::span<const std::uint32_t> unknowns,
                             std::span<const std::uint32_t> knowns, std::span<const double> seed,
                             std::span<double> sensitivity) override;
  /// sensitivity = (∂unknowns/∂knowns)ᵀ seed.
  void adjointDerivative(std::span<const std::uint32_t> unknowns,
                         std::span<const std::uint32_t> knowns, std::span<const double> seed,
                         std::span<double> sensitivity) override;
  /// Time derivatives of outputs, orders 1 and 2, along the motion at the communication time.
  void outputDerivatives(std::span<const std::uint32_t> valueReferences,
                         std::span<const std::int32_t> orders, std::span<double> values) override;
  /// Time derivatives of inputs, orders 1 and 2, from the communication time on.
  void setInputDerivatives(std::span<const std::uint32_t> valueReferences,
                           std::span<const std::int32_t> orders,
                           std::span<const double> values) override;

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

  void saveState(std::unique_ptr<ComponentState>& state) const override;
  void restoreState(const ComponentState& state) override;
  std::vector<std::byte> serializeState(const ComponentState& state) const override;
  std::unique_ptr<ComponentState> readState(std::span<const std::byte> bytes) const override;

  ArrayReferences& arrays() override;
  double time() const override;
  Status lastStepStatus() const override;
  const Statistics& statistics() const;

 private:
  struct Implementation;

  explicit Instance(std::unique_ptr<Implementation> implementation);
  void replace(std::unique_ptr<Implementation> other);
  void readNumbers(Type type, std::span<const std::uint32_t> valueReferences,
                   std::span<double> values) override;
  void remember(std::span<const std::uint32_t> valueReferences);
  [[gnu::noinline]] void readOthers(double* values);

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel::fmi
