#pragma once

#include "models/variable_table.hpp"
#include "solver/options.hpp"

namespace trammel {

/// Adds what every model has behind its own variables: the settings of the solver as fixed
/// parameters with the model's values as start, and its statistics. "solver" is no name that a
/// model file can give.
void addSolverVariables(const SolverOptions& options, VariableTable& table);

}  // namespace trammel
