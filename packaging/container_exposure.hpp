#pragma once

#include <vector>

#include "fmu_src/container_description.hpp"
#include "packaging/member_variables.hpp"
#include "packaging/resolved_system.hpp"

namespace trammel::fmi {

/// A variable of a container and what its member's description says about it.
struct ExposedVariable {
  ContainerVariable variable;
  const MemberVariable* source = nullptr;  // nullptr: a multiplier
  std::string unit;                        // of a multiplier
};

/// The variables of a container: those that the system file exposes; without a list the recorded
/// outputs, the inputs that nothing is connected to and the parameters of all members. The
/// multipliers of all joints are outputs anyway. Throws InputError naming what cannot be exposed.
std::vector<ExposedVariable> exposedVariables(const SystemFile& file, const ResolvedSystem& system,
                                              const std::vector<MemberXml>& members);

}  // namespace trammel::fmi
