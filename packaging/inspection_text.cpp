#include <array>
#include <cmath>
#include <cstdio>

#include "models/text.hpp"
#include "packaging/inspection_report.hpp"
#include "packaging/text_table.hpp"

namespace trammel::fmi {
namespace {

/// Six significant digits.
std::string rounded(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6g", value == 0 ? 0.0 : value);
  return buffer.data();
}

/// The same, with the rounding of exact zeros taken away.
std::string roundedPlace(double value) { return rounded(std::abs(value) < 1e-14 ? 0.0 : value); }

std::string rounded(const std::optional<double>& value) { return value ? rounded(*value) : ""; }

std::string counted(Index count, const char* word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string section(const std::string& title, const TextTable& table) {
  return table.empty() ? "" : "\n" + title + "\n" + table.text("  ");
}

std::string bodies(const Inspection& inspection) {
  TextTable table({"name", "type", "mass [kg]", "centre of mass [m]"});
  for (const InspectedBody& body : inspection.bodies) {
    std::string place;
    for (const double x : body.placement) place += (place.empty() ? "" : ", ") + roundedPlace(x);
    table.addRow({body.name, body.type, rounded(body.mass), place});
  }
  return section("Bodies", table);
}

std::string joints(const Inspection& inspection) {
  const bool ofBodies = !inspection.bodies.empty();
  TextTable table({"name", "type", ofBodies ? "between" : "", "equations"});
  std::string redundancies;
  for (const InspectedJoint& joint : inspection.joints) {
    const std::string between = joint.bodyB.empty() ? "" : joint.bodyA + " – " + joint.bodyB;
    table.addRow({joint.name, joint.type, between, std::to_string(joint.equations)});
    if (joint.redundant == 0) continue;
    redundancies += std::string("  ") + (ofBodies ? "joint " : "constraint ") + joint.name + ": " +
                    std::to_string(joint.redundant) + " of " +
                    counted(joint.equations, "equation") + " redundant\n";
  }
  if (!redundancies.empty()) redundancies = "\nRedundancies\n" + redundancies;
  return section(ofBodies ? "Joints" : "Constraints", table) + redundancies;
}

std::string initialState(const CompiledModel& model, const Inspection& inspection) {
  const Motion& motion = inspection.motion;
  std::string text = "\nInitial state at t = " + rounded(motion.t) + " s";
  if (!inspection.start.ok) return text + ": none, " + inspection.start.message + "\n";
  if (inspection.correction > 1e-12)
    text += ", start positions moved by up to " + rounded(inspection.correction) +
            " of their nominal size";
  TextTable table({"coordinate", "value", "velocity", "unit"});
  for (const Variable& variable : model.variables().variables) {
    if (variable.quantity != Quantity::position) continue;
    const Index i = variable.index;
    table.addRow(
        {variable.name, roundedPlace(motion.q[i]), roundedPlace(motion.v[i]), variable.unit});
  }
  return text + "\n" + table.text("  ");
}

std::string modes(const Inspection& inspection) {
  if (!inspection.noModes.empty())
    return "\nNatural frequencies: none, " + inspection.noModes + "\n";
  std::string title = "\nNatural frequencies of the system linearised at the initial state";
  if (inspection.acceleration > 1e-9)
    title += "\n(no equilibrium: accelerations up to " + rounded(inspection.acceleration) +
             " in SI units)";
  TextTable table({"f [Hz]", "damping", "moves most", ""});
  for (const NaturalMode& mode : inspection.modes) {
    std::string remark;
    if (mode.frequency == 0) remark = "free motion";
    if (mode.growth > 1e-9 * mode.frequency)
      remark = "unstable, grows with " + rounded(mode.growth) + " 1/s";
    table.addRow({rounded(mode.frequency), rounded(mode.damping), mode.coordinate, remark});
  }
  return title + "\n" + table.text("  ");
}

std::string variables(const CompiledModel& model, Causality causality, const char* title) {
  TextTable table({"name", "unit", "start", "min", "max", "description"});
  for (const Variable& variable : model.variables().variables) {
    const bool ofModel =
        variable.quantity == Quantity::parameter || variable.quantity == Quantity::input ||
        variable.quantity == Quantity::output || variable.quantity == Quantity::structure;
    if (variable.causality != causality || !ofModel) continue;
    table.addRow({variable.name, variable.unit, rounded(variable.start), rounded(variable.min),
                  rounded(variable.max), variable.description});
  }
  return section(title, table);
}

}  // namespace

std::string inspectionText(const CompiledModel& model, const Inspection& inspection) {
  std::string text = model.name();
  if (!model.description().empty()) text += ": " + model.description();
  text += "\n" + counted(inspection.coordinates, "coordinate") + ", " +
          counted(inspection.equations, "constraint equation") +
          "; degrees of freedom: " + std::to_string(inspection.degreesOfFreedom) +
          ", Grübler count: " + std::to_string(inspection.grueblerCount) + "\n";
  text +=
      bodies(inspection) + joints(inspection) + initialState(model, inspection) + modes(inspection);
  text += variables(model, Causality::structuralParameter, "Structural parameters");
  text += variables(model, Causality::parameter, "Parameters");
  text += variables(model, Causality::input, "Inputs");
  return text + variables(model, Causality::output, "Outputs");
}

}  // namespace trammel::fmi
