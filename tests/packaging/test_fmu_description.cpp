#include "coupling/fmu_description.hpp"

#include <catch2/catch.hpp>

#include "coupling/fmu_error.hpp"
#include "coupling/temporary_directory.hpp"
#include "modelDescription/model_description.hpp"
#include "tests/packaging/files.hpp"
#include "tests/packaging/models.hpp"

using namespace trammel;
using namespace trammel::coupling;
using namespace trammel::testing;

namespace {

FmuDescription read(const std::string& xml) {
  const TemporaryDirectory directory;
  writeFile(directory.path() / "modelDescription.xml", xml);
  return readFmuDescription(directory.path() / "modelDescription.xml", "some.fmu");
}

/// A description of FMI 3 with this text in place of its variables.
std::string fmi3Text(const std::string& variables, const std::string& root = "fmiVersion=\"3.0\"") {
  return "<fmiModelDescription " + root +
         " modelName=\"m\" instantiationToken=\"t\"><CoSimulation modelIdentifier=\"m\"/>"
         "<ModelVariables>" +
         variables + "</ModelVariables></fmiModelDescription>";
}

}  // namespace

TEST_CASE("what the exporter writes is read back, in both versions") {
  const auto version = GENERATE(fmi::FmiVersion::fmi2, fmi::FmiVersion::fmi3);
  const CompiledModel model = slider();
  const FmuDescription description = read(fmi::modelDescriptionXml(model, version));
  CHECK((description.version == FmuVersion::fmi3) == (version == fmi::FmiVersion::fmi3));
  CHECK(description.modelName == model.name());
  CHECK(description.modelIdentifier == model.identifier());
  CHECK(description.token == model.token());
  CHECK(description.capabilities.variableStep);
  CHECK(description.capabilities.saveState);
  CHECK(description.capabilities.serializeState);
  CHECK_FALSE(description.capabilities.needsTool);
  CHECK(description.startTime == 0.5);
  CHECK(description.stopTime == 2.5);
  CHECK(description.stepSize == 0.125);
  CHECK(description.tolerance == 1e-5);
  REQUIRE(description.variables.size() == model.variables().variables.size());
  for (const Variable& expected : model.variables().variables) {
    const FmuVariable* variable = description.find(expected.name);
    REQUIRE(variable != nullptr);
    CHECK(variable->valueReference == expected.valueReference);
    CHECK(variable->type == (expected.type == Type::float64   ? FmuType::real
                             : expected.type == Type::int32   ? FmuType::integer
                             : expected.type == Type::boolean ? FmuType::boolean
                                                              : FmuType::string));
  }
  CHECK(description.find("F")->causality == FmuCausality::input);
  CHECK(description.find("F")->start == "0.5");
  CHECK(description.find("no such variable") == nullptr);
}

TEST_CASE("types, arrays and defaults of foreign descriptions are understood") {
  const FmuDescription description =
      read(fmi3Text("<Float64 name=\"r\" valueReference=\"7\"><Dimension start=\"3\"/></Float64>"
                    "<Float32 name=\"f\" valueReference=\"8\" causality=\"calculatedParameter\"/>"
                    "<Enumeration name=\"e\" valueReference=\"4294967295\" declaredType=\"E\"/>"
                    "<String name=\"s\" valueReference=\"9\"><Start value=\"a\"/></String>"));
  CHECK(description.find("r")->isArray);
  CHECK(description.find("r")->causality == FmuCausality::local);
  CHECK(description.find("f")->type == FmuType::float32);
  CHECK(description.find("f")->causality == FmuCausality::calculatedParameter);
  CHECK(description.find("e")->type == FmuType::integer);
  CHECK(description.find("e")->valueReference == 4294967295u);
  CHECK(description.find("s")->type == FmuType::string);
  CHECK_FALSE(description.startTime);
  CHECK_FALSE(description.capabilities.saveState);
}

TEST_CASE("wrong descriptions are refused with what is wrong and where") {
  using Catch::Contains;
  CHECK_THROWS_WITH(read("<fmiModelDescription"), Contains("some.fmu: modelDescription.xml: "));
  CHECK_THROWS_WITH(read("<other/>"), Contains("fmiModelDescription is missing"));
  CHECK_THROWS_WITH(read(fmi3Text("", "fmiVersion=\"1.0\"")),
                    Contains("\"1.0\", expected 2.0 or 3.0"));
  CHECK_THROWS_WITH(read(fmi3Text("<Float64 name=\"x\" valueReference=\"-1\"/>")),
                    Contains("variable \"x\": valueReference is \"-1\""));
  CHECK_THROWS_WITH(read(fmi3Text("<Float128 name=\"x\" valueReference=\"1\"/>")),
                    Contains("\"Float128\""));
  CHECK_THROWS_WITH(read(fmi3Text("<Float64 valueReference=\"1\"/>")),
                    Contains("attribute name of Float64 is missing"));
  CHECK_THROWS_WITH(read(fmi3Text("<Float64 name=\"x\" valueReference=\"1\" causality=\"out\"/>")),
                    Contains("causality is \"out\""));
}

TEST_CASE("a model identifier that is not a C identifier is refused, because it becomes a path") {
  std::string xml = fmi3Text("");
  replaceAll(xml, "modelIdentifier=\"m\"", "modelIdentifier=\"../m\"");
  CHECK_THROWS_WITH(read(xml), Catch::Contains("\"../m\", expected a C identifier"));
}

TEST_CASE("an FMU without co-simulation is refused") {
  std::string xml = fmi3Text("");
  replaceAll(xml, "CoSimulation", "ModelExchange");
  CHECK_THROWS_WITH(read(xml), Catch::Contains("CoSimulation is missing"));
}

TEST_CASE("entities of a document type are not expanded") {
  const std::string doctype =
      "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\"><!ENTITY y \"&x;&x;&x;\">]>";
  const FmuDescription description =
      read(doctype + fmi3Text("<Float64 name=\"&x;&y;\" valueReference=\"1\"/>"));
  CHECK(description.variables.at(0).name == "&x;&y;");
}
