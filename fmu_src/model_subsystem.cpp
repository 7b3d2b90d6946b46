#include "fmu_src/model_subsystem.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <utility>

#include "coupling/fmu_error.hpp"
#include "coupling/fmu_port.hpp"
#include "fmu_src/instance.hpp"

namespace trammel::fmi {
namespace {

using coupling::FmuPort;
using coupling::FmuSignal;
using coupling::FmuVariable;
using References = std::vector<std::uint32_t>;

constexpr const char* repeatable = "solver.repeatable";

coupling::FmuType typeOf(Type type) {
  switch (type) {
    case Type::float64:
    case Type::float32:  // without an importer of FMI 3 a real like all
      return coupling::FmuType::real;
    case Type::int32:
    case Type::uint64:  // a number of elements
      return coupling::FmuType::integer;
    case Type::boolean:
      return coupling::FmuType::boolean;
    case Type::string:
      break;
  }
  return coupling::FmuType::string;
}

coupling::FmuCausality causalityOf(Causality causality) {
  switch (causality) {
    case Causality::parameter:
      return coupling::FmuCausality::parameter;
    case Causality::input:
      return coupling::FmuCausality::input;
    case Causality::output:
      return coupling::FmuCausality::output;
    case Causality::independent:
      return coupling::FmuCausality::independent;
    default:
      return coupling::FmuCausality::local;
  }
}

Log logInto(std::string& message) {
  const auto keep = [&message](Status, const char*, const std::string& text) { message = text; };
  return Log(keep, true);  // also why a step was discarded
}

void append(References& all, const FmuSignal& signal) {
  all.insert(all.end(), signal.references.begin(), signal.references.end());
}

}  // namespace

coupling::FmuDescription descriptionOf(const CompiledModel& model) {
  coupling::FmuDescription description;
  description.modelName = model.name();
  description.modelIdentifier = model.identifier();
  description.token = model.token();
  description.capabilities = {.variableStep = true,
                              .saveState = true,
                              .serializeState = true,
                              .directionalDerivatives = true,
                              .interpolatesInputs = true,
                              .eventMode = true};
  for (const Unit& unit : model.units()) {
    description.units.push_back({unit.name, unit.factor, unit.offset, unit.exponents});
  }
  for (const Variable& v : model.variables().variables) {
    FmuVariable variable;
    variable.name = v.name;
    variable.valueReference = v.valueReference;
    variable.type = typeOf(v.type);
    variable.causality = causalityOf(v.causality);
    variable.discrete = isDiscrete(v.type);
    variable.unit = v.unit;
    description.variables.push_back(std::move(variable));
  }
  return description;
}

struct ModelSubsystem::Implementation {
  Implementation(std::string theName, std::string theSource, CompiledModel model,
                 const coupling::FmuUse& use)
      : name(std::move(theName)),
        source(std::move(theSource)),
        description(descriptionOf(model)),
        instance(std::move(model), logInto(lastMessage), stepOptions(use)),
        tolerance(use.tolerance) {
    for (const coupling::FmuPortRequest& request : use.ports) addPort(request);
    for (const std::string& input : use.inputs) {
      if (find(input).causality != coupling::FmuCausality::input) {
        throw coupling::FmuError(source + ": variable \"" + input + "\" must be an input");
      }
      inputReferences.push_back(realScalar(input));
      inputNames.push_back(input);
    }
    for (const std::string& output : use.outputs) {
      outputReferences.push_back(realScalar(output));
      outputNames.push_back(output);
    }
    call([&] { setParameters(use); });
    forces.setZero(forceSize);
    inputValue.setZero(std::ssize(inputNames));
    inputFirst = inputValue;
  }

  static StepOptions stepOptions(const coupling::FmuUse& use) {
    StepOptions options;
    options.eventModeUsed = use.events == coupling::EventHandling::reported;
    options.earlyReturnAllowed = options.eventModeUsed;
    return options;
  }

  const FmuVariable& find(const std::string& variable) const {
    const FmuVariable* found = description.find(variable);
    if (found == nullptr) {
      throw coupling::FmuError(source + ": variable \"" + variable + "\" is not in the model");
    }
    return *found;
  }

  std::uint32_t realScalar(const std::string& variable) const {
    const FmuVariable& found = find(variable);
    if (found.type != coupling::FmuType::real) {
      throw coupling::FmuError(source + ": variable \"" + variable + "\" must be a real scalar");
    }
    return found.valueReference;
  }

  void addPort(const coupling::FmuPortRequest& request) {
    const coupling::FmuPortNames names =
        request.names ? *request.names : coupling::portNames(description, request.name);
    FmuPort port = coupling::makePort(description, source, request.name, names);
    for (const FmuSignal* s : {&port.r, &port.v, &port.a, &port.Q, &port.w, &port.z}) {
      append(motionReferences, *s);
    }
    motionValues.resize(motionReferences.size());
    const bool isFrame = port.port.kind == coupling::PortKind::frame;
    hasAcceleration = hasAcceleration && !port.a.isEmpty() && (!isFrame || !port.z.isEmpty());
    append(forceReferences, port.force);
    append(accelerationReferences, port.a);
    append(accelerationReferences, port.z);
    forceSize += port.force.size;
    portList.push_back(port.port);
    ports.push_back(std::move(port));
  }

  /// Steps are planned, so that repeated ones depend smoothly on forces, as those of our FMUs are.
  void setParameters(const coupling::FmuUse& use) {
    bool isChosen = false;
    for (const auto& [parameter, value] : use.parameters) {
      isChosen = isChosen || parameter == repeatable;
      const coupling::FmuType type = find(parameter).type;
      if (type == coupling::FmuType::string) {
        throw coupling::FmuError(source + ": variable \"" + parameter +
                                 "\" must be a scalar number or Boolean");
      }
      instance.setNumbers(type == coupling::FmuType::real      ? Type::float64
                          : type == coupling::FmuType::integer ? Type::int32
                                                               : Type::boolean,
                          std::array{find(parameter).valueReference}, std::array{value});
    }
    const FmuVariable* offered = description.find(repeatable);
    if (offered == nullptr || isChosen || use.ports.empty() || use.tolerance.value_or(1e-6) < 1e-10)
      return;
    instance.setNumbers(Type::boolean, std::array{offered->valueReference}, std::array{1.0});
  }

  void set(const FmuSignal& signal, const Vector& all, Index offset, double sign) {
    if (signal.isEmpty()) return;
    const Vector values = sign * all.segment(offset, signal.size);
    instance.setReal(signal.references, {values.data(), static_cast<std::size_t>(values.size())});
  }

  /// Forces and inputs as they are to be from here on.
  void apply() {
    Index offset = 0;
    for (const FmuPort& port : ports) {
      const bool hasRates = !port.forceRate.isEmpty();
      set(port.force, forces.value, offset, port.forceSign);
      set(port.forceRate, forces.first, offset, port.forceSign);
      set(port.forceSecondRate, forces.second, offset, port.forceSign);
      if (!hasRates && !initializing) {
        setSlopes(port.force.references,
                  port.forceSign * forces.first.segment(offset, port.force.size));
      }
      offset += port.force.size;
    }
    if (inputReferences.empty()) return;
    instance.setReal(inputReferences,
                     {inputValue.data(), static_cast<std::size_t>(inputValue.size())});
    if (!initializing) setSlopes(inputReferences, inputFirst);
  }

  void setSlopes(const References& references, const Vector& slopes) {
    const std::vector<std::int32_t> orders(references.size(), 1);
    instance.setInputDerivatives(references, orders,
                                 {slopes.data(), static_cast<std::size_t>(slopes.size())});
  }

  /// What the instance cannot do is told as an FMU would.
  template <class Function>
  void call(const Function& function) const {
    try {
      function();
    } catch (const coupling::FmuError&) {
      throw;
    } catch (const Error& error) {
      throw coupling::FmuError(source + ": " + error.what());
    }
  }

  double signOf(Index component) const {
    for (const FmuPort& port : ports) {
      if (component < port.force.size) return port.forceSign;
      component -= port.force.size;
    }
    return 1;
  }

  int forceOrder() const {
    const bool quadratic = std::none_of(ports.begin(), ports.end(), [](const FmuPort& port) {
      return port.forceSecondRate.isEmpty();
    });
    return quadratic ? 2 : 1;
  }

  const std::string name, source;
  const coupling::FmuDescription description;
  std::string lastMessage;  // of the instance
  Instance instance;
  std::optional<double> tolerance;
  std::vector<FmuPort> ports;
  std::vector<coupling::Port> portList;
  std::vector<std::string> inputNames, outputNames;
  References forceReferences, accelerationReferences, motionReferences;
  References inputReferences, outputReferences;
  Index forceSize = 0;
  bool hasAcceleration = true, initializing = true;
  coupling::ForcePolynomial forces;
  Vector inputValue, inputFirst;
  std::vector<double> motionValues;
  std::unique_ptr<ComponentState> saved;
  /// Where the instance stands after an event, which the master's time may miss by rounding.
  std::optional<double> ownTime, savedTime;
};

ModelSubsystem::ModelSubsystem(std::string name, const std::string& source, CompiledModel model,
                               const coupling::FmuUse& use)
    : implementation_(
          std::make_unique<Implementation>(std::move(name), source, std::move(model), use)) {}

ModelSubsystem::~ModelSubsystem() = default;

const std::string& ModelSubsystem::name() const { return implementation_->name; }
std::span<const coupling::Port> ModelSubsystem::ports() const { return implementation_->portList; }
std::span<const std::string> ModelSubsystem::inputs() const { return implementation_->inputNames; }
std::span<const std::string> ModelSubsystem::outputs() const {
  return implementation_->outputNames;
}

coupling::SubsystemCapabilities ModelSubsystem::capabilities() const {
  const Implementation& i = *implementation_;
  return {.rollback = true,
          .variableStep = true,
          .forceOrder = i.forceOrder(),
          .inputOrder = i.inputReferences.empty() ? 0 : 1,
          .acceleration = i.hasAcceleration,
          .mobility = i.hasAcceleration};
}

coupling::PortNoise ModelSubsystem::noise() const {
  Implementation& i = *implementation_;
  const FmuVariable* r = i.description.find("coupling.noise_r");
  const FmuVariable* v = i.description.find("coupling.noise_v");
  if (r == nullptr || v == nullptr) return {};
  std::array<double, 2> values{};
  i.instance.getReal(std::array{r->valueReference, v->valueReference}, values);
  return {values[0], values[1]};
}

void ModelSubsystem::enterInitialization(double startTime, std::optional<double> stopTime) {
  Implementation& i = *implementation_;
  i.call([&] { i.instance.enterInitializationMode(i.tolerance, startTime, stopTime); });
}

void ModelSubsystem::exitInitialization() {
  Implementation& i = *implementation_;
  i.call([&] {
    i.apply();
    i.instance.exitInitializationMode();
    if (i.instance.mode() != Mode::event) return;
    i.instance.updateDiscreteStates();
    i.instance.enterStepMode();
  });
  i.initializing = false;
}

void ModelSubsystem::setForces(const coupling::ForcePolynomial& forces) {
  implementation_->forces = forces;
}

void ModelSubsystem::setInputs(VectorIn value, VectorIn first) {
  implementation_->inputValue = value;
  implementation_->inputFirst = first;
}

coupling::SubsystemStep ModelSubsystem::step(double t, double H) {
  Implementation& i = *implementation_;
  try {
    i.apply();
    const double from = i.ownTime.value_or(t);
    const StepResult result = i.instance.doStep(from, t + H - from);
    const bool isEarly = result.eventHandlingNeeded || result.earlyReturn;
    i.ownTime = isEarly ? std::optional(result.lastSuccessfulTime) : std::nullopt;
    const bool done = result.status == Status::ok || result.status == Status::warning;
    return {.outcome = done ? coupling::StepOutcome::done : coupling::StepOutcome::discarded,
            .reachedTime = done ? result.lastSuccessfulTime : t,
            .event = done && isEarly,
            .wantsToEnd = result.terminate,
            .message = done ? "" : "the step was discarded: " + i.lastMessage};
  } catch (const Error& error) {
    return {.outcome = coupling::StepOutcome::failed, .reachedTime = t, .message = error.what()};
  }
}

bool ModelSubsystem::handleEvent() {
  Implementation& i = *implementation_;
  i.call([&] {
    i.instance.enterEventMode();
    i.instance.updateDiscreteStates();
    i.instance.enterStepMode();
  });
  return false;
}

void ModelSubsystem::readMotion(std::span<coupling::PortMotion> motions) {
  Implementation& i = *implementation_;
  assert(motions.size() == i.ports.size());
  if (i.ports.empty()) return;
  i.call([&] {
    if (i.initializing) i.apply();
    i.instance.getReal(i.motionReferences, i.motionValues);
  });
  const double* next = i.motionValues.data();
  const auto take = [&](const FmuSignal& signal, double* to) {
    std::copy(next, next + signal.size, to);
    next += signal.size;
  };
  for (std::size_t p = 0; p < i.ports.size(); ++p) {
    const FmuPort& port = i.ports[p];
    coupling::PortMotion& m = motions[p];
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

void ModelSubsystem::readOutputs(VectorOut values) {
  Implementation& i = *implementation_;
  if (i.outputReferences.empty()) return;
  i.call([&] {
    if (i.initializing) i.apply();
    i.instance.getReal(i.outputReferences,
                       {values.data(), static_cast<std::size_t>(values.size())});
  });
}

bool ModelSubsystem::mobility(Matrix& W) {
  Implementation& i = *implementation_;
  if (!i.hasAcceleration) return false;
  if (i.initializing) i.call([&] { i.apply(); });
  W.resize(i.forceSize, i.forceSize);
  Vector seed = Vector::Zero(i.forceSize), column(i.forceSize);
  const auto n = static_cast<std::size_t>(i.forceSize);
  for (Index j = 0; j < i.forceSize; ++j) {
    seed[j] = i.signOf(j);
    i.call([&] {
      i.instance.directionalDerivative(i.accelerationReferences, i.forceReferences,
                                       {seed.data(), n}, {column.data(), n});
    });
    W.col(j) = column;
    seed[j] = 0;
  }
  return true;
}

void ModelSubsystem::save() {
  Implementation& i = *implementation_;
  i.call([&] { i.instance.saveState(i.saved); });
  i.savedTime = i.ownTime;
}

void ModelSubsystem::restore() {
  Implementation& i = *implementation_;
  i.call([&] { i.instance.restoreState(*i.saved); });
  i.ownTime = i.savedTime;
}

void ModelSubsystem::terminate() { implementation_->instance.terminate(); }

}  // namespace trammel::fmi
