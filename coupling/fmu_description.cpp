#include "coupling/fmu_description.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <pugixml.hpp>
#include <string_view>
#include <utility>

#include "coupling/fmu_error.hpp"

namespace trammel::coupling {
namespace {

using pugi::xml_node;

template <class Value, std::size_t N>
using Words = std::array<std::pair<std::string_view, Value>, N>;

constexpr Words<FmuType, 17> typeWords{{
    {"Real", FmuType::real},
    {"Integer", FmuType::integer},
    {"Boolean", FmuType::boolean},
    {"String", FmuType::string},
    {"Float64", FmuType::real},
    {"Float32", FmuType::float32},
    {"Int8", FmuType::integer},
    {"UInt8", FmuType::integer},
    {"Int16", FmuType::integer},
    {"UInt16", FmuType::integer},
    {"Int32", FmuType::integer},
    {"UInt32", FmuType::integer},
    {"Int64", FmuType::integer},
    {"UInt64", FmuType::integer},
    {"Binary", FmuType::binary},
    {"Enumeration", FmuType::integer},
    {"Clock", FmuType::clock},
}};

constexpr Words<FmuCausality, 7> causalityWords{{
    {"parameter", FmuCausality::parameter},
    {"calculatedParameter", FmuCausality::calculatedParameter},
    {"structuralParameter", FmuCausality::structuralParameter},
    {"input", FmuCausality::input},
    {"output", FmuCausality::output},
    {"local", FmuCausality::local},
    {"independent", FmuCausality::independent},
}};

template <class Value, std::size_t N>
std::optional<Value> lookUp(const Words<Value, N>& words, std::string_view word) {
  for (const auto& [text, value] : words) {
    if (text == word) return value;
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(const std::string& source) : where_(source + ": modelDescription.xml: ") {}

  FmuDescription read(xml_node root) {
    FmuDescription description;
    description.version = version(required(root, "fmiVersion"));
    const bool fmi3 = description.version == FmuVersion::fmi3;
    description.modelName = required(root, "modelName");
    description.token = required(root, fmi3 ? "instantiationToken" : "guid");
    description.generationTool = root.attribute("generationTool").value();
    const xml_node coSimulation = root.child("CoSimulation");
    if (!coSimulation) fail("element CoSimulation is missing, expected a co-simulation FMU");
    description.modelIdentifier = modelIdentifier(coSimulation);
    description.capabilities = capabilities(coSimulation, fmi3);
    readExperiment(root.child("DefaultExperiment"), description);
    readUnits(root, description);
    readTypes(root);
    for (const xml_node node : root.child("ModelVariables").children()) {
      if (node.type() == pugi::node_element) description.variables.push_back(variable(node, fmi3));
    }
    return description;
  }

  [[noreturn]] void fail(const std::string& what) const { throw FmuError(where_ + what); }

 private:
  std::string required(xml_node node, const char* name) const {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) fail(std::string("attribute ") + name + " of " + node.name() + " is missing");
    return attribute.value();
  }

  FmuVersion version(const std::string& text) const {
    if (text == "2.0") return FmuVersion::fmi2;
    if (text.starts_with("3.")) return FmuVersion::fmi3;
    fail("fmiVersion is \"" + text + "\", expected 2.0 or 3.0");
  }

  /// The identifier becomes a file name, so nothing but a C identifier is accepted.
  std::string modelIdentifier(xml_node coSimulation) const {
    std::string text = required(coSimulation, "modelIdentifier");
    const bool isIdentifier = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!isIdentifier) fail("modelIdentifier is \"" + text + "\", expected a C identifier");
    return text;
  }

  static FmuCapabilities capabilities(xml_node coSimulation, bool fmi3) {
    const auto flag = [&](const char* name) { return coSimulation.attribute(name).as_bool(); };
    return {.variableStep = flag("canHandleVariableCommunicationStepSize"),
            .saveState = flag(fmi3 ? "canGetAndSetFMUState" : "canGetAndSetFMUstate"),
            .serializeState = flag(fmi3 ? "canSerializeFMUState" : "canSerializeFMUstate"),
            .needsTool = flag("needsExecutionTool"),
            .directionalDerivatives =
                flag(fmi3 ? "providesDirectionalDerivatives" : "providesDirectionalDerivative"),
            .interpolatesInputs = !fmi3 && flag("canInterpolateInputs"),
            .intermediateUpdate = fmi3 && flag("providesIntermediateUpdate"),
            .eventMode = fmi3 && flag("hasEventMode"),
            .onlyOncePerProcess = flag("canBeInstantiatedOnlyOncePerProcess")};
  }

  void readExperiment(xml_node node, FmuDescription& description) const {
    description.startTime = number(node, "startTime");
    description.stopTime = number(node, "stopTime");
    description.tolerance = number(node, "tolerance");
    description.stepSize = number(node, "stepSize");
  }

  void readUnits(xml_node root, FmuDescription& description) const {
    constexpr std::array<const char*, 8> bases{"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    for (const xml_node node : root.child("UnitDefinitions").children("Unit")) {
      const xml_node base = node.child("BaseUnit");
      if (!base) continue;
      FmuUnit unit;
      unit.name = required(node, "name");
      unit.factor = number(base, "factor").value_or(1);
      unit.offset = number(base, "offset").value_or(0);
      for (std::size_t i = 0; i < bases.size(); ++i) {
        unit.exponents[i] = base.attribute(bases[i]).as_int(0);
      }
      if (unit.factor != 0) description.units.push_back(std::move(unit));
    }
  }

  /// Units of declared types: a variable without a unit has that of its type.
  void readTypes(xml_node root) {
    for (const xml_node node : root.child("TypeDefinitions").children()) {
      const bool isSimple = std::string_view(node.name()) == "SimpleType";  // FMI 2
      const xml_node typed = isSimple ? firstElement(node) : node;
      const char* unit = typed.attribute("unit").value();
      if (*unit != '\0') unitsOfTypes_.emplace_back(node.attribute("name").value(), unit);
    }
  }

  std::string unitOf(xml_node typed) const {
    if (const auto unit = typed.attribute("unit")) return unit.value();
    const std::string_view type = typed.attribute("declaredType").value();
    for (const auto& [name, unit] : unitsOfTypes_) {
      if (name == type) return unit;
    }
    return "";
  }

  std::optional<double> number(xml_node node, const char* name) const {
    const std::string_view text = node.attribute(name).value();
    if (text.empty()) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      fail(std::string("attribute ") + name + " is \"" + std::string(text) +
           "\", expected a number");
    }
    return value;
  }

  FmuVariable variable(xml_node node, bool fmi3) const {
    FmuVariable variable;
    variable.name = required(node, "name");
    const std::string quoted = "variable \"" + variable.name + "\": ";
    const std::string reference = required(node, "valueReference");
    const auto [end, error] = std::from_chars(reference.data(), reference.data() + reference.size(),
                                              variable.valueReference);
    if (error != std::errc() || end != reference.data() + reference.size()) {
      fail(quoted + "valueReference is \"" + reference + "\", expected 0 to 4294967295");
    }
    const xml_node typed = fmi3 ? node : firstElement(node);
    const auto type = lookUp(typeWords, typed.name());
    if (!type) fail(quoted + "type is \"" + typed.name() + "\", expected a type of FMI");
    variable.type = *type;
    const std::string word = node.attribute("causality").as_string("local");
    const auto causality = lookUp(causalityWords, word);
    if (!causality) fail(quoted + "causality is \"" + word + "\", expected one of FMI");
    variable.causality = *causality;
    variable.isArray = fmi3 && node.child("Dimension");
    variable.intermediateUpdate = fmi3 && node.attribute("intermediateUpdate").as_bool();
    const bool isReal = variable.type == FmuType::real || variable.type == FmuType::float32;
    variable.discrete =
        fmi3 && (!isReal || std::string_view(node.attribute("variability").value()) == "discrete");
    if (fmi3) variable.size = arraySize(node);
    if (const auto start = typed.attribute("start")) variable.start = start.value();
    variable.unit = unitOf(typed);
    return variable;
  }

  /// The number of elements that a structural parameter begins with, 0 where there is none.
  static std::size_t startOfNumber(xml_node variables, xml_node dimension) {
    const std::string reference = dimension.attribute("valueReference").value();
    const xml_node number =
        variables.find_child_by_attribute("UInt64", "valueReference", reference.c_str());
    return number.attribute("start").as_ullong(0);
  }

  static std::size_t arraySize(xml_node node) {
    std::size_t size = 1;
    for (const xml_node dimension : node.children("Dimension")) {
      const pugi::xml_attribute start = dimension.attribute("start");
      size *= start ? start.as_ullong(0) : startOfNumber(node.parent(), dimension);
    }
    return size;
  }

  static xml_node firstElement(xml_node node) {
    return node.find_child([](xml_node child) {
      return child.type() == pugi::node_element && std::string_view(child.name()) != "Annotations";
    });
  }

  const std::string where_;
  std::vector<std::pair<std::string, std::string>> unitsOfTypes_;
};

}  // namespace

FmuDescription readFmuDescription(const std::filesystem::path& xml, const std::string& source) {
  Reader reader(source);
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_file(xml.c_str());
  if (!result) {
    reader.fail(std::string(result.description()) + " at byte " + std::to_string(result.offset));
  }
  const xml_node root = document.child("fmiModelDescription");
  if (!root) reader.fail("root element fmiModelDescription is missing");
  return reader.read(root);
}

}  // namespace trammel::coupling
