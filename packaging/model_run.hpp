#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fmu_src/instance.hpp"
#include "packaging/run_settings.hpp"

namespace trammel::fmi {

/// A model file run in this process: the instance that an FMU would hold, without the C interface.
class ModelRun final {
 public:
  explicit ModelRun(CompiledModel model);

  const std::string& name() const { return instance_.model().name(); }
  RunSettings defaults() const;
  bool handlesVariableStep() const { return true; }
  std::vector<std::string> outputNames() const;
  std::string note() const { return ""; }

  void start(const RunSettings& settings);
  RunStep step(double currentTime, double stepSize);
  void read(std::span<double> values);
  void finish();
  Instance& instance() { return instance_; }
  std::string statistics() const;  // e.g. "213 solver steps"

 private:
  std::unique_ptr<std::string> lastMessage_;  // at a fixed address for the log
  Instance instance_;
  std::vector<std::uint32_t> outputs_;  // value references
};

}  // namespace trammel::fmi
