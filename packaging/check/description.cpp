#include "packaging/check/description.hpp"

#include <array>
#include <charconv>
#include <limits>

namespace trammel::fmi::check {

using pugi::xml_attribute;
using pugi::xml_node;

namespace {

constexpr std::size_t largestArray = 1'000'000;  // values of one variable that are looked at

/// Value of `initial` where it is not given, table "Definition of initial".
std::string_view defaultInitial(std::string_view causality, std::string_view variability,
                                bool fmi3) {
  if (causality == "independent") return {};
  if (causality == "input") return fmi3 ? "exact" : "";
  if (causality == "parameter" || causality == "structuralParameter" || variability == "constant")
    return "exact";
  return "calculated";
}

/// Value of `variability` where it is not given.
std::string_view defaultVariability(std::string_view causality, bool isFloat, bool fmi3) {
  if (!fmi3) return "continuous";
  if (causality == "parameter" || causality == "calculatedParameter" ||
      causality == "structuralParameter")
    return "fixed";
  return isFloat ? "continuous" : "discrete";
}

xml_node firstElement(xml_node node) {
  return node.find_child([](xml_node child) {
    return isElement(child) && std::string_view(child.name()) != "Annotations";
  });
}

}  // namespace

bool isElement(xml_node node) { return node.type() == pugi::node_element; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

std::vector<std::string_view> wordsOf(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(space); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(space, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(space, end);
  }
  return words;
}

std::optional<long double> numberOf(std::string_view text) {
  text = trimmed(text);
  if (text == "INF") return std::numeric_limits<long double>::infinity();
  if (text == "-INF") return -std::numeric_limits<long double>::infinity();
  if (text == "NaN") return std::numeric_limits<long double>::quiet_NaN();
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos)
    return std::nullopt;
  long double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> unsignedOf(std::string_view text) {
  text = trimmed(text);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool isTrue(xml_attribute attribute) {
  const std::string_view text = trimmed(attribute.value());
  return text == "true" || text == "1";
}

bool DescribedVariable::hasStart() const {
  return typed.attribute("start") || typed.child("Start");
}

Description::Description(const XmlFile& xml) : xml_(xml) {
  fmi3_ = version().starts_with("3.");
  known_ = fmi3_ || version() == "2.0";
  for (const char* name : {"ModelExchange", "CoSimulation", "ScheduledExecution"}) {
    if (const xml_node node = root().child(name)) interfaces_.push_back(node);
  }
  readTypes();
  readVariables();
  readStructure();
}

std::string_view Description::token() const {
  return root().attribute(fmi3_ ? "instantiationToken" : "guid").value();
}

xml_node Description::interface(std::string_view name) const {
  for (const xml_node node : interfaces_) {
    if (name == node.name()) return node;
  }
  return {};
}

void Description::readTypes() {
  for (const xml_node node : root().child("UnitDefinitions").children("Unit"))
    units_.emplace(node.attribute("name").value(), node);
  for (const xml_node node : root().child("TypeDefinitions").children()) {
    if (isElement(node))
      types_.emplace(node.attribute("name").value(), fmi3_ ? node : firstElement(node));
  }
}

DescribedVariable Description::variable(xml_node node) const {
  DescribedVariable v;
  v.node = node;
  v.typed = fmi3_ ? node : firstElement(node);
  v.name = node.attribute("name").value();
  v.type = v.typed.name();
  v.reference = unsignedOf(node.attribute("valueReference").value());
  const auto text = [&](const char* attribute, std::string_view otherwise) {
    const xml_attribute given = node.attribute(attribute);
    return given ? trimmed(given.value()) : otherwise;
  };
  v.causality = text("causality", "local");
  v.variability = text("variability", defaultVariability(v.causality, v.isFloat(), fmi3_));
  v.initial =
      text("initial", v.type == "Clock" ? std::string_view()
                                        : defaultInitial(v.causality, v.variability, fmi3_));
  return v;
}

void Description::readVariables() {
  for (const xml_node node : root().child("ModelVariables").children()) {
    if (!isElement(node)) continue;
    variables_.push_back(variable(node));
    const DescribedVariable& v = variables_.back();
    variables_.back().position = variables_.size();
    byName_.emplace(v.name, variables_.size() - 1);
    if (v.reference) byReference_.emplace(*v.reference, variables_.size() - 1);
    if (!fmi3_) continue;
    for (const xml_node alias : node.children("Alias"))
      byName_.emplace(alias.attribute("name").value(), variables_.size() - 1);
  }
}

void Description::readStructure() {
  // Lists of FMI 2 and the elements of FMI 3 that say the same.
  static constexpr std::array<std::pair<const char*, std::string_view>, 4> lists{
      {{"Outputs", "Output"},
       {"Derivatives", "ContinuousStateDerivative"},
       {"DiscreteStates", "ClockedState"},
       {"InitialUnknowns", "InitialUnknown"}}};
  const xml_node structure = root().child("ModelStructure");
  if (fmi3_) {
    for (const xml_node node : structure.children()) {
      if (isElement(node) && std::string_view(node.name()) != "Annotations")
        unknowns_.push_back({node, node.name(), byLink(node.attribute("valueReference").value())});
    }
    return;
  }
  for (const auto& [list, word] : lists) {
    for (const xml_node node : structure.child(list).children("Unknown"))
      unknowns_.push_back({node, word, byLink(node.attribute("index").value())});
  }
}

const DescribedVariable* Description::byName(std::string_view name) const {
  const auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : &variables_[found->second];
}

const DescribedVariable* Description::byReference(std::uint32_t reference) const {
  const auto found = byReference_.find(reference);
  return found == byReference_.end() ? nullptr : &variables_[found->second];
}

const DescribedVariable* Description::byLink(std::string_view number) const {
  const std::optional<std::uint32_t> link = unsignedOf(number);
  if (!link) return nullptr;
  if (fmi3_) return byReference(*link);
  return *link >= 1 && *link <= variables_.size() ? &variables_[*link - 1] : nullptr;
}

xml_node Description::typeOf(const DescribedVariable& variable) const {
  const auto found = types_.find(variable.typed.attribute("declaredType").value());
  return found == types_.end() ? xml_node() : found->second;
}

xml_attribute Description::attribute(const DescribedVariable& variable, const char* name) const {
  const xml_attribute own = variable.typed.attribute(name);
  return own ? own : typeOf(variable).attribute(name);
}

std::size_t Description::sizeOf(const DescribedVariable& variable) const {
  if (!fmi3_) return 1;
  std::size_t size = 1;
  for (const xml_node dimension : variable.node.children("Dimension")) {
    xml_attribute length = dimension.attribute("start");
    if (!length) {
      const DescribedVariable* named = byLink(dimension.attribute("valueReference").value());
      if (named != nullptr) length = named->typed.attribute("start");
    }
    const std::optional<std::uint32_t> count = unsignedOf(length.value());
    if (!count || *count == 0 || *count > largestArray / size) return 0;
    size *= *count;
  }
  return size;
}

}  // namespace trammel::fmi::check
