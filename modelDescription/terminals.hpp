#pragma once

#include <string>
#include <vector>

#include "modelDescription/model_description.hpp"
#include "models/compiled_model.hpp"

namespace trammel::fmi {

/// A variable of a port with its name inside the port, e.g. "F".
struct TerminalMember {
  std::string variableName, memberName;
  bool isForce = false;  // force or torque: flows into the FMU
};

/// A port as a terminal of FMI.
struct Terminal {
  std::string name;  // e.g. "joint1"
  std::string kind;  // "trammel.flange" (one direction), "trammel.point" or "trammel.frame"
  std::vector<TerminalMember> members;
};

/// The ports of a model: a group of variables `<port>.F` (`.tau`, `.T`) that are inputs with the
/// motion `<port>.r`, `.v`, `.a` (`.phi`, `.w`, `.z`, `.Q`) as outputs.
std::vector<Terminal> terminalsOf(const CompiledModel& model, FmiVersion version);

/// The text of terminalsAndIcons.xml.
std::string terminalsXml(const std::vector<Terminal>& terminals, FmiVersion version);

}  // namespace trammel::fmi
