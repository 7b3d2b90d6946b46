#include "modelDescription/model_structure.hpp"

#include <algorithm>

#include "modelDescription/xml_text.hpp"

namespace trammel::fmi {
namespace {

using pugi::xml_node;

// Every acceleration depends on every state: the list grows with the square of their number.
constexpr std::size_t mostStates = 200;

class StructureWriter {
 public:
  StructureWriter(const DescribedVariables& variables, bool fmi3)
      : variables_(variables), fmi3_(fmi3) {
    findStates();
  }

  void write(xml_node node) const {
    writeList(node, "Outputs", "Output", true,
              [](const Variable& variable) { return variable.causality == Causality::output; });
    writeList(node, "Derivatives", "ContinuousStateDerivative", true,
              [this](const Variable& variable) { return isDerivative(variable); });
    writeList(node, "InitialUnknowns", "InitialUnknown", false, [this](const Variable& variable) {
      const bool unknown =
          variable.causality == Causality::output || isState(variable) || isDerivative(variable);
      return unknown &&
             (variable.initial == Initial::approx || variable.initial == Initial::calculated);
    });
  }

 private:
  static bool isMotion(const Variable& variable) {
    return variable.quantity == Quantity::position || variable.quantity == Quantity::velocity;
  }
  bool isState(const Variable& variable) const { return !states_.empty() && isMotion(variable); }
  bool isDerivative(const Variable& variable) const {
    return !states_.empty() &&
           (variable.quantity == Quantity::velocity || variable.quantity == Quantity::acceleration);
  }

  /// Positions and velocities are states if all of them, with their derivatives, are variables. FMI
  /// 3 does not get to see them: an output that is a state depends on itself, and Maestro 3.1.1
  /// does not end when it reads that.
  void findStates() {
    if (fmi3_) return;
    std::size_t motions = 0, derivatives = 0;
    std::vector<std::string> states;
    for (const VariableArray& array : variables_.all()) {
      const Variable& variable = variables_.first(array);
      if (isMotion(variable)) {
        motions += array.count;
        states.push_back(variables_.reference(variable.valueReference));
      }
      const bool derivative =
          variable.quantity == Quantity::velocity || variable.quantity == Quantity::acceleration;
      if (derivative && variable.derivativeOf) derivatives += array.count;
    }
    if (motions == derivatives && motions <= mostStates) states_ = std::move(states);
  }

  template <class Condition>
  void writeList(xml_node node, const char* list, const char* element, bool inStepMode,
                 const Condition& listed) const {
    xml_node parent = fmi3_ ? node : xml_node();
    for (const VariableArray& array : variables_.all()) {
      if (!listed(variables_.first(array))) continue;
      if (!parent) parent = node.append_child(list);
      xml_node unknown = parent.append_child(fmi3_ ? element : "Unknown");
      add(unknown, fmi3_ ? "valueReference" : "index", variables_.reference(array.first));
      // At initialization every start value and parameter may act on every unknown through the
      // projection on the constraints; this is what missing `dependencies` mean.
      if (inStepMode) writeDependencies(unknown, array);
    }
  }

  /// What acts at once: the table knows it of inputs and time, states act on all but themselves
  /// through the accelerations.
  void writeDependencies(xml_node node, const VariableArray& array) const {
    std::vector<std::string> knowns, kinds;
    const auto depend = [&](const std::string& known, const char* kind) {
      if (std::find(knowns.begin(), knowns.end(), known) != knowns.end()) return;
      knowns.push_back(known);
      kinds.emplace_back(kind);
    };
    for (std::size_t i = 0; i < array.count; ++i) {
      const Variable& element = variables_.table().variables[array.first + i];
      if (!element.dependencies) return;
      for (const std::uint32_t known : *element.dependencies)
        depend(variables_.reference(known), "dependent");
    }
    if (isState(variables_.first(array))) {
      depend(variables_.reference(array.first), "constant");
    } else {
      for (const std::string& state : states_) depend(state, "dependent");
    }
    add(node, "dependencies", joined(knowns));
    if (!kinds.empty()) add(node, "dependenciesKind", joined(kinds));
  }

  static std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  const DescribedVariables& variables_;
  const bool fmi3_;
  std::vector<std::string> states_;  // references; empty: none are declared
};

}  // namespace

void writeStructure(xml_node node, const DescribedVariables& variables, bool fmi3) {
  StructureWriter(variables, fmi3).write(node);
}

}  // namespace trammel::fmi
