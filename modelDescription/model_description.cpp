#include "modelDescription/model_description.hpp"

#include <array>
#include <cstddef>
#include <ctime>
#include <pugixml.hpp>

#include "modelDescription/described_variables.hpp"
#include "modelDescription/model_structure.hpp"
#include "modelDescription/unit_definitions.hpp"
#include "modelDescription/variable_elements.hpp"
#include "modelDescription/version.hpp"
#include "modelDescription/xml_text.hpp"

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
    writeRoot(startDocument(document_, "fmiModelDescription"));
    return textOf(document_);
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
    const DescribedVariables variables(model_.variables(), fmi3_);
    writeVariables(root.append_child("ModelVariables"), variables, fmi3_);
    writeStructure(root.append_child("ModelStructure"), variables, fmi3_);
  }

  /// Only what the runtime honours; the two versions spell the flags differently and the XSD of FMI
  /// 3 does not notice.
  void writeCoSimulation(xml_node node) {
    add(node, "modelIdentifier", model_.identifier());
    const auto flag = [&](const char* fmi2, const char* fmi3) {
      if (const char* name = fmi3_ ? fmi3 : fmi2) add(node, name, "true");
    };
    flag("canHandleVariableCommunicationStepSize", "canHandleVariableCommunicationStepSize");
    flag("canInterpolateInputs", nullptr);
    add(node, "maxOutputDerivativeOrder", "2");
    flag("canGetAndSetFMUstate", "canGetAndSetFMUState");
    flag("canSerializeFMUstate", "canSerializeFMUState");
    flag("providesDirectionalDerivative", "providesDirectionalDerivatives");
    flag(nullptr, "providesAdjointDerivatives");
    flag(nullptr, "providesIntermediateUpdate");
    flag(nullptr, "canReturnEarlyAfterIntermediateUpdate");
    flag(nullptr, "mightReturnEarlyFromDoStep");
    flag(nullptr, "hasEventMode");
    // The runtime ignores the memory callbacks, which only FMI 2 has.
    flag("canNotUseMemoryManagementFunctions", nullptr);
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
