#include <cmath>
#include <set>

#include "packaging/check/checks.hpp"

namespace trammel::fmi::check {
namespace {

using pugi::xml_attribute;
using pugi::xml_node;

class UnitCheck {
 public:
  UnitCheck(const Description& description, FindingList& findings)
      : d_(description), findings_(findings) {}

  void run() {
    checkUnits();
    checkTypes();
    for (const DescribedVariable& variable : d_.variables()) {
      checkDeclaredType(variable);
      checkUse(variable.node, d_.attribute(variable, "unit"),
               d_.attribute(variable, "displayUnit"));
      for (const xml_node alias : variable.node.children("Alias"))
        checkUse(alias, d_.attribute(variable, "unit"), alias.attribute("displayUnit"));
    }
  }

 private:
  void report(std::string_view rule, xml_node node, std::string text) {
    findings_.add(rule, d_.at(node), std::move(text));
  }

  void checkFactor(xml_node node) {
    const xml_attribute factor = node.attribute("factor");
    const auto value = factor ? numberOf(factor.value()) : std::optional<long double>(1);
    if (value && (*value == 0 || !std::isfinite(*value)))
      report("unit-factor", node,
             "factor is " + inQuotes(factor.value()) + ", expected a number ≠ 0");
  }

  void checkUnits() {
    std::set<std::string_view> names;
    for (const xml_node unit : d_.root().child("UnitDefinitions").children("Unit")) {
      const std::string_view name = unit.attribute("name").value();
      if (!names.insert(name).second)
        report("unit-duplicate", unit, "unit " + inQuotes(name) + " is defined twice");
      if (const xml_node base = unit.child("BaseUnit")) checkFactor(base);
      std::set<std::string_view> shown;
      for (const xml_node display : unit.children("DisplayUnit")) {
        checkFactor(display);
        const std::string_view word = display.attribute("name").value();
        if (!shown.insert(word).second)
          report("unit-duplicate", display,
                 "display unit " + inQuotes(word) + " of " + inQuotes(name) + " is defined twice");
        const auto offset = numberOf(display.attribute("offset").as_string("0"));
        if (isTrue(display.attribute("inverse")) && offset && *offset != 0)
          report("unit-inverse", display, "inverse is true with an offset, expected offset 0");
      }
    }
  }

  void checkTypes() {
    std::set<std::string_view> names;
    for (const xml_node definition : d_.root().child("TypeDefinitions").children()) {
      if (!isElement(definition)) continue;
      const std::string_view name = definition.attribute("name").value();
      if (!names.insert(name).second)
        report("type-duplicate", definition, "type " + inQuotes(name) + " is defined twice");
      if (d_.byName(name) != nullptr)
        report("type-name", definition, "type " + inQuotes(name) + " has the name of a variable");
      xml_node typed = definition;
      if (!d_.fmi3()) typed = definition.find_child(isElement);
      checkUse(definition, typed.attribute("unit"), typed.attribute("displayUnit"));
      checkItems(typed);
    }
  }

  void checkItems(xml_node type) {
    std::set<std::string_view> names;
    std::set<long double> values;
    for (const xml_node item : type.children("Item")) {
      const auto value = numberOf(item.attribute("value").value());
      if (!names.insert(item.attribute("name").value()).second ||
          (value && !values.insert(*value).second))
        report("type-item", item, "name or value of this item occurs twice in its enumeration");
    }
  }

  void checkUse(xml_node node, xml_attribute unit, xml_attribute displayUnit) {
    if (!unit && displayUnit) {
      report("unit-missing", node,
             "displayUnit is " + inQuotes(displayUnit.value()) + ", expected a unit with it");
      return;
    }
    if (!unit) return;
    const auto found = d_.units().find(unit.value());
    if (found == d_.units().end()) {
      report("unit-undefined", node,
             "unit " + inQuotes(unit.value()) + " is not in UnitDefinitions");
      return;
    }
    // Importers differ in whether the unit itself counts as a display unit; the standard lists it.
    if (displayUnit &&
        !found->second.find_child_by_attribute("DisplayUnit", "name", displayUnit.value()))
      report("unit-display-undefined", node,
             "unit " + inQuotes(unit.value()) + " has no display unit " +
                 inQuotes(displayUnit.value()));
  }

  void checkDeclaredType(const DescribedVariable& variable) {
    const xml_attribute declared = variable.typed.attribute("declaredType");
    if (!declared) {
      if (variable.type == "Enumeration")
        report("type-enumeration", variable.node,
               "variable " + inQuotes(variable.name) + " is an enumeration without declaredType");
      return;
    }
    const xml_node type = d_.typeOf(variable);
    const std::string expected = std::string(variable.type) + (d_.fmi3() ? "Type" : "");
    if (!type) {
      report("type-undefined", variable.node,
             "declaredType " + inQuotes(declared.value()) + " is not in TypeDefinitions");
    } else if (expected != type.name()) {
      report("type-mismatch", variable.node,
             "declaredType " + inQuotes(declared.value()) + " is a " + type.name() + ", expected " +
                 expected);
    }
  }

  const Description& d_;
  FindingList& findings_;
};

}  // namespace

void checkUnits(const Description& description, FindingList& findings) {
  UnitCheck(description, findings).run();
}

}  // namespace trammel::fmi::check
