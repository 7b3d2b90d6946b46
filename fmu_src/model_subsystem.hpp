#pragma once

#include <memory>
#include <string>

#include "coupling/fmu_description.hpp"
#include "coupling/fmu_subsystem.hpp"
#include "coupling/subsystem.hpp"
#include "models/compiled_model.hpp"

namespace trammel::fmi {

/// What the modelDescription.xml of the model would say to a master; all variables are scalars.
coupling::FmuDescription descriptionOf(const CompiledModel& model);

/// A model in this process as a subsystem: the instance that an FMU would hold, without the C
/// interface, the file and the binary. Its numbers are those of the FMU.
class ModelSubsystem final : public coupling::Subsystem {
 public:
  /// `source` names the model in messages. Throws coupling::FmuError naming what is missing in it
  /// or what it does not take.
  ModelSubsystem(std::string name, const std::string& source, CompiledModel model,
                 const coupling::FmuUse& use);
  ~ModelSubsystem() override;

  const std::string& name() const override;
  std::span<const coupling::Port> ports() const override;
  std::span<const std::string> inputs() const override;
  std::span<const std::string> outputs() const override;
  coupling::SubsystemCapabilities capabilities() const override;
  coupling::PortNoise noise() const override;

  void enterInitialization(double startTime, std::optional<double> stopTime) override;
  void exitInitialization() override;
  void setForces(const coupling::ForcePolynomial& forces) override;
  void setInputs(VectorIn value, VectorIn first) override;
  coupling::SubsystemStep step(double t, double H) override;
  bool handleEvent() override;
  void readMotion(std::span<coupling::PortMotion> motions) override;
  void readOutputs(VectorOut values) override;
  bool mobility(Matrix& W) override;
  void save() override;
  void restore() override;
  void terminate() override;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel::fmi
