// Simbody on the problems of the comparison, in joint coordinates with its recursive algorithms.
// Variants are its integrators: rkm, rkf, rk3, cpodes-bdf, cpodes-adams.
#include <memory>
#include <stdexcept>

#include "bench/peers/simbody_models.hpp"

namespace trammel::bench {
namespace {

std::unique_ptr<SimTK::Integrator> integratorOf(const std::string& name,
                                                const SimTK::System& system) {
  if (name == "rkm") return std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
  if (name == "rkf") return std::make_unique<SimTK::RungeKuttaFeldbergIntegrator>(system);
  if (name == "rk3") return std::make_unique<SimTK::RungeKutta3Integrator>(system);
  if (name == "cpodes-bdf")
    return std::make_unique<SimTK::CPodesIntegrator>(system, SimTK::CPodes::BDF,
                                                     SimTK::CPodes::Newton);
  if (name == "cpodes-adams")
    return std::make_unique<SimTK::CPodesIntegrator>(system, SimTK::CPodes::Adams,
                                                     SimTK::CPodes::Functional);
  throw std::runtime_error("unknown integrator \"" + name + "\"");
}

RunRecord run(const RunRequest& request) {
  RunRecord record;
  const double before = heapInUse();
  const std::unique_ptr<SimbodyModel> model = makeSimbodyModel(request);
  model->matter.setShowDefaultGeometry(false);
  SimTK::State state = model->system.realizeTopology();
  model->system.realizeModel(state);
  model->setStart(state);
  const auto integrator = integratorOf(request.variant, model->system);
  integrator->setAccuracy(request.tolerance);
  integrator->setFinalTime(request.stopTime);
  integrator->initialize(state);
  timeSolve(record, [&] {
    for (int i = 0; i < request.points; ++i) {
      const double t = request.time(i);
      while (integrator->getTime() < t) {
        const auto status = integrator->stepTo(t);
        if (status == SimTK::Integrator::EndOfSimulation) break;
      }
      const SimTK::State& reached = integrator->getState();
      if (reached.getTime() < t)
        throw std::runtime_error("stopped at t = " + std::to_string(reached.getTime()));
      model->system.realize(reached, SimTK::Stage::Velocity);
      model->outputs(reached, record.outputs);
    }
  });
  record.heapBytes = heapInUse() - before;
  record.counts = {{"steps", integrator->getNumStepsTaken()},
                   {"residuals", integrator->getNumRealizations()},
                   {"error failures", integrator->getNumErrorTestFailures()},
                   {"convergence failures", integrator->getNumConvergenceTestFailures()},
                   {"projections", integrator->getNumProjections()}};
  return record;
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  return trammel::bench::runPeer(argc, argv, "Runs Simbody on a problem of the comparison.",
                                 trammel::bench::run);
}
