#include <set>

#include "models/coded_file.hpp"
#include "models/model_data.hpp"
#include "models/solver_variables.hpp"
#include "models/text.hpp"
#include "models/units.hpp"
#include "models/variable_builder.hpp"

namespace trammel {
namespace {

double inSi(const CoordinateEntry& entry, const Formula& start) {
  const double value = std::get<double>(start.value);
  return entry.unit ? toSi(*parseUnit(entry.unit->value), value) : value;
}

/// A velocity or size, to which the offset of a unit does not apply.
double sizeInSi(const CoordinateEntry& entry, double value) {
  return entry.unit ? parseUnit(entry.unit->value)->factor * value : value;
}

template <class Entries>
void checkNew(const std::string& source, const Entries& entries, std::set<std::string>& names) {
  for (const NamedEntry& entry : entries) {
    if (!names.insert(entry.name).second)
      throw ModelError(source, entry.line, "name " + inQuotes(entry.name) + " is used twice");
  }
}

void fillProgram(const CodedFile& file, CodedProgram& program) {
  program.read(file.common);
  const auto n = static_cast<Index>(file.coordinates.size());
  program.nominal.resize(n);
  program.startPosition.resize(n);
  program.startVelocity.resize(n);
  for (Index i = 0; i < n; ++i) {
    const CoordinateEntry& entry = file.coordinates[static_cast<std::size_t>(i)];
    program.coordinateNames.push_back(entry.name);
    program.nominal[i] = entry.nominal ? sizeInSi(entry, entry.nominal->value) : 1.0;
    program.startPosition[i] = inSi(entry, entry.start);
    program.startVelocity[i] = sizeInSi(entry, std::get<double>(entry.startVelocity.value));
  }
  for (const ConstraintEntry& entry : file.constraints)
    program.constraintNames.push_back(entry.name);
  program.outputCount = static_cast<Index>(file.common.outputs.size());
}

void addVariables(const CodedFile& file, const CodedProgram& program, CompiledModel::Data& data) {
  VariableBuilder builder;
  for (const ParameterEntry& entry : file.common.parameters) builder.addParameter(entry);
  for (const InputEntry& entry : file.common.inputs) builder.addInput(entry);
  // What the code uses is not known from outside: everything may depend on all inputs and on time.
  ValueReferences all{0};
  for (std::size_t i = 0; i < file.common.inputs.size(); ++i)
    all.push_back(builder.inputReference(i));
  for (std::size_t i = 0; i < file.coordinates.size(); ++i) {
    const auto index = static_cast<Index>(i);
    builder.addCoordinate(file.coordinates[i], program.startPosition[index],
                          program.startVelocity[index], all, all);
  }
  for (const ConstraintEntry& entry : file.constraints) builder.addConstraint(entry, "", all, all);
  for (const OutputEntry& entry : file.common.outputs) builder.addOutput(entry, all);
  data.variables = builder.takeTable();
  data.units = builder.takeUnits();
}

}  // namespace

CompiledModel compile(const CodedFile& file, SystemFactory makeSystem) {
  const ModelFile& common = file.common;
  std::set<std::string> names{"time"};
  checkNew(common.source, common.parameters, names);
  checkNew(common.source, common.inputs, names);
  checkNew(common.source, file.coordinates, names);
  checkNew(common.source, common.outputs, names);
  checkNew(common.source, file.constraints, names);
  auto data = commonData(common);
  CodedProgram& program = data->program.emplace<CodedProgram>();
  fillProgram(file, program);
  program.makeSystem = std::move(makeSystem);
  data->parameterCount = static_cast<Index>(common.parameters.size());
  data->inputCount = static_cast<Index>(common.inputs.size());
  data->outputCount = program.outputCount;
  data->coordinateCount = program.nominal.size();
  data->constraintCount = static_cast<Index>(file.constraints.size());
  addVariables(file, program, *data);
  addSolverVariables(data->options, data->variables);
  return CompiledModel(std::move(data));
}

}  // namespace trammel
