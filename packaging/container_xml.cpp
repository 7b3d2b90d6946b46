#include "packaging/container_xml.hpp"

#include <array>
#include <ctime>
#include <map>
#include <set>

#include "fmu_src/log.hpp"
#include "modelDescription/version.hpp"
#include "modelDescription/xml_text.hpp"

namespace trammel::fmi {
namespace {

using pugi::xml_node;

const char* typeText(Type type, bool fmi3) {
  switch (type) {
    case Type::float64:
      return fmi3 ? "Float64" : "Real";
    case Type::float32:
      return fmi3 ? "Float32" : "Real";
    case Type::int32:
      return fmi3 ? "Int32" : "Integer";
    case Type::boolean:
      return "Boolean";
    case Type::string:
      return "String";
    case Type::uint64:
      return fmi3 ? "UInt64" : "Integer";
  }
  return "";
}

const char* text(Causality causality) {
  return causality == Causality::parameter ? "parameter"
         : causality == Causality::input   ? "input"
         : causality == Causality::output  ? "output"
                                           : "local";
}

const char* text(Variability variability) {
  return variability == Variability::fixed      ? "fixed"
         : variability == Variability::tunable  ? "tunable"
         : variability == Variability::discrete ? "discrete"
                                                : "continuous";
}

std::string valueText(Type type, double value) {
  return type == Type::boolean ? (value != 0 ? "true" : "false") : numberText(value);
}

/// Units of all members under one roof: one name has one meaning. A unit that means something else
/// than that of an earlier member is left out, with it the unit of variables.
class Units {
 public:
  Units(const std::vector<MemberXml>& members, bool fmi3) : fmi3_(fmi3) {
    for (std::size_t k = 0; k < members.size(); ++k) {
      for (const xml_node unit : members[k].units.children("Unit"))
        offer(static_cast<int>(k), unit);
    }
    // Of the multipliers.
    for (const auto& [name, metres] : {std::pair{"N", "1"}, std::pair{"N.m", "2"}}) {
      if (known_.contains(name)) continue;
      xml_node unit = document_.append_child("Unit");
      add(unit, "name", name);
      xml_node base = unit.append_child("BaseUnit");
      add(base, "kg", "1");
      add(base, "m", metres);
      add(base, "s", "-2");
      known_[name] = unit;
    }
  }

  bool has(int member, const std::string& unit) const {
    return known_.contains(unit) && !clashes_.contains({member, unit});
  }
  bool hasDisplay(const std::string& unit, const std::string& display) const {
    const auto found = known_.find(unit);
    return found != known_.end() &&
           found->second.find_child_by_attribute("DisplayUnit", "name", display.c_str());
  }
  void use(const std::string& unit) { used_.insert(unit); }

  void write(xml_node root) const {
    if (used_.empty()) return;
    xml_node node = root.append_child("UnitDefinitions");
    for (const std::string& name : used_) node.append_copy(known_.at(name));
  }

 private:
  static std::string meaning(xml_node unit) {
    std::string text;
    for (const pugi::xml_attribute a : unit.child("BaseUnit").attributes()) {
      text += std::string(a.name()) + '=' + a.value() + ' ';
    }
    return text;
  }

  void offer(int member, xml_node unit) {
    const std::string name = unit.attribute("name").value();
    const auto found = known_.find(name);
    if (found == known_.end()) {
      xml_node copy = document_.append_copy(unit);
      copy.remove_child("Annotations");
      if (!fmi3_) {
        for (xml_node display : copy.children("DisplayUnit")) display.remove_attribute("inverse");
      }
      known_[name] = copy;
    } else if (meaning(found->second) != meaning(unit)) {
      clashes_.insert({member, name});
    } else {
      for (const xml_node display : unit.children("DisplayUnit")) {
        if (!hasDisplay(name, display.attribute("name").value())) {
          found->second.append_copy(display);
        }
      }
    }
  }

  const bool fmi3_;
  pugi::xml_document document_;
  std::map<std::string, xml_node> known_;
  std::set<std::pair<int, std::string>> clashes_;
  std::set<std::string> used_;
};

class Writer {
 public:
  Writer(const ContainerDescription& container, const ContainerHeading& heading,
         const std::vector<ExposedVariable>& variables, const std::vector<MemberXml>& members,
         bool fmi3)
      : container_(container),
        heading_(heading),
        variables_(variables),
        fmi3_(fmi3),
        units_(members, fmi3) {}

  std::string write() {
    xml_node root = startDocument(document_, "fmiModelDescription");
    add(root, "fmiVersion", fmi3_ ? "3.0" : "2.0");
    add(root, "modelName", heading_.modelName);
    add(root, fmi3_ ? "instantiationToken" : "guid", container_.token);
    add(root, "generationTool", "Trammel " + std::string(version()));
    if (heading_.options.generationTime) {
      add(root, "generationDateAndTime", utcText(*heading_.options.generationTime));
    }
    add(root, "variableNamingConvention", "flat");
    writeCoSimulation(root.append_child("CoSimulation"));
    pugi::xml_document rest;
    xml_node variables = rest.append_child("ModelVariables");
    xml_node structure = rest.append_child("ModelStructure");
    writeVariables(variables, structure);
    units_.write(root);
    writeLogCategories(root.append_child("LogCategories"));
    xml_node experiment = root.append_child("DefaultExperiment");
    add(experiment, "startTime", container_.startTime);
    add(experiment, "stopTime", heading_.stopTime);
    add(experiment, "stepSize", container_.step);
    root.append_copy(variables);
    root.append_copy(structure);
    return textOf(document_);
  }

 private:
  static std::string utcText(std::int64_t seconds) {
    const std::time_t time = seconds;
    std::tm utc{};
    std::array<char, 40> buffer{};
    if (gmtime_r(&time, &utc) == nullptr) return "";
    return {buffer.data(), std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &utc)};
  }

  void writeCoSimulation(xml_node node) const {
    add(node, "modelIdentifier", heading_.modelIdentifier);
    const auto flag = [&](bool value, const char* fmi2, const char* fmi3) {
      const char* name = fmi3_ ? fmi3 : fmi2;
      if (value && name != nullptr) add(node, name, "true");
    };
    flag(heading_.needsTool, "needsExecutionTool", "needsExecutionTool");
    flag(container_.canVaryStep(), "canHandleVariableCommunicationStepSize",
         "canHandleVariableCommunicationStepSize");
    flag(heading_.onlyOncePerProcess, "canBeInstantiatedOnlyOncePerProcess",
         "canBeInstantiatedOnlyOncePerProcess");
    flag(container_.canSaveState(), "canGetAndSetFMUstate", "canGetAndSetFMUState");
    flag(container_.canSerializeState(), "canSerializeFMUstate", "canSerializeFMUState");
    flag(true, "canNotUseMemoryManagementFunctions", nullptr);
    if (fmi3_ && !container_.canVaryStep()) add(node, "fixedInternalStepSize", container_.step);
  }

  static void writeLogCategories(xml_node node) {
    for (const char* name : logCategoryNames) add(node.append_child("Category"), "name", name);
  }

  void writeVariables(xml_node variables, xml_node structure) {
    writeTime(variables);
    xml_node outputs = fmi3_ ? structure : structure.append_child("Outputs");
    xml_node unknowns = fmi3_ ? xml_node() : structure.append_child("InitialUnknowns");
    std::vector<std::string> outputReferences;
    std::size_t position = 1;  // of time
    for (const ExposedVariable& e : variables_) {
      const bool isOutput = e.variable.causality == Causality::output;
      const std::size_t elements = fmi3_ ? 1 : e.variable.size;
      for (std::size_t i = 0; i < elements; ++i) {
        ++position;
        writeVariable(variables, e, i);
        if (isOutput) {
          outputReferences.push_back(
              std::to_string(fmi3_ ? std::size_t{e.variable.valueReference} : position));
        }
      }
    }
    const char* reference = fmi3_ ? "valueReference" : "index";
    for (const std::string& r : outputReferences) {
      add(outputs.append_child(fmi3_ ? "Output" : "Unknown"), reference, r);
    }
    for (const std::string& r : outputReferences) {
      add(fmi3_ ? structure.append_child("InitialUnknown") : unknowns.append_child("Unknown"),
          reference, r);
    }
    if (!fmi3_ && outputReferences.empty()) {
      structure.remove_child("Outputs");
      structure.remove_child("InitialUnknowns");
    }
  }

  void writeTime(xml_node variables) const {
    xml_node outer = variables.append_child(fmi3_ ? "Float64" : "ScalarVariable");
    add(outer, "name", "time");
    add(outer, "valueReference", "0");
    add(outer, "description", "Simulation time");
    add(outer, "causality", "independent");
    add(outer, "variability", "continuous");
    if (!fmi3_) outer.append_child("Real");
  }

  /// Element i of an array for FMI 2, the whole variable for FMI 3.
  void writeVariable(xml_node parent, const ExposedVariable& e, std::size_t i) {
    const ContainerVariable& v = e.variable;
    xml_node outer = parent.append_child(fmi3_ ? typeText(v.type, true) : "ScalarVariable");
    const bool isElement = !fmi3_ && v.isArray;
    add(outer, "name", isElement ? v.name + '[' + std::to_string(i + 1) + ']' : v.name);
    add(outer, "valueReference", std::to_string(v.valueReference + i));
    if (e.source == nullptr) {
      add(outer, "description", "Multiplier of a joint: reaction on its second side");
    } else if (!e.source->description.empty()) {
      add(outer, "description", e.source->description);
    }
    add(outer, "causality", text(v.causality));
    add(outer, "variability", text(v.variability));
    const bool isSettable = v.causality == Causality::input || v.causality == Causality::parameter;
    if (!isSettable) add(outer, "initial", "calculated");
    xml_node typed = fmi3_ ? outer : outer.append_child(typeText(v.type, false));
    writeAttributes(typed, e);
    if (isSettable) writeStart(typed, v, i);
    if (fmi3_ && v.isArray) {
      add(typed.append_child("Dimension"), "start", std::to_string(v.size));
    }
  }

  void writeAttributes(xml_node node, const ExposedVariable& e) {
    if (e.source == nullptr) {
      if (e.unit.empty()) return;
      add(node, "unit", e.unit);
      units_.use(e.unit);
      return;
    }
    std::string unit;
    for (const auto& [name, value] : e.source->attributes) {
      if (name == "unit") {
        if (!units_.has(e.variable.member, value)) continue;
        unit = value;
        units_.use(value);
      }
      if (name == "displayUnit" && (unit.empty() || !units_.hasDisplay(unit, value))) continue;
      if (name == "relativeQuantity" && value != "true") continue;
      add(node, name.c_str(), value);
    }
  }

  void writeStart(xml_node node, const ContainerVariable& v, std::size_t i) const {
    if (v.type == Type::string) {
      if (fmi3_) {
        add(node.append_child("Start"), "value", v.startText);
      } else {
        add(node, "start", v.startText);
      }
      return;
    }
    std::string values;
    for (std::size_t k = fmi3_ ? 0 : i; k < (fmi3_ ? v.size : i + 1); ++k) {
      values += (values.empty() ? "" : " ") + valueText(v.type, v.start[k]);
    }
    add(node, "start", values);
  }

  const ContainerDescription& container_;
  const ContainerHeading& heading_;
  const std::vector<ExposedVariable>& variables_;
  const bool fmi3_;
  Units units_;
  pugi::xml_document document_;
};

}  // namespace

std::string containerXml(const ContainerDescription& container, const ContainerHeading& heading,
                         const std::vector<ExposedVariable>& variables,
                         const std::vector<MemberXml>& members, FmiVersion version) {
  return Writer(container, heading, variables, members, version == FmiVersion::fmi3).write();
}

}  // namespace trammel::fmi
