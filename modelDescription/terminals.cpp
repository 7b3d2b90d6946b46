#include "modelDescription/terminals.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "modelDescription/described_variables.hpp"
#include "modelDescription/xml_text.hpp"

namespace trammel::fmi {
namespace {

constexpr std::array<std::string_view, 3> forces{"F", "T", "tau"};
constexpr std::array<std::string_view, 7> motions{"r", "Q", "phi", "v", "w", "a", "z"};
constexpr std::array<std::string_view, 2> slopes{"_der1", "_der2"};

bool contains(auto words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "F_der1[2]" -> "F"
std::string_view root(std::string_view member) {
  member = member.substr(0, member.find('['));
  for (const std::string_view slope : slopes)
    if (member.size() > slope.size() && member.substr(member.size() - slope.size()) == slope)
      member.remove_suffix(slope.size());
  return member;
}

struct Port {
  bool hasForce = false, hasMotion = false, hasOrientation = false, hasDirections = false;
  std::vector<TerminalMember> members;
};

}  // namespace

std::vector<Terminal> terminalsOf(const CompiledModel& model, FmiVersion version) {
  const DescribedVariables variables(model.variables(), version == FmiVersion::fmi3);
  std::map<std::string, Port> ports;
  for (const VariableArray& array : variables.all()) {
    const std::size_t dot = array.name.rfind('.');
    if (dot == std::string::npos || dot == 0) continue;
    const std::string member = array.name.substr(dot + 1);
    const Causality causality = variables.first(array).causality;
    const bool isForce = causality == Causality::input && contains(forces, root(member));
    const bool isMotion = causality == Causality::output && contains(motions, root(member)) &&
                          root(member) == member.substr(0, member.find('['));
    if (!isForce && !isMotion) continue;
    Port& port = ports[array.name.substr(0, dot)];
    port.hasForce = port.hasForce || isForce;
    port.hasMotion = port.hasMotion || isMotion;
    port.hasOrientation = port.hasOrientation || root(member) == "Q";
    port.hasDirections =
        port.hasDirections || array.isArray || member.find('[') != std::string::npos;
    port.members.push_back({array.name, member, isForce});
  }
  std::vector<Terminal> terminals;
  for (auto& [name, port] : ports) {
    if (!port.hasForce || !port.hasMotion) continue;
    const char* kind = port.hasOrientation  ? "trammel.frame"
                       : port.hasDirections ? "trammel.point"
                                            : "trammel.flange";
    terminals.push_back({name, kind, std::move(port.members)});
  }
  return terminals;
}

std::string terminalsXml(const std::vector<Terminal>& terminals, FmiVersion version) {
  pugi::xml_document document;
  pugi::xml_node rootNode = startDocument(document, "fmiTerminalsAndIcons");
  add(rootNode, "fmiVersion", version == FmiVersion::fmi3 ? "3.0" : "2.0");
  pugi::xml_node list = rootNode.append_child("Terminals");
  for (const Terminal& terminal : terminals) {
    pugi::xml_node node = list.append_child("Terminal");
    add(node, "name", terminal.name);
    add(node, "matchingRule", "plug");
    add(node, "terminalKind", terminal.kind);
    for (const TerminalMember& member : terminal.members) {
      pugi::xml_node child = node.append_child("TerminalMemberVariable");
      add(child, "variableName", member.variableName);
      add(child, "memberName", member.memberName);
      add(child, "variableKind", member.isForce ? "inflow" : "signal");
    }
  }
  return textOf(document);
}

}  // namespace trammel::fmi
