#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/model_file.hpp"
#include "models/units.hpp"
#include "models/variable_table.hpp"
#include "solver/mechanical_system.hpp"
#include "solver/options.hpp"

namespace trammel {

struct DefaultExperiment {
  double startTime = 0;     // [s]
  double stopTime = 1;      // [s]
  double tolerance = 1e-6;  // relative
  double stepSize = 0.01;   // [s], communication step
};

/// Inputs as polynomials in time, in the order of Quantity::input:
///   u(t) = value + first (t − origin) + second (t − origin)²/2;   empty first or second: zero.
struct InputPolynomials {
  double origin = 0;  // [s]
  std::span<const double> value = {}, first = {}, second = {};
};

/// Variables of a port: a force that acts on the model goes in, the motion of its place comes out.
struct Port {
  struct Member {
    std::string role;  // "F", "F_der1", "r", "v", "a" …
    std::string name;  // of the variable; of its components NAME[1] … where there are several
    std::size_t count = 1;
  };
  std::string name, kind, description;  // kind: "flange", "point", "frame"
  std::vector<Member> members;
};

/// The inputs `rate` and `secondRate` are the first and second time derivative of the input `input`
/// from the last communication point on.
struct InputRate {
  Index input = 0, rate = 0, secondRate = 0;
};

struct MechanismProgram;

/// A MechanicalSystem with the outside world attached: parameters, inputs, start values, outputs.
/// One for each instance.
class ModelSystem : public MechanicalSystem {
 public:
  /// Values in the order of Quantity::parameter; throws Error naming a parameter out of its bounds
  /// or a mass that is not > 0.
  virtual void setParameters(std::span<const double> values) = 0;
  /// The inputs from now on. Where an input stands in a constraint, g(q,t,u(t)), its derivatives
  /// belong to ∂g/∂t; a jump of its value or slope then contradicts the motion.
  virtual void setInputs(const InputPolynomials& inputs) = 0;
  /// Inputs constant in time from now on.
  void setInputs(std::span<const double> values) {
    setInputs(InputPolynomials{.origin = 0, .value = values, .first = {}, .second = {}});
  }
  /// Default start values for the present parameters (expressions of parameters in the file).
  virtual void startValues(VectorOut q, VectorOut v) = 0;
  /// Marks the start values that the model wants to be kept as they are when it is assembled.
  virtual void keptStart(std::vector<bool>& /*positions*/,
                         std::vector<bool>& /*velocities*/) const {}
  /// Declared outputs, in the order of Quantity::output.
  virtual void outputs(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                       std::span<double> values) = 0;
};

/// A model file with every name resolved to an index: const, shared by all that is done with the
/// model.
class CompiledModel {
 public:
  const std::string& name() const;  // as in the file, any text fit for a title
  const std::string& identifier()
      const;  // the name as a C identifier: FMI modelIdentifier, default file name
  const std::string& description() const;
  const std::string& token()
      const;  // FMI instantiationToken / guid: a hash of the file's text and the format version
  const std::string& text() const;  // the file's text, as it travels in resources/model.toml
  const VariableTable& variables() const;
  const UnitTable& units() const;  // all units the variables use
  const DefaultExperiment& defaultExperiment() const;
  const SolverOptions& solverOptions() const;

  /// Values of the structural parameters that it was compiled with, in the order of
  /// Quantity::structure.
  const std::vector<std::uint64_t>& structure() const;
  /// The same model with other numbers of elements. Throws Error where it has no such structural
  /// parameters or a value is out of its bounds.
  CompiledModel withStructure(std::span<const std::uint64_t> values) const;

  const std::vector<Port>& ports() const;
  const std::vector<InputRate>& inputRates() const;
  /// Bodies, joints and frames, for reports and pictures; nullptr: the model is of another kind.
  const MechanismProgram* mechanism() const;

  Index parameterCount() const;
  Index inputCount() const;
  Index outputCount() const;      // declared outputs (Quantity::output)
  Index coordinateCount() const;  // n
  Index constraintCount() const;  // m

  /// The evaluable form, with default parameters and inputs set. The model must outlive it; moving
  /// the model is allowed.
  std::unique_ptr<ModelSystem> makeSystem() const;

  struct Data;
  explicit CompiledModel(std::unique_ptr<const Data> data);
  CompiledModel(CompiledModel&&) noexcept;
  CompiledModel& operator=(CompiledModel&&) noexcept;
  ~CompiledModel();

 private:
  std::unique_ptr<const Data> data_;
};

/// Throws ModelError (file:line: what, got, expected) where the model is wrong.
CompiledModel compile(const ModelFile& file);
/// With other numbers of elements than the file gives, in the order of the file.
CompiledModel compile(ModelFile file, std::span<const std::uint64_t> structure);

}  // namespace trammel
