#include "modelDescription/model_description.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>

#include "modelDescription/unit_definitions.hpp"
#include "modelDescription/version.hpp"
#include "models/text.hpp"

namespace trammel::fmi {
namespace {

using pugi::xml_node;

struct LogCategory {
  const char* name;
  const char* description;
};

constexpr std::array<LogCategory, 6> logCategories{{
    {"logEvents", "Events of the run: initialization, restarts of the integrator, restored states"},
    {"logStatusWarning", "Messages of calls that return warning"},
    {"logStatusDiscard", "Messages of calls that return discard"},
    {"logStatusError", "Messages of calls that return error"},
    {"logStatusFatal", "Messages of calls that return fatal"},
    {"logAll", "All messages"},
}};

/// XML 1.0 has no way to write control characters besides tab and line ends; they become spaces.
std::string xmlText(std::string text) {
  for (char& c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 && c != '\t' && c != '\n' && c != '\r') c = ' ';
  }
  return text;
}

void add(xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(xmlText(value).c_str());
}

void add(xml_node node, const char* name, double value) { add(node, name, numberText(value)); }

/// FMI 2 forbids infinity and NaN in attributes and FMI 3 gains nothing by them: a bound at
/// infinity is no bound.
void add(xml_node node, const char* name, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) add(node, name, *value);
}

const char* text(Causality causality) {
  switch (causality) {
    case Causality::parameter:
      return "parameter";
    case Causality::input:
      return "input";
    case Causality::output:
      return "output";
    case Causality::local:
      return "local";
    case Causality::independent:
      return "independent";
  }
  return "";
}

const char* text(Variability variability) {
  switch (variability) {
    case Variability::fixed:
      return "fixed";
    case Variability::tunable:
      return "tunable";
    case Variability::discrete:
      return "discrete";
    case Variability::continuous:
      return "continuous";
  }
  return "";
}

const char* text(Initial initial) {
  switch (initial) {
    case Initial::none:
      return "";
    case Initial::exact:
      return "exact";
    case Initial::approx:
      return "approx";
    case Initial::calculated:
      return "calculated";
  }
  return "";
}

std::string utcText(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm utc{};
  if (gmtime_r(&time, &utc) == nullptr) return "";
  std::array<char, 40> buffer{};
  const std::size_t size = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {buffer.data(), size};
}

class Writer {
 public:
  Writer(const CompiledModel& model, FmiVersion version, const DescriptionOptions& options)
      : model_(model),
        fmi3_(version == FmiVersion::fmi3),
        options_(options),
        units_(unitDefinitions(model.variables(), model.units())) {}

  std::string write() {
    xml_node declaration = document_.append_child(pugi::node_declaration);
    add(declaration, "version", std::string("1.0"));
    add(declaration, "encoding", std::string("UTF-8"));
    writeRoot(document_.append_child("fmiModelDescription"));
    std::ostringstream stream;
    document_.save(stream, "  ", pugi::format_default, pugi::encoding_utf8);
    return stream.str();
  }

 private:
  void writeRoot(xml_node root) {
    add(root, "fmiVersion", std::string(fmi3_ ? "3.0" : "2.0"));
    add(root, "modelName", model_.name());
    add(root, fmi3_ ? "instantiationToken" : "guid", model_.token());
    if (!model_.description().empty()) add(root, "description", model_.description());
    add(root, "generationTool", "Trammel " + std::string(version()));
    if (options_.generationTime) {
      add(root, "generationDateAndTime", utcText(*options_.generationTime));
    }
    add(root, "variableNamingConvention", std::string("structured"));
    writeCoSimulation(root.append_child("CoSimulation"));
    if (!units_.empty()) writeUnits(root.append_child("UnitDefinitions"));
    writeLogCategories(root.append_child("LogCategories"));
    writeDefaultExperiment(root.append_child("DefaultExperiment"));
    writeVariables(root.append_child("ModelVariables"));
    writeStructure(root.append_child("ModelStructure"));
  }

  /// Only what the runtime honours; the two versions spell the flags differently and the XSD of FMI
  /// 3 does not notice.
  void writeCoSimulation(xml_node node) {
    add(node, "modelIdentifier", model_.identifier());
    add(node, "canHandleVariableCommunicationStepSize", std::string("true"));
    add(node, fmi3_ ? "canGetAndSetFMUState" : "canGetAndSetFMUstate", std::string("true"));
    add(node, fmi3_ ? "canSerializeFMUState" : "canSerializeFMUstate", std::string("true"));
    // The runtime ignores the memory callbacks, which only FMI 2 has.
    if (!fmi3_) add(node, "canNotUseMemoryManagementFunctions", std::string("true"));
  }

  void writeUnits(xml_node node) {
    for (const UnitDefinition& definition : units_) {
      xml_node unit = node.append_child("Unit");
      add(unit, "name", definition.unit.name);
      xml_node base = unit.append_child("BaseUnit");
      for (std::size_t i = 0; i < baseUnitSymbols.size(); ++i) {
        const int exponent = definition.unit.exponents[i];
        if (exponent != 0) add(base, baseUnitSymbols[i], std::to_string(exponent));
      }
      if (definition.unit.factor != 1) add(base, "factor", definition.unit.factor);
      if (definition.unit.offset != 0) add(base, "offset", definition.unit.offset);
      for (const DisplayUnit& display : definition.displayUnits) {
        xml_node shown = unit.append_child("DisplayUnit");
        add(shown, "name", display.name);
        if (display.factor != 1) add(shown, "factor", display.factor);
        if (display.offset != 0) add(shown, "offset", display.offset);
      }
    }
  }

  void writeLogCategories(xml_node node) {
    for (const LogCategory& category : logCategories) {
      xml_node child = node.append_child("Category");
      add(child, "name", std::string(category.name));
      add(child, "description", std::string(category.description));
    }
  }

  void writeDefaultExperiment(xml_node node) {
    const DefaultExperiment& experiment = model_.defaultExperiment();
    add(node, "startTime", experiment.startTime);
    add(node, "stopTime", experiment.stopTime);
    add(node, "tolerance", experiment.tolerance);
    add(node, "stepSize", experiment.stepSize);
  }

  void writeVariables(xml_node node) {
    for (const Variable& variable : model_.variables().variables) {
      // FMI 3 has one element with all attributes, FMI 2 an element for the variable and one inside
      // for its type.
      xml_node outer = node.append_child(fmi3_ ? "Float64" : "ScalarVariable");
      add(outer, "name", variable.name);
      add(outer, "valueReference", std::to_string(variable.valueReference));
      if (!variable.description.empty()) add(outer, "description", variable.description);
      add(outer, "causality", std::string(text(variable.causality)));
      add(outer, "variability", std::string(text(variable.variability)));
      // Inputs and the independent variable must not carry `initial` in FMI 2 and need none in
      // FMI 3.
      const bool hasInitial = variable.initial != Initial::none &&
                              variable.causality != Causality::input &&
                              variable.causality != Causality::independent;
      if (hasInitial) add(outer, "initial", std::string(text(variable.initial)));
      writeReal(fmi3_ ? outer : outer.append_child("Real"), variable);
    }
  }

  void writeReal(xml_node node, const Variable& variable) {
    if (!variable.unit.empty()) add(node, "unit", variable.unit);
    if (!variable.displayUnit.empty()) add(node, "displayUnit", variable.displayUnit);
    add(node, "min", variable.min);
    add(node, "max", variable.max);
    add(node, "nominal", variable.nominal);
    if (variable.causality != Causality::independent && variable.initial != Initial::calculated) {
      add(node, "start", variable.start);
    }
    if (variable.derivativeOf) add(node, "derivative", reference(*variable.derivativeOf));
  }

  /// FMI 3 refers to variables by value reference, FMI 2 by the position in ModelVariables that
  /// counts from 1. The table is sorted by value reference without gaps from 0, so the two differ
  /// by one.
  std::string reference(std::uint32_t valueReference) const {
    return std::to_string(fmi3_ ? valueReference : valueReference + 1);
  }

  void writeStructure(xml_node node) {
    xml_node outputs = fmi3_ ? node : xml_node();
    xml_node initialUnknowns = outputs;
    for (const Variable& variable : model_.variables().variables) {
      if (variable.causality != Causality::output) continue;
      if (!outputs) outputs = node.append_child("Outputs");
      writeUnknown(outputs.append_child(fmi3_ ? "Output" : "Unknown"), variable, true);
    }
    for (const Variable& variable : model_.variables().variables) {
      const bool isInitialUnknown =
          variable.causality == Causality::output &&
          (variable.initial == Initial::approx || variable.initial == Initial::calculated);
      if (!isInitialUnknown) continue;
      if (!initialUnknowns) initialUnknowns = node.append_child("InitialUnknowns");
      writeUnknown(initialUnknowns.append_child(fmi3_ ? "InitialUnknown" : "Unknown"), variable,
                   false);
    }
  }

  /// At initialization every start value and parameter may act on every unknown through the
  /// projection on the constraints; this is what a missing `dependencies` means. In step mode the
  /// table knows which inputs act at once.
  void writeUnknown(xml_node node, const Variable& variable, bool inStepMode) {
    add(node, fmi3_ ? "valueReference" : "index", reference(variable.valueReference));
    if (!inStepMode || !variable.dependencies) return;
    std::string dependencies, kinds;
    for (const std::uint32_t known : *variable.dependencies) {
      dependencies += (dependencies.empty() ? "" : " ") + reference(known);
      kinds += kinds.empty() ? "dependent" : " dependent";
    }
    add(node, "dependencies", dependencies);
    if (!kinds.empty()) add(node, "dependenciesKind", kinds);
  }

  const CompiledModel& model_;
  const bool fmi3_;
  const DescriptionOptions& options_;
  const std::vector<UnitDefinition> units_;
  pugi::xml_document document_;
};

}  // namespace

std::string modelDescriptionXml(const CompiledModel& model, FmiVersion version,
                                const DescriptionOptions& options) {
  return Writer(model, version, options).write();
}

}  // namespace trammel::fmi
