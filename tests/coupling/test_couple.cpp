// `trammel couple` with real FMUs of both versions.
#include <catch2/catch.hpp>
#include <cmath>

#include "coupling/temporary_directory.hpp"
#include "packaging/fmu_package.hpp"
#include "packaging/output_file.hpp"
#include "packaging/system_file.hpp"
#include "tests/packaging/program_run.hpp"

using namespace trammel;
using namespace trammel::testing;
using coupling::TemporaryDirectory;

namespace {

const char* const springMass = R"toml(trammel = 1
kind = "equations"
name = "SpringMass"
[parameters]
m = { value = 1.0, unit = "kg" }
k = { value = 10.0, unit = "N/m" }
[inputs]
F = { start = 0.0, unit = "N" }
[coordinates.x]
unit = "m"
start = 1.0
mass = "m"
force = "F - k*x"
[outputs.a]
expression = "(F - k*x)/m"
unit = "m/s2"
)toml";

const char* const twoMassesSystem = R"toml(trammel_system = 1
[experiment]
stop_time = 2.0
step = 0.01
[components.left]
file = "mass.toml"
parameters = { m = 0.5, k = 15.0 }
tolerance = 1e-8
[components.left.ports.end]
force = "F"
position = "x"
velocity = "der(x)"
acceleration = "a"
[components.right]
file = "mass.toml"
fmi = 2
tolerance = 1e-8
[components.right.ports.end]
force = "F"
position = "x"
velocity = "der(x)"
acceleration = "a"
[joints.tie]
type = "shaft"
a = "left.end"
b = "right.end"
)toml";

std::string bodyText(const std::string& name, const std::string& x) {
  return "[bodies." + name + "]\nmass = 1.0\ninertia = [0.02, 0.09, 0.09]\nposition = [" + x +
         ", 0.0, 0.0]\n[frames." + name + "_root]\nbody = \"" + name +
         "\"\nposition = [-0.5, 0.0, 0.0]\n[frames." + name + "_tip]\nbody = \"" + name +
         "\"\nposition = [0.5, 0.0, 0.0]\n";
}
const std::string head = "trammel = 1\nkind = \"mechanism\"\ngravity = [0.0, 0.0, -9.81]\nname = ";
const std::string pivot =
    "[joints.pivot]\ntype = \"revolute\"\na = \"ground\"\nb = \"arm_root\"\naxis = [0.0, 1.0, "
    "0.0]\n";

/// Numbers of the last line of a CSV.
std::vector<double> lastRow(const std::string& csv) {
  std::vector<double> row;
  std::istringstream line(linesOf(csv).back());
  for (std::string cell; std::getline(line, cell, ',');) row.push_back(std::stod(cell));
  return row;
}

std::string errorOf(const std::string& text) {
  try {
    fmi::parseSystem(text, "system.toml");
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  replaceAll(text, from, to);
  return text;
}

}  // namespace

TEST_CASE("masses in FMUs of both versions swing together like one mass") {
  const TemporaryDirectory directory;
  writeFile(directory.path() / "mass.toml", springMass);
  writeFile(directory.path() / "system.toml", twoMassesSystem);
  const ProgramRun run = runTrammel(directory.path(), "couple system.toml -o out.csv");
  INFO(run.errors);
  REQUIRE(run.exitCode == 0);
  const std::string csv = readFile(directory.path() / "out.csv");
  CHECK(linesOf(csv).front() ==
        "time,left.x,left.der(x),left.a,right.x,right.der(x),right.a,tie.lambda");
  CHECK(linesOf(csv).size() == 202);
  const std::vector<double> row = lastRow(csv);
  // x = cos(ω t), ω² = (15 + 10)/1.5 s⁻²; the members' tolerance is 1e-8.
  const double x = std::cos(2 * std::sqrt(25 / 1.5));
  CHECK(row[1] == Approx(x).margin(1e-6));
  CHECK(row[4] == Approx(row[1]).margin(1e-9));
  // 0.5 a + 15 x = −λ for the left mass: λ = −(15 − 0.5·25/1.5) x.
  CHECK(row[7] == Approx(-(15 - 12.5 / 1.5) * x).margin(1e-3));
  CHECK_THAT(run.errors, Catch::Contains("constraint on side A: factor 0.5, converges") &&
                             Catch::Contains("scheme: PV1") &&
                             Catch::Contains("redundant joints: none") &&
                             Catch::Contains("joint tie: largest gap"));
}

TEST_CASE("a double pendulum of two FMUs agrees with the mechanism in one piece") {
  const TemporaryDirectory directory;
  const auto path = [&](const char* name) { return directory.path() / name; };
  writeFile(path("arm.toml"), head + "\"Arm\"\n" + bodyText("arm", "0.5") + pivot +
                                  "[ports.end]\ntype = \"frame\"\nframe = \"arm_tip\"\n");
  writeFile(path("rod.toml"), head + "\"Rod\"\n" + bodyText("rod", "1.5") +
                                  "[ports.begin]\ntype = \"frame\"\nframe = \"rod_root\"\n");
  writeFile(path("whole.toml"),
            head + "\"Whole\"\n" + bodyText("arm", "0.5") + bodyText("rod", "1.5") + pivot +
                "[joints.knee]\ntype = \"revolute\"\na = \"arm_tip\"\nb = \"rod_root\"\naxis = "
                "[0.0, 1.0, 0.0]\n");
  writeFile(path("system.toml"), R"toml(trammel_system = 1
record = ["upper.arm.r[1]", "upper.arm.r[3]", "lower.rod.r[1]", "lower.rod.r[3]"]
[experiment]
stop_time = 1.0
step = 0.005
[components.upper]
file = "arm.toml"
tolerance = 1e-8
[components.lower]
file = "rod.toml"
fmi = 2
tolerance = 1e-8
[joints.knee]
type = "revolute"
a = "upper.end"
b = "lower.begin"
axis = [0.0, 1.0, 0.0]
)toml");
  const ProgramRun coupled = runTrammel(directory.path(), "couple system.toml");
  INFO(coupled.errors);
  REQUIRE(coupled.exitCode == 0);
  const ProgramRun whole = runTrammel(
      directory.path(), "simulate whole.toml --stop-time 1 --output-interval 1 --tolerance 1e-10");
  REQUIRE(whole.exitCode == 0);
  const std::vector<std::string> names = [&] {
    std::vector<std::string> cells;
    std::istringstream line(linesOf(whole.output).front());
    for (std::string cell; std::getline(line, cell, ',');) cells.push_back(cell);
    return cells;
  }();
  const std::vector<double> exact = lastRow(whole.output), row = lastRow(coupled.output);
  const std::array<const char*, 4> recorded{"arm.r[1]", "arm.r[3]", "rod.r[1]", "rod.r[3]"};
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const auto column = std::find(names.begin(), names.end(), recorded[i]) - names.begin();
    CHECK(row[i + 1] == Approx(exact[static_cast<std::size_t>(column)]).margin(1e-6));
  }
}

TEST_CASE("FMUs that can neither be rolled back nor follow a force are coupled in one pass") {
  const TemporaryDirectory directory;
  // As another exporter might make it: FMI 2.0 and nothing optional.
  const fmi::Platform host = fmi::hostPlatform();
  const fmi::Installation installation{TRAMMEL_BINARY_DIR};
  std::vector<fmi::ZipEntry> files =
      fmi::fmuFiles(compile(parseModel(springMass, "mass.toml")),
                    {fmi::FmiVersion::fmi2, {{host, installation.runtimeBinary(host)}}, {}});
  for (fmi::ZipEntry& file : files) {
    if (file.name != "modelDescription.xml") continue;
    for (const char* flag : {"canGetAndSetFMUstate", "canSerializeFMUstate", "canInterpolateInputs",
                             "providesDirectionalDerivative"}) {
      replaceAll(file.bytes, std::string(flag) + "=\"true\"", "");
    }
  }
  fmi::writeOutputFile(directory.path() / "mass.fmu", fmi::zipArchive(files));
  std::string system = replaced(twoMassesSystem, "mass.toml", "mass.fmu");
  replaceAll(system, "step = 0.01", "step = 0.001");
  writeFile(directory.path() / "system.toml", system);
  const ProgramRun run = runTrammel(directory.path(), "couple system.toml");
  INFO(run.errors);
  REQUIRE(run.exitCode == 0);
  CHECK_THAT(run.errors, Catch::Contains("left: no, yes, 0, yes, no") &&
                             Catch::Contains("scheme: explicit, held"));
  const std::vector<double> row = lastRow(run.output);
  // Own run: largest gap 2.2e-7 m, error 5e-8 m.
  CHECK(row[1] == Approx(row[4]).margin(1e-6));
  CHECK(row[1] == Approx(std::cos(2 * std::sqrt(25 / 1.5))).margin(1e-6));
}

TEST_CASE("a joint that is open at the start ends with one line that names it") {
  const TemporaryDirectory directory;
  writeFile(directory.path() / "mass.toml", springMass);
  writeFile(directory.path() / "system.toml", std::string(twoMassesSystem) + "offset = 0.5\n");
  const ProgramRun run = runTrammel(directory.path(), "couple system.toml -o out.csv");
  CHECK(run.exitCode == 1);
  CHECK_THAT(run.errors, Catch::StartsWith("joint \"tie\" is open at the start"));
  CHECK_FALSE(std::filesystem::exists(directory.path() / "out.csv"));
}

TEST_CASE("ports and variables that an FMU does not have are named with its file") {
  const TemporaryDirectory directory;
  writeFile(directory.path() / "mass.toml", springMass);
  REQUIRE(runTrammel(directory.path(), "export mass.toml -o mass.fmu").exitCode == 0);
  const std::string system = replaced(twoMassesSystem, "mass.toml", "mass.fmu");
  const auto errorsOf = [&](const std::string& from, const std::string& to) {
    writeFile(directory.path() / "system.toml", replaced(system, from, to));
    const ProgramRun run = runTrammel(directory.path(), "couple system.toml");
    CHECK(run.exitCode == 1);
    CHECK(linesOf(run.errors).size() == 1);
    return run.errors;
  };
  CHECK_THAT(errorsOf("\"left.end\"", "\"left.tip\""), Catch::Contains("has no port \"tip\""));
  CHECK_THAT(errorsOf("acceleration = \"a\"", "acceleration = \"b\""),
             Catch::Contains("port \"end\": variable \"b\" is not in the FMU"));
  CHECK_THAT(errorsOf("m = 0.5", "mass = 0.5"),
             Catch::Contains("variable \"mass\" is not in the FMU"));
  CHECK_THAT(errorsOf("\"mass.fmu\"", "\"miss.toml\""),
             Catch::StartsWith("system.toml:6: component \"left\": file \"miss.toml\" is neither"));
}

TEST_CASE("wrong system files are reported with file, line, got and expected") {
  const std::string good = twoMassesSystem;
  CHECK_NOTHROW(fmi::parseSystem(good, "system.toml"));
  CHECK(errorOf("name = \"x\"") == "system.toml:1: trammel_system is missing, expected a number");
  CHECK(errorOf(replaced(good, "stop_time = 2.0", "stop_time = -2.0")) ==
        "system.toml:3: experiment: stop_time must be later than the start time 0 s, is -2");
  CHECK(errorOf(replaced(good, "step = 0.01", "steps = 0.01")) ==
        "system.toml:4: experiment: unknown key \"steps\", did you mean \"step\"?");
  CHECK(errorOf(replaced(good, "\"shaft\"", "\"weld\"")) ==
        "system.toml:24: joint \"tie\": type must be one of fixed, revolute, spherical, "
        "prismatic, cylindrical, universal, point_on_line, shaft, gear, rack_and_pinion, linear, "
        "is \"weld\"");
  CHECK(errorOf(replaced(good, "\"left.end\"", "\"lift.end\"")) ==
        "system.toml:25: joint \"tie\": a: unknown component \"lift\", did you mean \"left\"?");
  CHECK(errorOf(replaced(good, "\"left.end\"", "\"left\"")) ==
        "system.toml:25: joint \"tie\": a must be component.name or ground, is \"left\"");
  CHECK(errorOf(replaced(good, "fmi = 2", "fmi = 1")) ==
        "system.toml:16: component \"right\": fmi must be 2 or 3, is 1");
  CHECK(errorOf(good + "axis = [0, 1]\n") ==
        "system.toml:27: joint \"tie\": axis must have 3 components, has 2");
  CHECK(errorOf("trammel_system = 1\n[coupling]\nscheme = \"PV2\"") ==
        "system.toml:3: coupling: scheme must be auto, PV1, B2, PC2, A1, explicit or "
        "explicit_hold, is \"PV2\"");
  CHECK(errorOf("trammel_system = 1\n").find("components are missing") != std::string::npos);
  CHECK(errorOf(replaced(good, "\"shaft\"", "\"linear\"")).find("coefficients are missing") !=
        std::string::npos);
}

TEST_CASE("an output drives an input of another FMU through a connection") {
  const TemporaryDirectory directory;
  writeFile(directory.path() / "mass.toml", springMass);
  writeFile(directory.path() / "system.toml", R"toml(trammel_system = 1
connections = [{ from = "left.x", to = "right.F", factor = 10.0 }]
record = ["left.x", "right.x"]
[experiment]
stop_time = 1.0
step = 0.01
[components.left]
file = "mass.toml"
parameters = { k = 0.0 }
[components.right]
file = "mass.toml"
)toml");
  const ProgramRun run = runTrammel(directory.path(), "couple system.toml");
  INFO(run.errors);
  REQUIRE(run.exitCode == 0);
  // Left stays at 1 m, right is held at 10·1/10 = 1 m.
  const std::vector<double> row = lastRow(run.output);
  CHECK(row[1] == Approx(1));
  CHECK(row[2] == Approx(1).margin(1e-6));
}
