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
                                 "documentation/licenses/license.txt", "modelDescription.xml",
                                 "resources/model.toml"});
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
  for (const char* arguments :
       {"", "export", "export nosuch", "export pendulum --fmi 4", "export pendulum --fmi two",
        "export pendulum -o missing/a.fmu", "export pendulum -o .", "export .", "frobnicate",
        "export pendulum extra", "simulate pendulum --stop-time soon"}) {
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

TEST_CASE("an FMU in place of a model is refused") {
  const TemporaryDirectory directory;
  REQUIRE(runTrammel(directory.path(), "export pendulum").exitCode == 0);
  const ProgramRun run = runTrammel(directory.path(), "export Pendulum.fmu -o a.fmu");
  CHECK(run.exitCode == 1);
  CHECK_THAT(run.errors, Catch::Contains("expected a model file"));
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
