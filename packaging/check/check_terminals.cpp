#include <set>

#include "packaging/check/checks.hpp"

namespace trammel::fmi::check {
namespace {

using pugi::xml_attribute;
using pugi::xml_node;

class TerminalCheck {
 public:
  TerminalCheck(const XmlFile& xml, const Description& description,
                const std::set<std::string>& files, FindingList& findings)
      : xml_(xml), d_(description), files_(files), findings_(findings) {}

  void run() {
    const std::string_view version = xml_.root().attribute("fmiVersion").value();
    if (version != d_.version())
      report("terminal-version", xml_.root(),
             "fmiVersion is " + inQuotes(version) + ", expected " + inQuotes(d_.version()) +
                 " as in modelDescription.xml");
    checkTerminals(xml_.root().child("Terminals"), 0);
  }

 private:
  void report(std::string_view rule, xml_node node, std::string text) {
    findings_.add(rule, xml_.at(node), std::move(text));
  }

  void checkTerminals(xml_node parent, int depth) {
    constexpr int deepest = 20;
    std::set<std::string_view> names;
    for (const xml_node terminal : parent.children("Terminal")) {
      const std::string_view name = terminal.attribute("name").value();
      if (!names.insert(name).second)
        report("terminal-duplicate", terminal, "terminal " + inQuotes(name) + " occurs twice");
      checkMembers(terminal);
      checkIcon(terminal);
      if (depth < deepest) checkTerminals(terminal, depth + 1);
    }
  }

  void checkMembers(xml_node terminal) {
    const std::string_view rule = terminal.attribute("matchingRule").value();
    std::set<std::string_view> members;
    for (const xml_node member : terminal.children("TerminalMemberVariable")) {
      checkVariable(member, "variableName");
      const xml_attribute name = member.attribute("memberName");
      if (!name && (rule == "plug" || rule == "bus"))
        report("terminal-member", member,
               "memberName is missing, expected one for matching rule " + inQuotes(rule));
      if (name && !members.insert(name.value()).second)
        report("terminal-member", member, "member " + inQuotes(name.value()) + " occurs twice");
    }
    for (const xml_node member : terminal.children("TerminalStreamMemberVariable")) {
      checkVariable(member, "inStreamVariableName");
      checkVariable(member, "outStreamVariableName");
    }
  }

  void checkVariable(xml_node member, const char* attribute) {
    const std::string_view name = member.attribute(attribute).value();
    if (d_.byName(name) == nullptr)
      report("terminal-variable", member, inQuotes(name) + " is no variable of the FMU");
  }

  void checkIcon(xml_node terminal) {
    const xml_attribute icon =
        terminal.child("TerminalGraphicalRepresentation").attribute("iconBaseName");
    if (icon && !files_.contains("terminalsAndIcons/" + std::string(icon.value()) + ".png"))
      report("terminal-icon", terminal, "the icon " + inQuotes(icon.value()) + ".png is missing");
  }

  const XmlFile& xml_;
  const Description& d_;
  const std::set<std::string>& files_;
  FindingList& findings_;
};

}  // namespace

void checkTerminals(const XmlFile& xml, const Description& description,
                    const std::set<std::string>& files, FindingList& findings) {
  TerminalCheck(xml, description, files, findings).run();
}

void checkSources(const Description& description, const XmlFile* build,
                  const std::set<std::string>& files, FindingList& findings) {
  const auto require = [&](const XmlFile& xml, xml_node node) {
    const std::string name = node.attribute("name").value();
    if (!files.contains("sources/" + name))
      findings.add("source-missing", xml.at(node), "sources/" + name + " is not in the FMU");
  };
  for (const xml_node interface : description.interfaces()) {
    for (const xml_node file : interface.child("SourceFiles").children("File"))
      require(description.xml(), file);
  }
  if (build == nullptr) return;
  for (const xml_node configuration : build->root().children("BuildConfiguration")) {
    const std::string_view identifier = configuration.attribute("modelIdentifier").value();
    bool known = false;
    for (const xml_node interface : description.interfaces())
      known = known || identifier == interface.attribute("modelIdentifier").value();
    if (!known)
      findings.add("source-identifier", build->at(configuration),
                   "modelIdentifier " + inQuotes(identifier) + " is that of no interface");
    for (const xml_node set : configuration.children("SourceFileSet")) {
      for (const xml_node file : set.children("SourceFile")) require(*build, file);
    }
  }
}

}  // namespace trammel::fmi::check
