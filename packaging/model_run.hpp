#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fmu_src/instance.hpp"
#include "packaging/run_settings.hpp"
#include "packaging/run_variable.hpp"

namespace trammel::fmi {

/// A model file run in this process: the instance that an FMU would hold, without the C interface.
class ModelRun final {
 public:
  explicit ModelRun(CompiledModel model);

  const std::string& name() const { return instance_.model().name(); }
  RunSettings defaults() const;
  bool handlesVariableStep() const { return true; }
  const std::vector<RunVariable>& variables() const { return variables_; }
  std::string note() const { return ""; }

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
  Instance& instance() { return instance_; }
  std::string statistics() const;  // e.g. "213 solver steps"

 private:
  std::unique_ptr<std::string> lastMessage_;  // at a fixed address for the log
  Instance instance_;
  std::vector<RunVariable> variables_;
  struct Batch {  // chosen variables of one type, read by one call
    std::vector<std::uint32_t> valueReferences;
    std::vector<std::size_t> columns;
    std::vector<double> values;
  };
  std::map<Type, Batch> chosen_;
  std::vector<const RunVariable*> inputs_;
  bool started_ = false;
};

}  // namespace trammel::fmi
