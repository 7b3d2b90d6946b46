#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>
#include <pugixml.hpp>

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

TEST_CASE("a run that fails ends with exit code 2 and one line and leaves the rows so far") {
  const TemporaryDirectory directory;
  // The force has a pole at t = 1 s, which no step size gets over.
  std::string text = drivenSlider;
  replaceAll(text, "force = \"F - k*(x - offset)\"", "force = \"1/(1 - time)^2\"");
  replaceAll(text, "start_time = 0.5", "start_time = 0.0");
  writeFile(directory.path() / "pole.toml", text);
  REQUIRE(runTrammel(directory.path(), "export pole.toml -o pole.fmu").exitCode == 0);
  for (const char* name : {"pole.toml", "pole.fmu"}) {
    CAPTURE(name);
    const ProgramRun run = runTrammel(
        directory.path(), std::string("simulate ") + name + " -o a.csv --plot a.svg --stop-time 2");
    CAPTURE(run.errors);
    CHECK(run.exitCode == 2);
    CHECK(linesOf(run.errors).size() == 1);
    const auto rows = rowsOf(readFile(directory.path() / "a.csv"));
    REQUIRE(rows.size() > 2);
    CHECK(rows.back()[0] == Approx(1).margin(0.13));  // the communication step is 0.125 s
    for (const auto& row : rows) CHECK(row.size() == rows.front().size());
    CHECK_THAT(readFile(directory.path() / "a.svg"), Catch::Contains("<polyline "));
    std::filesystem::remove(directory.path() / "a.csv");
    std::filesystem::remove(directory.path() / "a.svg");
  }
}

TEST_CASE("a run that cannot begin leaves no file") {
  const TemporaryDirectory directory;
  std::string text = drivenSlider;
  replaceAll(text, "expression = \"y\"", "expression = \"y^2 + 1\"");
  writeFile(directory.path() / "impossible.toml", text);
  const ProgramRun run = runTrammel(directory.path(), "simulate impossible.toml -o a.csv");
  CHECK(run.exitCode == 2);
  CHECK(linesOf(run.errors).size() == 1);
  CHECK(filesIn(directory.path()) == std::vector<std::string>{"impossible.toml"});
}

TEST_CASE("an FMU is found by the name of its model, and a note says so") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "export slider_crank").exitCode == 0);
  const std::string options = " --stop-time 0.1";
  const ProgramRun exact = runTrammel(directory.path(), "simulate SliderCrank.fmu" + options);
  const ProgramRun recalled = runTrammel(directory.path(), "simulate slider_crank.fmu" + options);
  CHECK(recalled.exitCode == 0);
  CHECK(recalled.output == exact.output);
  CHECK_THAT(recalled.errors,
             Catch::StartsWith("note: there is no slider_crank.fmu, taking SliderCrank.fmu\n"));
  const ProgramRun check = runTrammel(directory.path(), "check --no-load ./slider_crank.fmu");
  CHECK(check.output == "./SliderCrank.fmu: nothing found\n");
  // Of two that fit none is taken.
  std::filesystem::copy(directory.path() / "SliderCrank.fmu", directory.path() / "Slidercrank.fmu");
  for (const char* command : {"simulate slider_crank.fmu", "check slider_crank.fmu"}) {
    const ProgramRun run = runTrammel(directory.path(), command);
    CHECK(run.exitCode == 1);
    CHECK_THAT(run.errors, Catch::StartsWith("slider_crank.fmu: "));
  }
}

TEST_CASE("results that cannot be written to standard output are an error") {
  const TemporaryDirectory directory;
  // One row fits into the buffer and fails at the end, many fail on the way.
  for (const char* command :
       {"simulate pendulum --outputs x --output-interval 10", "simulate pendulum", "models"}) {
    CAPTURE(command);
    const ProgramRun run =
        runTrammel(directory.path(), command, R"(sh -c '"$0" "$@" > /dev/full')");
    CHECK(run.exitCode == 1);
    CHECK_THAT(run.errors, Catch::Contains("standard output"));
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

TEST_CASE("a signal ends a run at once and leaves the rows so far, whole") {
  const TemporaryDirectory directory, temporary;
  REQUIRE(runTrammel(directory.path(), "export pendulum").exitCode == 0);
  for (const char* model : {"Pendulum.fmu", "pendulum"}) {
    CAPTURE(model);
    const std::string environment =
        "TMPDIR='" + temporary.path().string() + "' timeout --preserve-status -s INT 2";
    const ProgramRun run = runTrammel(
        directory.path(),
        std::string("simulate ") + model + " --stop-time 1e6 --output-interval 1e-3 -o a.csv",
        environment);
    CHECK(run.exitCode == 130);  // 128 + SIGINT
    CHECK_THAT(run.errors, Catch::Contains("interrupted, "));
    CHECK(filesIn(directory.path()) == std::vector<std::string>{"Pendulum.fmu", "a.csv"});
    CHECK(filesIn(temporary.path()).empty());
    const std::string csv = readFile(directory.path() / "a.csv");
    const std::size_t columns = rowsOf(csv).front().size();
    CHECK(rowsOf(csv).size() > 2);
    for (const auto& row : rowsOf(csv)) CHECK(row.size() == columns);
    CHECK(csv.back() == '\n');
    std::filesystem::remove(directory.path() / "a.csv");
  }
}

namespace {

/// m x'' = F − k (x − offset) with m = 2 kg, k = 8 N/m: at rest for F = 0, ω = 2/s. Forces of some
/// N are compared to 4e-6 N, a part of 1e-6.
struct Slider {
  const TemporaryDirectory directory;

  Slider() {
    std::string text = drivenSlider;
    replaceAll(text, "F = { start = 0.5,", "F = { start = 0.0,");
    writeFile(directory.path() / "slider.toml", text);
    REQUIRE(runTrammel(directory.path(), "export slider.toml --fmi 2 -o 2.fmu").exitCode == 0);
    REQUIRE(runTrammel(directory.path(), "export slider.toml --fmi 3 -o 3.fmu").exitCode == 0);
  }

  /// The last value of spring_force, k (x − offset).
  double springForce(const std::string& model, const std::string& options) const {
    const ProgramRun run =
        runTrammel(directory.path(),
                   "simulate " + model + " --tolerance 1e-9 --outputs spring_force " + options);
    INFO(run.errors);
    REQUIRE(run.exitCode == 0);
    REQUIRE(linesOf(run.output).front() == "time,spring_force");
    return rowsOf(run.output).back()[1];
  }

  std::string errorOf(const std::string& options) const {
    const ProgramRun run = runTrammel(directory.path(), "simulate slider.toml -o a.csv " + options);
    CHECK(run.exitCode == 1);
    CHECK(linesOf(run.errors).size() == 1);
    CHECK_FALSE(std::filesystem::exists(directory.path() / "a.csv"));
    return run.errors;
  }
};

}  // namespace

TEST_CASE("inputs from a file act on models and FMUs alike") {
  const Slider slider;
  // F = 4 (t − 0.5) from t = 0.5 on:  k (x − offset) = 4 (s − sin(ω s)/ω) with s = t − 0.5.
  writeFile(slider.directory.path() / "ramp.csv", "time,F\n0.5,0\n2.5,8\n");
  const double expected = 4 * (2 - std::sin(4.0) / 2);
  for (const char* model : {"slider.toml", "2.fmu", "3.fmu"}) {
    CAPTURE(model);
    CHECK(slider.springForce(model, "--input ramp.csv") == Approx(expected).margin(4e-6));
  }
}

TEST_CASE("a time in two rows is a jump, also within a communication step") {
  const Slider slider;
  // F = 4 N from t = 1.03 s on, which is no multiple of the step of 0.125 s:
  // k (x − offset) = 4 (1 − cos(ω s)) with s = t − 1.03.
  writeFile(slider.directory.path() / "jump.csv", "time,F\r\n0,0\r\n1.03,0\r\n1.03,4\r\n\r\n");
  const double expected = 4 * (1 - std::cos(2 * 1.47));
  for (const char* model : {"slider.toml", "2.fmu", "3.fmu"}) {
    CAPTURE(model);
    CHECK(slider.springForce(model, "--input jump.csv") == Approx(expected).margin(4e-6));
  }
}

TEST_CASE("start values and parameters are set by name, with units") {
  const Slider slider;
  // At rest at 250 mm; F = 2 N from the start: k (x − offset) = 2 (1 − cos(ω s)), s = 2 s.
  // With k = 18 N/m, ω = 3/s.
  const double expected = 2 * (1 - std::cos(6.0));
  for (const char* model : {"slider.toml", "2.fmu", "3.fmu"}) {
    CAPTURE(model);
    CHECK(slider.springForce(model, "--set k=18 --set 'F=2000 mN'") ==
          Approx(expected).margin(4e-6));
  }
  CHECK_THAT(slider.errorOf("--set kk=1"), Catch::Contains("there is no variable \"kk\"") &&
                                               Catch::Contains("did you mean \"k\""));
  CHECK_THAT(slider.errorOf("--set k"), Catch::Contains("--set k: expected name=value"));
  CHECK_THAT(slider.errorOf("--set k=a"), Catch::Contains("expected a number, got \"a\""));
  CHECK_THAT(slider.errorOf("--set 'k=1 kg'"), Catch::Contains("expected a unit like \"N/m\""));
  CHECK_THAT(slider.errorOf("--set k=200"), Catch::Contains("--set k=200: "));  // max is 100
  CHECK_THAT(slider.errorOf("--set spring_force=1"), Catch::Contains("an output cannot be set"));
}

TEST_CASE("the columns are those asked for, in their order") {
  const Slider slider;
  const auto header = [&](const std::string& model, const std::string& options) {
    return linesOf(runTrammel(slider.directory.path(), "simulate " + model + " " + options).output)
        .front();
  };
  for (const char* model : {"slider.toml", "2.fmu", "3.fmu"}) {
    CAPTURE(model);
    CHECK(header(model, "--outputs y 'der(x)' F") == "time,y,der(x),F");
    CHECK(header(model, "--outputs 'der(x*'") == "time,der(x),\"der(x,2)\"");
  }
  CHECK_THAT(slider.errorOf("--outputs z"), Catch::Contains("there is no variable \"z\""));
  CHECK_THAT(slider.errorOf("--outputs 'z*'"), Catch::Contains("--outputs z*: fits no variable"));
}

TEST_CASE("a wrong file of inputs is refused with its line") {
  const Slider slider;
  const auto errorOf = [&](const std::string& csv) {
    writeFile(slider.directory.path() / "in.csv", csv);
    return slider.errorOf("--input in.csv");
  };
  CHECK_THAT(errorOf("t,F\n0,0\n"),
             Catch::Contains("in.csv:1: the first column must be \"time\", is \"t\""));
  CHECK_THAT(errorOf("time,G\n0,0\n"), Catch::Contains("in.csv:1: there is no variable \"G\""));
  CHECK_THAT(errorOf("time,k\n0,0\n"), Catch::Contains("in.csv:1: \"k\" is not an input"));
  CHECK_THAT(errorOf("time,F,F\n0,0,0\n"),
             Catch::Contains("in.csv:1: column \"F\" is there twice"));
  CHECK_THAT(errorOf("time,F\n0,x\n"), Catch::Contains("in.csv:2: expected a number, got \"x\""));
  CHECK_THAT(errorOf("time,F\n0,1\n1\n"), Catch::Contains("in.csv:3: has 1 fields, expected 2"));
  CHECK_THAT(errorOf("time,F\n1,1\n0,1\n"), Catch::Contains("in.csv:3: time 0 comes after 1"));
  CHECK_THAT(errorOf("time,F\n1,1\n1,2\n1,3\n"),
             Catch::Contains("in.csv:4: time 1 is there three"));
  CHECK_THAT(errorOf("time,F\n"), Catch::Contains("in.csv: has no rows"));
  CHECK_THAT(errorOf(""), Catch::Contains("in.csv: has no rows"));
  CHECK_THAT(slider.errorOf("--input no.csv"), Catch::Contains("no.csv: cannot be read"));
}

TEST_CASE("a plot is written as a page or as a picture") {
  const TemporaryDirectory directory;
  const std::string options = "simulate spherical_pendulum --stop-time 1 -o a.csv ";
  REQUIRE(runTrammel(directory.path(), options + "--plot a.html").exitCode == 0);
  const std::string html = readFile(directory.path() / "a.html");
  CHECK_THAT(html, Catch::StartsWith("<!DOCTYPE html>") && Catch::Contains("\"place[1]\""));
  CHECK(html.size() < 400000);
  REQUIRE(runTrammel(directory.path(), options + "--plot a.svg").exitCode == 0);
  pugi::xml_document document;
  const std::string svg = readFile(directory.path() / "a.svg");
  REQUIRE(document.load_string(svg.c_str()));
  CHECK_THAT(svg, Catch::Contains(">place[1] [m]</text>") && Catch::Contains("<polyline "));
  CHECK(svg.find("nan") == std::string::npos);
  const ProgramRun wrong = runTrammel(directory.path(), options + "--plot a.pdf");
  CHECK(wrong.exitCode == 1);
  CHECK_THAT(wrong.errors, Catch::Contains("--plot a.pdf: expected a name that ends with"));
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
