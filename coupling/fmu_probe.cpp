#include "coupling/fmu_probe.hpp"

#include <optional>

#include "coupling/fmu_error.hpp"
#include "coupling/probe_versions.hpp"
#include "coupling/shared_library.hpp"

namespace trammel::coupling {

void probeFmu(const ProbePlan& plan, const ProbeReport& report) {
  report("", "loading of " + plan.library.filename().string());
  try {
    const SharedLibrary library(plan.library);
    plan.version == FmuVersion::fmi3 ? probeFmi3(plan, library, report)
                                     : probeFmi2(plan, library, report);
    report("", "unloading of " + plan.library.filename().string());
  } catch (const FmuError& error) {
    report("run-load", error.what());
  }
}

}  // namespace trammel::coupling
