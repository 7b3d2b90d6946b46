#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model_support.hpp"
#include "solver/integrator.hpp"

namespace trammel {

/// A model with its integrator, run in process.
class Simulation {
 public:
  Simulation(const std::string& text, double tolerance, Mode mode = Mode::follow)
      : Simulation(compileText(text), tolerance, mode) {}
  Simulation(CompiledModel compiled, double tolerance, Mode mode = Mode::follow)
      : model(std::move(compiled)),
        system(model.makeSystem()),
        integrator(*system, optionsOf(model, tolerance, mode)),
        outputs_(static_cast<std::size_t>(model.outputCount())) {
    const Index n = model.coordinateCount();
    StartValues start{0, Vector(n), Vector(n), {}, {}};
    start.keepPosition.resize(static_cast<std::size_t>(n));
    start.keepVelocity.resize(static_cast<std::size_t>(n));
    system->startValues(start.q, start.v);
    system->keptStart(start.keepPosition, start.keepVelocity);
    check(integrator.start(start));
    check(integrator.motion(0, true, motion));
  }

  /// Motion and outputs at time t; restarts after events.
  void run(double t) {
    while (true) {
      const Report report = integrator.advance(t, t);
      check(report);
      if (!report.event) break;
      ++events;
      check(integrator.motion(integrator.time(), false, motion));
      check(integrator.restart(Vector(motion.q), Vector(motion.v)));
    }
    check(integrator.motion(t, true, motion));
  }

  /// Value of a declared output, in SI.
  double operator[](const std::string& name) {
    system->outputs(motion.t, motion.q, motion.v, motion.a, motion.lambda, outputs_);
    const Variable* variable = model.variables().find(name);
    if (variable == nullptr || variable->quantity != Quantity::output)
      throw Error("no output " + name);
    return outputs_[static_cast<std::size_t>(variable->index)];
  }

  CompiledModel model;
  std::unique_ptr<ModelSystem> system;
  Integrator integrator;
  Motion motion;
  int events = 0;

 private:
  static SolverOptions optionsOf(const CompiledModel& model, double tolerance, Mode mode) {
    SolverOptions options = model.solverOptions();
    options.tolerance = tolerance;
    options.mode = mode;
    return options;
  }
  static void check(const Report& report) {
    if (!report.ok) throw Error(report.message);
  }

  std::vector<double> outputs_;
};

}  // namespace trammel
