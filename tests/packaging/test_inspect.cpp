#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <numbers>
#include <pugixml.hpp>

#include "coupling/temporary_directory.hpp"
#include "models/mechanism/mechanism_program.hpp"
#include "packaging/inspection_report.hpp"
#include "packaging/mechanism_sketch.hpp"
#include "tests/packaging/files.hpp"
#include "tests/packaging/models.hpp"
#include "tests/packaging/program_run.hpp"

using namespace trammel;
using namespace trammel::fmi;
using namespace trammel::testing;
using trammel::coupling::TemporaryDirectory;

namespace {

constexpr double pi = std::numbers::pi;

CompiledModel catalogueModel(const std::string& name) {
  return compile(readModelFile(cataloguePath(name)));
}

/// A square of four bars in the plane x-y, built of rigid bodies in revolute joints about z.
std::string squareOfBars() {
  std::string text = "trammel = 1\nkind = \"mechanism\"\nname = \"Square\"\n";
  const char* const places[] = {"[0, 0, 0]", "[0, 1, 0]", "[1, 0, 0]"};
  const char* const angles[] = {"pi/2", "0", "pi/2"};
  for (int i = 0; i < 3; ++i) {
    text +=
        "[bodies.bar" + std::to_string(i + 1) +
        "]\nmass = 1\ninertia = [0.01, 0.09, 0.09]\ncentre = [0.5, 0, 0]\nposition = " + places[i] +
        "\nangle = \"" + angles[i] + "\"\n";
  }
  return text +
         "[joints.left]\ntype = \"revolute\"\nb = \"bar1\"\n"
         "[joints.top_left]\ntype = \"revolute\"\na = { body = \"bar1\", position = [1, 0, 0] }\n"
         "b = \"bar2\"\n"
         "[joints.top_right]\ntype = \"revolute\"\na = { body = \"bar2\", position = [1, 0, 0] }\n"
         "b = { body = \"bar3\", position = [1, 0, 0] }\n"
         "[joints.right]\ntype = \"revolute\"\na = { body = \"ground\", position = [1, 0, 0] }\n"
         "b = \"bar3\"\n";
}

const char* const hanging = R"(trammel = 1
kind = "mechanism"
name = "Hanging"
planar = true
gravity = [0, -9.81]
[bodies.bob]
type = "point"
mass = 2
position = [0, -0.5]
[joints.rod]
type = "distance"
b = "bob"
length = 0.5
)";

}  // namespace

TEST_CASE("models lists every model of the catalogue with its kind and description") {
  const TemporaryDirectory directory;
  const ProgramRun run = runTrammel(directory.path(), "models");
  REQUIRE(run.exitCode == 0);
  const std::vector<std::string> lines = linesOf(run.output);
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TRAMMEL_SOURCE_DIR "/models/catalogue"))
    if (entry.path().extension() == ".toml") ++count;
  CHECK(lines.size() == count + 1);
  CHECK_THAT(run.output, Catch::Contains("\npendulum ") && Catch::Contains("equations"));
  CHECK_THAT(run.output, Catch::Contains("\nrobot_arm ") && Catch::Contains("mechanism"));
  CHECK_THAT(run.output, Catch::Contains("the period is 2 s\n"));
}

TEST_CASE("inspect names redundant equations by their joint and counts freedom by the rank") {
  const Inspection inspection = inspect(compile(parseModel(squareOfBars(), "square.toml")));
  // 3 bodies of 6, 4 joints of 5: 18 − 20; a loop of parallel hinges leaves three equations over.
  CHECK(inspection.grueblerCount == -2);
  CHECK(inspection.degreesOfFreedom == 1);
  REQUIRE(inspection.joints.size() == 4);
  for (int i = 0; i < 3; ++i) CHECK(inspection.joints[static_cast<std::size_t>(i)].redundant == 0);
  CHECK(inspection.joints[3].redundant == 3);
  const TemporaryDirectory directory;
  writeFile(directory.path() / "square.toml", squareOfBars());
  const ProgramRun run = runTrammel(directory.path(), "inspect square.toml");
  CHECK(run.exitCode == 0);
  CHECK_THAT(run.output, Catch::Contains("joint right: 3 of 5 equations redundant"));
  CHECK_THAT(run.output, Catch::Contains("degrees of freedom: 1, Grübler count: -2"));
}

TEST_CASE("inspect finds the freedom of the mechanisms of the catalogue") {
  const std::pair<const char*, int> expected[] = {
      {"four_bar", 0}, {"trammel_of_archimedes", 1}, {"spatial_slider_crank", 1},
      {"crane", 1},    {"stewart_platform", 6},      {"spinning_top", 3}};
  for (const auto& [name, freedom] : expected) {
    INFO(name);
    CHECK(inspect(catalogueModel(name)).degreesOfFreedom == freedom);
  }
}

TEST_CASE("inspect finds the natural frequency of a hanging pendulum") {
  const Inspection inspection = inspect(compile(parseModel(hanging, "hanging.toml")));
  CHECK(inspection.acceleration <= 1e-12);
  REQUIRE(inspection.modes.size() == 1);
  CHECK(inspection.modes[0].frequency == Approx(std::sqrt(9.81 / 0.5) / (2 * pi)).epsilon(1e-9));
  CHECK(std::abs(inspection.modes[0].damping) <= 1e-9);
  CHECK(inspection.modes[0].coordinate == "bob.r[1]");
}

TEST_CASE("inspect finds the damped frequencies of the quarter car") {
  const Inspection inspection = inspect(catalogueModel("quarter_car"));
  REQUIRE(inspection.modes.size() == 2);
  // The roots s of (300 s² + 1500 s + 20000)(40 s² + 1500 s + 200000) = (1500 s + 20000)².
  for (const NaturalMode& mode : inspection.modes) {
    const double w = 2 * pi * mode.frequency;
    const std::complex<double> s(-mode.damping * w, w * std::sqrt(1 - mode.damping * mode.damping));
    const auto body = 300.0 * s * s + 1500.0 * s + 20000.0;
    const auto wheel = 40.0 * s * s + 1500.0 * s + 200000.0;
    const auto both = (1500.0 * s + 20000.0) * (1500.0 * s + 20000.0);
    CHECK(std::abs(body * wheel - both) <= 1e-8 * std::abs(body * wheel));
  }
  CHECK(inspection.modes[0].coordinate == "body.r[2]");
  CHECK(inspection.modes[1].coordinate == "wheel.r[2]");
}

TEST_CASE("inspect tells a free and an unstable motion from an oscillation") {
  const std::string head = "trammel = 1\nkind = \"equations\"\nname = \"Free\"\n";
  const Inspection freeMotion =
      inspect(compile(parseModel(head + "[coordinates.x]\nmass = 2\n", "free.toml")));
  REQUIRE(freeMotion.modes.size() == 1);
  CHECK(freeMotion.modes[0].frequency == 0);
  const Inspection falling = inspect(
      compile(parseModel(head + "[coordinates.x]\nmass = 2\nforce = \"18*x\"\n", "f.toml")));
  REQUIRE(falling.modes.size() == 1);
  CHECK(falling.modes[0].growth == Approx(3));  // s = √(18/2)
}

TEST_CASE("inspect says how far rough start positions were moved") {
  std::string rough = hanging;
  replaceAll(rough, "[0, -0.5]", "[0, -0.6]");
  const Inspection inspection = inspect(compile(parseModel(rough, "rough.toml")));
  REQUIRE(inspection.start.ok);
  CHECK(inspection.correction == Approx(0.1).epsilon(1e-6));  // nominal size 1 m
  CHECK(inspection.motion.q[1] == Approx(-0.5).epsilon(1e-12));
}

TEST_CASE("inspect reports a mechanism that cannot be assembled") {
  const std::string text = std::string(hanging) +
                           "[joints.far]\ntype = \"distance\"\na = { body = \"ground\", position = "
                           "[5, 0] }\nb = \"bob\"\nlength = 1\n";
  const CompiledModel model = compile(parseModel(text, "far.toml"));
  const Inspection inspection = inspect(model);
  CHECK_FALSE(inspection.start.ok);
  CHECK_THAT(inspectionText(model, inspection), Catch::Contains("Initial state at t = 0 s: none"));
}

TEST_CASE("the sketch is XML with every body of the mechanism") {
  for (const char* name : {"andrews_mechanism", "stewart_platform", "cantilever", "crane"}) {
    INFO(name);
    const CompiledModel model = catalogueModel(name);
    const Inspection inspection = inspect(model);
    const std::string svg = mechanismSketch(model, inspection.motion.q);
    pugi::xml_document document;
    REQUIRE(document.load_string(svg.c_str()));
    CHECK(svg.find("nan") == std::string::npos);
    for (const InspectedBody& body : inspection.bodies)
      CHECK_THAT(svg, Catch::Contains(">" + body.name + "</text>"));
  }
}

TEST_CASE("inspect writes the sketch on demand and refuses one of equations") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "inspect four_bar --svg bars.svg").exitCode == 0);
  CHECK_THAT(readFile(directory.path() / "bars.svg"), Catch::StartsWith("<svg "));
  const ProgramRun wrong = runTrammel(directory.path(), "inspect pendulum --svg no.svg");
  CHECK(wrong.exitCode == 1);
  CHECK_THAT(wrong.errors, Catch::Contains("--svg needs a model of kind \"mechanism\""));
  CHECK_FALSE(std::filesystem::exists(directory.path() / "no.svg"));
}

TEST_CASE("inspect refuses an FMU and a model that is not there") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "export pendulum").exitCode == 0);
  CHECK(runTrammel(directory.path(), "inspect Pendulum.fmu").exitCode == 1);
  const ProgramRun run = runTrammel(directory.path(), "inspect pendulums");
  CHECK(run.exitCode == 1);
  CHECK_THAT(run.errors, Catch::Contains("no such file and no such model in the catalogue"));
}
