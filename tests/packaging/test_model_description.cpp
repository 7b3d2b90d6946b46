#include "modelDescription/model_description.hpp"

#include <catch2/catch.hpp>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <vector>

#include "fmu_src/log.hpp"
#include "modelDescription/unit_definitions.hpp"
#include "modelDescription/version.hpp"
#include "tests/packaging/models.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::testing;
using pugi::xml_node;

namespace {

/// modelDescription.xml read back, with the differences between the versions hidden.
struct Description {
  pugi::xml_document document;
  bool fmi3 = false;

  Description(const CompiledModel& model, FmiVersion version) : fmi3(version == FmiVersion::fmi3) {
    REQUIRE(document.load_string(modelDescriptionXml(model, version).c_str()));
  }

  xml_node root() const { return document.child("fmiModelDescription"); }
  xml_node variable(const std::string& name) const {
    return root().child("ModelVariables").find_child_by_attribute("name", name.c_str());
  }
  /// The node that carries unit, start and so on.
  xml_node typed(const std::string& name) const {
    return fmi3 ? variable(name) : variable(name).first_child();
  }
  /// Names of the variables that the elements of ModelStructure refer to.
  std::set<std::string> unknowns(const char* element2, const char* element3) const {
    const xml_node structure = root().child("ModelStructure");
    std::set<std::string> names;
    for (const xml_node node :
         fmi3 ? structure.children(element3) : structure.child(element2).children("Unknown")) {
      names.insert(referred(node.attribute(fmi3 ? "valueReference" : "index").as_uint()));
    }
    return names;
  }
  /// The variable that a value reference (FMI 3) or index (FMI 2) refers to.
  std::string referred(unsigned reference) const {
    unsigned position = 1;
    for (const xml_node node : root().child("ModelVariables").children()) {
      const unsigned key = fmi3 ? node.attribute("valueReference").as_uint() : position++;
      if (key == reference) return node.attribute("name").value();
    }
    return "";
  }
  xml_node output(const std::string& name) const {
    const xml_node structure = root().child("ModelStructure");
    for (const xml_node node :
         fmi3 ? structure.children("Output") : structure.child("Outputs").children("Unknown")) {
      if (referred(node.attribute(fmi3 ? "valueReference" : "index").as_uint()) == name)
        return node;
    }
    return {};
  }
};

/// Names of outputs; of initial unknowns: outputs and (FMI 2) the derivatives of states.
std::set<std::string> names(const CompiledModel& model, bool onlyInitialUnknowns,
                            bool withDerivatives = false) {
  std::set<std::string> result;
  for (const Variable& v : model.variables().variables) {
    const bool isInitialUnknown = v.initial == Initial::approx || v.initial == Initial::calculated;
    const bool isOutput = v.causality == Causality::output;
    const bool isDerivative = withDerivatives && v.quantity == Quantity::acceleration;
    if (onlyInitialUnknowns ? isInitialUnknown && (isOutput || isDerivative) : isOutput) {
      result.insert(v.name);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("every variable of the table is described, once and in order, in both versions") {
  const auto version = GENERATE(FmiVersion::fmi2, FmiVersion::fmi3);
  const CompiledModel model = slider();
  const Description description(model, version);
  const bool fmi3 = version == FmiVersion::fmi3;
  auto node = description.root().child("ModelVariables").first_child();
  for (const Variable& v : model.variables().variables) {
    REQUIRE(node);
    CHECK(node.attribute("name").value() == v.name);
    CHECK(node.attribute("valueReference").as_uint() == v.valueReference);
    const xml_node typed = description.typed(v.name);
    CHECK(typed.attribute("unit").value() == v.unit);
    CHECK(typed.attribute("displayUnit").value() == v.displayUnit);
    if (v.type == Type::string) {
      const xml_node start = fmi3 ? typed.child("Start") : typed;
      CHECK(start.attribute(fmi3 ? "value" : "start").value() == v.startText);
      node = node.next_sibling();
      continue;
    }
    const bool hasStart = v.start && v.initial != Initial::calculated;
    CHECK(static_cast<bool>(typed.attribute("start")) == hasStart);
    if (hasStart) CHECK(typed.attribute("start").as_double() == *v.start);
    node = node.next_sibling();
  }
  CHECK_FALSE(node);
}

TEST_CASE("the head of the description carries name, token, tool and capabilities") {
  const auto version = GENERATE(FmiVersion::fmi2, FmiVersion::fmi3);
  const bool fmi3 = version == FmiVersion::fmi3;
  const CompiledModel model = slider();
  const Description description(model, version);
  const xml_node root = description.root();
  CHECK(std::string(root.attribute("fmiVersion").value()) == (fmi3 ? "3.0" : "2.0"));
  CHECK(root.attribute("modelName").value() == std::string("Driven <slider> & \"co\""));
  CHECK(root.attribute("description").value() == model.description());
  CHECK(root.attribute(fmi3 ? "instantiationToken" : "guid").value() == model.token());
  CHECK(root.attribute("generationTool").value() == "Trammel " + std::string(fmi::version()));
  CHECK(std::string(root.attribute("variableNamingConvention").value()) == "structured");
  CHECK_FALSE(root.attribute("generationDateAndTime"));

  std::set<std::string> flags;
  for (const auto attribute : root.child("CoSimulation").attributes())
    flags.insert(attribute.name());
  const std::set<std::string> flags2{"modelIdentifier",
                                     "canHandleVariableCommunicationStepSize",
                                     "canInterpolateInputs",
                                     "maxOutputDerivativeOrder",
                                     "canGetAndSetFMUstate",
                                     "canSerializeFMUstate",
                                     "providesDirectionalDerivative",
                                     "canNotUseMemoryManagementFunctions"};
  const std::set<std::string> flags3{"modelIdentifier",
                                     "canHandleVariableCommunicationStepSize",
                                     "maxOutputDerivativeOrder",
                                     "canGetAndSetFMUState",
                                     "canSerializeFMUState",
                                     "providesDirectionalDerivatives",
                                     "providesAdjointDerivatives",
                                     "providesIntermediateUpdate",
                                     "canReturnEarlyAfterIntermediateUpdate",
                                     "mightReturnEarlyFromDoStep",
                                     "hasEventMode"};
  CHECK(flags == (fmi3 ? flags3 : flags2));
}

TEST_CASE("causality, variability, initial, bounds and nominal come from the table") {
  const auto version = GENERATE(FmiVersion::fmi2, FmiVersion::fmi3);
  const Description description(slider(), version);
  const xml_node stiffness = description.variable("k");
  CHECK(std::string(stiffness.attribute("causality").value()) == "parameter");
  CHECK(std::string(stiffness.attribute("variability").value()) == "tunable");
  CHECK(std::string(stiffness.attribute("initial").value()) == "exact");
  CHECK(description.typed("k").attribute("max").as_double() == 100);
  CHECK_FALSE(description.typed("k").attribute("min"));
  CHECK(std::string(description.variable("m").attribute("variability").value()) == "fixed");
  CHECK(description.typed("m").attribute("min").as_double(-1) == 0);

  const xml_node force = description.variable("F");
  CHECK(std::string(force.attribute("causality").value()) == "input");
  CHECK_FALSE(force.attribute("initial"));  // not allowed for inputs in FMI 2
  CHECK(description.typed("F").attribute("nominal").as_double() == 10);
  CHECK(description.typed("F").attribute("start").as_double() == 0.5);
}

TEST_CASE("time is the only independent variable and has neither start nor initial") {
  const auto version = GENERATE(FmiVersion::fmi2, FmiVersion::fmi3);
  const Description description(pendulum(), version);
  int count = 0;
  for (const xml_node node : description.root().child("ModelVariables").children()) {
    if (std::string(node.attribute("causality").value()) == "independent") ++count;
  }
  CHECK(count == 1);
  CHECK_FALSE(description.variable("time").attribute("initial"));
  CHECK_FALSE(description.typed("time").attribute("start"));
  CHECK(std::string(description.typed("time").attribute("unit").value()) == "s");
}

TEST_CASE(
    "the derivative attribute leads from velocity to position and from acceleration to velocity") {
  const auto version = GENERATE(FmiVersion::fmi2, FmiVersion::fmi3);
  const Description description(pendulum(), version);
  const auto target = [&](const char* name) {
    return description.referred(description.typed(name).attribute("derivative").as_uint());
  };
  CHECK(target("der(x)") == "x");
  CHECK(target("der(y)") == "y");
  CHECK(target("der(y,2)") == "der(y)");
}

TEST_CASE("outputs and initial unknowns are listed once each") {
  const auto version = GENERATE(FmiVersion::fmi2, FmiVersion::fmi3);
  const CompiledModel model = slider();
  const Description description(model, version);
  CHECK(description.unknowns("Outputs", "Output") == names(model, false));
  const bool fmi3 = version == FmiVersion::fmi3;
  CHECK(description.unknowns("InitialUnknowns", "InitialUnknown") == names(model, true, !fmi3));
  const std::set<std::string> derivatives{"der(x)", "der(x,2)", "der(y)", "der(y,2)"};
  CHECK(description.unknowns("Derivatives", "ContinuousStateDerivative") ==
        (fmi3 ? std::set<std::string>{} : derivatives));
}

TEST_CASE("the inputs that act on an output at once are its dependencies") {
  const auto version = GENERATE(FmiVersion::fmi2, FmiVersion::fmi3);
  const Description description(slider(), version);
  const xml_node acceleration = description.output("acceleration");
  std::istringstream numbers(acceleration.attribute("dependencies").value());
  std::vector<std::string> dependencies;
  for (unsigned reference = 0; numbers >> reference;)
    dependencies.push_back(description.referred(reference));
  const bool fmi3 = version == FmiVersion::fmi3;
  const std::vector<std::string> onInput{"F"}, onStates{"F", "x", "der(x)", "y", "der(y)"};
  CHECK(dependencies == (fmi3 ? onInput : onStates));
  CHECK(std::string(acceleration.attribute("dependenciesKind").value()) ==
        (fmi3 ? "dependent" : "dependent dependent dependent dependent dependent"));
  const xml_node position = description.output("x");
  REQUIRE(position.attribute("dependencies"));
  if (fmi3) {
    CHECK(std::string(position.attribute("dependencies").value()).empty());
    CHECK_FALSE(position.attribute("dependenciesKind"));
  } else {
    CHECK(description.referred(position.attribute("dependencies").as_uint()) == "x");
    CHECK(std::string(position.attribute("dependenciesKind").value()) == "constant");
  }
}

TEST_CASE("units carry base unit exponents, display units their factor") {
  const auto version = GENERATE(FmiVersion::fmi2, FmiVersion::fmi3);
  const Description description(slider(), version);
  const xml_node units = description.root().child("UnitDefinitions");
  const xml_node newton = units.find_child_by_attribute("name", "N").child("BaseUnit");
  CHECK(newton.attribute("kg").as_int() == 1);
  CHECK(newton.attribute("m").as_int() == 1);
  CHECK(newton.attribute("s").as_int() == -2);
  CHECK_FALSE(newton.attribute("A"));
  CHECK_FALSE(newton.attribute("factor"));
  const xml_node millimetre = units.find_child_by_attribute("name", "m").child("DisplayUnit");
  CHECK(std::string(millimetre.attribute("name").value()) == "mm");
  CHECK(millimetre.attribute("factor").as_double() == Approx(1000).epsilon(1e-15));
  CHECK(description.typed("offset").attribute("start").as_double() == 0.25);  // [m]
}

TEST_CASE("a display unit with an offset is turned round: 20 degC are 293.15 K") {
  VariableTable table;
  table.variables.push_back({});
  table.variables.back().unit = "K";
  table.variables.back().displayUnit = "degC";
  const auto definitions = unitDefinitions(
      table, {Unit{"K", {0, 0, 0, 0, 1}}, Unit{"degC", {0, 0, 0, 0, 1}, 1, 273.15}});
  REQUIRE(definitions.size() == 1);
  const DisplayUnit& celsius = definitions[0].displayUnits.at(0);
  CHECK(celsius.factor * 293.15 + celsius.offset == Approx(20).epsilon(1e-12));
}

TEST_CASE("the default experiment and the log categories of the runtime are declared") {
  const auto version = GENERATE(FmiVersion::fmi2, FmiVersion::fmi3);
  const Description description(slider(), version);
  const xml_node experiment = description.root().child("DefaultExperiment");
  CHECK(experiment.attribute("startTime").as_double() == 0.5);
  CHECK(experiment.attribute("stopTime").as_double() == 2.5);
  CHECK(experiment.attribute("stepSize").as_double() == 0.125);
  CHECK(experiment.attribute("tolerance").as_double() == 1e-5);
  std::set<std::string> declared;
  for (const xml_node node : description.root().child("LogCategories").children()) {
    declared.insert(node.attribute("name").value());
  }
  CHECK(declared == std::set<std::string>(logCategoryNames.begin(), logCategoryNames.end()));
}

TEST_CASE("numbers round trip: gravity of the pendulum keeps all its digits") {
  const Description description(pendulum(), FmiVersion::fmi3);
  CHECK(std::string(description.variable("g").attribute("start").value()) == "13.750371637329454");
}

TEST_CASE("equal models give equal bytes and a date only where a time is given") {
  const CompiledModel model = pendulum();
  CHECK(modelDescriptionXml(model, FmiVersion::fmi3) ==
        modelDescriptionXml(pendulum(), FmiVersion::fmi3));
  const std::string dated = modelDescriptionXml(model, FmiVersion::fmi2, {.generationTime = 86399});
  CHECK(dated.find("generationDateAndTime=\"1970-01-01T23:59:59Z\"") != std::string::npos);
}
