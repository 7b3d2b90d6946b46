#include "packaging/inspect_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "packaging/errors.hpp"
#include "packaging/inspection_report.hpp"
#include "packaging/mechanism_sketch.hpp"
#include "packaging/model_argument.hpp"
#include "packaging/output_file.hpp"

namespace trammel::fmi {

void InspectCommand::addTo(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("inspect", "Describe a model: bodies, joints, freedom, frequencies");
  command->add_option("MODEL", model, "Model file (.toml) or name in the catalogue")->required();
  command->add_flag("--json", json, "Write JSON instead of tables");
  command->add_option("--svg", svg, "Write a sketch of the mechanism to this file");
  command->footer(
      "Examples:\n"
      "  trammel inspect four_bar\n"
      "  trammel inspect stewart_platform --svg platform.svg\n"
      "  trammel inspect crane.toml --json\n"
      "\n"
      "Degrees of freedom come from the rank of the constraints at the initial state; the Grübler\n"
      "count takes all equations for independent.");
  command->callback([this] { run(); });
}

void InspectCommand::run() const {
  const ModelArgument argument = findModel(model, Installation::ofThisProgram());
  if (argument.isFmu)
    throw InputError(argument.path.string() + ": is an FMU, expected a model file");
  const CompiledModel compiled = loadModel(argument.path);
  if (!svg.empty() && compiled.mechanism() == nullptr)
    throw InputError(argument.path.string() + ": --svg needs a model of kind \"mechanism\"");
  if (!svg.empty()) checkOutputFile(svg);
  const Inspection inspection = inspect(compiled);
  if (!svg.empty()) writeOutputFile(svg, mechanismSketch(compiled, inspection.motion.q));
  std::cout << (json ? inspectionJson(compiled, inspection) : inspectionText(compiled, inspection));
}

}  // namespace trammel::fmi
