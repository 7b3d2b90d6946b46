#pragma once

#include <memory>
#include <string>
#include <variant>

#include "models/coded_program.hpp"
#include "models/compiled_model.hpp"
#include "models/equations_system.hpp"
#include "models/mechanism/mechanism_program.hpp"

namespace trammel {

/// What a compiled model consists of; the program is that of its kind.
struct CompiledModel::Data {
  std::string name, identifier, description, token, text;
  std::string source;                    // the name used in messages
  std::vector<std::uint64_t> structure;  // values of the structural parameters
  VariableTable variables;
  UnitTable units;
  DefaultExperiment experiment;
  SolverOptions options;
  Index parameterCount = 0, inputCount = 0, outputCount = 0, coordinateCount = 0,
        constraintCount = 0;
  std::vector<Port> ports;
  std::vector<InputRate> inputRates;
  std::variant<EquationsProgram, MechanismProgram, CodedProgram> program;
};

/// Name, text, experiment and options of a model; the rest is empty.
std::unique_ptr<CompiledModel::Data> commonData(const ModelFile& file);

/// Resolves the names, differentiates and fills variables, units, counts and program.
void compileEquations(const ModelFile& file, const EquationsPart& part, CompiledModel::Data& data);
void compileMechanism(const ModelFile& file, const MechanismPart& part, CompiledModel::Data& data);

}  // namespace trammel
