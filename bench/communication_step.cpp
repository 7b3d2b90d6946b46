// Cost of a simulation over the communication step: every model of the catalogue, in process, to
// its stop time. `doStep` does not restart the integrator, so the solver's work should hardly
// change.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "fmu_src/instance.hpp"
#include "models/compiled_model.hpp"
#include "models/model_file.hpp"
#include "solver/error.hpp"

namespace {

using trammel::fmi::Instance;
using trammel::fmi::Status;

struct Run {
  double stepSize = 0;  // [s]
  trammel::Statistics statistics;
  double seconds = 0;  // [s], wall clock, initialisation included
};

Run simulate(const std::filesystem::path& file, long communicationSteps) {
  Instance instance(trammel::compile(trammel::readModelFile(file)), trammel::fmi::Log());
  const trammel::DefaultExperiment& experiment = instance.model().defaultExperiment();
  const double duration = experiment.stopTime - experiment.startTime;
  Run run;
  run.stepSize = duration / static_cast<double>(communicationSteps);

  const auto begin = std::chrono::steady_clock::now();
  instance.enterInitializationMode(experiment.tolerance, experiment.startTime, experiment.stopTime);
  instance.exitInitializationMode();
  for (long i = 0; i < communicationSteps; ++i) {
    const double time = instance.time();
    if (instance.doStep(time, run.stepSize).status != Status::ok) {
      throw trammel::Error(file.filename().string() + ": step at t = " + std::to_string(time) +
                           " s did not succeed");
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  run.seconds = elapsed.count();
  run.statistics = instance.statistics();
  return run;
}

std::vector<std::filesystem::path> catalogue() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(TRAMMEL_SOURCE_DIR "/models/catalogue")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void printTable() {
  std::printf("%-20s %10s %10s %12s %10s %14s %12s\n", "model", "step [s]", "doSteps",
              "solver steps", "residuals", "factorisations", "time [ms]");
  for (const std::filesystem::path& file : catalogue()) {
    for (const long communicationSteps : {10, 100, 1000, 10000}) {
      const Run run = simulate(file, communicationSteps);
      std::printf("%-20s %10g %10ld %12ld %10ld %14ld %12.2f\n", file.stem().c_str(), run.stepSize,
                  communicationSteps, run.statistics.steps, run.statistics.residuals,
                  run.statistics.factorisations, 1e3 * run.seconds);
    }
  }
}

}  // namespace

int main() {
  try {
    printTable();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
