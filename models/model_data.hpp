#pragma once

#include <string>
#include <variant>

#include "models/compiled_model.hpp"
#include "models/equations_system.hpp"

namespace trammel {

/// What a compiled model consists of; the program is that of its kind.
struct CompiledModel::Data {
  std::string name, identifier, description, token, text;
  VariableTable variables;
  UnitTable units;
  DefaultExperiment experiment;
  SolverOptions options;
  Index parameterCount = 0, inputCount = 0, outputCount = 0, coordinateCount = 0,
        constraintCount = 0;
  std::variant<EquationsProgram> program;
};

/// Resolves the names, differentiates and fills variables, units, counts and program.
void compileEquations(const ModelFile& file, const EquationsPart& part, CompiledModel::Data& data);

}  // namespace trammel
