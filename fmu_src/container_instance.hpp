#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coupling/fmu_subsystem.hpp"
#include "coupling/master.hpp"
#include "fmu_src/component.hpp"
#include "fmu_src/container_description.hpp"

namespace trammel::fmi {

/// FMUs coupled to one: what a container FMU does behind the C interface. Communication steps are
/// divided into steps of the master, outputs are those of the members, inputs are handed on.
class ContainerInstance final : public Component {
 public:
  /// Members are loaded from `directory`/members; to an importer that does not know Float32 such
  /// variables are reals like all. Throws Error naming what is wrong with the members.
  ContainerInstance(ContainerDescription description, const std::filesystem::path& directory,
                    Log log, bool knowsTypes);
  ~ContainerInstance() override;

  Log& log() override { return log_; }
  ArrayReferences& arrays() override { return arrays_; }
  double time() const override { return run_.time; }
  Status lastStepStatus() const override { return lastStepStatus_; }
  bool wantsToEnd() const override { return wantsToEnd_; }

  /// The members keep the tolerances of the system: that of the importer is only checked.
  void setupExperiment(std::optional<double> tolerance, double startTime,
                       std::optional<double> stopTime) override;
  void enterInitializationMode() override;
  using Component::enterInitializationMode;
  void exitInitializationMode() override;
  StepResult doStep(double currentTime, double stepSize) override;
  void enterEventMode() override;
  void updateDiscreteStates() override;
  void enterStepMode() override;
  void terminate() override;
  void reset() override;
  void fail(const char* where, const char* message) noexcept override;

  void setNumbers(Type type, std::span<const std::uint32_t> valueReferences,
                  std::span<const double> values) override;
  // Members have the numbers: every list is read as a new one, the last one stays empty.
  void readAgain(double* /*values*/) override {}
  void setString(std::span<const std::uint32_t> valueReferences,
                 std::span<const char* const> values) override;
  void getString(std::span<const std::uint32_t> valueReferences,
                 std::span<const char*> values) override;

  void directionalDerivative(std::span<const std::uint32_t> unknowns,
                             std::span<const std::uint32_t> knowns, std::span<const double> seed,
                             std::span<double> sensitivity) override;
  void adjointDerivative(std::span<const std::uint32_t> unknowns,
                         std::span<const std::uint32_t> knowns, std::span<const double> seed,
                         std::span<double> sensitivity) override;
  void outputDerivatives(std::span<const std::uint32_t> valueReferences,
                         std::span<const std::int32_t> orders, std::span<double> values) override;
  void setInputDerivatives(std::span<const std::uint32_t> valueReferences,
                           std::span<const std::int32_t> orders,
                           std::span<const double> values) override;

  /// Throws Error naming a member that cannot save or serialize its state.
  void saveState(std::unique_ptr<ComponentState>& state) const override;
  void restoreState(const ComponentState& state) override;
  std::vector<std::byte> serializeState(const ComponentState& state) const override;
  std::unique_ptr<ComponentState> readState(std::span<const std::byte> bytes) const override;

 private:
  void readNumbers(Type type, std::span<const std::uint32_t> valueReferences,
                   std::span<double> values) override;

  /// The mutable part besides that of the master and of the members.
  struct Run {
    Mode mode = Mode::instantiated;
    double startTime = 0;  // [s]
    std::optional<double> stopTime;
    double time = 0;                 // [s], communication time
    double lastStepSize = 0;         // [s]
    bool startFound = false;         // the members stand on consistent values for what is set
    bool shifted = false;            // members have inputs as they are later in the step
    std::vector<double> numbers;     // as last set, by value reference
    std::vector<std::string> texts;  // as last set, by place among the variables
  };
  struct State;

  std::size_t placeOf(std::uint32_t valueReference) const;
  const ContainerVariable& variable(std::uint32_t valueReference, Type type) const;
  void checkSettable(const ContainerVariable& variable) const;
  void sendNumbers(const ContainerVariable& variable, std::span<const double> values);
  void readNumbers(const ContainerVariable& variable, std::span<double> values);
  std::span<double> numbersOf(const ContainerVariable& variable);
  void findStart();

  void checkStep(double currentTime, double stepSize) const;
  long divisions(double stepSize) const;
  void shiftInputs(double elapsed);
  bool advance(double target, StepResult& result);
  void clear();

  const ContainerDescription description_;
  Log log_;
  const bool knowsTypes_;
  std::vector<std::size_t> places_;  // of variables by value reference
  ArrayReferences arrays_;
  std::vector<coupling::FmuSubsystem*> members_;
  std::unique_ptr<coupling::Master> master_;  // owns the members
  std::vector<double> fresh_;                 // state of the master before initialization
  Run run_;
  Status lastStepStatus_ = Status::ok;
  bool wantsToEnd_ = false;
  std::unique_ptr<ComponentState> before_;  // the step under way
  std::vector<double> whole_;               // an array of a member
  std::string failure_;
};

}  // namespace trammel::fmi
