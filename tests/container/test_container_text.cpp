// resources/system.toml of a container FMU: written, read back, and wrong.
#include <catch2/catch.hpp>
#include <numbers>
#include <regex>
#include <sstream>

#include "fmu_src/container_description.hpp"
#include "models/model_file.hpp"

using namespace trammel;
using namespace trammel::fmi;

namespace {

ContainerMember member(const std::string& name, coupling::FmuVersion version) {
  ContainerMember m;
  m.name = name;
  m.fmu.version = version;
  m.fmu.modelIdentifier = "Rod_1";
  m.fmu.token = "{to\"ken\\\n}";
  m.fmu.capabilities.saveState = true;
  m.fmu.capabilities.serializeState = version == coupling::FmuVersion::fmi3;
  m.fmu.variables.push_back({.name = "tip.F",
                             .valueReference = 4294967295U,
                             .type = coupling::FmuType::real,
                             .causality = coupling::FmuCausality::input,
                             .isArray = true,
                             .intermediateUpdate = true,
                             .size = 3,
                             .start = std::nullopt,
                             .unit = ""});
  m.use.inputs = {"u"};
  m.use.outputs = {"der(x)", "y"};
  m.use.parameters = {{"m", 0.1}, {"solver.repeatable", 1}};
  m.use.tolerance = 1e-9;
  coupling::FmuPortNames names;
  names.force = {"tip.F"};
  names.position = {"r[1]", "r[2]", "r[3]"};
  names.velocity = {"v"};
  names.forceSign = -1;
  m.use.ports.push_back({"tip", names});
  return m;
}

/// Everything that a container can have, with numbers that are no short decimals.
ContainerDescription everything() {
  ContainerDescription c;
  c.token = "{1}";
  c.startTime = -std::numbers::pi;
  c.step = 1.0 / 3;
  c.options.scheme = coupling::Scheme::b2;
  c.options.connections = coupling::ConnectionMode::gaussSeidel;
  c.options.relativeTolerance = 1e-7 / 3;
  c.options.iteration.reuse = 3;
  c.options.estimateNoise = false;
  c.members = {member("arm", coupling::FmuVersion::fmi2),
               member("rod", coupling::FmuVersion::fmi3)};
  c.connections.push_back(
      {.from = 1, .output = 1, .to = 0, .input = 0, .factor = 0.1, .offset = -2});
  coupling::Joint hinge = coupling::revoluteJoint("hinge", {{0, 0}, {-1, 0}});
  hinge.frameA = coupling::frameWithAxis({0.3, 1.0, -0.2});
  hinge.ground.r = {0.1, 0.2, 0.3};
  c.joints = {hinge, coupling::pointOnLineJoint("slot", {{0, 0}, {1, 0}}),
              coupling::linearJoint("sum", {{0, 0}, {1, 0}}, {1.0 / 3, -2}, 0.7)};
  ContainerVariable input{.name = "rod.tip.F",
                          .valueReference = 1,
                          .type = Type::float64,
                          .causality = Causality::input,
                          .variability = Variability::continuous,
                          .member = 1,
                          .reference = 7,
                          .size = 3,
                          .isArray = true,
                          .start = {1.0 / 7, 0, -1},
                          .startText = "",
                          .firstRate = 1,
                          .secondRate = -1};
  ContainerVariable rate = input;
  rate.name = "rod.tip.F_der1";
  rate.valueReference = 4;
  rate.firstRate = -1;
  ContainerVariable multiplier;
  multiplier.name = "hinge.lambda[5]";
  multiplier.valueReference = 7;
  multiplier.reference = 4;
  c.variables = {input, rate, multiplier};
  return c;
}

std::string errorOf(const std::string& text) {
  try {
    parseContainer(text, "system.toml");
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

}  // namespace

TEST_CASE("a container reads back as it was written, to the last bit") {
  const std::string text = containerText(everything());
  const ContainerDescription read = parseContainer(text, "system.toml");
  CHECK(containerText(read) == text);
  CHECK(read.step == 1.0 / 3);
  CHECK(read.startTime == -std::numbers::pi);
  CHECK(read.members[0].fmu.token == "{to\"ken\\\n}");
  CHECK(read.members[1].fmu.variables[0].valueReference == 4294967295U);
  CHECK(read.joints[0].frameA == everything().joints[0].frameA);
  CHECK(std::get<coupling::LinearRow>(read.joints[2].rows[0]).coefficients[0] == 1.0 / 3);
  CHECK(read.options.scheme == coupling::Scheme::b2);
  CHECK(read.options.relativeTolerance == 1e-7 / 3);
}

TEST_CASE("a container can save what all of its members can") {
  const ContainerDescription c = everything();
  CHECK(c.canSaveState());
  CHECK_FALSE(c.canSerializeState());  // the arm cannot
  CHECK_FALSE(c.canVaryStep());
}

TEST_CASE("texts that are no container are refused with their line") {
  const std::string text = containerText(everything());
  CHECK_THAT(errorOf(replaced(text, "trammel_container = 1", "trammel_container = 2")),
             Catch::StartsWith("system.toml:2: "));
  CHECK_THAT(errorOf(replaced(text, "name = \"arm\"", "name = \"../arm\"")),
             Catch::Contains("identifier"));
  CHECK_THAT(errorOf(replaced(text, "sides = [[0, 0], [-1, 0]]", "sides = [[0, 0], [2, 0]]")),
             Catch::Contains("from -1 to 1, is 2"));
  CHECK_THAT(errorOf(replaced(text, "first_rate = 1", "first_rate = 3")),
             Catch::Contains("from -1 to 2, is 3"));
  CHECK_THAT(errorOf(replaced(text, "\nreference = 4\n", "\nreference = 99\n")),
             Catch::Contains("multiplier of no joint"));
  CHECK_THAT(errorOf(replaced(text, "[\"coincidence\", 0]", "[\"coincidence\", 3]")),
             Catch::Contains("from 0 to 2, is 3"));
}

TEST_CASE("a text with any line missing or any number wrong is read or refused, nothing else") {
  const std::string text = containerText(everything());
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  int refused = 0;
  for (std::size_t wrong = 0; wrong < lines.size(); ++wrong) {
    for (const char* number : {"", "-7", "1e300", "\"x\"", "[]", "nan"}) {
      std::string changed;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i != wrong) changed += lines[i] + '\n';
        if (i == wrong && *number != '\0') {
          changed += std::regex_replace(lines[i], std::regex("= [-0-9][^ ,}]*"),
                                        std::string("= ") + number) +
                     '\n';
        }
      }
      refused += errorOf(changed).empty() ? 0 : 1;
    }
  }
  CHECK(refused > 250);  // own run: 286, the others change numbers that may be anything
}
