#include "coupling/function_subsystem.hpp"

#include <utility>

namespace trammel::coupling {

FunctionSubsystem::FunctionSubsystem(FunctionSubsystemData data, SubsystemFunctions functions)
    : data_(std::move(data)), functions_(std::move(functions)) {
  data_.capabilities.rollback = functions_.save != nullptr && functions_.restore != nullptr;
  data_.capabilities.mobility = functions_.mobility != nullptr;
}

void FunctionSubsystem::setForces(const ForcePolynomial& forces) {
  if (functions_.setForces) functions_.setForces(forces);
}

void FunctionSubsystem::setInputs(VectorIn value, VectorIn first) {
  if (functions_.setInputs) functions_.setInputs(value, first);
}

SubsystemStep FunctionSubsystem::step(double t, double H) {
  if (functions_.step) return functions_.step(t, H);
  return {.reachedTime = t + H};
}

bool FunctionSubsystem::handleEvent() { return functions_.handleEvent && functions_.handleEvent(); }

void FunctionSubsystem::readMotion(std::span<PortMotion> motions) {
  if (functions_.readMotion) functions_.readMotion(motions);
}

void FunctionSubsystem::readOutputs(VectorOut values) {
  if (functions_.readOutputs) functions_.readOutputs(values);
}

bool FunctionSubsystem::mobility(Matrix& W) {
  if (!functions_.mobility) return false;
  functions_.mobility(W);
  return true;
}

void FunctionSubsystem::save() { functions_.save(); }

void FunctionSubsystem::restore() { functions_.restore(); }

}  // namespace trammel::coupling
