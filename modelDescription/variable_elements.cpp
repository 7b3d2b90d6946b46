#include "modelDescription/variable_elements.hpp"

#include <charconv>
#include <utility>

#include "modelDescription/xml_text.hpp"

namespace trammel::fmi {
namespace {

using pugi::xml_node;

/// FMI 2 has no structural parameters: there such a number is a constant.
const char* text(Causality causality, bool fmi3) {
  switch (causality) {
    case Causality::structuralParameter:
      return fmi3 ? "structuralParameter" : "local";
    case Causality::parameter:
      return "parameter";
    case Causality::input:
      return "input";
    case Causality::output:
      return "output";
    case Causality::local:
      return "local";
    case Causality::independent:
      return "independent";
  }
  return "";
}

const char* text(Variability variability) {
  switch (variability) {
    case Variability::fixed:
      return "fixed";
    case Variability::tunable:
      return "tunable";
    case Variability::discrete:
      return "discrete";
    case Variability::continuous:
      return "continuous";
  }
  return "";
}

const char* text(Initial initial) {
  switch (initial) {
    case Initial::none:
      return "";
    case Initial::exact:
      return "exact";
    case Initial::approx:
      return "approx";
    case Initial::calculated:
      return "calculated";
  }
  return "";
}

const char* text(Type type, bool fmi3) {
  switch (type) {
    case Type::float64:
      return fmi3 ? "Float64" : "Real";
    case Type::float32:
      return fmi3 ? "Float32" : "Real";
    case Type::int32:
      return fmi3 ? "Int32" : "Integer";
    case Type::boolean:
      return "Boolean";
    case Type::string:
      return "String";
    case Type::uint64:
      return fmi3 ? "UInt64" : "Integer";
  }
  return "";
}

std::string valueText(Type type, double value) {
  if (type == Type::boolean) return value != 0 ? "true" : "false";
  if (type != Type::float32) return numberText(value);
  char buffer[32];  // the shortest text that reads back as the same number of 32 bits
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr};
}

class VariableWriter {
 public:
  VariableWriter(const DescribedVariables& variables, bool fmi3)
      : variables_(variables), fmi3_(fmi3) {}

  /// FMI 3 has one element with all attributes, FMI 2 an element for the variable and one inside
  /// for its type.
  void write(xml_node parent, const VariableArray& array) const {
    const Variable& variable = variables_.first(array);
    xml_node outer = parent.append_child(fmi3_ ? text(variable.type, true) : "ScalarVariable");
    add(outer, "name", array.name);
    add(outer, "valueReference", std::to_string(array.first));
    if (!variable.description.empty()) add(outer, "description", variable.description);
    add(outer, "causality", text(variable.causality, fmi3_));
    const bool constant = variable.causality == Causality::structuralParameter && !fmi3_;
    add(outer, "variability", constant ? "constant" : text(variable.variability));
    // Inputs and the independent variable must not carry `initial` in FMI 2 and need none in FMI 3.
    const bool hasInitial = variable.initial != Initial::none &&
                            variable.causality != Causality::input &&
                            variable.causality != Causality::independent;
    if (hasInitial) add(outer, "initial", text(variable.initial));
    if (fmi3_ && hasIntermediateUpdate(variable)) add(outer, "intermediateUpdate", "true");
    xml_node typed = fmi3_ ? outer : outer.append_child(text(variable.type, false));
    if (variable.type == Type::string) {
      writeText(typed, variable);
    } else {
      writeNumber(typed, array);
    }
    if (array.isArray) writeDimension(typed.append_child("Dimension"), array);
  }

 private:
  void writeDimension(xml_node node, const VariableArray& array) const {
    if (const auto& number = variables_.first(array).dimension) {
      add(node, "valueReference", variables_.reference(*number));
    } else {
      add(node, "start", std::to_string(array.count));
    }
  }

  void writeText(xml_node node, const Variable& variable) const {
    if (variable.initial == Initial::calculated) return;
    if (fmi3_) {
      add(node.append_child("Start"), "value", variable.startText);
    } else {
      add(node, "start", variable.startText);
    }
  }

  void writeNumber(xml_node node, const VariableArray& array) const {
    const Variable& variable = variables_.first(array);
    if (!variable.unit.empty()) add(node, "unit", variable.unit);
    if (!variable.displayUnit.empty()) add(node, "displayUnit", variable.displayUnit);
    // One attribute holds for all elements of an array.
    const auto common = [&](std::optional<double> Variable::*member) {
      std::optional<double> value = variable.*member;
      for (std::size_t i = 1; i < array.count; ++i)
        if (element(array, i).*member != value) value.reset();
      return value;
    };
    for (const auto& [name, member] :
         {std::pair{"min", &Variable::min}, std::pair{"max", &Variable::max},
          std::pair{"nominal", &Variable::nominal}}) {
      const std::optional<double> value = common(member);
      if (value && std::isfinite(*value)) add(node, name, valueText(variable.type, *value));
    }
    if (variable.causality != Causality::independent && variable.initial != Initial::calculated)
      writeStart(node, array);
    if (variable.derivativeOf)
      add(node, "derivative", variables_.reference(*variable.derivativeOf));
  }

  void writeStart(xml_node node, const VariableArray& array) const {
    const Variable& variable = variables_.first(array);
    std::string values;
    for (std::size_t i = 0; i < array.count; ++i) {
      const std::optional<double>& start = element(array, i).start;
      if (!start || !std::isfinite(*start)) return;
      values += (values.empty() ? "" : " ") + valueText(variable.type, *start);
    }
    add(node, "start", values);
  }

  const Variable& element(const VariableArray& array, std::size_t i) const {
    return variables_.table().variables[array.first + i];
  }

  const DescribedVariables& variables_;
  const bool fmi3_;
};

}  // namespace

void writeVariables(xml_node node, const DescribedVariables& variables, bool fmi3) {
  const VariableWriter writer(variables, fmi3);
  for (const VariableArray& array : variables.all()) writer.write(node, array);
}

}  // namespace trammel::fmi
