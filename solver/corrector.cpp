#include "solver/corrector.hpp"

#include <string>

#include "solver/error.hpp"

namespace trammel {

static_assert(Formulation<KktIteration>);
static_assert(Formulation<Index1Iteration>);
static_assert(Formulation<Index3Iteration>);
static_assert(Formulation<GglIteration>);
static_assert(Formulation<SplitIteration>);

Corrector::Family Corrector::make(MechanicalSystem& system, const SolverOptions& options) {
  switch (options.method) {
    case Method::cml:
      return Family(std::in_place_type<KktIteration>, system, options, VelocityConstraint::imposed);
    case Method::index3:
      // Two fields scaled on both sides are what the equilibrated KKT matrix is, dense and sparse.
      if (options.index3Fields == Index3Fields::three ||
          options.index3Scaling != Index3Scaling::leftRight) {
        return Family(std::in_place_type<Index3Iteration>, system, options);
      }
      return Family(std::in_place_type<KktIteration>, system, options, VelocityConstraint::left);
    case Method::index1:
      return Family(std::in_place_type<Index1Iteration>, system, options);
    case Method::ggl:
      return Family(std::in_place_type<GglIteration>, system, options, MultiplierTest::included);
    case Method::gglStar:
      return Family(std::in_place_type<GglIteration>, system, options, MultiplierTest::excluded);
    case Method::cs:
      return Family(std::in_place_type<SplitIteration>, system, options, SplitProjector::current);
    case Method::cm:
      return Family(std::in_place_type<SplitIteration>, system, options, SplitProjector::frozen);
  }
  throw Error("solver method " + std::to_string(static_cast<int>(options.method)) +
              " does not exist");
}

Corrector::Corrector(MechanicalSystem& system, const SolverOptions& options)
    : formulation_(make(system, options)) {}

}  // namespace trammel
