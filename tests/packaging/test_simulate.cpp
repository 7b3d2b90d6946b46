#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>

#include "coupling/temporary_directory.hpp"
#include "tests/packaging/files.hpp"
#include "tests/packaging/models.hpp"
#include "tests/packaging/program_run.hpp"

using namespace trammel;
using namespace trammel::testing;
using trammel::coupling::TemporaryDirectory;

namespace {

/// Numbers of a CSV without header.
std::vector<std::vector<double>> rowsOf(const std::string& csv) {
  std::vector<std::vector<double>> rows;
  const auto lines = linesOf(csv);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::vector<double> row;
    const char* at = lines[i].data();
    const char* end = at + lines[i].size();
    while (at < end) {
      double value = 0;
      at = std::from_chars(at, end, value).ptr + 1;
      row.push_back(value);
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("the pendulum returns to its start after its period of 2 s") {
  const TemporaryDirectory directory;
  const ProgramRun run = runTrammel(
      directory.path(), "simulate pendulum --stop-time 4 --output-interval 0.5 --tolerance 1e-8");
  REQUIRE(run.exitCode == 0);
  CHECK_THAT(linesOf(run.output).front(), Catch::StartsWith("time,x,"));
  const auto rows = rowsOf(run.output);
  REQUIRE(rows.size() == 9);
  CHECK(rows[8][0] == 4);
  CHECK(rows[8][1] == Approx(1).margin(1e-6));  // x
  CHECK(linesOf(run.errors).size() == 1);
  CHECK_THAT(run.errors,
             Catch::Contains("8 communication steps") && Catch::Contains("end time 4 s"));
}

TEST_CASE("model, FMI 2 and FMI 3 give the same numbers") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "export pendulum -o 3.fmu").exitCode == 0);
  REQUIRE(runTrammel(directory.path(), "export pendulum --fmi 2 -o 2.fmu").exitCode == 0);
  const std::string options = " --stop-time 1 --output-interval 0.07";
  const ProgramRun model = runTrammel(directory.path(), "simulate pendulum" + options);
  REQUIRE(model.exitCode == 0);
  CHECK(runTrammel(directory.path(), "simulate 2.fmu" + options).output == model.output);
  CHECK(runTrammel(directory.path(), "simulate 3.fmu" + options).output == model.output);
}

TEST_CASE("the last step is shortened to end at the stop time") {
  const TemporaryDirectory directory;
  const auto rows = rowsOf(
      runTrammel(directory.path(), "simulate pendulum --stop-time 1 --output-interval 0.3").output);
  REQUIRE(rows.size() == 5);
  CHECK(rows[3][0] == Approx(0.9));
  CHECK(rows[4][0] == 1);
}

TEST_CASE("an interval that fits but for rounding makes no tiny last step") {
  const TemporaryDirectory directory;
  for (const char* options :
       {"--stop-time 1 --output-interval 0.1", "--stop-time 0.7 --output-interval 0.1",
        "--stop-time 1 --output-interval 0.016666666666666666"}) {
    CAPTURE(options);
    const auto rows =
        rowsOf(runTrammel(directory.path(), std::string("simulate pendulum ") + options).output);
    REQUIRE(rows.size() > 5);
    CHECK(rows.back()[0] - rows[rows.size() - 2][0] > 0.016);
  }
}

TEST_CASE("a start time moves the run without changing it") {
  const TemporaryDirectory directory;
  const auto rows = rowsOf(
      runTrammel(
          directory.path(),
          "simulate pendulum --start-time 10 --stop-time 12 --output-interval 1 --tolerance 1e-8")
          .output);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0][0] == 10);
  CHECK(rows[1][1] == Approx(-1).margin(1e-6));  // x after half a period
  CHECK(rows[2][1] == Approx(1).margin(1e-6));
}

TEST_CASE("results go to a file when asked, and to standard output by '-'") {
  const TemporaryDirectory directory;
  const std::string options = "simulate pendulum --stop-time 0.1 ";
  const ProgramRun file = runTrammel(directory.path(), options + "-o a.csv");
  CHECK(file.exitCode == 0);
  CHECK(file.output.empty());
  CHECK(filesIn(directory.path()) == std::vector<std::string>{"a.csv"});
  CHECK(readFile(directory.path() / "a.csv") ==
        runTrammel(directory.path(), options + "-o -").output);
}

TEST_CASE("settings out of range are refused with option, bound and value") {
  const TemporaryDirectory directory;
  const auto errorOf = [&](const std::string& options) {
    const ProgramRun run = runTrammel(directory.path(), "simulate pendulum -o a.csv " + options);
    CHECK(run.exitCode == 1);
    CHECK(linesOf(run.errors).size() == 1);
    CHECK(filesIn(directory.path()).empty());
    return run.errors;
  };
  CHECK_THAT(errorOf("--stop-time -1"),
             Catch::Contains("--stop-time must be later than the start time 0 s, is -1"));
  CHECK_THAT(errorOf("--output-interval 0"),
             Catch::Contains("--output-interval must be > 0 s, is 0"));
  CHECK_THAT(errorOf("--tolerance 2"),
             Catch::Contains("--tolerance must be between 0 and 1, is 2"));
  CHECK_THAT(errorOf("--stop-time nan"), Catch::Contains("--stop-time"));
  CHECK_THAT(errorOf("--stop-time inf"), Catch::Contains("--stop-time"));
}

TEST_CASE("a run that fails ends with exit code 2, one line and no file") {
  const TemporaryDirectory directory;
  // The force has a pole at t = 1 s, which no step size gets over.
  std::string text = drivenSlider;
  replaceAll(text, "force = \"F - k*(x - offset)\"", "force = \"1/(1 - time)^2\"");
  replaceAll(text, "start_time = 0.5", "start_time = 0.0");
  writeFile(directory.path() / "pole.toml", text);
  REQUIRE(runTrammel(directory.path(), "export pole.toml -o pole.fmu").exitCode == 0);
  for (const char* name : {"pole.toml", "pole.fmu"}) {
    CAPTURE(name);
    const ProgramRun run =
        runTrammel(directory.path(), std::string("simulate ") + name + " -o a.csv --stop-time 2");
    CAPTURE(run.errors);
    CHECK(run.exitCode == 2);
    CHECK(linesOf(run.errors).size() == 1);
    CHECK_FALSE(std::filesystem::exists(directory.path() / "a.csv"));
  }
}

TEST_CASE("a damaged FMU ends with exit code 1 and leaves nothing in the temporary folder") {
  const TemporaryDirectory directory, temporary;
  const std::string environment = "TMPDIR='" + temporary.path().string() + "'";
  REQUIRE(runTrammel(directory.path(), "export pendulum").exitCode == 0);
  const std::string bytes = readFile(directory.path() / "Pendulum.fmu");
  writeFile(directory.path() / "cut.fmu", bytes.substr(0, bytes.size() / 2));
  const ProgramRun run = runTrammel(directory.path(), "simulate cut.fmu", environment);
  CHECK(run.exitCode == 1);
  CHECK(linesOf(run.errors).size() == 1);
  CHECK_THAT(run.errors, Catch::StartsWith("cut.fmu: "));
  CHECK(runTrammel(directory.path(), "simulate Pendulum.fmu", environment).exitCode == 0);
  CHECK(filesIn(temporary.path()).empty());
}

TEST_CASE("a signal ends a run at once and leaves no file") {
  const TemporaryDirectory directory, temporary;
  REQUIRE(runTrammel(directory.path(), "export pendulum").exitCode == 0);
  const std::string environment = "TMPDIR='" + temporary.path().string() + "' timeout -s TERM 0.3";
  const ProgramRun run = runTrammel(
      directory.path(), "simulate Pendulum.fmu --stop-time 1e6 --output-interval 1e-3 -o a.csv",
      environment);
  CHECK(run.exitCode == 124);  // what timeout says after it sent the signal
  CHECK(filesIn(directory.path()) == std::vector<std::string>{"Pendulum.fmu"});
  CHECK(filesIn(temporary.path()).empty());
}

TEST_CASE("array outputs of an FMU are columns with the names and numbers of the model's") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "export spherical_pendulum -o p.fmu").exitCode == 0);
  const std::string settings = " --stop-time 0.5 --output-interval 0.1";
  const ProgramRun fmu = runTrammel(directory.path(), "simulate p.fmu" + settings);
  const ProgramRun model = runTrammel(directory.path(), "simulate spherical_pendulum" + settings);
  REQUIRE(fmu.exitCode == 0);
  CHECK_THAT(fmu.output, Catch::Contains("place[1],place[2],place[3]"));
  CHECK(fmu.output == model.output);
}
