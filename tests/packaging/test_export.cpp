#include <catch2/catch.hpp>

#include "coupling/archive.hpp"
#include "coupling/temporary_directory.hpp"
#include "modelDescription/version.hpp"
#include "tests/packaging/files.hpp"
#include "tests/packaging/models.hpp"
#include "tests/packaging/program_run.hpp"

using namespace trammel;
using namespace trammel::testing;
using trammel::coupling::TemporaryDirectory;

namespace {

std::vector<std::string> unpackedFiles(const std::filesystem::path& fmu) {
  const TemporaryDirectory directory;
  coupling::unpackArchive(fmu, directory.path());
  std::vector<std::string> files;
  for (const std::string& name : filesIn(directory.path())) {
    if (std::filesystem::is_regular_file(directory.path() / name)) files.push_back(name);
  }
  return files;
}

}  // namespace

TEST_CASE("export writes the layout of FMI 3 by default and of FMI 2 on demand") {
  const TemporaryDirectory directory;
  const ProgramRun third = runTrammel(
      directory.path(), "export --platform x86_64-linux '" + cataloguePath("pendulum") + "'");
  CHECK(third.errors.empty());
  REQUIRE(third.exitCode == 0);
  CHECK(unpackedFiles(directory.path() / "Pendulum.fmu") ==
        std::vector<std::string>{"binaries/x86_64-linux/Pendulum.so", "documentation/index.html",
                                 "documentation/licenses/license.txt",
                                 "extra/org.fmi-standard.fmi-ls-ref/Pendulum_ref.csv",
                                 "extra/org.fmi-standard.fmi-ls-ref/Pendulum_ref.opt",
                                 "extra/org.fmi-standard.fmi-ls-ref/experiments.xml",
                                 "extra/org.fmi-standard.fmi-ls-ref/fmi-ls-manifest.xml",
                                 "modelDescription.xml", "resources/model.toml",
                                 "terminalsAndIcons/icon.png", "terminalsAndIcons/icon.svg",
                                 "terminalsAndIcons/terminalsAndIcons.xml"});
  REQUIRE(runTrammel(directory.path(), "export pendulum --platform x86_64-linux --fmi 2 -o two.fmu")
              .exitCode == 0);
  CHECK(unpackedFiles(directory.path() / "two.fmu").front() == "binaries/linux64/Pendulum.so");
  CHECK(filesIn(directory.path()) == std::vector<std::string>{"Pendulum.fmu", "two.fmu"});
}

TEST_CASE("the model travels as it was written") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "export pendulum").exitCode == 0);
  coupling::unpackArchive(directory.path() / "Pendulum.fmu", directory.path());
  CHECK(readFile(directory.path() / "resources/model.toml") == readFile(cataloguePath("pendulum")));
}

TEST_CASE("two exports of the same model are equal byte for byte, at any time and place") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "export pendulum -o 1.fmu", "TZ=Asia/Tokyo").exitCode == 0);
  REQUIRE(runTrammel(directory.path(), "export pendulum -o 2.fmu", "LC_ALL=de_DE.UTF-8").exitCode ==
          0);
  CHECK(readFile(directory.path() / "1.fmu") == readFile(directory.path() / "2.fmu"));
}

TEST_CASE("SOURCE_DATE_EPOCH dates the FMU and a wrong one is refused") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "export pendulum", "SOURCE_DATE_EPOCH=0").exitCode == 0);
  coupling::unpackArchive(directory.path() / "Pendulum.fmu", directory.path());
  CHECK_THAT(readFile(directory.path() / "modelDescription.xml"),
             Catch::Contains("generationDateAndTime=\"1970-01-01T00:00:00Z\""));
  const ProgramRun wrong = runTrammel(directory.path(), "export pendulum", "SOURCE_DATE_EPOCH=now");
  CHECK(wrong.exitCode == 1);
  CHECK_THAT(wrong.errors, Catch::Contains("SOURCE_DATE_EPOCH"));
}

TEST_CASE("a wrong model gives one line with file and line, exit code 1 and no file") {
  struct Wrong {
    const char* what;
    std::string text;
    int line;
  };
  std::string pendulumText = readFile(cataloguePath("pendulum"));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = pendulumText;
    REQUIRE(text.find(from) != std::string::npos);
    replaceAll(text, from, to);
    return text;
  };
  const auto lineOf = [&](const std::string& part) {
    const auto lines = linesOf(pendulumText);
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
    return static_cast<int>(found - lines.begin()) + 1;
  };
  const std::vector<Wrong> wrongs{
      {"syntax error", changed("name = \"Pendulum\"", "name = \"Pendulum"), lineOf("name = ")},
      {"unknown key", changed("start = \"L\"", "strat = \"L\""), lineOf("start = ")},
      {"negative mass", changed("m = { value = 1.0", "m = { value = -1.0"), lineOf("m = {")},
      {"missing value", changed("m = { value = 1.0, ", "m = { "), lineOf("m = {")},
  };
  for (const Wrong& wrong : wrongs) {
    CAPTURE(wrong.what);
    const TemporaryDirectory directory;
    writeFile(directory.path() / "wrong.toml", wrong.text);
    const ProgramRun run = runTrammel(directory.path(), "export wrong.toml -o out.fmu");
    CAPTURE(run.errors);
    CHECK(run.exitCode == 1);
    CHECK(run.output.empty());
    CHECK(linesOf(run.errors).size() == 1);
    CHECK_THAT(run.errors, Catch::StartsWith("wrong.toml:" + std::to_string(wrong.line) + ": "));
    CHECK(filesIn(directory.path()) == std::vector<std::string>{"wrong.toml"});
  }
}

TEST_CASE("wrong arguments give one line and exit code 1") {
  const TemporaryDirectory directory;
  for (const char* arguments : {"",
                                "export",
                                "export nosuch",
                                "export pendulum --fmi 4",
                                "export pendulum --fmi two",
                                "export pendulum -o missing/a.fmu",
                                "export pendulum -o .",
                                "export .",
                                "frobnicate",
                                "export pendulum extra",
                                "export pendulum --set",
                                "export pendulum --set L",
                                "export pendulum --set L=",
                                "export pendulum --set L=long",
                                "export pendulum --set L=1kg",
                                "export pendulum --set L=inf",
                                "export pendulum --set m=-1",
                                "export pendulum --set =1",
                                "export pendulum --set solver.method=euler",
                                "export pendulum --set solver.tolerance=2",
                                "export pendulum --set x=1",
                                "simulate pendulum --stop-time soon"}) {
    CAPTURE(arguments);
    const ProgramRun run = runTrammel(directory.path(), arguments);
    CAPTURE(run.errors);
    CHECK(run.exitCode == 1);
    CHECK(run.output.empty());
    CHECK(linesOf(run.errors).size() == 1);
    CHECK(filesIn(directory.path()).empty());
  }
}

TEST_CASE("a name that is no file is looked up in the catalogue, and the message lists it") {
  const TemporaryDirectory directory;
  CHECK_THAT(runTrammel(directory.path(), "export nosuch").errors,
             Catch::StartsWith("nosuch: ") && Catch::Contains("pendulum"));
  writeFile(directory.path() / "pendulum", "not a model");
  CHECK_THAT(runTrammel(directory.path(), "export pendulum").errors,
             Catch::StartsWith("pendulum:1: "));
}

TEST_CASE("both versions of FMI are written by one command") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "export pendulum --fmi both").exitCode == 0);
  REQUIRE(runTrammel(directory.path(), "export pendulum --fmi both -o p.fmu").exitCode == 0);
  CHECK(filesIn(directory.path()) == std::vector<std::string>{"Pendulum_fmi2.fmu",
                                                              "Pendulum_fmi3.fmu", "p_fmi2.fmu",
                                                              "p_fmi3.fmu"});
  REQUIRE(runTrammel(directory.path(), "export pendulum --fmi 2 -o two.fmu").exitCode == 0);
  REQUIRE(runTrammel(directory.path(), "export pendulum -o three.fmu").exitCode == 0);
  CHECK(readFile(directory.path() / "two.fmu") == readFile(directory.path() / "p_fmi2.fmu"));
  CHECK(readFile(directory.path() / "three.fmu") == readFile(directory.path() / "p_fmi3.fmu"));
}

TEST_CASE("baked values are start values and run as if the file had them") {
  const TemporaryDirectory directory;
  const auto file = [&](const char* name) { return readFile(directory.path() / name); };
  // The slider swings with √(k/m); F and offset are in N and mm.
  writeFile(directory.path() / "slider.toml", drivenSlider);
  std::string edited = drivenSlider;
  replaceAll(edited, "m = { value = 2.0,", "m = { value = 0.5,");
  replaceAll(edited, "offset = { value = 250.0,", "offset = { value = 300,");
  replaceAll(edited, "F = { start = 0.5,", "F = { start = 2,");
  replaceAll(edited, "tolerance = 1e-5\n", "tolerance = 1e-09\n\n[solver]\ntolerance = 1e-09\n");
  writeFile(directory.path() / "edited.toml", edited);
  const ProgramRun run =
      runTrammel(directory.path(),
                 "export slider.toml -o baked.fmu --set m=500g --set offset=0.3 --set F=2 "
                 "--set solver.tolerance=1e-9");
  CHECK(run.errors.empty());
  REQUIRE(run.exitCode == 0);
  REQUIRE(runTrammel(directory.path(), "export edited.toml -o edited.fmu").exitCode == 0);
  CHECK(file("baked.fmu") == file("edited.fmu"));
  coupling::unpackArchive(directory.path() / "baked.fmu", directory.path());
  const std::string xml = file("modelDescription.xml");
  CHECK_THAT(xml, Catch::Contains("tolerance=\"1e-09\""));
  CHECK_THAT(xml, Catch::Contains("start=\"0.3\""));
  REQUIRE(runTrammel(directory.path(), "simulate baked.fmu -o baked.csv").exitCode == 0);
  REQUIRE(runTrammel(directory.path(), "simulate edited.toml -o edited.csv").exitCode == 0);
  CHECK(file("baked.csv") == file("edited.csv"));
}

TEST_CASE("a name that cannot be set is answered by those that can") {
  const TemporaryDirectory directory;
  const ProgramRun run = runTrammel(directory.path(), "export pendulum --set solver.tolerence=1");
  CHECK(run.exitCode == 1);
  CHECK_THAT(run.errors, Catch::StartsWith("--set solver.tolerence=1: ") &&
                             Catch::Contains("did you mean \"solver.tolerance\"?"));
  CHECK(filesIn(directory.path()).empty());
}

TEST_CASE("an FMU of the same model is overwritten, another file only by force") {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "a.fmu";
  REQUIRE(runTrammel(directory.path(), "export pendulum -o a.fmu").exitCode == 0);
  REQUIRE(runTrammel(directory.path(), "export pendulum -o a.fmu --fmi 2 --set L=2").exitCode == 0);
  const std::string pendulumFmu = readFile(path);
  const ProgramRun other = runTrammel(directory.path(), "export crane -o a.fmu");
  CHECK(other.exitCode == 1);
  CHECK_THAT(other.errors, Catch::StartsWith("a.fmu: ") && Catch::Contains("--force"));
  CHECK(readFile(path) == pendulumFmu);
  REQUIRE(runTrammel(directory.path(), "export crane -o a.fmu --force").exitCode == 0);
  CHECK(readFile(path) != pendulumFmu);
  for (const char* content : {"", "not a zip", "PK\3\4 but broken"}) {
    writeFile(path, content);
    CHECK(runTrammel(directory.path(), "export pendulum -o a.fmu").exitCode == 1);
    CHECK(readFile(path) == content);
  }
  CHECK(filesIn(directory.path()) == std::vector<std::string>{"a.fmu"});
}

TEST_CASE("the reference results are the numbers that the FMU gives, to the last bit") {
  const TemporaryDirectory directory;
  const std::filesystem::path folder = directory.path() / "extra/org.fmi-standard.fmi-ls-ref";
  REQUIRE(runTrammel(directory.path(), "export crane").exitCode == 0);
  REQUIRE(runTrammel(directory.path(), "simulate Crane.fmu -o run.csv").exitCode == 0);
  coupling::unpackArchive(directory.path() / "Crane.fmu", directory.path());
  CHECK(readFile(folder / "Crane_ref.csv") == readFile(directory.path() / "run.csv"));
  const auto inputs = linesOf(readFile(folder / "Crane_in.csv"));
  REQUIRE(inputs.size() == 3);  // names, start, stop
  CHECK_THAT(inputs[0], Catch::StartsWith("time,"));
  CHECK_THAT(readFile(folder / "Crane_ref.opt"), Catch::Contains("\nStopTime, "));
  CHECK_THAT(readFile(folder / "fmi-ls-manifest.xml"),
             Catch::Contains("source=\"Crane_ref.csv\" role=\"result\""));
  CHECK_THAT(readFile(folder / "experiments.xml"),
             Catch::Contains("<Stimuli source=\"Crane_in.csv\""));
}

TEST_CASE("without a reference run the FMU carries no results") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "export crane --no-reference-run").exitCode == 0);
  for (const std::string& name : unpackedFiles(directory.path() / "Crane.fmu"))
    CHECK_FALSE(name.starts_with("extra/"));
}

TEST_CASE("a model that cannot be run as it is becomes an FMU without results, with a note") {
  const TemporaryDirectory directory;
  std::string text = drivenSlider;
  replaceAll(text, "expression = \"y\"", "expression = \"y^2 + 1\"");
  writeFile(directory.path() / "impossible.toml", text);
  const ProgramRun run = runTrammel(directory.path(), "export impossible.toml -o a.fmu");
  CHECK(run.exitCode == 0);
  CHECK(linesOf(run.errors).size() == 1);
  CHECK_THAT(run.errors, Catch::StartsWith("note: no reference results, "));
}

TEST_CASE("an FMU in place of a model is refused") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "export pendulum").exitCode == 0);
  const ProgramRun run = runTrammel(directory.path(), "export Pendulum.fmu -o a.fmu");
  CHECK(run.exitCode == 1);
  CHECK_THAT(run.errors, Catch::Contains("expected a model file"));
}

TEST_CASE("names with spaces and letters of any script are files like others") {
  const TemporaryDirectory directory;
  const auto folder = directory.path() / "Прüfung 振り子";
  std::filesystem::create_directory(folder);
  std::filesystem::copy(cataloguePath("pendulum"), folder / "mein Pendel.toml");
  REQUIRE(runTrammel(folder, "export 'mein Pendel.toml' -o 'é ü.fmu'").exitCode == 0);
  const ProgramRun run = runTrammel(folder, "simulate 'é ü.fmu' -o 'наклон.csv' --plot 'a b.svg'");
  CHECK(run.exitCode == 0);
  CHECK(runTrammel(folder, "check 'é ü.fmu'").output == "é ü.fmu: nothing found\n");
  CHECK(filesIn(folder).size() == 4);
}

TEST_CASE("an FMU can be written into a device or a pipe") {
  const TemporaryDirectory directory;
  const ProgramRun run = runTrammel(directory.path(), "export pendulum -o /dev/null");
  CHECK(run.errors.empty());
  CHECK(run.exitCode == 0);
}

TEST_CASE("help has examples for every command and the version is that of the project") {
  const TemporaryDirectory directory;
  for (const char* arguments : {"--help", "export --help", "simulate --help"}) {
    const ProgramRun run = runTrammel(directory.path(), arguments);
    CHECK(run.exitCode == 0);
    CHECK_THAT(run.output, Catch::Contains("Examples:\n  trammel "));
  }
  CHECK_THAT(runTrammel(directory.path(), "--help").output, Catch::Contains("Exit codes: "));
  CHECK(runTrammel(directory.path(), "--version").output ==
        "trammel " + std::string(fmi::version()) + "\n");
}
