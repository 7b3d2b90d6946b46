#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "coupling/fmu.hpp"
#include "coupling/fmu_instance.hpp"
#include "packaging/run_settings.hpp"

namespace trammel::fmi {

/// An FMU of any origin run through its C interface.
class FmuRun final {
 public:
  /// Throws coupling::FmuError where the FMU cannot be loaded or instantiated.
  explicit FmuRun(const std::filesystem::path& file);

  const std::string& name() const { return fmu_.description().modelName; }
  RunSettings defaults() const;
  bool handlesVariableStep() const { return fmu_.description().capabilities.variableStep; }
  std::vector<std::string> outputNames() const { return names_; }
  /// A sentence on outputs that are left out because they are not real or their size is not
  /// fixed; empty: none.
  std::string note() const;

  void start(const RunSettings& settings);
  RunStep step(double currentTime, double stepSize);
  void read(std::span<double> values);
  void finish();
  std::string statistics() const { return ""; }

 private:
  coupling::Fmu fmu_;
  coupling::FmuInstance instance_;
  std::vector<std::uint32_t> outputs_;  // value references
  std::vector<std::string> names_;
  std::size_t leftOut_ = 0;
};

}  // namespace trammel::fmi
