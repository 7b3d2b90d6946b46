#pragma once

#include <functional>
#include <memory>

#include "coupling/subsystem.hpp"

namespace trammel::coupling {

/// A subsystem in a process of its own: if it crashes or hangs, the step is an outcome `fatal` with
/// the reason, every other call throws FmuError, and the master goes on to its report.
class ProcessSubsystem final : public Subsystem {
 public:
  using Maker = std::function<std::unique_ptr<Subsystem>()>;

  /// `make` runs in the new process; what it throws is thrown here as FmuError. `timeLimit` [s]
  /// holds for every call.
  ProcessSubsystem(std::string name, const Maker& make, double timeLimit);
  ~ProcessSubsystem() override;

  const std::string& name() const override;
  std::span<const Port> ports() const override;
  std::span<const std::string> inputs() const override;
  std::span<const std::string> outputs() const override;
  SubsystemCapabilities capabilities() const override;
  PortNoise noise() const override;

  void enterInitialization(double startTime, std::optional<double> stopTime) override;
  void exitInitialization() override;
  void setForces(const ForcePolynomial& forces) override;
  void setInputs(VectorIn value, VectorIn first) override;
  SubsystemStep step(double t, double H) override;
  bool handleEvent() override;
  void readMotion(std::span<PortMotion> motions) override;
  void readOutputs(VectorOut values) override;
  bool mobility(Matrix& W) override;
  void save() override;
  void restore() override;
  void terminate() override;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel::coupling
