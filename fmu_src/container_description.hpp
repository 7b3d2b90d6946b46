#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "coupling/fmu_subsystem.hpp"
#include "coupling/master.hpp"
#include "models/variable_table.hpp"

namespace trammel::fmi {

/// A variable of a container: one of a member, or a multiplier of its joints.
struct ContainerVariable {
  std::string name;
  std::uint32_t valueReference = 0;  // of the first element; 0 is time
  Type type = Type::float64;
  Causality causality = Causality::output;
  Variability variability = Variability::continuous;
  int member = -1;              // −1: a multiplier
  std::uint32_t reference = 0;  // value reference in the member; row of the multiplier
  std::size_t size = 1;         // number of elements
  bool isArray = false;         // of FMI 3
  std::vector<double> start;    // numbers that can be set: one for each element
  std::string startText;        // strings that can be set
  /// Places in the list of the inputs that are its first and second time derivative; −1: none.
  int firstRate = -1, secondRate = -1;
};

/// An FMU inside a container.
struct ContainerMember {
  std::string name;              // folder below resources/members
  coupling::FmuDescription fmu;  // variables that take part only
  coupling::FmuUse use;          // ports with all names
};

/// What resources/system.toml of a container FMU says: the coupled system with everything resolved.
struct ContainerDescription {
  std::string token;
  double startTime = 0, step = 0.01;  // [s]
  coupling::MasterOptions options;
  std::vector<ContainerMember> members;
  std::vector<coupling::Connection> connections;
  std::vector<coupling::Joint> joints;
  std::vector<ContainerVariable> variables;  // in the order of their value references

  bool canSaveState() const;       // all members can
  bool canSerializeState() const;  // all members can
  bool canVaryStep() const;        // all members can
};

/// The text of resources/system.toml; reading it back gives the same bits.
std::string containerText(const ContainerDescription& container);

/// Throws ModelError naming the line and what is wrong there.
ContainerDescription parseContainer(std::string_view text, const std::string& source);
ContainerDescription readContainer(const std::filesystem::path& path);

}  // namespace trammel::fmi
