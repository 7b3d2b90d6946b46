#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "coupling/fmu_subsystem.hpp"
#include "coupling/master.hpp"
#include "packaging/installation.hpp"
#include "packaging/system_file.hpp"

namespace trammel::fmi {

/// A component of a system file as the FMU that it is run as, or the model.
struct ResolvedMember {
  const ComponentEntry* entry = nullptr;
  std::filesystem::path fmu;        // empty: a model that is run in this process
  std::filesystem::path directory;  // where it lies unpacked
  std::filesystem::path model;      // of a model that is run in this process
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

/// What models of a system file become.
struct ResolveOptions {
  std::filesystem::path directory;  // of FMUs that are made of them and of all that is unpacked
  std::vector<Platform> platforms;  // that these FMUs are for
  bool modelsInProcess = false;     // those without a version of FMI are not made FMUs
};

/// Throws ModelError, InputError or coupling::FmuError.
ResolvedSystem resolveSystem(const SystemFile& file, const Installation& installation,
                             const ResolveOptions& options);

}  // namespace trammel::fmi
