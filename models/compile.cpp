#include <algorithm>
#include <cstdint>

#include "models/compiled_model.hpp"
#include "models/model_data.hpp"
#include "models/solver_variables.hpp"
#include "models/structure.hpp"

namespace trammel {
namespace {

/// FNV-1a from a given basis, with a last mixing of all bits.
std::uint64_t hashOf(std::string_view text, std::uint64_t basis) {
  std::uint64_t h = basis;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  h = (h ^ (h >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  h = (h ^ (h >> 27U)) * 0x94D049BB133111EBULL;
  return h ^ (h >> 31U);
}

/// {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx} of the format version and the text.
std::string tokenOf(std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  const std::uint64_t basis = 0xCBF29CE484222325ULL + modelFormatVersion;
  const std::uint64_t halves[2] = {hashOf(text, basis), hashOf(text, ~basis)};
  std::string token = "{";
  for (unsigned digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) token += '-';
    token += hex[halves[digit / 16] >> (60U - 4U * (digit % 16U)) & 15U];
  }
  return token + "}";
}

/// "Slider crank (2)" -> "Slider_crank_2"
std::string identifierOf(std::string_view name) {
  constexpr std::size_t longest = 64;
  std::string identifier;
  for (const char c : name) {
    const bool isDigit = c >= '0' && c <= '9';
    const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (isDigit && identifier.empty()) identifier += '_';
    if (isLetter || isDigit) {
      identifier += c;
    } else if (!identifier.empty() && identifier.back() != '_') {
      identifier += '_';
    }
  }
  identifier.resize(std::min(identifier.size(), longest));
  while (!identifier.empty() && identifier.back() == '_') identifier.pop_back();
  return identifier.empty() ? "model" : identifier;
}

DefaultExperiment experimentOf(const ModelFile& file) {
  const ExperimentEntry& entry = file.experiment;
  DefaultExperiment experiment;
  if (entry.startTime) experiment.startTime = entry.startTime->value;
  experiment.stopTime = entry.stopTime ? entry.stopTime->value : experiment.startTime + 1;
  if (entry.stepSize) experiment.stepSize = entry.stepSize->value;
  if (file.solver.tolerance) experiment.tolerance = file.solver.tolerance->value;
  if (entry.tolerance) experiment.tolerance = entry.tolerance->value;
  return experiment;
}

SolverOptions optionsOf(const ModelFile& file) {
  SolverOptions options;
  if (file.experiment.tolerance) options.tolerance = file.experiment.tolerance->value;
  if (file.solver.tolerance) options.tolerance = file.solver.tolerance->value;
  if (file.solver.maxOrder) options.maxOrder = static_cast<int>(file.solver.maxOrder->value);
  if (file.solver.maxStep) options.maxStep = file.solver.maxStep->value;
  if (file.solver.repeatable) options.repeatable = *file.solver.repeatable;
  if (file.solver.initialStep) options.initialStep = file.solver.initialStep->value;
  if (file.solver.method) options.method = *file.solver.method;
  if (file.solver.mode) options.mode = *file.solver.mode;
  if (file.solver.errorTest) options.errorTest = *file.solver.errorTest;
  const DefaultExperiment experiment = experimentOf(file);
  options.horizon = experiment.stopTime - experiment.startTime;
  return options;
}

}  // namespace

std::unique_ptr<CompiledModel::Data> commonData(const ModelFile& file) {
  auto data = std::make_unique<CompiledModel::Data>();
  data->name = file.name;
  data->identifier = identifierOf(file.name);
  data->description = file.description;
  data->token = tokenOf(file.text);
  data->text = file.text;
  data->source = file.source;
  data->structure = defaultStructure(file);
  data->experiment = experimentOf(file);
  data->options = optionsOf(file);
  return data;
}

CompiledModel compile(const ModelFile& file) { return compile(file, defaultStructure(file)); }

CompiledModel compile(ModelFile file, std::span<const std::uint64_t> structure) {
  applyStructure(file, structure);
  auto data = commonData(file);
  if (const auto* mechanism = std::get_if<MechanismPart>(&file.part)) {
    compileMechanism(file, *mechanism, *data);
  } else {
    compileEquations(file, std::get<EquationsPart>(file.part), *data);
  }
  addSolverVariables(data->options, data->variables);
  return CompiledModel(std::move(data));
}

}  // namespace trammel
