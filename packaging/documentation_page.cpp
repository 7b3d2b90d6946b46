#include "packaging/documentation_page.hpp"

#include <algorithm>
#include <cmath>

#include "modelDescription/version.hpp"
#include "models/text.hpp"
#include "packaging/drawing.hpp"
#include "packaging/mechanism_scene.hpp"
#include "packaging/mechanism_sketch.hpp"
#include "packaging/page.hpp"
#include "packaging/page_parts.hpp"
#include "packaging/variable_tables.hpp"

namespace trammel::fmi {
namespace {

constexpr std::size_t numberLimit = 8000;  // in the plots
constexpr std::size_t usualRows = 250, fewestRows = 60;

const char* versionText(FmiVersion version) { return version == FmiVersion::fmi3 ? "3.0" : "2.0"; }

std::string fact(const char* name, const std::string& value) {
  return std::string("<div><dt>") + name + "</dt><dd>" + escapedXml(value) + "</dd></div>\n";
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i)
    text += (i == 0 ? "" : (i + 1 == items.size() ? " and " : ", ")) + items[i];
  return text;
}

std::string plural(Index count, const char* word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

/// "mechanism", "equations", "linear" as the file has it.
std::string kindText(const CompiledModel& model) {
  if (model.mechanism() != nullptr) return "mechanism of bodies and joints";
  return model.text().find("kind = \"linear\"") != std::string::npos ? "linear system"
                                                                     : "equations of motion";
}

std::string header(const CompiledModel& model, const DocumentationOptions& options,
                   const std::string& navigation) {
  const DefaultExperiment& e = model.defaultExperiment();
  std::string html = "<header>\n<h1>" + escapedXml(model.name()) + "</h1>\n";
  if (!model.description().empty())
    html += "<p class=\"lead\">" + escapedXml(model.description()) + "</p>\n";
  html += "<dl class=\"facts\">\n" +
          fact("FMU", std::string("co-simulation, FMI ") + versionText(options.version)) +
          fact("Model", kindText(model)) +
          fact("Size", plural(model.coordinateCount(), "coordinate") + ", " +
                           plural(model.constraintCount(), "constraint equation")) +
          fact("Default experiment",
               numberText(e.startTime) + " s to " + numberText(e.stopTime) + " s") +
          fact("Communication step", numberText(e.stepSize) + " s") +
          fact("Relative tolerance", numberText(e.tolerance)) + "</dl>\n</header>\n";
  return html + "<nav aria-label=\"Sections\"><ul>" + navigation + "</ul></nav>\n";
}

std::string link(const char* id, const char* title) {
  return std::string("<li><a href=\"#") + id + "\">" + title + "</a></li>";
}

/// Declared outputs, then as many positions, velocities and multipliers as there is room for.
PlotData plotData(const CompiledModel& model, const ReferenceRun& run) {
  PlotData data;
  data.times = run.times;
  const std::size_t count = run.times.size();
  const std::size_t widest = numberLimit / std::max<std::size_t>(1, std::min(count, usualRows));
  for (const Quantity quantity :
       {Quantity::output, Quantity::position, Quantity::velocity, Quantity::multiplier}) {
    for (const Variable& variable : model.variables().variables) {
      const ReferenceRun::Column* column = run.find(variable.valueReference);
      if (variable.quantity != quantity || column == nullptr) continue;
      if (data.columns.size() >= widest && quantity != Quantity::output) break;
      data.columns.push_back({variable.name, variable.unit, variable.description,
                              quantity == Quantity::output ? "output" : "local", column->values});
    }
  }
  std::size_t stride = 1;
  const std::size_t width = data.columns.size();
  while (width * (count / stride) > numberLimit && count / (stride + 1) >= fewestRows) ++stride;
  return thinned(data, stride);
}

std::string plotsSection(const ReferenceRun& run) {
  const DefaultExperiment& e = run.experiment;
  return filled(page::plots(),
                {{"plotsTitle", "Reference run"},
                 {"plotsText", "The default experiment from " + numberText(e.startTime) + " s to " +
                                   numberText(e.stopTime) +
                                   " s with all inputs at their start values, relative tolerance " +
                                   numberText(e.tolerance) + ". All values are in SI units."}});
}

std::string mechanismSection(const CompiledModel& model, const ReferenceRun* run) {
  Vector q(model.coordinateCount()), v(model.coordinateCount());
  if (run != nullptr && !run->positions.empty()) {
    q = run->positions.front();
  } else {
    model.makeSystem()->startValues(q, v);
  }
  return "<section id=\"mechanism\" aria-labelledby=\"mechanism-title\">\n"
         "<h2 id=\"mechanism-title\">Mechanism</h2>\n<figure class=\"sketch\">\n" +
         mechanismSketch(model, q) + "</figure>\n" + mechanismTables(model) + "</section>\n";
}

std::string variablesSection(const CompiledModel& model) {
  return "<section id=\"variables\" aria-labelledby=\"variables-title\">\n"
         "<h2 id=\"variables-title\">Variables</h2>\n"
         "<p>All values are in SI units. Fixed parameters and start values can be set before the "
         "simulation, tunable parameters and inputs at every communication point.</p>\n"
         "<p class=\"needs-script\"><input type=\"search\" id=\"variable-search\" "
         "placeholder=\"Find a variable\" aria-label=\"Find a variable\"></p>\n" +
         variableTables(model) + "</section>\n";
}

/// How the first port of the model is joined to another FMU.
std::string coupleText(const CompiledModel& model, const Replacements& names) {
  if (model.ports().empty()) return "";
  const Port& port = model.ports().front();
  std::string motion = port.name + ".r";
  for (const Port::Member& member : port.members) {
    if (member.role == "r" || member.role == "phi")
      motion = member.name + (member.count > 1 ? "[1]" : "");
  }
  const std::string ends = "a = \"this." + port.name + "\"\nb = \"other.end\"";
  const std::string joint = port.kind == "frame" ? "type = \"fixed\"\n" + ends
                            : port.kind == "point"
                                ? "type = \"spherical\"\n" + ends
                                : "type = \"linear\"\nports = [\"this." + port.name +
                                      "\", \"other.end\"]\ncoefficients = "
                                      "[1.0, -1.0]";
  Replacements all = names;
  all.insert(all.end(), {{"port", escapedXml(port.name)},
                         {"motion", escapedXml(motion)},
                         {"joint", escapedXml(joint)}});
  return filled(page::couple(), all);
}

/// , start_values={"m": 1} with the first parameter of the model.
std::string startValuesText(const CompiledModel& model) {
  for (const Variable& variable : model.variables().variables) {
    if (variable.quantity != Quantity::parameter || variable.type != Type::float64 ||
        !variable.start || variable.name.find('[') != std::string::npos)
      continue;
    return ", start_values={\"" + variable.name + "\": " + numberText(*variable.start) + "}";
  }
  return "";
}

std::string useSection(const CompiledModel& model, const DocumentationOptions& options) {
  const DefaultExperiment& e = model.defaultExperiment();
  const bool fmi3 = options.version == FmiVersion::fmi3;
  const double steps = std::max(1.0, std::round((e.stopTime - e.startTime) / e.stepSize));
  Replacements names{{"fmu", model.identifier() + ".fmu"},
                     {"identifier", model.identifier()},
                     {"fmi", versionText(options.version)},
                     {"platforms", escapedXml(listed(options.platforms))},
                     {"stop", numberText(e.stopTime)},
                     {"step", numberText(e.stepSize)},
                     {"steps", numberText(steps)},
                     {"startValues", escapedXml(startValuesText(model))},
                     {"fmi2Note", fmi3 ? "<p>Tools that read FMI 2.0 only take the FMU that "
                                         "<code>trammel export --fmi 2</code> makes.</p>"
                                       : ""},
                     {"simulinkNote", fmi3 ? " FMI 3.0 needs a recent release; older ones take the "
                                             "FMU that <code>trammel export --fmi 2</code> makes."
                                           : ""}};
  names.emplace_back("couple", coupleText(model, names));
  return filled(page::use(), names);
}

std::string fileSection(const CompiledModel& model) {
  return "<section id=\"file\" aria-labelledby=\"file-title\">\n"
         "<h2 id=\"file-title\">Model file</h2>\n"
         "<p>The FMU runs this file, <code>resources/model.toml</code>; <code>trammel export "
         "model.toml</code> makes the FMU from it.</p>\n<details><summary>Show the file</summary>\n"
         "<pre><code class=\"toml\">" +
         escapedXml(model.text()) + "</code></pre></details>\n</section>\n";
}

std::string footer() {
  return "<footer><p>Made by Trammel " + std::string(version()) +
         ". Plots by Dygraphs, MIT licence. Licences: <code>documentation/licenses</code>.</p>"
         "</footer>\n";
}

}  // namespace

std::string documentationPage(const CompiledModel& model, const DocumentationOptions& options,
                              const ReferenceRun* run) {
  const bool isMechanism = model.mechanism() != nullptr;
  PageContent content;
  content.title = model.name();
  std::string navigation;
  if (run != nullptr) {
    content.scene = mechanismScene(model, *run);
    const PlotData data = plotData(model, *run);
    content.run = runJson(data);
    if (content.scene != "null") {
      navigation += link("motion", "Motion");
      content.content += page::motion();
    }
    if (!data.columns.empty()) {
      navigation += link("plots", "Plots");
      content.content += plotsSection(*run);
    }
  }
  if (isMechanism) {
    navigation += link("mechanism", "Mechanism");
    content.content += mechanismSection(model, run);
  }
  navigation += link("variables", "Variables") + link("use", "Use") + link("file", "Model file");
  content.content += variablesSection(model) + useSection(model, options) + fileSection(model);
  content.header = header(model, options, navigation);
  content.footer = footer();
  return completePage(content);
}

}  // namespace trammel::fmi
