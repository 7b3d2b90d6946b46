// FMUs that fail in the middle of a coupled run: the report, what is kept, and other processes.
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "coupling/fmu_error.hpp"
#include "coupling/process_subsystem.hpp"
#include "coupling/temporary_directory.hpp"
#include "packaging/output_file.hpp"
#include "packaging/zip_writer.hpp"
#include "tests/coupling/members.hpp"
#include "tests/packaging/program_run.hpp"

using namespace trammel;
using namespace trammel::testing;
using coupling::TemporaryDirectory;

namespace {

/// The FMU of faulty_fmu.c.
void writeFaultyFmu(const std::filesystem::path& path) {
  std::string xml = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Faulty" guid="faulty">
<CoSimulation modelIdentifier="faulty" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true"/>
<ModelVariables>
)xml";
  int reference = 0;
  for (const char* variable :
       {"name=\"F\" causality=\"input\"", "name=\"x\" causality=\"output\"",
        "name=\"v\" causality=\"output\"", "name=\"a\" causality=\"output\"",
        "name=\"fault\" causality=\"parameter\"", "name=\"fault_time\" causality=\"parameter\"",
        "name=\"stiffness\" causality=\"parameter\""}) {
    xml += "<ScalarVariable valueReference=\"" + std::to_string(reference++) + "\" " + variable +
           "><Real/></ScalarVariable>\n";
  }
  xml += "</ModelVariables>\n</fmiModelDescription>\n";
  fmi::writeOutputFile(
      path, fmi::zipArchive({{"modelDescription.xml", xml},
                             {"binaries/linux64/faulty.so", readFile(FAULTY_FMU_BINARY)}}));
}

enum Fault { none, discard, error, notANumber, crash, hang, getFails, restoreFails, fatal };

const char* const systemText = R"toml(trammel_system = 1
[experiment]
stop_time = 1.0
step = 0.1
[components.good]
file = "faulty.fmu"
parameters = { stiffness = 30.0 }
[components.good.ports.end]
force = "F"
position = "x"
velocity = "v"
acceleration = "a"
[components.bad]
file = "faulty.fmu"
time_limit = 1.0
parameters = { fault = FAULT, fault_time = 0.45 }
[components.bad.ports.end]
force = "F"
position = "x"
velocity = "v"
acceleration = "a"
[joints.tie]
type = "shaft"
a = "good.end"
b = "bad.end"
)toml";

ProgramRun runWith(const TemporaryDirectory& directory, Fault fault,
                   const std::string& option = "") {
  writeFaultyFmu(directory.path() / "faulty.fmu");
  std::string text = systemText;
  replaceAll(text, "FAULT", std::to_string(fault));
  writeFile(directory.path() / "system.toml", text);
  return runTrammel(directory.path(), "couple system.toml -o out.csv " + option);
}

std::string lastLine(const std::string& text) { return linesOf(text).back(); }

}  // namespace

TEST_CASE("an FMU that fails ends the run with component, joint, time and errors; rows are kept") {
  struct Row {
    Fault fault;
    const char* says;
  };
  const Row row = GENERATE(Row{discard, "doStep returned discard"},
                           Row{error, "doStep returned error"}, Row{fatal, "doStep returned fatal"},
                           Row{notANumber, "an output is not a finite number"},
                           Row{getFails, "fmi2GetReal returned error"},
                           Row{restoreFails, "fmi2SetFMUstate returned error"});
  const std::string option = GENERATE("", "--separate-processes");
  const TemporaryDirectory directory;
  const ProgramRun run = runWith(directory, row.fault, option);
  INFO(run.errors);
  CHECK(run.exitCode == 2);
  CHECK_THAT(lastLine(run.errors), Catch::StartsWith("coupling failed at t = 0.4") &&
                                       Catch::Contains("subsystem \"bad\": ") &&
                                       Catch::Contains(row.says) &&
                                       Catch::Contains("joints: \"tie\" with gap ") &&
                                       Catch::Contains("in units of the tolerance: "));
  // Header and the points 0, 0.1 … 0.4.
  CHECK(linesOf(readFile(directory.path() / "out.csv")).size() == 6);
}

TEST_CASE("an FMU that crashes or hangs in its own process is reported, and the rows are kept") {
  struct Row {
    Fault fault;
    const char* says;
  };
  const Row row = GENERATE(Row{crash, "its process crashed with signal 11"},
                           Row{hang, "its process did not answer within 1 s and was ended"});
  const TemporaryDirectory directory;
  const ProgramRun run = runWith(directory, row.fault, "--separate-processes");
  INFO(run.errors);
  CHECK(run.exitCode == 2);
  CHECK_THAT(lastLine(run.errors), Catch::StartsWith("coupling failed at t = 0.4") &&
                                       Catch::Contains("subsystem \"bad\": ") &&
                                       Catch::Contains(row.says) &&
                                       Catch::Contains("joints: \"tie\" with gap "));
  CHECK(linesOf(readFile(directory.path() / "out.csv")).size() == 6);
}

TEST_CASE(
    "a run in separate processes gives the same numbers as in one, and leaves nothing behind") {
  const TemporaryDirectory together, apart, temporary;
  const ProgramRun one = runWith(together, none);
  REQUIRE(one.exitCode == 0);
  writeFaultyFmu(apart.path() / "faulty.fmu");
  std::string text = systemText;
  replaceAll(text, "FAULT", "0");
  writeFile(apart.path() / "system.toml", text);
  const ProgramRun two =
      runTrammel(apart.path(), "couple system.toml -o out.csv --separate-processes",
                 "TMPDIR='" + temporary.path().string() + "'");
  INFO(two.errors);
  REQUIRE(two.exitCode == 0);
  CHECK(readFile(together.path() / "out.csv") == readFile(apart.path() / "out.csv"));
  CHECK(filesIn(temporary.path()).empty());
}

TEST_CASE("what goes wrong before the run in another process is an error like in this one") {
  const auto fails = []() -> std::unique_ptr<coupling::Subsystem> {
    throw coupling::FmuError("x.fmu: no such file");
  };
  CHECK_THROWS_WITH(coupling::ProcessSubsystem("x", fails, 10), "x.fmu: no such file");
  const auto ends = []() -> std::unique_ptr<coupling::Subsystem> { std::_Exit(7); };
  CHECK_THROWS_WITH(coupling::ProcessSubsystem("x", ends, 10),
                    "x: its process ended with exit code 7");
}

TEST_CASE("a subsystem in another process has the ports, names and derivatives of the original") {
  Rig rig = doublePendulum();
  const coupling::ProcessSubsystem far(
      "upper", [&] { return subsystemOf(rig.members[0], "upper", {}); }, 10);
  const auto near = subsystemOf(rig.members[0], "upper", {});
  CHECK(far.ports().size() == near->ports().size());
  CHECK(far.ports()[1].name == near->ports()[1].name);
  CHECK(far.capabilities().mobility);
  CHECK(far.forceSize() == near->forceSize());
}
