// CPU time of exporting each model of the catalogue, without and with its reference run, of that
// run itself, and of all that is done besides it; and that of `fmpy compile` of a source FMU with
// one small C file, which is what other exporters ask of their users; the compiler's part of it is
// shown too. The promise is at most 50 ms without the run.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "packaging/output_file.hpp"
#include "packaging/reference_run.hpp"
#include "packaging/zip_writer.hpp"

namespace {

namespace fs = std::filesystem;

double childSeconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// CPU time of a command and all that it starts [ms], the least of some runs.
double cost(const std::string& command, int runs) {
  double least = 1e300;
  for (int i = 0; i < runs; ++i) {
    const double before = childSeconds();
    if (std::system((command + " > /dev/null").c_str()) != 0)
      throw std::runtime_error("failed: " + command);
    least = std::min(least, 1e3 * (childSeconds() - before));
  }
  return least;
}

/// CPU time of the reference run alone [ms], the least of some runs.
double costOfRun(const trammel::CompiledModel& model, int runs) {
  double least = 1e300;
  for (int i = 0; i < runs; ++i) {
    const std::clock_t before = std::clock();
    trammel::fmi::referenceRun(model);
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  }
  return least;
}

std::vector<std::string> catalogueNames() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(TRAMMEL_SOURCE_DIR "/models/catalogue"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

constexpr const char* sourceDescription = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Empty" instantiationToken="{}">
  <CoSimulation modelIdentifier="empty_fmu"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>
)";
constexpr const char* buildDescription = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="empty_fmu">
    <SourceFileSet language="C99"><SourceFile name="empty_fmu.c"/></SourceFileSet>
  </BuildConfiguration>
</fmiBuildDescription>
)";

void writeSourceFmu(const fs::path& path) {
  std::ifstream file(TRAMMEL_SOURCE_DIR "/bench/empty_fmu.c");
  const std::string code{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  trammel::fmi::writeOutputFile(
      path, trammel::fmi::zipArchive({{"modelDescription.xml", sourceDescription},
                                      {"sources/buildDescription.xml", buildDescription},
                                      {"sources/empty_fmu.c", code}}));
}

void compareWithCompiling(const fs::path& folder) {
  const fs::path source = folder / "source.fmu";
  writeSourceFmu(source);
  std::printf(
      "%-26s %12.1f\n", "fmpy compile",
      cost("'" TRAMMEL_SOURCE_DIR "/.venv/bin/python' -m fmpy compile " + source.string(), 3));
  const std::string library = (folder / "a.so").string();
  std::printf("%-26s %12.1f\n", "cc of the same source",
              cost("cc -O2 -shared -fPIC -I '" TRAMMEL_FMI_HEADERS "' " TRAMMEL_SOURCE_DIR
                   "/bench/empty_fmu.c -o " +
                       library,
                   3));
}

void compare(const fs::path& folder) {
  const std::string fmu = (folder / "a.fmu").string();
  std::printf("%-26s %12s %12s %12s %12s\n", "CPU time [ms]", "without run", "with run", "the run",
              "besides");
  double most = 0;
  for (const std::string& name : catalogueNames()) {
    std::string command = std::string(TRAMMEL_PROGRAM) + " export ";
    command.append(name).append(" --force -o ").append(fmu);
    const double without = cost(command + " --no-reference-run", 5), with = cost(command, 5);
    const double run = costOfRun(trammel::compile(trammel::readModelFile(
                                     TRAMMEL_SOURCE_DIR "/models/catalogue/" + name + ".toml")),
                                 5);
    most = std::max({most, without, with - run});
    std::printf("%-26s %12.1f %12.1f %12.1f %12.1f\n", name.c_str(), without, with, run,
                with - run);
  }
  std::printf("%-26s %12.1f\n", "most besides the run", most);
  compareWithCompiling(folder);
}

}  // namespace

int main() {
  std::string folder = fs::temp_directory_path() / "export_cost.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 1;
  int code = 0;
  try {
    compare(folder);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    code = 1;
  }
  fs::remove_all(folder);
  return code;
}
