#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coupling/fmu.hpp"
#include "coupling/fmu_log.hpp"
#include "coupling/fmu_step.hpp"

namespace trammel::coupling {

/// One instance behind the C interface of FMI 3.0. Every function is one call, its status is
/// returned as it is.
class Fmi3Component final {
 public:
  /// `log` must stay at its address for the life of the component.
  Fmi3Component(const Fmu& fmu, const std::string& instanceName, FmuLog& log, EventHandling events);
  ~Fmi3Component();
  Fmi3Component(Fmi3Component&&) noexcept;

  static std::string functionName(const std::string& neutral);

  FmuStatus enterInitializationMode(const FmuExperiment& experiment);
  FmuStatus exitInitializationMode();
  FmuStatus setReal(std::span<const std::uint32_t> valueReferences, std::span<const double> values);
  FmuStatus getReal(std::span<const std::uint32_t> valueReferences, std::span<double> values);
  FmuStatus setNumbers(FmuNumber type, std::span<const std::uint32_t> valueReferences,
                       std::span<const double> values);
  FmuStatus getNumbers(FmuNumber type, std::span<const std::uint32_t> valueReferences,
                       std::span<double> values);
  FmuStatus setString(std::uint32_t valueReference, const std::string& value);
  FmuStatus getString(std::uint32_t valueReference, std::string& value);
  FmuStatus getDirectionalDerivative(const DerivativeRequest& request, std::span<double> result);
  /// Pre: the FMU offers intermediate update of these inputs.
  FmuStatus setInputLines(const InputLines& lines);
  FmuStep doStep(double currentTime, double stepSize);
  /// Event mode and back; `terminate`: the FMU asks for the end of the run.
  FmuStatus handleEvent(bool& terminate);
  FmuStatus getState(void*& state);
  FmuStatus setState(void* state);
  FmuStatus freeState(void*& state);
  FmuStatus serialize(void* state, std::vector<std::byte>& bytes);
  FmuStatus deserialize(std::span<const std::byte> bytes, void*& state);
  FmuStatus terminate();
  FmuStatus reset();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel::coupling
