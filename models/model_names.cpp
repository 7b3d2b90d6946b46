#include "models/model_names.hpp"

#include "models/text.hpp"
#include "models/units.hpp"

namespace trammel {

void ModelNames::declareInterface(const ModelFile& file) {
  const auto symbol = [this](SymbolKind kind, std::size_t i) {
    return graph_.symbol({kind, static_cast<std::uint32_t>(i)});
  };
  for (const StructureEntry& entry : file.structure)
    declare(entry.name, "structural parameter", entry.line, graph_.constant(entry.value.value));
  for (std::size_t i = 0; i < file.parameters.size(); ++i) {
    const ParameterEntry& entry = file.parameters[i];
    declare(entry.name, "parameter", entry.line, symbol(SymbolKind::parameter, i));
  }
  for (std::size_t i = 0; i < file.inputs.size(); ++i) {
    const InputEntry& entry = file.inputs[i];
    declare(entry.name, "input", entry.line, symbol(SymbolKind::input, i));
  }
}

void ModelNames::claim(const std::string& name, const std::string& word, int line) {
  const auto [owner, isNew] = owners_.try_emplace(name, word, line);
  if (isNew) return;
  throw ModelError(source_, line,
                   word + " " + inQuotes(name) + ": the name is taken by the " +
                       owner->second.first + " in line " + std::to_string(owner->second.second) +
                       ", expected another");
}

void ModelNames::declare(const std::string& name, const std::string& word, int line,
                         Expression expression) {
  claim(name, word, line);
  define(name, word, expression);
}

void ModelNames::define(const std::string& name, const std::string& word, Expression expression) {
  names_.insert_or_assign(name, NameMeaning{expression, word});
}

Expression ModelNames::parse(const Formula& formula, const std::string& what, SymbolKinds allowed,
                             const NamedEntry* unitOf, std::size_t element) {
  if (const auto* text = std::get_if<std::string>(&formula.value))
    return parseExpression(*text, graph_, names_, {source_, formula.line, what, allowed, element});
  const double value = std::get<double>(formula.value);
  const bool hasUnit = unitOf != nullptr && unitOf->unit;
  return graph_.constant(hasUnit ? toSi(*parseUnit(unitOf->unit->value), value) : value);
}

}  // namespace trammel
