#pragma once

#include "coupling/fmu_probe.hpp"
#include "coupling/shared_library.hpp"

namespace trammel::coupling {

void probeFmi2(const ProbePlan& plan, const SharedLibrary& library, const ProbeReport& report);
void probeFmi3(const ProbePlan& plan, const SharedLibrary& library, const ProbeReport& report);

}  // namespace trammel::coupling
