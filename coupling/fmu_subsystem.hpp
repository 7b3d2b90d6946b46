#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coupling/fmu.hpp"
#include "coupling/fmu_instance.hpp"
#include "coupling/fmu_port.hpp"
#include "coupling/subsystem.hpp"

namespace trammel::coupling {

/// A port of an FMU by name; without names of variables those of our convention.
struct FmuPortRequest {
  std::string name;
  std::optional<FmuPortNames> names;
};

/// What of an FMU takes part in a coupled run.
struct FmuUse {
  std::vector<FmuPortRequest> ports;
  std::vector<std::string> inputs, outputs;                // ordinary ones, real scalars
  std::vector<std::pair<std::string, double>> parameters;  // set before initialization
  std::optional<double> tolerance;                         // relative, of the FMU's own solver
  /// Of FMUs that have event mode; the master then must be able to repeat steps.
  EventHandling events = EventHandling::inside;
};

/// An FMU of any origin, FMI 2.0 or 3.0, as a subsystem. Forces within a step are polynomials where
/// the FMU has inputs for their rates (degree 1 or 2), interpolates inputs (FMI 2.0) or offers
/// intermediate update (FMI 3.0, both degree 1); otherwise they are held constant.
class FmuSubsystem final : public Subsystem {
 public:
  /// Throws FmuError naming what is wrong with the file or missing in it.
  FmuSubsystem(std::string name, const std::filesystem::path& file, const FmuUse& use);
  FmuSubsystem(std::string name, std::unique_ptr<const Fmu> fmu, const FmuUse& use);
  ~FmuSubsystem() override;

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

  const FmuDescription& description() const;
  /// For variables and states besides those of the master.
  FmuInstance& instance();
  /// Puts back a state of instance(), which was one of initialization or of the time after it.
  void restoreState(const FmuInstance::State& state, bool duringInitialization);
  void reset();  // as constructed

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel::coupling
