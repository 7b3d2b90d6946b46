#include "packaging/reference_files.hpp"

#include <sstream>
#include <string>

#include "modelDescription/xml_text.hpp"
#include "models/text.hpp"
#include "packaging/csv_writer.hpp"

namespace trammel::fmi {
namespace {

constexpr const char* folder = "extra/org.fmi-standard.fmi-ls-ref/";
constexpr const char* experimentsName = "experiments.xml";

std::string resultsCsv(const CompiledModel& model, const ReferenceRun& run) {
  std::vector<std::string> names{"time"};
  for (const ReferenceRun::Column& column : run.outputs)
    names.push_back(model.variables().find(column.valueReference)->name);
  std::ostringstream stream;
  CsvWriter csv(stream);
  csv.writeHeader(names);
  std::vector<double> row(names.size());
  for (std::size_t i = 0; i < run.times.size(); ++i) {
    row[0] = run.times[i];
    for (std::size_t c = 0; c < run.outputs.size(); ++c) row[c + 1] = run.outputs[c].values[i];
    csv.writeRow(row);
  }
  return stream.str();
}

/// The start values, held from the beginning to the end; empty where the model has no input.
std::string inputsCsv(const CompiledModel& model, const ReferenceRun& run) {
  std::vector<std::string> names{"time"};
  std::vector<double> row{0};
  for (const Variable& variable : model.variables().variables) {
    if (variable.causality != Causality::input || !variable.start) continue;
    names.push_back(variable.name);
    row.push_back(*variable.start);
  }
  if (names.size() == 1) return "";
  std::ostringstream stream;
  CsvWriter csv(stream);
  csv.writeHeader(names);
  for (const double time : {run.experiment.startTime, run.experiment.stopTime}) {
    row[0] = time;
    csv.writeRow(row);
  }
  return stream.str();
}

std::string settingsText(const ReferenceRun& run) {
  const DefaultExperiment& e = run.experiment;
  return "StartTime, " + numberText(e.startTime) + "\nStopTime, " + numberText(e.stopTime) +
         "\nStepSize, " + numberText(e.stepSize) + "\nRelTol, " + numberText(e.tolerance) +
         "\nOutputIntervalLength, " + numberText(run.outputInterval) + "\n";
}

std::string experimentsXml(const ReferenceRun& run, const std::string& results,
                           const std::string& inputs) {
  pugi::xml_document document;
  pugi::xml_node experiment = startDocument(document, "Experiments").append_child("Experiment");
  add(experiment, "name", "default");
  add(experiment, "description", "Default experiment, inputs at their start values");
  add(experiment, "startTime", run.experiment.startTime);
  add(experiment, "stopTime", run.experiment.stopTime);
  add(experiment, "tolerance", run.experiment.tolerance);
  add(experiment, "stepSize", run.experiment.stepSize);
  if (!inputs.empty()) add(experiment.append_child("Stimuli"), "source", inputs);
  add(experiment.append_child("References"), "source", results);
  return textOf(document);
}

struct RelatedFile {
  const char* type;
  std::string source;
  const char* role;
  const char* description;
};

std::string manifestXml(const std::vector<RelatedFile>& files) {
  pugi::xml_document document;
  pugi::xml_node root = startDocument(document, "fmiReferences");
  add(root, "xmlns:fmi-ls", "http://fmi-standard.org/fmi-ls-manifest");
  add(root, "fmi-ls:fmi-ls-name", "org.fmi-standard.fmi-ls-ref");
  add(root, "fmi-ls:fmi-ls-version", "1.0.0-alpha.1");
  add(root, "fmi-ls:fmi-ls-description",
      "Layered Standard providing information on related files included in an FMU.");
  for (const RelatedFile& file : files) {
    pugi::xml_node related = root.append_child("Related");
    add(related, "type", file.type);
    add(related, "source", file.source);
    add(related, "role", file.role);
    add(related, "description", file.description);
  }
  return textOf(document);
}

}  // namespace

std::vector<ZipEntry> referenceFiles(const CompiledModel& model, const ReferenceRun& run) {
  const std::string results = model.identifier() + "_ref.csv";
  const std::string settings = model.identifier() + "_ref.opt";
  const std::string inputsText = inputsCsv(model, run);
  const std::string inputs = inputsText.empty() ? "" : model.identifier() + "_in.csv";
  std::vector<RelatedFile> related{
      {"application/xml", experimentsName, "experiment/smoke-test", "Default experiment"},
      {"text/csv", results, "result", "Outputs in the default experiment"},
      {"text/plain", settings, "configuration", "Settings of the default experiment"},
      {"application/toml", "../../resources/model.toml", "model", "The model"},
      {"text/html", "../../documentation/index.html", "document", "Documentation"}};
  std::vector<ZipEntry> files;
  const auto add = [&files](const std::string& name, std::string text) {
    files.push_back({folder + name, std::move(text)});
  };
  add(results, resultsCsv(model, run));
  add(settings, settingsText(run));
  add(experimentsName, experimentsXml(run, results, inputs));
  if (!inputs.empty()) {
    add(inputs, inputsText);
    related.push_back({"text/csv", inputs, "other", "Inputs in the default experiment"});
  }
  add("fmi-ls-manifest.xml", manifestXml(related));
  return files;
}

}  // namespace trammel::fmi
