#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "coupling/fmu_subsystem.hpp"
#include "coupling/master.hpp"
#include "packaging/installation.hpp"
#include "packaging/system_file.hpp"

namespace trammel::fmi {

/// A component of a system file as the FMU that it is run as.
struct ResolvedMember {
  const ComponentEntry* entry = nullptr;
  std::filesystem::path fmu;
  coupling::FmuDescription description;
  coupling::FmuUse use;  // what connections, joints and the record ask for
};

/// An output of a member that is recorded.
struct RecordedOutput {
  std::size_t member = 0;
  Index output = 0;  // among those of its use
  std::string name;  // component.variable
};

/// A system file with components, ports and variables found. The file must outlive it.
struct ResolvedSystem {
  std::vector<ResolvedMember> members;
  std::vector<coupling::Joint> joints;
  std::vector<coupling::Connection> connections;
  std::vector<RecordedOutput> record;
  std::vector<std::string> warnings;
};

/// Models are made FMUs for the platforms given, in `directory`. Throws ModelError, InputError or
/// coupling::FmuError.
ResolvedSystem resolveSystem(const SystemFile& file, const Installation& installation,
                             const std::filesystem::path& directory,
                             const std::vector<Platform>& platforms);

}  // namespace trammel::fmi
