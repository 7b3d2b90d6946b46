#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coupling/fmu.hpp"
#include "coupling/fmu_log.hpp"
#include "coupling/fmu_step.hpp"

namespace trammel::coupling {

/// One instance of an FMU, the same for FMI 2.0 and 3.0. A call that returns error or fatal throws
/// FmuError with file, function, status and the FMU's last messages; discard of doStep is an
/// outcome, not an error. The Fmu must outlive the instance.
class FmuInstance final {
 public:
  /// A state of the FMU's memory, freed at the end; the instance must outlive it.
  class State final {
   public:
    ~State();
    State(State&& other) noexcept;
    State& operator=(State&& other) noexcept;

   private:
    friend class FmuInstance;
    struct Owner;
    explicit State(Owner owner);
    std::unique_ptr<Owner> owner_;
  };

  FmuInstance(const Fmu& fmu, const std::string& instanceName,
              EventHandling events = EventHandling::inside);
  ~FmuInstance();
  FmuInstance(FmuInstance&&) noexcept;

  void enterInitializationMode(const FmuExperiment& experiment);
  void exitInitializationMode();
  /// Variables that are arrays take as many values as they have elements.
  void setReal(std::span<const std::uint32_t> valueReferences, std::span<const double> values);
  void getReal(std::span<const std::uint32_t> valueReferences, std::span<double> values);
  void setNumbers(FmuNumber type, std::span<const std::uint32_t> valueReferences,
                  std::span<const double> values);
  void getNumbers(FmuNumber type, std::span<const std::uint32_t> valueReferences,
                  std::span<double> values);
  void setString(std::uint32_t valueReference, const std::string& value);
  std::string getString(std::uint32_t valueReference);
  /// Pre: capabilities.directionalDerivatives.
  void getDirectionalDerivative(const DerivativeRequest& request, std::span<double> result);
  /// Pre: capabilities.interpolatesInputs, or intermediateUpdate for these inputs.
  void setInputLines(const InputLines& lines);
  FmuStep doStep(double currentTime, double stepSize);
  /// After a step that met an event. True: the FMU asks for the end of the run. Pre: events are
  /// reported.
  bool handleEvent();
  /// As doStep, but error and fatal are outcomes too.
  FmuStep attemptStep(double currentTime, double stepSize);

  /// Pre: capabilities.saveState, otherwise FmuError.
  State saveState();
  void restoreState(const State& state);
  /// Pre: capabilities.serializeState, otherwise FmuError.
  std::vector<std::byte> serialize(const State& state);
  State deserialize(std::span<const std::byte> bytes);

  void terminate();
  void reset();

  const FmuLog& log() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel::coupling
