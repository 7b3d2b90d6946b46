#include "modelDescription/terminals.hpp"

#include "modelDescription/xml_text.hpp"

namespace trammel::fmi {
namespace {

using pugi::xml_node;

/// Forces and torques, and their rates, flow into the FMU; all else is a signal.
const char* kindOf(const Port::Member& member) {
  const char first = member.role.empty() ? ' ' : member.role.front();
  return first == 'F' || first == 'T' || member.role.rfind("tau", 0) == 0 ? "inflow" : "signal";
}

void writeMember(xml_node terminal, const Port::Member& member, const std::string& suffix) {
  xml_node node = terminal.append_child("TerminalMemberVariable");
  add(node, "variableName", member.name + suffix);
  add(node, "memberName", member.role + suffix);
  add(node, "variableKind", kindOf(member));
}

/// The icon fills the coordinate system, 20 mm by 20 mm; terminals may be drawn on its edges.
void writeIcon(xml_node root) {
  const auto addSquare = [](xml_node node) {
    add(node, "x1", "-100");
    add(node, "y1", "-100");
    add(node, "x2", "100");
    add(node, "y2", "100");
  };
  xml_node graphics = root.append_child("GraphicalRepresentation");
  xml_node system = graphics.append_child("CoordinateSystem");
  addSquare(system);
  add(system, "suggestedScalingFactorTo_mm", "0.1");
  addSquare(graphics.append_child("Icon"));
}

}  // namespace

std::string terminalsXml(const std::vector<Port>& ports, FmiVersion version) {
  const bool fmi3 = version == FmiVersion::fmi3;
  pugi::xml_document document;
  xml_node root = startDocument(document, "fmiTerminalsAndIcons");
  add(root, "fmiVersion", fmi3 ? "3.0" : "2.0");
  if (fmi3) writeIcon(root);
  if (ports.empty()) return textOf(document);
  xml_node terminals = root.append_child("Terminals");
  for (const Port& port : ports) {
    xml_node terminal = terminals.append_child("Terminal");
    add(terminal, "name", port.name);
    add(terminal, "matchingRule", "plug");
    add(terminal, "terminalKind", "trammel." + port.kind);
    if (!port.description.empty()) add(terminal, "description", port.description);
    for (const Port::Member& member : port.members) {
      if (fmi3 || member.count == 1) {
        writeMember(terminal, member, "");
        continue;
      }
      for (std::size_t i = 1; i <= member.count; ++i)
        writeMember(terminal, member, "[" + std::to_string(i) + "]");
    }
  }
  return textOf(document);
}

}  // namespace trammel::fmi
