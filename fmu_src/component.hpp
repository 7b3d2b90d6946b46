#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fmu_src/array_references.hpp"
#include "fmu_src/log.hpp"
#include "fmu_src/status.hpp"
#include "models/variable_table.hpp"

namespace trammel::fmi {

/// In this order it is handed over in registers.
struct StepResult {
  Status status = Status::ok;
  bool eventHandlingNeeded = false;  // an event was met, the importer is to enter event mode
  bool earlyReturn = false;          // the step ended before its end
  bool terminate = false;            // the end of the run is asked for
  double lastSuccessfulTime = 0;     // [s]
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
  bool knowsTypes = false;  // of FMI 3: to others Float32 is a Real, UInt64 an Integer
  std::vector<std::uint32_t> intermediateVariables;  // value references of inputs and outputs
  /// Returns the time at which the importer wants the step to end early, if it does.
  std::function<std::optional<double>(const IntermediatePoint&)> intermediateUpdate;
};

/// A list of reals that was read, which is not checked again if it is read again.
struct ReadList {
  static constexpr std::size_t fewest = 4;     // values, and references
  std::vector<std::uint32_t> valueReferences;  // empty: there is none
  std::vector<const double*> places;           // where the numbers are once they are evaluated
  std::vector<std::size_t> others;             // in the list: their place is anywhere

  bool is(std::span<const std::uint32_t> otherReferences) const {
    return !valueReferences.empty() && std::ranges::equal(valueReferences, otherReferences);
  }
  void setValueReferences(std::span<const std::uint32_t> references) {
    valueReferences.assign(references.begin(), references.end());
    lastFour_ = references.size() - fewest;
  }
  /// The same with arrays, as the importer asks for it; false before setAsked().
  bool isAsked(const std::uint32_t* references, std::size_t count, std::size_t valueCount) const {
    if (count != askedCount_ || valueCount != valueCount_ || references == nullptr) return false;
    const std::size_t last = count - fewest;
    for (std::size_t i = 0; i < last; i += fewest)
      if (!asksForFour(references, i)) return false;
    return asksForFour(references, last);
  }
  /// Pre: there is a list, and these are its arrays and elements.
  void setAsked(std::span<const std::uint32_t> references) {
    if (references.size() < fewest) return;
    asked_.assign(references.begin(), references.end());
    askedCount_ = references.size();
    valueCount_ = places.size();
  }
  /// By fours, which takes half of the instructions; the last four may be copied again.
  void copyTo(double* values) const {
    const std::size_t last = lastFour_;
    for (std::size_t i = 0; i < last; i += fewest) copyFour(i, values);
    copyFour(last, values);
  }
  void clear() {
    valueReferences.clear();
    places.clear();
    others.clear();
    askedCount_ = none;
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  bool asksForFour(const std::uint32_t* references, std::size_t i) const {
    std::uint64_t these[2], those[2];
    std::memcpy(these, references + i, sizeof these);
    std::memcpy(those, asked_.data() + i, sizeof those);
    return ((these[0] ^ those[0]) | (these[1] ^ those[1])) == 0;
  }
  void copyFour(std::size_t i, double* values) const {
    const double* const* const from = places.data() + i;
    const double first = *from[0], second = *from[1], third = *from[2], fourth = *from[3];
    values[i] = first;
    values[i + 1] = second;
    values[i + 2] = third;
    values[i + 3] = fourth;
  }

  std::size_t askedCount_ = none, valueCount_ = 0, lastFour_ = 0;
  std::vector<std::uint32_t> asked_;
};

/// The complete mutable part of a component, as one component saves and another one restores it.
class ComponentState {
 public:
  virtual ~ComponentState() = default;
};

/// What stands behind an instance of the C interface, the same for FMI 2 and 3: a model, or FMUs
/// coupled to a container. Functions may throw Error; `guarded` turns that into a status. Modes are
/// checked by `guarded`, not here; only what may be set depends on the mode.
class Component {
 public:
  virtual ~Component() = default;

  Mode mode() const { return *mode_; }
  virtual Log& log() = 0;
  virtual ArrayReferences& arrays() = 0;             // as an importer of FMI 3 sees them
  virtual double time() const = 0;                   // [s], communication time
  virtual Status lastStepStatus() const = 0;         // of the last doStep, ok before the first
  virtual bool wantsToEnd() const { return false; }  // the last doStep asked for the end of the run

  /// Throws Error if the tolerance is not > 0, a time is not finite or the stop time lies before
  /// the start time.
  virtual void setupExperiment(std::optional<double> tolerance, double startTime,
                               std::optional<double> stopTime) = 0;
  /// In configuration mode structural parameters may be set, which act when it ends. Throws Error
  /// where there are none.
  virtual void enterConfigurationMode() { throw Error("there are no structural parameters"); }
  virtual void exitConfigurationMode() {}
  /// With the experiment as last set up, or the default one without a stop time.
  virtual void enterInitializationMode() = 0;
  void enterInitializationMode(std::optional<double> tolerance, double startTime,
                               std::optional<double> stopTime) {
    setupExperiment(tolerance, startTime, stopTime);
    enterInitializationMode();
  }
  virtual void exitInitializationMode() = 0;
  /// Goes to currentTime + stepSize. discard: the state is bit for bit what it was before the call.
  /// Throws Error where currentTime is not the communication time or stepSize is not > 0.
  virtual StepResult doStep(double currentTime, double stepSize) = 0;
  virtual void enterEventMode() = 0;
  virtual void updateDiscreteStates() = 0;
  virtual void enterStepMode() = 0;
  virtual void terminate() = 0;
  virtual void reset() = 0;                                                // as freshly constructed
  virtual void fail(const char* where, const char* message) noexcept = 0;  // logs, mode failed

  /// Variables of a type that has numbers; Booleans are 0 and 1. All or nothing: throws Error
  /// naming the variable that may not be set now, or not to this value.
  virtual void setNumbers(Type type, std::span<const std::uint32_t> valueReferences,
                          std::span<const double> values) = 0;
  /// Throws Error for an unknown reference, Discarded where the values cannot be computed.
  void getNumbers(Type type, std::span<const std::uint32_t> valueReferences,
                  std::span<double> values) {
    if (type == Type::float64) return getReal(valueReferences, values);
    readNumbers(type, valueReferences, values);
  }
  void setReal(std::span<const std::uint32_t> valueReferences, std::span<const double> values) {
    setNumbers(Type::float64, valueReferences, values);
  }
  /// `asked`: the list with arrays, as the importer asks for it again at the next step.
  void getReal(std::span<const std::uint32_t> valueReferences, std::span<double> values,
               std::span<const std::uint32_t> asked = {}) {
    const bool sameSize = values.size() == valueReferences.size();
    if (!sameSize || mode() != Mode::step || !lastRead_.is(valueReferences))
      return readNumbers(Type::float64, valueReferences, values);
    lastRead_.setAsked(asked);
    readAgain(values.data());
  }
  const ReadList& lastRead() const { return lastRead_; }
  /// The numbers of the last list. Pre: step mode, there is one.
  virtual void readAgain(double* values) = 0;
  virtual void setString(std::span<const std::uint32_t> valueReferences,
                         std::span<const char* const> values) = 0;
  /// The texts live until the next call.
  virtual void getString(std::span<const std::uint32_t> valueReferences,
                         std::span<const char*> values) = 0;

  /// sensitivity = (∂unknowns/∂knowns) seed at the communication time.
  virtual void directionalDerivative(std::span<const std::uint32_t> unknowns,
                                     std::span<const std::uint32_t> knowns,
                                     std::span<const double> seed,
                                     std::span<double> sensitivity) = 0;
  /// sensitivity = (∂unknowns/∂knowns)ᵀ seed.
  virtual void adjointDerivative(std::span<const std::uint32_t> unknowns,
                                 std::span<const std::uint32_t> knowns,
                                 std::span<const double> seed, std::span<double> sensitivity) = 0;
  /// Time derivatives of outputs along the motion at the communication time.
  virtual void outputDerivatives(std::span<const std::uint32_t> valueReferences,
                                 std::span<const std::int32_t> orders,
                                 std::span<double> values) = 0;
  /// Time derivatives of inputs from the communication time on.
  virtual void setInputDerivatives(std::span<const std::uint32_t> valueReferences,
                                   std::span<const std::int32_t> orders,
                                   std::span<const double> values) = 0;

  /// Into the state that is there, else into a new one.
  virtual void saveState(std::unique_ptr<ComponentState>& state) const = 0;
  /// Throws Error and changes nothing if the state does not fit. Pre: a state of such a component.
  virtual void restoreState(const ComponentState& state) = 0;
  virtual std::vector<std::byte> serializeState(const ComponentState& state) const = 0;
  /// Throws Error if anything is wrong.
  virtual std::unique_ptr<ComponentState> readState(std::span<const std::byte> bytes) const = 0;

 protected:
  explicit Component(const Mode* mode) : mode_(mode) {}
  Component(Component&&) noexcept = default;

  void setMode(const Mode* mode) { mode_ = mode; }  // where it stands

  ReadList lastRead_;  // kept by components whose numbers stay where they are
  /// getNumbers() of a list that is not the last one.
  virtual void readNumbers(Type type, std::span<const std::uint32_t> valueReferences,
                           std::span<double> values) = 0;

 private:
  const Mode* mode_;  // in the component: every call asks for it
};

/// What an importer instantiates.
struct ComponentRequest {
  std::filesystem::path resources;  // unpacked directory
  const char* instanceName = "";
  const char* token = "";
  std::span<const std::uint32_t> intermediateVariables;  // value references, FMI 3
};

/// Each runtime binary defines this once: model_component.cpp, container_component.cpp. Throws
/// Error where there can be no such component.
std::unique_ptr<Component> makeComponent(const ComponentRequest& request, const Log& log,
                                         const StepOptions& options);

}  // namespace trammel::fmi
