// SUNDIALS IDA on the problems of the comparison, from equations written by hand or from the
// compiled model where the problem is a file. Variants are
// joined by "-": ggl or index2, order2 or order1, positions (velocities out of the error test),
// strict (multipliers in Newton's norm). With "check" the only output is the largest relative
// difference of the Jacobian to finite differences.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "bench/peers/ida_dense_system.hpp"
#include "bench/peers/ida_equations.hpp"
#include "bench/peers/ida_model_system.hpp"
#include "bench/peers/ida_planar_linkage.hpp"
#include "bench/peers/ida_session.hpp"
#include "bench/peers/ida_spatial_chain.hpp"
#include "models/model_file.hpp"

namespace trammel::bench {
namespace {

bool has(const std::string& variant, const std::string& word) {
  return variant.find(word) != std::string::npos;
}

IdaSettings settingsOf(const std::string& variant) {
  IdaSettings settings;
  if (has(variant, "order1")) settings.order = 1;
  if (has(variant, "order2")) settings.order = 2;
  settings.testVelocities = !has(variant, "positions");
  settings.multipliersInNorm = has(variant, "strict");
  return settings;
}

template <class Equations>
std::unique_ptr<IdaSystem> dense(Equations equations, bool stabilised) {
  return std::make_unique<IdaDenseSystem<Equations>>(std::move(equations), stabilised);
}

/// `model` is read at the first run: what is not timed shall not empty the caches for what is.
std::unique_ptr<IdaSystem> systemOf(const RunRequest& request,
                                    std::optional<CompiledModel>& model) {
  const std::string& problem = request.problem;
  const bool stabilised = !has(request.variant, "index2");
  const auto stiff = [&](auto equations) {
    equations.eps = request.stiffness;
    return dense(equations, stabilised);
  };
  if (problem.ends_with(".toml")) {
    if (!model) model.emplace(compile(readModelFile(problem)));
    return makeIdaModelSystem(*model, stabilised, request.outputs);
  }
  if (problem == "chain_long" || problem == "chain_hard")
    return makeIdaPlanarLinkage(planarChain(request.size, problem == "chain_hard"), stabilised,
                                request.bodies);
  if (problem == "chain_space")
    return makeIdaSpatialChain(request.size, stabilised, request.bodies);
  if (problem == "four_bars")
    return makeIdaPlanarLinkage(fourBars(request.size), stabilised, request.bodies);
  if (problem == "cantilever")
    return makeIdaPlanarLinkage(cantilever(request.size), stabilised, request.bodies, 1);
  if (problem == "andrews") return dense(AndrewsEquations{}, stabilised);
  if (problem == "car_axis") return dense(CarAxisEquations{}, stabilised);
  if (problem == "double_pendulum") return dense(DoublePendulumEquations{}, stabilised);
  if (problem == "yen_petzold_point_mass") return stiff(CircleEquations<test::StiffCircle>{});
  if (problem == "yen_petzold_spring") return stiff(CircleEquations<test::SpringCircle>{});
  if (problem == "yen_petzold_bushing") return stiff(BushingEquations{});
  throw std::runtime_error("unknown problem \"" + problem + "\"");
}

RunRecord run(const RunRequest& request, std::optional<CompiledModel>& model) {
  const std::unique_ptr<IdaSystem> system = systemOf(request, model);
  if (has(request.variant, "check")) return checkJacobian(*system);
  return runIda(*system, request, settingsOf(request.variant));
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  std::optional<trammel::CompiledModel> model;
  return trammel::bench::runPeer(argc, argv, "Runs SUNDIALS IDA on a problem of the comparison.",
                                 [&](const trammel::bench::RunRequest& request) {
                                   return trammel::bench::run(request, model);
                                 });
}
