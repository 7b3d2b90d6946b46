#include "packaging/member_variables.hpp"

#include <array>
#include <charconv>
#include <sstream>
#include <string_view>

#include "packaging/errors.hpp"

namespace trammel::fmi {
namespace {

using pugi::xml_node;

constexpr std::array attributeNames{"quantity", "unit",    "displayUnit",     "min",
                                    "max",      "nominal", "relativeQuantity"};

std::optional<Type> typeOf(std::string_view element, bool fmi3) {
  if (element == "Float64" || element == "Real") return Type::float64;
  if (element == "Float32") return Type::float32;
  if (element == "Int32" || element == "Integer") return Type::int32;
  if (element == "Enumeration" && !fmi3) return Type::int32;
  if (element == "Boolean") return Type::boolean;
  if (element == "String") return Type::string;
  return std::nullopt;
}

std::optional<Causality> causalityOf(std::string_view word) {
  if (word == "parameter") return Causality::parameter;
  if (word == "input") return Causality::input;
  if (word == "output") return Causality::output;
  if (word == "local" || word.empty()) return Causality::local;
  return std::nullopt;  // nothing to set or to look at from outside
}

std::optional<Variability> variabilityOf(std::string_view word, Causality causality, Type type) {
  if (word == "constant") return std::nullopt;
  if (word == "tunable") return Variability::tunable;
  if (word == "fixed" || causality == Causality::parameter) return Variability::fixed;
  const bool isReal = type == Type::float64 || type == Type::float32;
  return word == "discrete" || !isReal ? Variability::discrete : Variability::continuous;
}

class Reader {
 public:
  explicit Reader(xml_node root) : root_(root) {
    fmi3_ = std::string_view(root.attribute("fmiVersion").value()).starts_with("3");
  }

  void read(MemberXml& member) const {
    for (const xml_node node : root_.child("ModelVariables").children()) {
      if (node.type() != pugi::node_element) continue;
      if (auto variable = read(node)) member.variables.push_back(std::move(*variable));
    }
    for (const xml_node unit : root_.child("UnitDefinitions").children("Unit")) {
      member.units.append_copy(unit);
    }
    member.onlyOncePerProcess =
        root_.child("CoSimulation").attribute("canBeInstantiatedOnlyOncePerProcess").as_bool();
  }

 private:
  std::optional<MemberVariable> read(xml_node node) const {
    const xml_node typed = fmi3_ ? node : typeElement(node);
    const auto type = typeOf(typed.name(), fmi3_);
    const auto causality = causalityOf(node.attribute("causality").value());
    if (!type || !causality) return std::nullopt;
    const auto variability =
        variabilityOf(node.attribute("variability").value(), *causality, *type);
    if (!variability) return std::nullopt;
    MemberVariable v;
    v.name = node.attribute("name").value();
    v.description = node.attribute("description").value();
    v.valueReference = node.attribute("valueReference").as_uint();
    v.type = *type;
    v.causality = *causality;
    v.variability = *variability;
    for (const xml_node dimension : node.children("Dimension")) {
      const pugi::xml_attribute start = dimension.attribute("start");
      v.size *= start ? start.as_ullong(0) : startOfNumber(node.parent(), dimension);
      v.isArray = true;
    }
    if (v.size == 0 || (v.isArray && v.type == Type::string)) return std::nullopt;
    readStart(typed, v);
    readAttributes(typed, v);
    return v;
  }

  /// The number of elements that a structural parameter begins with, 0 where there is none.
  static std::size_t startOfNumber(xml_node variables, xml_node dimension) {
    const std::string reference = dimension.attribute("valueReference").value();
    const xml_node number =
        variables.find_child_by_attribute("UInt64", "valueReference", reference.c_str());
    return number.attribute("start").as_ullong(0);
  }

  static xml_node typeElement(xml_node node) {
    return node.find_child([](xml_node child) {
      return child.type() == pugi::node_element && std::string_view(child.name()) != "Annotations";
    });
  }

  void readStart(xml_node typed, MemberVariable& v) const {
    if (v.type == Type::string) {
      v.startText = fmi3_ ? typed.child("Start").attribute("value").value()
                          : typed.attribute("start").value();
      return;
    }
    std::istringstream words(typed.attribute("start").value());
    for (std::string word; words >> word;) v.start.push_back(number(word));
    if (v.start.size() == 1) v.start.resize(v.size, v.start[0]);
    if (v.start.size() != v.size) v.start.clear();
  }

  static double number(const std::string& word) {
    if (word == "true") return 1;
    double value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
  }

  /// Those of the variable before those of its type.
  void readAttributes(xml_node typed, MemberVariable& v) const {
    if (v.type == Type::string || v.type == Type::boolean) return;
    const xml_node declared = declaredType(typed);
    const bool isReal = v.type == Type::float64 || v.type == Type::float32;
    for (const std::string name : attributeNames) {
      const bool ofReals = name != "quantity" && name != "min" && name != "max";
      if (ofReals && !isReal) continue;
      pugi::xml_attribute attribute = typed.attribute(name.c_str());
      if (!attribute) attribute = declared.attribute(name.c_str());
      if (attribute) v.attributes.emplace_back(name, attribute.value());
    }
  }

  xml_node declaredType(xml_node typed) const {
    const std::string_view wanted = typed.attribute("declaredType").value();
    if (wanted.empty()) return {};
    for (const xml_node type : root_.child("TypeDefinitions").children()) {
      if (type.attribute("name").value() == wanted) return fmi3_ ? type : typeElement(type);
    }
    return {};
  }

  xml_node root_;
  bool fmi3_ = true;
};

}  // namespace

MemberXml readMemberXml(const std::filesystem::path& xml) {
  pugi::xml_document document;
  if (!document.load_file(xml.c_str())) throw InputError(xml.string() + ": is not XML");
  MemberXml member;
  Reader(document.child("fmiModelDescription")).read(member);
  return member;
}

}  // namespace trammel::fmi
