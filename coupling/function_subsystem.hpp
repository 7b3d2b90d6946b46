#pragma once

#include <functional>

#include "coupling/subsystem.hpp"

namespace trammel::coupling {

/// The functions behind a FunctionSubsystem. Those that are empty do nothing; without `save` and
/// `restore` there is no rollback, without `mobility` none is known.
struct SubsystemFunctions {
  std::function<void(const ForcePolynomial&)> setForces;
  std::function<void(VectorIn value, VectorIn first)> setInputs;
  std::function<SubsystemStep(double t, double H)> step;
  std::function<bool()> handleEvent;
  std::function<void(std::span<PortMotion>)> readMotion;
  std::function<void(VectorOut)> readOutputs;
  std::function<void(Matrix&)> mobility;
  std::function<void()> save, restore;
};

struct FunctionSubsystemData {
  std::string name;
  std::vector<Port> ports;
  std::vector<std::string> inputs, outputs;
  SubsystemCapabilities capabilities;  // rollback and mobility follow from the functions
  PortNoise noise;
};

/// A subsystem made of functions.
class FunctionSubsystem final : public Subsystem {
 public:
  FunctionSubsystem(FunctionSubsystemData data, SubsystemFunctions functions);

  const std::string& name() const override { return data_.name; }
  std::span<const Port> ports() const override { return data_.ports; }
  std::span<const std::string> inputs() const override { return data_.inputs; }
  std::span<const std::string> outputs() const override { return data_.outputs; }
  SubsystemCapabilities capabilities() const override { return data_.capabilities; }
  PortNoise noise() const override { return data_.noise; }

  void enterInitialization(double, std::optional<double>) override {}
  void exitInitialization() override {}
  void setForces(const ForcePolynomial& forces) override;
  void setInputs(VectorIn value, VectorIn first) override;
  SubsystemStep step(double t, double H) override;
  bool handleEvent() override;
  void readMotion(std::span<PortMotion> motions) override;
  void readOutputs(VectorOut values) override;
  bool mobility(Matrix& W) override;
  void save() override;
  void restore() override;
  void terminate() override {}

 private:
  FunctionSubsystemData data_;
  SubsystemFunctions functions_;
};

}  // namespace trammel::coupling
