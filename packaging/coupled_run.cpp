#include "packaging/coupled_run.hpp"

#include <algorithm>
#include <sstream>

#include "coupling/fmu_subsystem.hpp"
#include "coupling/process_subsystem.hpp"
#include "fmu_src/model_subsystem.hpp"
#include "packaging/model_argument.hpp"

namespace trammel::fmi {
namespace {

using coupling::Joint;

std::unique_ptr<coupling::Subsystem> subsystem(const ResolvedMember& use) {
  const auto make = [&use]() -> std::unique_ptr<coupling::Subsystem> {
    if (!use.model.empty()) {
      return std::make_unique<ModelSubsystem>(use.entry->name, use.model.string(),
                                              loadModel(use.model), use.use);
    }
    auto fmu = std::make_unique<const coupling::Fmu>(use.fmu, use.directory, use.description);
    return std::make_unique<coupling::FmuSubsystem>(use.entry->name, std::move(fmu), use.use);
  };
  if (!use.entry->process) return make();
  return std::make_unique<coupling::ProcessSubsystem>(use.entry->name, make, use.entry->timeLimit);
}

}  // namespace

CoupledRun::CoupledRun(const SystemFile& file, const Installation& installation)
    : directory_(std::make_unique<coupling::TemporaryDirectory>()) {
  ResolvedSystem resolved =
      resolveSystem(file, installation, {directory_->path(), {hostPlatform()}, true});
  coupling::CoupledSystem system;
  for (const ResolvedMember& use : resolved.members) system.subsystems.push_back(subsystem(use));
  system.joints = std::move(resolved.joints);
  system.connections = std::move(resolved.connections);
  for (const RecordedOutput& r : resolved.record) {
    const ResolvedMember& member = resolved.members[r.member];
    const coupling::FmuVariable* variable =
        member.description.find(r.name.substr(member.entry->name.size() + 1));
    recordedUnits_.push_back(variable == nullptr ? "" : variable->unit);
  }
  recorded_ = std::move(resolved.record);
  errorControlled_ = file.options.stepControl.isOn();
  warnings_ = std::move(resolved.warnings);
  master_ = std::make_unique<coupling::Master>(std::move(system), file.options);
}

CoupledRun::~CoupledRun() = default;

std::vector<std::string> CoupledRun::columns() const {
  std::vector<std::string> names{"time"};
  for (const RecordedOutput& r : recorded_) names.push_back(r.name);
  for (const Joint& joint : master_->joints().joints()) {
    for (Index i = 1; i <= joint.size(); ++i) {
      names.push_back(joint.name + ".lambda" +
                      (joint.size() > 1 ? '[' + std::to_string(i) + ']' : std::string()));
    }
  }
  return names;
}

std::vector<std::string> CoupledRun::units() const {
  std::vector<std::string> units = recordedUnits_;
  for (const Joint& joint : master_->joints().joints()) {
    for (const coupling::JointRow& row : joint.rows) {
      const bool isLinear = std::holds_alternative<coupling::LinearRow>(row);
      units.emplace_back(isLinear ? "" : coupling::isTorqueRow(row) ? "N.m" : "N");
    }
  }
  return units;
}

void CoupledRun::read(std::vector<double>& row) const {
  row.clear();
  row.push_back(master_->time());
  for (const RecordedOutput& r : recorded_) row.push_back(master_->outputs()[r.member][r.output]);
  const Vector& lambda = master_->multipliers();
  row.insert(row.end(), lambda.begin(), lambda.end());
}

std::string CoupledRun::statistics() const {
  const coupling::MasterStatistics& s = master_->statistics();
  std::ostringstream out;
  out.precision(3);
  out << s.steps << " steps, " << s.evaluations << " evaluations";
  if (s.steps > 0) {
    out << " (" << static_cast<double>(s.evaluations) / static_cast<double>(s.steps)
        << " for each step, most " << s.mostEvaluations << ')';
  }
  out << ", " << s.failures << " steps repeated";
  if (errorControlled_) {
    out << ", " << s.rejected << " rejected for their error; steps of " << s.smallestStep
        << " s to " << s.largestStep << " s";
  }
  if (s.tooInexact > 0)
    out << ", " << s.tooInexact << " of the smallest size with too large an error";
  if (s.events > 0) out << ", " << s.events << " events";
  if (s.stagnated > 0) out << ", " << s.stagnated << " steps taken at the noise of the members";
  out << '\n';
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const coupling::JointStatistics& of = s.joints[j];
    out << "  joint " << master_->joints().joints()[j].name << ": largest gap " << of.largestGap
        << ", gap rate " << of.largestGapRate << ", power of the coupling " << of.largestPower
        << " W\n";
  }
  return out.str();
}

}  // namespace trammel::fmi
