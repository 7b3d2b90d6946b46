#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coupling/master.hpp"
#include "coupling/temporary_directory.hpp"
#include "packaging/resolved_system.hpp"

namespace trammel::fmi {

/// A system file with its components loaded: FMUs as they are, models through an FMU that is made
/// of them for the run.
class CoupledRun final {
 public:
  /// Throws ModelError, InputError, coupling::FmuError or coupling::CouplingError.
  CoupledRun(const SystemFile& file, const Installation& installation);
  ~CoupledRun();

  coupling::Master& master() { return *master_; }
  /// Recorded outputs `component.variable`, multipliers `joint.lambda[i]`, gaps `joint.gap`.
  std::vector<std::string> columns() const;
  void read(std::vector<double>& row) const;
  std::vector<std::string> units() const;  // of the columns but time; empty: unknown
  std::string statistics() const;          // lines to print
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::unique_ptr<coupling::TemporaryDirectory> directory_;  // of FMUs made from models
  std::vector<RecordedOutput> recorded_;
  std::vector<std::string> recordedUnits_;
  std::vector<std::string> warnings_;
  bool errorControlled_ = false;
  std::unique_ptr<coupling::Master> master_;
};

}  // namespace trammel::fmi
