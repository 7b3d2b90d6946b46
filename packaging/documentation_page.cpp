#include "packaging/documentation_page.hpp"

#include <optional>

#include "modelDescription/version.hpp"
#include "models/text.hpp"

namespace trammel::fmi {
namespace {

constexpr const char* style =
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}"
    "th,td{border-bottom:1px solid #ccc;padding:.25em .7em;text-align:left}"
    "td.number{text-align:right;font-variant-numeric:tabular-nums}";

std::string escaped(const std::string& text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string cell(const std::string& text) { return "<td>" + escaped(text) + "</td>"; }

std::string cell(const std::optional<double>& value) {
  return "<td class=\"number\">" + (value ? numberText(*value) : "") + "</td>";
}

/// One table of the variables with this causality; nothing if there are none.
std::string table(const CompiledModel& model, Causality causality, const std::string& title) {
  std::string rows;
  for (const Variable& variable : model.variables().variables) {
    if (variable.causality != causality) continue;
    rows += "<tr>" + cell(variable.name) + cell(variable.unit) + cell(variable.start) +
            cell(variable.description) + "</tr>\n";
  }
  if (rows.empty()) return "";
  return "<h2>" + title +
         "</h2>\n<table>\n<tr><th>Name</th><th>Unit</th><th>Start</th><th>Description</th></tr>\n" +
         rows + "</table>\n";
}

std::string experiment(const CompiledModel& model) {
  const DefaultExperiment& e = model.defaultExperiment();
  return "<p>Default experiment: from " + numberText(e.startTime) + " s to " +
         numberText(e.stopTime) + " s, communication step " + numberText(e.stepSize) +
         " s, relative tolerance " + numberText(e.tolerance) + ".</p>\n";
}

}  // namespace

std::string documentationPage(const CompiledModel& model) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
      escaped(model.name()) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<h1>" +
      escaped(model.name()) + "</h1>\n";
  if (!model.description().empty()) page += "<p>" + escaped(model.description()) + "</p>\n";
  page += "<p>A constrained mechanism with " + std::to_string(model.coordinateCount()) +
          " coordinates and " + std::to_string(model.constraintCount()) +
          " constraint equations, exported by Trammel " + std::string(version()) +
          " as an FMU for co-simulation. The model itself is in resources/model.toml.</p>\n";
  page += experiment(model);
  page += table(model, Causality::input, "Inputs");
  page += table(model, Causality::output, "Outputs");
  page += table(model, Causality::parameter, "Parameters");
  page += table(model, Causality::local, "Local variables");
  return page + "</body>\n</html>\n";
}

}  // namespace trammel::fmi
