#include "packaging/models_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <variant>

#include "models/model_file.hpp"
#include "models/toml_document.hpp"
#include "packaging/installation.hpp"
#include "packaging/text_table.hpp"

namespace trammel::fmi {
namespace {

std::string kindOf(const ModelFile& file) {
  const TomlValue document = parseToml(file.text, file.source);
  for (const TomlValue::Entry& entry : *document.table())
    if (entry.key == "kind") return std::get<std::string>(entry.value.value);
  return "";
}

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

void ModelsCommand::addTo(CLI::App& program) {
  CLI::App* command = program.add_subcommand("models", "List the models of the catalogue");
  command->footer(
      "Every command takes one of these names in place of a model file:\n"
      "  trammel inspect four_bar");
  command->callback([this] { run(); });
}

void ModelsCommand::run() const {
  const Installation installation = Installation::ofThisProgram();
  TextTable table({"name", "kind", "description"});
  for (const std::string& name : installation.catalogueNames()) {
    const ModelFile file = readModelFile(installation.catalogueModel(name));
    table.addRow({name, kindOf(file), firstLine(file.description)});
  }
  std::cout << table.text();
}

}  // namespace trammel::fmi
