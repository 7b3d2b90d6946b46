#include "packaging/variable_tables.hpp"

#include <array>
#include <vector>

#include "models/mechanism/mechanism_program.hpp"
#include "models/text.hpp"
#include "packaging/drawing.hpp"
#include "packaging/page.hpp"

namespace trammel::fmi {
namespace {

struct Group {
  const char* title;
  bool folded;
  bool (*has)(const Variable&);
};

bool isMotion(const Variable& variable) {
  return variable.quantity == Quantity::position || variable.quantity == Quantity::velocity ||
         variable.quantity == Quantity::acceleration;
}
bool isOfSolver(const Variable& variable) {
  return variable.quantity == Quantity::setting || variable.quantity == Quantity::statistic;
}

bool isInput(const Variable& variable) { return variable.causality == Causality::input; }
bool isOutput(const Variable& variable) { return variable.quantity == Quantity::output; }
bool isParameter(const Variable& variable) {
  return variable.causality == Causality::parameter ||
         variable.causality == Causality::structuralParameter;
}
bool isLocal(const Variable& variable) { return variable.causality == Causality::local; }

/// Each variable belongs to the first group that has it.
constexpr std::array<Group, 6> groups{
    {{"Solver: settings and statistics", true, isOfSolver},
     {"Inputs", false, isInput},
     {"Outputs", false, isOutput},
     {"Parameters", false, isParameter},
     {"Motion: positions, velocities, accelerations", true, isMotion},
     {"Constraints: multipliers and residuals", true, isLocal}}};

/// Where the groups stand on the page.
constexpr std::array<std::size_t, 6> groupOrder{1, 2, 3, 4, 5, 0};

std::string cell(const std::string& text) { return "<td>" + escapedXml(text) + "</td>"; }

/// A value in SI, six digits of it, and in the author's unit where that is another one.
std::string valueText(const CompiledModel& model, const Variable& variable, double value) {
  if (variable.type == Type::boolean) return value != 0 ? "true" : "false";
  std::string text = jsonNumber(value);
  for (const Unit& unit : model.units()) {
    if (!variable.displayUnit.empty() && unit.name == variable.displayUnit)
      text += " (" + jsonNumber((value - unit.offset) / unit.factor) + " " + unit.name + ")";
  }
  return text;
}

std::string startText(const CompiledModel& model, const Variable& variable) {
  if (variable.type == Type::string) return variable.startText;
  return variable.start ? valueText(model, variable, *variable.start) : "";
}

std::string boundsText(const Variable& variable) {
  if (!variable.min && !variable.max) return "";
  if (!variable.min) return "≤ " + numberText(*variable.max);
  if (!variable.max) return "≥ " + numberText(*variable.min);
  return numberText(*variable.min) + " … " + numberText(*variable.max);
}

std::string row(const CompiledModel& model, const Variable& variable) {
  std::string about = variable.description;
  if (variable.causality == Causality::parameter && variable.variability == Variability::tunable)
    about += about.empty() ? "Tunable" : ", tunable";
  if (variable.causality == Causality::structuralParameter)
    about += about.empty() ? "Structural" : ", structural";
  return "<tr><th scope=\"row\">" + escapedXml(variable.name) + "</th>" + cell(variable.unit) +
         cell(startText(model, variable)) + cell(boundsText(variable)) + cell(about) + "</tr>\n";
}

std::string groupTable(const Group& group, const std::string& rows, std::size_t count) {
  const std::string title =
      std::string(group.title) + (group.folded ? " (" + std::to_string(count) + ")" : "");
  const std::string table =
      "<div class=\"wide\"><table>" + (group.folded ? "" : "<caption>" + title + "</caption>") +
      "<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Unit</th><th scope=\"col\">Start"
      "</th><th scope=\"col\">Bounds</th><th scope=\"col\">Description</th></tr></thead>\n<tbody>" +
      rows + "</tbody></table></div>";
  return group.folded
             ? "<details class=\"group\"><summary>" + title + "</summary>" + table + "</details>\n"
             : "<div class=\"group\">" + table + "</div>\n";
}

const char* kindText(BodyKind kind) {
  switch (kind) {
    case BodyKind::point:
    case BodyKind::planarPoint:
      return "point mass";
    case BodyKind::planar:
      return "rigid, in the plane";
    case BodyKind::rigid:
      return "rigid";
    default:
      return "rotation over many turns";
  }
}

std::string wordsOf(std::string text) {
  for (char& c : text) c = c == '_' ? ' ' : c;
  return text;
}

std::string table(const char* caption, const char* head, const std::string& rows) {
  if (rows.empty()) return "";
  return std::string("<table><caption>") + caption + "</caption><thead><tr>" + head +
         "</tr></thead>\n<tbody>" + rows + "</tbody></table>\n";
}

}  // namespace

std::string variableTables(const CompiledModel& model) {
  std::vector<std::string> rows(groups.size());
  std::vector<std::size_t> counts(groups.size(), 0);
  for (const Variable& variable : model.variables().variables) {
    if (variable.causality == Causality::independent) continue;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (!groups[g].has(variable)) continue;
      rows[g] += row(model, variable);
      ++counts[g];
      break;
    }
  }
  std::string html;
  for (const std::size_t g : groupOrder) {
    if (!rows[g].empty()) html += groupTable(groups[g], rows[g], counts[g]);
  }
  return html;
}

std::string mechanismTables(const CompiledModel& model) {
  const MechanismProgram* program = model.mechanism();
  if (program == nullptr) return "";
  const auto bodyOf = [&](int frame) {
    const int body = program->frames[static_cast<std::size_t>(frame)].body;
    return body == 0 ? std::string("ground") : program->bodies[static_cast<std::size_t>(body)].name;
  };
  std::string bodies, joints;
  for (std::size_t b = 1; b < program->bodies.size(); ++b) {
    const BodyProgram& body = program->bodies[b];
    if (body.given)
      bodies += "<tr><th scope=\"row\">" + escapedXml(body.name) + "</th>" +
                cell(kindText(body.kind)) + "</tr>\n";
  }
  for (const JointProgram& joint : program->joints) {
    joints += "<tr><th scope=\"row\">" + escapedXml(joint.name) + "</th>" +
              cell(wordsOf(joint.type)) +
              cell(joint.frameB < 0 ? "" : bodyOf(joint.frameA) + " – " + bodyOf(joint.frameB)) +
              "</tr>\n";
  }
  return table("Bodies", "<th scope=\"col\">Name</th><th scope=\"col\">Kind</th>", bodies) +
         table("Joints",
               "<th scope=\"col\">Name</th><th scope=\"col\">Kind</th><th scope=\"col\">Between"
               "</th>",
               joints);
}

}  // namespace trammel::fmi
