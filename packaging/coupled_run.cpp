#include "packaging/coupled_run.hpp"

#include <algorithm>
#include <sstream>

#include "coupling/fmu_subsystem.hpp"
#include "models/text.hpp"
#include "packaging/fmu_package.hpp"
#include "packaging/model_argument.hpp"

namespace trammel::fmi {
namespace {

using coupling::Joint;

/// What each component has to offer to the system: built up from connections, joints and records.
struct Use {
  const ComponentEntry* entry = nullptr;
  std::filesystem::path fmu;
  coupling::FmuUse use;

  int port(const ComponentPart& part) {
    for (std::size_t i = 0; i < use.ports.size(); ++i) {
      if (use.ports[i].name == part.name) return static_cast<int>(i);
    }
    std::optional<coupling::FmuPortNames> names;
    for (const PortEntry& p : entry->ports) {
      if (p.name == part.name) names = p.names;
    }
    use.ports.push_back({part.name, names});
    return static_cast<int>(use.ports.size()) - 1;
  }

  static int place(std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<int>(found - names.begin());
    names.push_back(name);
    return static_cast<int>(names.size()) - 1;
  }
};

class SystemBuilder {
 public:
  SystemBuilder(const SystemFile& file, const Installation& installation,
                const std::filesystem::path& directory)
      : file_(file), installation_(installation), directory_(directory) {
    for (const ComponentEntry& entry : file.components) {
      uses_.push_back({&entry, fmuOf(entry), {}});
      uses_.back().use.parameters = entry.parameters;
      uses_.back().use.tolerance = entry.tolerance;
    }
  }

  coupling::CoupledSystem build() {
    coupling::CoupledSystem system;
    for (const ConnectionEntry& c : file_.connections) system.connections.push_back(connection(c));
    for (const JointEntry& j : file_.joints) system.joints.push_back(joint(j));
    collectRecord();
    for (Use& use : uses_) {
      system.subsystems.push_back(
          std::make_unique<coupling::FmuSubsystem>(use.entry->name, use.fmu, use.use));
    }
    return system;
  }

  struct Record {
    std::size_t subsystem;
    Index output;
    std::string name;
  };
  std::vector<Record> record;

 private:
  std::filesystem::path fmuOf(const ComponentEntry& entry) {
    // Relative to the system file; else a name in the catalogue.
    const std::filesystem::path beside =
        std::filesystem::path(file_.source).parent_path() / entry.file.value;
    const bool isFile = std::filesystem::exists(beside);
    if (!isFile && installation_.catalogueModel(entry.file.value).empty()) {
      throw ModelError(file_.source, entry.file.line,
                       "component " + inQuotes(entry.name) + ": file " +
                           inQuotes(entry.file.value) +
                           " is neither a file beside the system file nor in the catalogue");
    }
    const ModelArgument model =
        findModel(isFile ? beside.string() : entry.file.value, installation_);
    if (model.isFmu) return model.path;
    const CompiledModel compiled = loadModel(model.path);
    const Platform host = hostPlatform();
    PackageOptions options;
    options.version = entry.fmi == 2 ? FmiVersion::fmi2 : FmiVersion::fmi3;
    options.binaries = {{host, installation_.runtimeBinary(host)}};
    const std::filesystem::path path = directory_ / (entry.name + ".fmu");
    writeFmu(compiled, options, path);
    return path;
  }

  std::size_t indexOf(const ComponentPart& part) const {
    const auto found = std::find_if(uses_.begin(), uses_.end(), [&](const Use& use) {
      return use.entry->name == part.component;
    });
    return static_cast<std::size_t>(found - uses_.begin());
  }

  coupling::Connection connection(const ConnectionEntry& entry) {
    const std::size_t from = indexOf(entry.from), to = indexOf(entry.to);
    return {static_cast<int>(from), Use::place(uses_[from].use.outputs, entry.from.name),
            static_cast<int>(to),   Use::place(uses_[to].use.inputs, entry.to.name),
            entry.factor,           entry.offset};
  }

  Joint joint(const JointEntry& e) {
    coupling::Sides sides;
    for (const ComponentPart& part : e.sides) {
      if (part.component.empty()) {
        sides.push_back({-1, 0});
        continue;
      }
      const std::size_t k = indexOf(part);
      sides.push_back({static_cast<int>(k), uses_[k].port(part)});
    }
    Joint joint = jointOfType(e, std::move(sides));
    joint.frameA = coupling::frameWithAxis(e.axisA);
    joint.frameB = coupling::frameWithAxis(e.axisB);
    if (e.position) joint.ground.r = *e.position;
    return joint;
  }

  static Joint jointOfType(const JointEntry& e, coupling::Sides sides) {
    if (e.type == "fixed") return coupling::fixedJoint(e.name, std::move(sides));
    if (e.type == "revolute") return coupling::revoluteJoint(e.name, std::move(sides));
    if (e.type == "spherical") return coupling::sphericalJoint(e.name, std::move(sides));
    if (e.type == "prismatic") return coupling::prismaticJoint(e.name, std::move(sides));
    if (e.type == "cylindrical") return coupling::cylindricalJoint(e.name, std::move(sides));
    if (e.type == "universal") return coupling::universalJoint(e.name, std::move(sides));
    if (e.type == "point_on_line") return coupling::pointOnLineJoint(e.name, std::move(sides));
    if (e.type == "shaft") return coupling::shaftJoint(e.name, std::move(sides), e.constant);
    if (e.type == "gear") return coupling::gearJoint(e.name, std::move(sides), e.ratio, e.constant);
    if (e.type == "rack_and_pinion") {
      return coupling::rackAndPinionJoint(e.name, std::move(sides), e.radius, e.constant);
    }
    Joint joint =
        coupling::linearJoint(e.name, std::move(sides), e.coefficients[0], e.constants[0]);
    for (std::size_t i = 1; i < e.coefficients.size(); ++i) {
      joint.rows.push_back(coupling::LinearRow{e.coefficients[i], e.constants[i]});
    }
    return joint;
  }

  void collectRecord() {
    const auto add = [&](std::size_t k, const std::string& name) {
      record.push_back(
          {k, Use::place(uses_[k].use.outputs, name), uses_[k].entry->name + '.' + name});
    };
    for (const ComponentPart& part : file_.record) add(indexOf(part), part.name);
    if (!file_.record.empty()) return;
    for (std::size_t k = 0; k < uses_.size(); ++k) {
      const coupling::Fmu fmu(uses_[k].fmu);
      for (const coupling::FmuVariable& v : fmu.description().variables) {
        const bool isRealScalar = v.type == coupling::FmuType::real && !v.isArray;
        if (isRealScalar && v.causality == coupling::FmuCausality::output) add(k, v.name);
      }
    }
  }

  const SystemFile& file_;
  const Installation& installation_;
  const std::filesystem::path& directory_;
  std::vector<Use> uses_;
};

}  // namespace

CoupledRun::CoupledRun(const SystemFile& file, const Installation& installation)
    : directory_(std::make_unique<coupling::TemporaryDirectory>()) {
  SystemBuilder builder(file, installation, directory_->path());
  coupling::CoupledSystem system = builder.build();
  for (const auto& r : builder.record) recorded_.push_back({r.subsystem, r.output, r.name});
  master_ = std::make_unique<coupling::Master>(std::move(system), file.options);
}

CoupledRun::~CoupledRun() = default;

std::vector<std::string> CoupledRun::columns() const {
  std::vector<std::string> names{"time"};
  for (const Recorded& r : recorded_) names.push_back(r.name);
  for (const Joint& joint : master_->joints().joints()) {
    for (Index i = 1; i <= joint.size(); ++i) {
      names.push_back(joint.name + ".lambda" +
                      (joint.size() > 1 ? '[' + std::to_string(i) + ']' : std::string()));
    }
  }
  return names;
}

void CoupledRun::read(std::vector<double>& row) const {
  row.clear();
  row.push_back(master_->time());
  for (const Recorded& r : recorded_) row.push_back(master_->outputs()[r.subsystem][r.output]);
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
