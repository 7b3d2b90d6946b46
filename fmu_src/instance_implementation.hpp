#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fmu_src/instance.hpp"
#include "fmu_src/partial_derivatives.hpp"
#include "solver/initial_values.hpp"

namespace trammel::fmi {

/// How much of the motion at the time of evaluation is known since the last change; each includes
/// those before.
enum class Evaluated : std::uint8_t { nothing, kinematics, forces, outputs };

/// What reading a variable takes: short, so that those of many variables are read quickly.
struct Reading {
  Type type = Type::float64;
  Quantity quantity = Quantity::time;
  Evaluated needed = Evaluated::nothing;  // besides a start value before initialization
  std::uint32_t index = 0;                // within the quantity
  const double* place = nullptr;          // of the number evaluated; nullptr: value() has it
};

/// What the importer asks for.
struct CommunicationStep {
  double from, size;  // [s]
};

/// The inputs that are the first and second rate of an input (`F_der1` and `F_der2` of `F`), and
/// the input that it is a rate of; −1: none.
struct DerivativeInputs {
  std::ptrdiff_t rate = -1, secondRate = -1, base = -1;
};

/// Gives a setting of the solver the value of its variable.
void changeSetting(SolverSettings& settings, const Variable& variable, double value);

/// Inside of Instance, shared by instance.cpp (modes and states), instance_steps.cpp,
/// instance_variables.cpp (get and set) and instance_derivatives.cpp.
struct Instance::Implementation {
  Implementation(CompiledModel compiledModel, Log sink, StepOptions options);

  /// The same with other numbers of elements, as freshly constructed.
  std::unique_ptr<Implementation> restructured(const std::vector<std::uint64_t>& structure) const;

  // Modes and states.
  SolverOptions solverOptions(const Snapshot& of) const;
  void makeIntegrator();
  void setBounds();  // from the experiment
  void clear();      // all variables at their start values
  void applyOutsideValues();
  Report solveInitialValues();
  void restore(const Snapshot& saved);  // of the present structure

  // Steps.
  bool meetsTime(double currentTime, double stepSize) const;
  bool isUsual(double currentTime, double stepSize) const;
  void checkStep(double currentTime, double stepSize) const;  // throws Error where it is wrong
  bool meetsStopTime(double currentTime, double stepSize) const;
  [[noreturn, gnu::cold]] void throwWrongStep(double currentTime, double stepSize) const;
  bool hasChanges();
  Report applyChanges();
  Report handleEvent();
  bool reportsEvents() const;
  bool looksIn() const;  // the importer looks in at times inside a step
  void sampleInputs(double from, double to);
  std::optional<double> lookIn(const IntermediatePoint& point);
  double farthest(double target) const;
  Report advance(double& target, StepResult& result);
  bool hasPassed(double t) const;
  Report tryStep(double target, StepResult& result);
  Report tryStepOrReturn(double target, StepResult& result);
  void arriveAt(double time, double stepSize);  // after a step of the importer
  void forgetRenewals();
  double endOf(const CommunicationStep& step) const {
    // From the arguments, so that nothing accumulates here; rounding must not lead backwards.
    return std::max(step.from + step.size, snapshot.time);
  }
  [[gnu::noinline]] StepResult doOtherStep(double currentTime, double stepSize);
  StepResult doFullStep(const CommunicationStep& step);
  [[gnu::cold, gnu::noinline]] StepResult discard(const CommunicationStep& step, const Report& why);

  // Get and set.
  bool beforeStep() const;  // instantiated or in initialization mode
  double time() const {     // of what get gives
    return snapshot.mode == Mode::intermediateUpdate ? intermediateTime : snapshot.time;
  }
  void checkIntermediate(const Variable& variable) const;
  void checkSettable(const Variable& variable, double value) const;
  void assign(const Variable& variable, double value);
  const Variable& lookUpAs(Type type, std::uint32_t valueReference) const;
  void checkSettings(const SolverSettings& settings) const;  // throws Error where out of range
  void use(const SolverSettings& settings);
  double solverNumber(const Variable& variable) const;
  void changed();  // what initial values depend on
  void setInput(std::size_t i, double value);
  void setInputDerivative(std::size_t i, std::int32_t order, double value);
  void acceptParameters(const std::vector<double>& candidate);
  StartValues startValues();
  double startValue(const Reading& reading);
  bool readsStart(std::uint32_t valueReference) const;  // it is what was set, nothing is evaluated
  void evaluate(Evaluated needed);
  void evaluateInStep(Evaluated needed);  // pre: the mode asks for nothing else before
  void evaluateUpTo(Evaluated needed);    // pre: it is not known yet
  void evaluateOutputs();                 // pre: those before are known
  bool needsAll() const;
  void evaluateAll();
  void evaluateMotion(Evaluated needed);  // its kinematics, with forces if these are needed
  void evaluateWithoutForces(Evaluated needed, const Report& withForces);
  void startMotion();
  void meetMode();
  [[noreturn, gnu::cold]] void throwNoMotion(const Report& why) const;
  void evaluateResiduals();
  /// What is read depends on the mode: start values, or only some variables.
  bool hasSpecialReading() const {
    return snapshot.mode == Mode::instantiated || snapshot.mode == Mode::intermediateUpdate;
  }
  void setPlaces();  // of readings
  Evaluated needsOf(Type type, std::span<const std::uint32_t> valueReferences) const;
  Evaluated needOf(Type type, std::uint32_t valueReference) const;
  double value(std::uint32_t valueReference);
  void forget() {  // evaluated values are no longer those of the snapshot
    upToDate = {};
  }

  // Derivatives.
  std::vector<const Variable*> unknowns(std::span<const std::uint32_t> valueReferences) const;
  std::vector<KnownColumn> columns(std::span<const std::uint32_t> knowns);
  void checkKnown(const Variable& variable) const;
  void linearise();
  void addInitialValues(const Variable& known, KnownColumn& column);
  void evaluateRates();

  /// What there may be in a step besides that time goes on; of a usual one none of it is true.
  struct Besides {
    bool special = false;       // events, or the importer looks in
    bool mayDiffer = true;      // `set` from `applied`; false: they are equal
    bool mayBeRenewed = false;  // an input; false: none is
    bool endsThere = false;     // the integrator may not pass the end of a step

    bool any() const { return std::bit_cast<std::uint32_t>(*this) != 0; }
  };

  // What every step touches comes first, so that it is near together and has short addresses.
  // Workspace: nothing of it decides the future.
  struct UpToDate {
    Evaluated values = Evaluated::nothing;  // of motion and outputs
    bool residuals = false, linearisation = false, rates = false;
  } upToDate;
  Evaluated lastNeeded = Evaluated::nothing;  // by the list that was read last
  Besides besides;
  bool valuesChanged = false;   // in the present step
  bool forcesRead = false;      // since the last communication point
  bool forcesExpected = false;  // they were read at the last one
  double latestEnd = 0;         // [s], of a usual step
  double farthestUsually = 0;   // [s], that the integrator may go in one
  Motion motion;  // at time(); its numbers stay where they are, as those of the outputs do
  std::vector<double> outputs;
  std::span<double> allOutputs;  // the same

  Snapshot snapshot;  // its `memory` stays empty: the integrator holds it
  Status lastStepStatus = Status::ok;
  CompiledModel model;
  std::string startNote;  // what was last said about the start values, redundant constraints
  Log log;
  StepOptions stepOptions;
  std::unique_ptr<ModelSystem> system;
  bool hasRoots;  // its forces have events
  std::optional<Integrator> integrator;
  std::vector<VariableArray> described;       // variables as in modelDescription.xml
  std::vector<std::uint64_t> firstStructure;  // the values there
  ArrayReferences arrays;
  std::vector<DerivativeInputs> derivativeInputs;  // of each input
  std::vector<Reading> readings;                   // by value reference
  std::size_t memorySize = 0;                      // of a started integrator

  // More workspace.
  Vector residuals;                               // g(q, t)
  std::optional<PartialDerivatives> derivatives;  // made when first asked for
  struct Rates {                                  // first and second time derivatives
    Response first, second;                       // of a and λ
    std::vector<double> outputs1, outputs2;       // of declared outputs
  } rates;
  double intermediateTime = 0;  // in a callback
  bool intermediateGetAllowed = false;
  std::vector<double> sampled;  // inputs set in a callback
  trammel::Rates ratesBefore;
  Motion before;                               // a jump of the forces
  Vector g, rate, gAfter, rateAfter;           // constraints before and after it
  OutsideValues formerlySet, formerlyApplied;  // of a step that may be discarded
  std::vector<double> rollback;                // memory of the integrator, likewise
};

}  // namespace trammel::fmi
