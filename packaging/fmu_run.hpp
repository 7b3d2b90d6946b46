#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "coupling/fmu.hpp"
#include "coupling/fmu_instance.hpp"
#include "packaging/run_settings.hpp"
#include "packaging/run_variable.hpp"

namespace trammel::fmi {

/// An FMU of any origin run through its C interface.
class FmuRun final {
 public:
  /// Throws coupling::FmuError where the FMU cannot be loaded or instantiated.
  explicit FmuRun(const std::filesystem::path& file);

  const std::string& name() const { return fmu_.description().modelName; }
  RunSettings defaults() const;
  bool handlesVariableStep() const { return fmu_.description().capabilities.variableStep; }
  /// Those whose values are numbers or texts and whose size is fixed.
  const std::vector<RunVariable>& variables() const { return variables_; }
  /// A sentence on outputs that are left out because they are none of these; empty: none.
  std::string note() const;

  /// What read() gives; all outputs unless chosen otherwise.
  void choose(std::span<const RunVariable* const> variables);
  /// Inputs that change; their values at the beginning are set by setInputs before the start.
  void announceInputs(std::span<const RunVariable* const> variables);
  void set(const StartValue& value);  // before the start
  void setInputs(const RunInputs& inputs);
  void start(const RunSettings& settings);
  RunStep step(double currentTime, double stepSize);
  void read(std::span<double> values);
  void finish();
  std::string statistics() const { return ""; }

 private:
  /// Whole variables of one type, arrays with all elements, read or written by one call.
  struct Batch {
    std::vector<std::uint32_t> valueReferences;
    std::vector<double> values, slopes;
    std::map<std::uint32_t, std::size_t> first;  // of each variable among the values
  };
  using Batches = std::map<Type, Batch>;

  /// Place of a variable's value in its batch, which the variable is added to.
  std::size_t addTo(Batches& batches, const RunVariable& variable);
  const coupling::FmuVariable& described(const RunVariable& variable) const;
  void write(Type type, const Batch& batch);
  bool takesLines(const RunVariable& variable) const;

  coupling::Fmu fmu_;
  coupling::FmuInstance instance_;
  std::vector<RunVariable> variables_;
  std::map<std::uint32_t, std::size_t> descriptions_;  // place of a variable in the description
  std::size_t leftOut_ = 0;
  std::vector<const RunVariable*> chosen_, inputs_;
  std::vector<std::size_t> chosenPlaces_, inputPlaces_;  // in their batches
  Batches read_, start_, held_, lines_;  // lines_: inputs that take a slope within a step
  bool started_ = false;
};

}  // namespace trammel::fmi
