#include "models/solver_variables.hpp"

#include <cmath>
#include <string>

namespace trammel {
namespace {

Variable& add(VariableTable& table, const char* name, const char* description, Type type) {
  Variable variable;
  variable.name = name;
  variable.description = description;
  variable.valueReference = static_cast<std::uint32_t>(table.variables.size());
  variable.type = type;
  table.variables.push_back(std::move(variable));
  return table.variables.back();
}

Variable& addSetting(VariableTable& table, Setting setting, const char* name,
                     const char* description, Type type) {
  Variable& variable = add(table, name, description, type);
  variable.causality = Causality::parameter;
  variable.variability = Variability::fixed;
  variable.initial = Initial::exact;
  variable.quantity = Quantity::setting;
  variable.index = static_cast<Index>(setting);
  return variable;
}

void addStatistic(VariableTable& table, Statistic statistic, const char* name,
                  const char* description) {
  Variable& variable = add(table, name, description, Type::int32);
  variable.variability = Variability::discrete;
  variable.initial = Initial::calculated;
  variable.quantity = Quantity::statistic;
  variable.index = static_cast<Index>(statistic);
  variable.dependencies.emplace();
}

}  // namespace

void addSolverVariables(const SolverOptions& options, VariableTable& table) {
  addSetting(table, Setting::method, "solver.method",
             "Formulation: cml, index3, ggl, ggl*, cs, cm or index1", Type::string)
      .startText = nameOf(options.method);
  addSetting(table, Setting::mode, "solver.mode",
             "follow: the motion as it is; damp: its smooth part; plain: rules of DASSL",
             Type::string)
      .startText = nameOf(options.mode);

  Variable& tolerance =
      addSetting(table, Setting::tolerance, "solver.tolerance",
                 "Relative tolerance; if set, instead of that of the importer", Type::float64);
  tolerance.start = options.tolerance;

  Variable& maxStep = addSetting(table, Setting::maxStep, "solver.max_step",
                                 "Longest step of the integrator; 0: no limit", Type::float64);
  maxStep.start = std::isfinite(options.maxStep) ? options.maxStep : 0.0;
  maxStep.min = 0;
  maxStep.unit = "s";

  Variable& maxOrder = addSetting(table, Setting::maxOrder, "solver.max_order",
                                  "Highest order of the integrator", Type::int32);
  maxOrder.start = options.maxOrder;
  maxOrder.min = 1;
  maxOrder.max = 6;

  addSetting(table, Setting::repeatable, "solver.repeatable",
             "Steps are planned at the start of a communication step, so that a repeated one "
             "depends smoothly on its inputs",
             Type::boolean)
      .start = options.repeatable ? 1 : 0;

  addSetting(table, Setting::errorTest, "solver.error_test",
             "What the error is tested of: automatic (as the mode says), positions or "
             "positions_and_velocities",
             Type::string)
      .startText = nameOf(options.errorTest);

  addStatistic(table, Statistic::steps, "solver.steps", "Steps of the integrator so far");
  addStatistic(table, Statistic::residuals, "solver.residuals",
               "Evaluations of the force balance in Newton iterations so far");
}

}  // namespace trammel
