#include "coupling/fmu_subsystem.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "coupling/fmu_error.hpp"

namespace trammel::coupling {
namespace {

using References = std::vector<std::uint32_t>;

void append(References& all, const FmuSignal& signal) {
  all.insert(all.end(), signal.references.begin(), signal.references.end());
}

/// How the FMU learns the course of one input within a step.
enum class Course { constant, rates, lines };

const FmuVariable& realScalar(const Fmu& fmu, const std::string& name) {
  const FmuVariable* variable = fmu.description().find(name);
  const std::string quoted = fmu.file().string() + ": variable \"" + name + "\" ";
  if (variable == nullptr) throw FmuError(quoted + "is not in the FMU");
  if (variable->type != FmuType::real || variable->size != 1) {
    throw FmuError(quoted + "must be a real scalar");
  }
  return *variable;
}

/// A scalar of a type whose values are numbers.
const FmuVariable& numberScalar(const Fmu& fmu, const std::string& name) {
  const FmuVariable* variable = fmu.description().find(name);
  const std::string quoted = fmu.file().string() + ": variable \"" + name + "\" ";
  if (variable == nullptr) throw FmuError(quoted + "is not in the FMU");
  const bool isNumber = variable->type == FmuType::real || variable->type == FmuType::float32 ||
                        variable->type == FmuType::integer || variable->type == FmuType::boolean;
  if (!isNumber || variable->size != 1) {
    throw FmuError(quoted + "must be a scalar number or Boolean");
  }
  return *variable;
}

struct Parameter {
  FmuType type = FmuType::real;
  std::uint32_t valueReference = 0;
  double value = 0;
};

/// Whether inputs of these references can run along lines within a step.
bool followsLines(const FmuDescription& description, const References& references) {
  if (description.capabilities.interpolatesInputs) return true;
  if (!description.capabilities.intermediateUpdate) return false;
  return std::all_of(references.begin(), references.end(), [&](std::uint32_t reference) {
    return std::any_of(description.variables.begin(), description.variables.end(),
                       [&](const FmuVariable& v) {
                         return v.valueReference == reference && v.intermediateUpdate &&
                                v.causality == FmuCausality::input;
                       });
  });
}

}  // namespace

struct FmuSubsystem::Implementation {
  Implementation(std::string theName, std::unique_ptr<const Fmu> theFmu, const FmuUse& use)
      : name(std::move(theName)),
        owner(std::move(theFmu)),
        fmu(*owner),
        instance(fmu, name, use.events),
        tolerance(use.tolerance) {
    for (const FmuPortRequest& request : use.ports) addPort(request);
    for (const std::string& input : use.inputs) addInput(input);
    for (const std::string& output : use.outputs) {
      outputReferences.push_back(realScalar(fmu, output).valueReference);
      outputNames.push_back(output);
    }
    for (const auto& [parameter, value] : use.parameters) addParameter(parameter, value);
    addRepeatability(use);
    setParameters();
    for (const char* noiseName : {"coupling.noise_r", "coupling.noise_v"}) {
      if (fmu.description().find(noiseName) == nullptr) continue;
      noiseReferences.push_back(realScalar(fmu, noiseName).valueReference);
    }
    motionValues.resize(static_cast<std::size_t>(motionSize));
    forces.setZero(forceSize);
    inputValue.setZero(static_cast<Index>(inputNames.size()));
    inputFirst = inputValue;
  }

  void addParameter(const std::string& parameter, double value) {
    const FmuVariable& variable = numberScalar(fmu, parameter);
    parameters.push_back({variable.type, variable.valueReference, value});
  }

  /// Our own FMUs can plan their steps, so that repeated ones depend smoothly on forces.
  void addRepeatability(const FmuUse& use) {
    constexpr const char* repeatable = "solver.repeatable";
    const FmuVariable* variable = fmu.description().find(repeatable);
    const bool isChosen = std::any_of(use.parameters.begin(), use.parameters.end(),
                                      [&](const auto& p) { return p.first == repeatable; });
    const bool isOffered = variable != nullptr && variable->type == FmuType::boolean &&
                           variable->causality == FmuCausality::parameter;
    // Plans are made for moderate tolerances: below this they need too many steps.
    const bool isUseful = fmu.description().capabilities.saveState && !use.ports.empty() &&
                          use.tolerance.value_or(1e-6) >= 1e-10;
    if (isOffered && isUseful && !isChosen) addParameter(repeatable, 1);
  }

  void setParameters() {
    for (const Parameter& p : parameters) {
      const std::array reference{p.valueReference};
      const std::array value{p.value};
      if (p.type == FmuType::real) {
        instance.setReal(reference, value);
      } else {
        instance.setNumbers(p.type == FmuType::float32   ? FmuNumber::float32
                            : p.type == FmuType::boolean ? FmuNumber::boolean
                                                         : FmuNumber::int32,
                            reference, value);
      }
    }
  }

  void addPort(const FmuPortRequest& request) {
    const FmuDescription& d = fmu.description();
    const FmuPortNames names = request.names ? *request.names : portNames(d, request.name);
    FmuPort port = makePort(d, fmu.file().string(), request.name, names);
    for (const FmuSignal* s : {&port.r, &port.v, &port.a, &port.Q, &port.w, &port.z}) {
      append(motionReferences, *s);
      motionSize += s->size;
    }
    const bool isFrame = port.port.kind == PortKind::frame;
    hasAcceleration = hasAcceleration && !port.a.isEmpty() && (!isFrame || !port.z.isEmpty());
    append(forceReferences, port.force);
    append(accelerationReferences, port.a);
    append(accelerationReferences, port.z);
    forceSize += port.force.size;
    const bool lines = port.forceRate.isEmpty() && followsLines(d, port.force.references);
    forceCourse.push_back(!port.forceRate.isEmpty() ? Course::rates
                          : lines                   ? Course::lines
                                                    : Course::constant);
    portList.push_back(port.port);
    ports.push_back(std::move(port));
  }

  void addInput(const std::string& input) {
    const FmuVariable& variable = realScalar(fmu, input);
    if (variable.causality != FmuCausality::input) {
      throw FmuError(fmu.file().string() + ": variable \"" + input + "\" must be an input");
    }
    inputReferences.push_back(variable.valueReference);
    inputNames.push_back(input);
    inputsFollowLines = inputsFollowLines && followsLines(fmu.description(), inputReferences);
  }

  int forceOrder() const {
    int order = 2;
    for (std::size_t p = 0; p < ports.size(); ++p) {
      const bool quadratic = !ports[p].forceSecondRate.isEmpty();
      if (forceCourse[p] != Course::rates || !quadratic) order = std::min(order, 1);
      if (forceCourse[p] == Course::constant) order = 0;
    }
    return order;
  }

  /// Values of one degree of one port in the FMU's sign.
  void set(const FmuSignal& signal, const Vector& all, Index offset, double sign) {
    if (signal.isEmpty()) return;
    const Vector values = sign * all.segment(offset, signal.size);
    instance.setReal(signal.references, {values.data(), static_cast<std::size_t>(values.size())});
  }

  /// Hands the stored forces and inputs to the FMU; within a step as far as it follows them.
  void apply() {
    References lineReferences;
    std::vector<double> lineValue, lineFirst;
    const auto addLine = [&](const References& references, const Vector& value,
                             const Vector& first) {
      lineReferences.insert(lineReferences.end(), references.begin(), references.end());
      lineValue.insert(lineValue.end(), value.begin(), value.end());
      lineFirst.insert(lineFirst.end(), first.begin(), first.end());
    };
    Index offset = 0;
    for (std::size_t p = 0; p < ports.size(); ++p) {
      const FmuPort& port = ports[p];
      const Index n = port.force.size;
      if (forceCourse[p] == Course::lines && !initializing) {
        addLine(port.force.references, port.forceSign * forces.value.segment(offset, n),
                port.forceSign * forces.first.segment(offset, n));
      } else {
        set(port.force, forces.value, offset, port.forceSign);
        set(port.forceRate, forces.first, offset, port.forceSign);
        set(port.forceSecondRate, forces.second, offset, port.forceSign);
      }
      offset += n;
    }
    if (!inputReferences.empty()) {
      if (inputsFollowLines && !initializing) {
        addLine(inputReferences, inputValue, inputFirst);
      } else {
        instance.setReal(inputReferences,
                         {inputValue.data(), static_cast<std::size_t>(inputValue.size())});
      }
    }
    if (!lineReferences.empty()) instance.setInputLines({lineReferences, lineValue, lineFirst});
  }

  /// W column by column: W e_j by directional derivatives.
  void derivatives(Matrix& W) {
    W.resize(forceSize, forceSize);
    Vector seed = Vector::Zero(forceSize), column(forceSize);
    const auto n = static_cast<std::size_t>(forceSize);
    for (Index j = 0; j < forceSize; ++j) {
      seed[j] = signOf(j);
      instance.getDirectionalDerivative({accelerationReferences, forceReferences, {seed.data(), n}},
                                        {column.data(), n});
      W.col(j) = column;
      seed[j] = 0;
    }
  }

  double signOf(Index component) const {
    for (const FmuPort& port : ports) {
      if (component < port.force.size) return port.forceSign;
      component -= port.force.size;
    }
    return 1;
  }

  const std::string name;
  const std::unique_ptr<const Fmu> owner;
  const Fmu& fmu;
  FmuInstance instance;
  std::optional<double> tolerance;
  std::vector<FmuPort> ports;
  std::vector<Port> portList;
  std::vector<Course> forceCourse;  // of each port
  std::vector<std::string> inputNames, outputNames;
  References forceReferences, accelerationReferences, motionReferences;
  References inputReferences, outputReferences, noiseReferences;
  std::vector<Parameter> parameters;
  Index forceSize = 0, motionSize = 0;
  bool hasAcceleration = true, inputsFollowLines = true;

  bool initializing = true;
  ForcePolynomial forces;
  Vector inputValue, inputFirst;
  std::vector<double> motionValues;
  std::optional<FmuInstance::State> saved;
  /// Where the FMU stands after an event, which the master's time may miss by rounding.
  std::optional<double> ownTime, savedTime;
};

FmuSubsystem::FmuSubsystem(std::string name, std::unique_ptr<const Fmu> fmu, const FmuUse& use)
    : implementation_(std::make_unique<Implementation>(std::move(name), std::move(fmu), use)) {}

FmuSubsystem::~FmuSubsystem() = default;

const std::string& FmuSubsystem::name() const { return implementation_->name; }

std::span<const Port> FmuSubsystem::ports() const { return implementation_->portList; }

std::span<const std::string> FmuSubsystem::inputs() const { return implementation_->inputNames; }

std::span<const std::string> FmuSubsystem::outputs() const { return implementation_->outputNames; }

const FmuDescription& FmuSubsystem::description() const {
  return implementation_->fmu.description();
}

FmuInstance& FmuSubsystem::instance() { return implementation_->instance; }

SubsystemCapabilities FmuSubsystem::capabilities() const {
  const FmuCapabilities& can = description().capabilities;
  const Implementation& i = *implementation_;
  return {.rollback = can.saveState,
          .variableStep = can.variableStep,
          .forceOrder = i.forceOrder(),
          .inputOrder = i.inputsFollowLines && !i.inputReferences.empty() ? 1 : 0,
          .acceleration = i.hasAcceleration,
          .mobility = i.hasAcceleration && can.directionalDerivatives};
}

PortNoise FmuSubsystem::noise() const {
  Implementation& i = *implementation_;
  if (i.noiseReferences.size() != 2) return {};
  std::array<double, 2> values{};
  i.instance.getReal(i.noiseReferences, values);
  return {values[0], values[1]};
}

void FmuSubsystem::enterInitialization(double startTime, std::optional<double> stopTime) {
  implementation_->instance.enterInitializationMode(
      {startTime, stopTime, implementation_->tolerance});
}

void FmuSubsystem::exitInitialization() {
  implementation_->apply();
  implementation_->instance.exitInitializationMode();
  implementation_->initializing = false;
}

void FmuSubsystem::setForces(const ForcePolynomial& forces) { implementation_->forces = forces; }

void FmuSubsystem::setInputs(VectorIn value, VectorIn first) {
  implementation_->inputValue = value;
  implementation_->inputFirst = first;
}

SubsystemStep FmuSubsystem::step(double t, double H) {
  Implementation& i = *implementation_;
  i.apply();
  const double from = i.ownTime.value_or(t);
  const FmuStep step = i.instance.attemptStep(from, t + H - from);
  i.ownTime = step.event ? std::optional(step.lastSuccessfulTime) : std::nullopt;
  SubsystemStep result{.outcome = StepOutcome::done,
                       .reachedTime = step.lastSuccessfulTime,
                       .event = step.event,
                       .wantsToEnd = step.terminate,
                       .message = ""};
  if (step.status == FmuStatus::ok || step.status == FmuStatus::warning) return result;
  result.outcome = step.status == FmuStatus::discard ? StepOutcome::discarded
                   : step.status == FmuStatus::error ? StepOutcome::failed
                                                     : StepOutcome::fatal;
  const std::string tail = i.instance.log().tail();
  result.message = std::string("doStep returned ") + text(step.status) +
                   (tail.empty() ? ", the FMU logged nothing" : ": " + tail);
  return result;
}

bool FmuSubsystem::handleEvent() { return implementation_->instance.handleEvent(); }

void FmuSubsystem::readMotion(std::span<PortMotion> motions) {
  Implementation& i = *implementation_;
  assert(motions.size() == i.ports.size());
  if (i.ports.empty()) return;
  if (i.initializing) i.apply();
  i.instance.getReal(i.motionReferences, i.motionValues);
  const double* next = i.motionValues.data();
  const auto take = [&](const FmuSignal& signal, double* to) {
    std::copy(next, next + signal.size, to);
    next += signal.size;
  };
  for (std::size_t p = 0; p < i.ports.size(); ++p) {
    const FmuPort& port = i.ports[p];
    PortMotion& m = motions[p];
    take(port.r, m.r.data());
    take(port.v, m.v.data());
    take(port.a, m.a.data());
    Eigen::Vector4d Q(1, 0, 0, 0);  // scalar part first
    take(port.Q, Q.data());
    m.Q = Eigen::Quaterniond(Q[0], Q[1], Q[2], Q[3]).normalized();
    take(port.w, m.w.data());
    take(port.z, m.z.data());
  }
}

void FmuSubsystem::readOutputs(VectorOut values) {
  Implementation& i = *implementation_;
  if (i.outputReferences.empty()) return;
  if (i.initializing) i.apply();
  i.instance.getReal(i.outputReferences, {values.data(), static_cast<std::size_t>(values.size())});
}

bool FmuSubsystem::mobility(Matrix& W) {
  Implementation& i = *implementation_;
  if (!capabilities().mobility) return false;
  if (i.initializing) i.apply();
  i.derivatives(W);
  return true;
}

void FmuSubsystem::save() {
  Implementation& i = *implementation_;
  i.saved.emplace(i.instance.saveState());
  i.savedTime = i.ownTime;
}

void FmuSubsystem::restore() {
  Implementation& i = *implementation_;
  assert(i.saved);
  i.instance.restoreState(*i.saved);
  i.ownTime = i.savedTime;
}

void FmuSubsystem::restoreState(const FmuInstance::State& state, bool duringInitialization) {
  implementation_->instance.restoreState(state);
  implementation_->initializing = duringInitialization;
  implementation_->ownTime.reset();
}

void FmuSubsystem::reset() {
  Implementation& i = *implementation_;
  i.instance.reset();
  i.initializing = true;
  i.ownTime.reset();
  i.forces.setZero(i.forceSize);
  i.inputValue.setZero();
  i.inputFirst.setZero();
  i.setParameters();
}

void FmuSubsystem::terminate() { implementation_->instance.terminate(); }

}  // namespace trammel::coupling
