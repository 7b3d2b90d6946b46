#include "packaging/resolved_system.hpp"

#include <algorithm>

#include "fmu_src/model_subsystem.hpp"
#include "models/text.hpp"
#include "packaging/fmu_package.hpp"
#include "packaging/model_argument.hpp"

namespace trammel::fmi {
namespace {

using coupling::Joint;

/// Place of a port among those that the member is asked for.
int portPlace(ResolvedMember& member, const ComponentPart& part) {
  std::vector<coupling::FmuPortRequest>& ports = member.use.ports;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].name == part.name) return static_cast<int>(i);
  }
  std::optional<coupling::FmuPortNames> names;
  for (const PortEntry& p : member.entry->ports) {
    if (p.name == part.name) names = p.names;
  }
  ports.push_back({part.name, names});
  return static_cast<int>(ports.size()) - 1;
}

/// Place of a name in a list, to which it is added where it is not there.
int place(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  names.push_back(name);
  return static_cast<int>(names.size()) - 1;
}

class SystemBuilder {
 public:
  SystemBuilder(const SystemFile& file, const Installation& installation,
                const ResolveOptions& options)
      : file_(file), installation_(installation), options_(options) {
    for (const ComponentEntry& entry : file.components) {
      ResolvedMember member;
      member.entry = &entry;
      findFile(member);
      member.use.parameters = entry.parameters;
      member.use.tolerance = entry.tolerance;
      system_.members.push_back(std::move(member));
    }
  }

  ResolvedSystem build() {
    for (const ConnectionEntry& c : file_.connections) system_.connections.push_back(connection(c));
    for (const JointEntry& j : file_.joints) system_.joints.push_back(joint(j));
    collectRecord();
    chooseEventHandling();
    return std::move(system_);
  }

 private:
  /// An FMU, or a model that becomes one or is run as it is.
  void findFile(ResolvedMember& member) {
    const ComponentEntry& entry = *member.entry;
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
    if (model.isFmu) {
      member.fmu = model.path;
      return unpack(member);
    }
    const CompiledModel compiled = loadModel(model.path);
    if (options_.modelsInProcess && !entry.fmi) {
      member.model = model.path;
      member.description = descriptionOf(compiled);
      return;
    }
    PackageOptions options;
    options.version = entry.fmi.value_or(3) == 2 ? FmiVersion::fmi2 : FmiVersion::fmi3;
    for (const Platform& platform : options_.platforms) {
      options.binaries.push_back({platform, installation_.runtimeBinary(platform)});
    }
    member.fmu = options_.directory / (entry.name + ".fmu");
    writeFmu(compiled, options, member.fmu);
    unpack(member);
  }

  /// Components of one file share what it unpacks to, and with it the code of its binary.
  void unpack(ResolvedMember& member) const {
    for (const ResolvedMember& other : system_.members) {
      if (other.fmu != member.fmu || other.description.capabilities.onlyOncePerProcess) continue;
      member.directory = other.directory;
      member.description = other.description;
      return;
    }
    member.directory = options_.directory / ("unpacked" + std::to_string(system_.members.size()));
    std::filesystem::create_directory(member.directory);
    member.description = coupling::unpackFmu(member.fmu, member.directory);
  }

  /// Steps end at events where all members can go back and forth; inputs that may only be set at
  /// events would have to wait for one.
  void chooseEventHandling() {
    const bool canRepeat = std::all_of(
        system_.members.begin(), system_.members.end(), [](const ResolvedMember& member) {
          const coupling::FmuCapabilities& can = member.description.capabilities;
          return can.saveState && can.variableStep;
        });
    for (ResolvedMember& member : system_.members) {
      const auto isDiscrete = [&](const std::string& input) {
        const coupling::FmuVariable* variable = member.description.find(input);
        return variable != nullptr && variable->discrete;
      };
      const auto& inputs = member.use.inputs;
      if (canRepeat && member.description.capabilities.eventMode &&
          std::none_of(inputs.begin(), inputs.end(), isDiscrete)) {
        member.use.events = coupling::EventHandling::reported;
      }
    }
  }

  std::size_t indexOf(const ComponentPart& part) const {
    const auto found =
        std::find_if(system_.members.begin(), system_.members.end(),
                     [&](const ResolvedMember& use) { return use.entry->name == part.component; });
    return static_cast<std::size_t>(found - system_.members.begin());
  }

  coupling::Connection connection(const ConnectionEntry& entry) {
    const std::size_t from = indexOf(entry.from), to = indexOf(entry.to);
    coupling::Connection c;
    c.from = static_cast<int>(from);
    c.output = place(system_.members[from].use.outputs, entry.from.name);
    c.to = static_cast<int>(to);
    c.input = place(system_.members[to].use.inputs, entry.to.name);
    c.factor = entry.factor.value_or(1);
    c.offset = entry.offset.value_or(0);
    if (!entry.factor && !entry.offset) convertUnits(entry, c);
    return c;
  }

  /// Value in base units = factor × value + offset, on both ends:
  /// input = (f_out output + o_out − o_in)/f_in.
  void convertUnits(const ConnectionEntry& entry, coupling::Connection& c) {
    const auto unitOf = [this](int k, const std::string& name) -> const coupling::FmuUnit* {
      const coupling::FmuDescription& d = system_.members[static_cast<std::size_t>(k)].description;
      const coupling::FmuVariable* variable = d.find(name);
      return variable == nullptr ? nullptr : d.unitOf(*variable);
    };
    const coupling::FmuUnit* out = unitOf(c.from, entry.from.name);
    const coupling::FmuUnit* in = unitOf(c.to, entry.to.name);
    if (out == nullptr || in == nullptr) return;
    // rad, the last exponent, is a number: rad/s and 1/s go together.
    if (!std::equal(out->exponents.begin(), out->exponents.end() - 1, in->exponents.begin())) {
      system_.warnings.push_back("connection from " + entry.from.component + '.' + entry.from.name +
                                 " to " + entry.to.component + '.' + entry.to.name + ": units " +
                                 out->name + " and " + in->name +
                                 " are of different kinds, values are passed on as they are");
      return;
    }
    c.factor = out->factor / in->factor;
    c.offset = (out->offset - in->offset) / in->factor;
  }

  Joint joint(const JointEntry& e) {
    coupling::Sides sides;
    for (const ComponentPart& part : e.sides) {
      if (part.component.empty()) {
        sides.push_back({-1, 0});
        continue;
      }
      const std::size_t k = indexOf(part);
      sides.push_back({static_cast<int>(k), portPlace(system_.members[k], part)});
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
      system_.record.push_back({k, place(system_.members[k].use.outputs, name),
                                system_.members[k].entry->name + '.' + name});
    };
    for (const ComponentPart& part : file_.record) add(indexOf(part), part.name);
    if (!file_.record.empty()) return;
    for (std::size_t k = 0; k < system_.members.size(); ++k) {
      for (const coupling::FmuVariable& v : system_.members[k].description.variables) {
        // Of a model in this process all variables are scalars, also elements of arrays.
        const bool isElement = !system_.members[k].model.empty() && v.name.ends_with(']');
        const bool isRealScalar = v.type == coupling::FmuType::real && !v.isArray && !isElement;
        if (isRealScalar && v.causality == coupling::FmuCausality::output) add(k, v.name);
      }
    }
  }

  const SystemFile& file_;
  const Installation& installation_;
  const ResolveOptions& options_;
  ResolvedSystem system_;
};

}  // namespace

ResolvedSystem resolveSystem(const SystemFile& file, const Installation& installation,
                             const ResolveOptions& options) {
  return SystemBuilder(file, installation, options).build();
}

}  // namespace trammel::fmi
