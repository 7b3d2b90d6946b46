#pragma once

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "packaging/check/xml_file.hpp"

namespace trammel::fmi::check {

/// A variable with the defaults of the standard filled in. Texts belong to the XML file.
struct DescribedVariable {
  pugi::xml_node node;   // with name and valueReference
  pugi::xml_node typed;  // with start, unit, …: the same in FMI 3, a child in FMI 2
  std::string_view name;
  std::string_view type;  // e.g. "Real", "Float64"
  std::string_view causality;
  std::string_view variability;
  std::string_view initial;  // empty: has none
  std::optional<std::uint32_t> reference;
  std::size_t position = 0;  // in ModelVariables, from 1

  bool isFloat() const { return type == "Real" || type == "Float64" || type == "Float32"; }
  bool isNumber() const {
    return type != "Boolean" && type != "String" && type != "Binary" && type != "Clock";
  }
  bool hasStart() const;
};

/// One entry of ModelStructure.
struct Unknown {
  pugi::xml_node node;
  std::string_view list;                        // e.g. "Output", the word of FMI 3
  const DescribedVariable* variable = nullptr;  // null: refers to none
};

/// What modelDescription.xml says, read without complaint as far as it can be.
class Description final {
 public:
  explicit Description(const XmlFile& xml);

  const XmlFile& xml() const { return xml_; }
  pugi::xml_node root() const { return xml_.root(); }
  bool fmi3() const { return fmi3_; }
  bool known() const { return known_; }  // the version is one that can be checked
  std::string_view version() const { return root().attribute("fmiVersion").value(); }
  std::string_view token() const;
  /// ModelExchange, CoSimulation, ScheduledExecution, those that are there.
  const std::vector<pugi::xml_node>& interfaces() const { return interfaces_; }
  pugi::xml_node interface(std::string_view name) const;
  const std::vector<DescribedVariable>& variables() const { return variables_; }
  const std::vector<Unknown>& unknowns() const { return unknowns_; }

  const DescribedVariable* byName(std::string_view name) const;
  /// What index (FMI 2) or valueReference (FMI 3) refers to; null where nothing.
  const DescribedVariable* byLink(std::string_view number) const;
  const DescribedVariable* byReference(std::uint32_t reference) const;
  /// The type that declaredType names; null where none.
  pugi::xml_node typeOf(const DescribedVariable& variable) const;
  /// An attribute of the variable, or of its declared type.
  pugi::xml_attribute attribute(const DescribedVariable& variable, const char* name) const;
  /// Number of values, 0 where it cannot be told.
  std::size_t sizeOf(const DescribedVariable& variable) const;
  const std::unordered_map<std::string_view, pugi::xml_node>& units() const { return units_; }

  Place at(pugi::xml_node node) const { return xml_.at(node); }

 private:
  void readTypes();
  void readVariables();
  void readStructure();
  DescribedVariable variable(pugi::xml_node node) const;

  const XmlFile& xml_;
  bool fmi3_ = false, known_ = false;
  std::vector<pugi::xml_node> interfaces_;
  std::vector<DescribedVariable> variables_;
  std::vector<Unknown> unknowns_;
  std::unordered_map<std::string_view, std::size_t> byName_;
  std::unordered_map<std::uint32_t, std::size_t> byReference_;
  std::unordered_map<std::string_view, pugi::xml_node> types_, units_;
};

bool isElement(pugi::xml_node node);
std::string_view trimmed(std::string_view text);
/// Words between white space.
std::vector<std::string_view> wordsOf(std::string_view text);
/// A number of XML, also INF and NaN; empty where the text is none.
std::optional<long double> numberOf(std::string_view text);
std::optional<std::uint32_t> unsignedOf(std::string_view text);
bool isTrue(pugi::xml_attribute attribute);

}  // namespace trammel::fmi::check
