#include "solver/corrector.hpp"

#include <string>

#include "solver/error.hpp"

namespace trammel {

static_assert(Formulation<KktIteration>);
static_assert(Formulation<Index1Iteration>);

Corrector::Family Corrector::make(MechanicalSystem& system, const SolverOptions& options) {
  switch (options.method) {
    case Method::cml:
      return Family(std::in_place_type<KktIteration>, system, options, VelocityConstraint::imposed);
    case Method::index3:
      return Family(std::in_place_type<KktIteration>, system, options, VelocityConstraint::left);
    case Method::index1:
      return Family(std::in_place_type<Index1Iteration>, system, options);
    default:
      throw Error("solver method \"" + std::string(nameOf(options.method)) +
                  "\" is not available, expected cml, index1 or index3");
  }
}

Corrector::Corrector(MechanicalSystem& system, const SolverOptions& options)
    : formulation_(make(system, options)) {}

}  // namespace trammel
