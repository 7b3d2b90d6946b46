#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "packaging/check/checks.hpp"

namespace trammel::fmi::check {
namespace {

using pugi::xml_attribute;
using pugi::xml_node;

using Names = std::span<const std::string_view>;

// Attributes of the interfaces. The schema of FMI 3 accepts any other, so a misspelt one would
// pass.
constexpr std::array<std::string_view, 8> common3{"modelIdentifier",
                                                  "needsExecutionTool",
                                                  "canBeInstantiatedOnlyOncePerProcess",
                                                  "canGetAndSetFMUState",
                                                  "canSerializeFMUState",
                                                  "providesDirectionalDerivatives",
                                                  "providesAdjointDerivatives",
                                                  "providesPerElementDependencies"};
constexpr std::array<std::string_view, 2> modelExchange3{"needsCompletedIntegratorStep",
                                                         "providesEvaluateDiscreteStates"};
constexpr std::array<std::string_view, 9> coSimulation3{"canHandleVariableCommunicationStepSize",
                                                        "fixedInternalStepSize",
                                                        "maxOutputDerivativeOrder",
                                                        "recommendedIntermediateInputSmoothness",
                                                        "providesIntermediateUpdate",
                                                        "mightReturnEarlyFromDoStep",
                                                        "canReturnEarlyAfterIntermediateUpdate",
                                                        "hasEventMode",
                                                        "providesEvaluateDiscreteStates"};
constexpr std::array<std::string_view, 7> common2{"modelIdentifier",
                                                  "needsExecutionTool",
                                                  "canBeInstantiatedOnlyOncePerProcess",
                                                  "canNotUseMemoryManagementFunctions",
                                                  "canGetAndSetFMUstate",
                                                  "canSerializeFMUstate",
                                                  "providesDirectionalDerivative"};
constexpr std::array<std::string_view, 1> modelExchange2{"completedIntegratorStepNotNeeded"};
constexpr std::array<std::string_view, 4> coSimulation2{
    "canHandleVariableCommunicationStepSize", "canInterpolateInputs", "maxOutputDerivativeOrder",
    "canRunAsynchronuously"};

bool contains(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class HeaderCheck {
 public:
  HeaderCheck(const Description& description, FindingList& findings)
      : d_(description), findings_(findings) {}

  void run() {
    checkRoot();
    for (const xml_node node : d_.interfaces()) {
      checkAttributes(node);
      checkInterface(node);
    }
    checkExperiment();
    checkCategories();
    checkAnnotations(d_.root(), 0);
  }

 private:
  void report(std::string_view rule, xml_node node, std::string text) {
    findings_.add(rule, d_.at(node), std::move(text));
  }

  void checkRoot() {
    const xml_node root = d_.root();
    if (d_.fmi3() && d_.version() != "3.0")
      report("description-version", root,
             "fmiVersion is " + inQuotes(d_.version()) +
                 ", expected \"3.0\", which all importers know");
    const std::string_view token = d_.token();
    if (token.empty() || trimmed(token) != token)
      report("description-token", root,
             "the token is " + inQuotes(token) + ", expected a text without space around it");
    if (trimmed(root.attribute("modelName").value()).empty())
      report("description-name", root, "modelName is empty");
    const std::string_view date = trimmed(root.attribute("generationDateAndTime").value());
    if (!date.empty() && !date.ends_with('Z') && !date.ends_with("+00:00"))
      report(
          "description-date", root,
          "generationDateAndTime is " + inQuotes(date) + ", expected a time in UTC, ending with Z");
    if (d_.interfaces().empty())
      report("interface-missing", root,
             "none of ModelExchange, CoSimulation, ScheduledExecution is there");
    if (!root.child("ModelVariables") || d_.variables().empty())
      report("variable-none", root, "there are no ModelVariables");
  }

  void checkAttributes(xml_node node) {
    const std::string_view name = node.name();
    const bool exchange = name == "ModelExchange", coSimulation = name == "CoSimulation";
    const Names common = d_.fmi3() ? Names(common3) : Names(common2);
    const Names exchangeNames = d_.fmi3() ? Names(modelExchange3) : Names(modelExchange2);
    const Names coSimulationNames = d_.fmi3() ? Names(coSimulation3) : Names(coSimulation2);
    for (const xml_attribute attribute : node.attributes()) {
      const std::string_view word = attribute.name();
      const bool known = contains(common, word) || (exchange && contains(exchangeNames, word)) ||
                         (coSimulation && contains(coSimulationNames, word)) ||
                         word.find(':') != std::string_view::npos || word.starts_with("xmlns");
      if (!known)
        report("interface-attribute", node,
               std::string(name) + " of FMI " + (d_.fmi3() ? "3.0" : "2.0") + " has no attribute " +
                   inQuotes(word) + suggestion(word));
    }
  }

  /// The attribute that differs only in the last letters or in upper and lower case.
  std::string suggestion(std::string_view word) const {
    const auto fold = [](std::string_view text) {
      std::string folded;
      for (const char c : text) folded += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
      if (folded.ends_with('s')) folded.pop_back();
      return folded;
    };
    const std::array<Names, 3> all =
        d_.fmi3() ? std::array<Names, 3>{common3, modelExchange3, coSimulation3}
                  : std::array<Names, 3>{common2, modelExchange2, coSimulation2};
    for (const Names names : all) {
      for (const std::string_view name : names) {
        if (fold(name) == fold(word)) return ", expected " + inQuotes(name);
      }
    }
    return {};
  }

  void checkInterface(xml_node node) {
    const std::string_view identifier = node.attribute("modelIdentifier").value();
    if (!isIdentifier(identifier))
      report("interface-identifier", node,
             "modelIdentifier is " + inQuotes(identifier) + ", expected an identifier of C");
    if (isTrue(node.attribute("needsExecutionTool")))
      report("interface-tool", node,
             "needsExecutionTool is true: the FMU runs only beside its tool");
    const auto needs = [&](const char* flag, const char* other) {
      if (isTrue(node.attribute(flag)) && !isTrue(node.attribute(other)))
        report("interface-flags", node, std::string(flag) + " is true, expected " + other + " too");
    };
    needs("canSerializeFMUState", "canGetAndSetFMUState");
    needs("canSerializeFMUstate", "canGetAndSetFMUstate");
    needs("canReturnEarlyAfterIntermediateUpdate", "providesIntermediateUpdate");
    if (const xml_attribute step = node.attribute("fixedInternalStepSize")) {
      const auto value = numberOf(step.value());
      if (!value || !(*value > 0))
        report("interface-step", node,
               "fixedInternalStepSize is " + inQuotes(step.value()) + ", expected a number > 0");
    }
  }

  void checkExperiment() {
    const xml_node node = d_.root().child("DefaultExperiment");
    const auto number = [&](const char* name) -> std::optional<long double> {
      const xml_attribute attribute = node.attribute(name);
      if (!attribute) return std::nullopt;
      const auto value = numberOf(attribute.value());
      if (value && std::isfinite(*value)) return value;
      report(
          "experiment-number", node,
          std::string(name) + " is " + inQuotes(attribute.value()) + ", expected a finite number");
      return std::nullopt;
    };
    const auto start = number("startTime"), stop = number("stopTime");
    const auto tolerance = number("tolerance"), step = number("stepSize");
    if (stop && !(*stop > start.value_or(0)))
      report("experiment-times", node, "stopTime is not after startTime");
    if (tolerance && !(*tolerance > 0))
      report("experiment-tolerance", node, "tolerance must be > 0");
    if (step && !(*step > 0)) report("experiment-step", node, "stepSize must be > 0");
    if (step && stop && *step > *stop - start.value_or(0) && *stop > start.value_or(0))
      report("experiment-step", node, "stepSize is larger than the time from start to stop");
  }

  void checkCategories() {
    std::set<std::string_view> names;
    for (const xml_node node : d_.root().child("LogCategories").children("Category")) {
      if (!names.insert(node.attribute("name").value()).second)
        report("log-category-duplicate", node,
               "category " + inQuotes(node.attribute("name").value()) + " occurs twice");
    }
  }

  /// FMI 3: annotations carry a type in reverse domain name notation, one of each type at a place.
  /// FMI 2: names of tools are unique.
  void checkAnnotations(xml_node node, int depth) {
    constexpr int deepest = 20;
    std::set<std::string_view> types;
    for (const xml_node child : node.children()) {
      if (!isElement(child)) continue;
      const std::string_view name = child.name();
      const bool tool = !d_.fmi3() && name == "Tool";
      if ((d_.fmi3() && name == "Annotation") || tool) {
        const std::string_view type = child.attribute(tool ? "name" : "type").value();
        if (!types.insert(type).second)
          report("annotation-duplicate", child, inQuotes(type) + " occurs twice at the same place");
        if (!tool && type.find('.') == std::string_view::npos)
          report("annotation-type", child,
                 "type is " + inQuotes(type) + ", expected a reversed domain name");
      } else if (depth < deepest) {
        checkAnnotations(child, depth + 1);
      }
    }
  }

  const Description& d_;
  FindingList& findings_;
};

}  // namespace

void checkHeader(const Description& description, FindingList& findings) {
  HeaderCheck(description, findings).run();
}

bool isIdentifier(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace trammel::fmi::check
