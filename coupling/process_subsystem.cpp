#include "coupling/process_subsystem.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "coupling/child_process.hpp"
#include "coupling/temporary_directory.hpp"

namespace trammel::coupling {
namespace {

enum class Call : char {
  describe,
  enterInitialization,
  exitInitialization,
  setForces,
  setInputs,
  step,
  handleEvent,
  readMotion,
  readOutputs,
  mobility,
  noise,
  save,
  restore,
  terminate
};

void putNames(Message& message, std::span<const std::string> names) {
  message.put(names.size());
  for (const std::string& name : names) message.putText(name);
}

std::vector<std::string> getNames(Message& message) {
  std::vector<std::string> names;
  for (auto count = message.get<std::size_t>(); count > 0; --count) {
    names.push_back(message.getText());
  }
  return names;
}

void putMotion(Message& message, const PortMotion& motion) {
  for (const Eigen::Vector3d* part : {&motion.r, &motion.v, &motion.a, &motion.w, &motion.z}) {
    for (const double value : *part) message.put(value);
  }
  for (const double value : motion.Q.coeffs()) message.put(value);
}

void getMotion(Message& message, PortMotion& motion) {
  for (Eigen::Vector3d* part : {&motion.r, &motion.v, &motion.a, &motion.w, &motion.z}) {
    for (double& value : *part) value = message.get<double>();
  }
  for (double& value : motion.Q.coeffs()) value = message.get<double>();
}

/// The side of the child: the subsystem itself.
class Server final {
 public:
  explicit Server(std::unique_ptr<Subsystem> subsystem) : subsystem_(std::move(subsystem)) {}

  void answer(Message& request, Message& reply) {
    const auto call = request.get<Call>();
    Subsystem& s = *subsystem_;
    switch (call) {
      case Call::describe:
        return describe(reply);
      case Call::enterInitialization: {
        const auto start = request.get<double>();
        const auto hasStop = request.get<bool>();
        const auto stop = request.get<double>();
        return s.enterInitialization(start, hasStop ? std::optional(stop) : std::nullopt);
      }
      case Call::exitInitialization:
        return s.exitInitialization();
      case Call::setForces:
        forces_.value = request.getNumbers();
        forces_.first = request.getNumbers();
        forces_.second = request.getNumbers();
        return s.setForces(forces_);
      case Call::setInputs: {
        const Vector value = request.getNumbers();
        const Vector first = request.getNumbers();
        return s.setInputs(value, first);
      }
      case Call::step: {
        const auto t = request.get<double>();
        return putStep(reply, s.step(t, request.get<double>()));
      }
      case Call::handleEvent:
        return reply.put(s.handleEvent());
      case Call::noise:
        return reply.put(s.noise());
      case Call::save:
        return s.save();
      case Call::restore:
        return s.restore();
      case Call::terminate:
        return s.terminate();
      case Call::readMotion:
      case Call::readOutputs:
      case Call::mobility:
        return read(call, reply);
    }
  }

 private:
  void describe(Message& reply) {
    const auto ports = subsystem_->ports();
    reply.put(ports.size());
    for (const Port& port : ports) {
      reply.putText(port.name);
      reply.put(port.kind);
    }
    putNames(reply, subsystem_->inputs());
    putNames(reply, subsystem_->outputs());
    reply.put(subsystem_->capabilities());
  }

  static void putStep(Message& reply, const SubsystemStep& step) {
    reply.put(step.outcome);
    reply.put(step.reachedTime);
    reply.put(step.event);
    reply.put(step.wantsToEnd);
    reply.putText(step.message);
  }

  void read(Call call, Message& reply) {
    if (call == Call::readMotion) {
      std::vector<PortMotion> motions(subsystem_->ports().size());
      subsystem_->readMotion(motions);
      for (const PortMotion& motion : motions) putMotion(reply, motion);
    } else if (call == Call::readOutputs) {
      Vector values(std::ssize(subsystem_->outputs()));
      subsystem_->readOutputs(values);
      reply.putNumbers(values);
    } else {
      Matrix W;
      const bool isKnown = subsystem_->mobility(W);
      reply.put(isKnown);
      if (isKnown) reply.putNumbers(W.data(), W.size());
    }
  }

  std::unique_ptr<Subsystem> subsystem_;
  ForcePolynomial forces_;
};

}  // namespace

struct ProcessSubsystem::Implementation {
  Implementation(std::string theName, const Maker& make, double timeLimit)
      : name(theName),
        process(
            std::move(theName), [&] { return prepared(make); }, timeLimit) {
    process.exchange(message);  // what prepare() has to say
    call(Call::describe);
    for (auto count = message.get<std::size_t>(); count > 0; --count) {
      std::string portName = message.getText();
      ports.push_back({std::move(portName), message.get<PortKind>()});
    }
    inputs = getNames(message);
    outputs = getNames(message);
    capabilities = message.get<SubsystemCapabilities>();
  }

  /// In the child. Files that it leaves behind when it crashes lie in a directory of the parent.
  ChildProcess::Answer prepared(const Maker& make) const {
    setenv("TMPDIR", directory.path().c_str(), 1);
    // A function must be copyable, a server is not; the child ends without destructors.
    auto* server = new Server(make());
    return [server](Message& request, Message& reply) { server->answer(request, reply); };
  }

  void begin(Call which) {
    message.clear();
    message.put(which);
  }
  void call(Call which) {
    begin(which);
    process.exchange(message);
  }

  const std::string name;
  TemporaryDirectory directory;
  ChildProcess process;
  Message message;
  std::vector<Port> ports;
  std::vector<std::string> inputs, outputs;
  SubsystemCapabilities capabilities;
};

ProcessSubsystem::ProcessSubsystem(std::string name, const Maker& make, double timeLimit)
    : implementation_(std::make_unique<Implementation>(std::move(name), make, timeLimit)) {}

ProcessSubsystem::~ProcessSubsystem() = default;

const std::string& ProcessSubsystem::name() const { return implementation_->name; }
std::span<const Port> ProcessSubsystem::ports() const { return implementation_->ports; }
std::span<const std::string> ProcessSubsystem::inputs() const { return implementation_->inputs; }
std::span<const std::string> ProcessSubsystem::outputs() const { return implementation_->outputs; }
SubsystemCapabilities ProcessSubsystem::capabilities() const {
  return implementation_->capabilities;
}

PortNoise ProcessSubsystem::noise() const {
  implementation_->call(Call::noise);
  return implementation_->message.get<PortNoise>();
}

void ProcessSubsystem::enterInitialization(double startTime, std::optional<double> stopTime) {
  Implementation& i = *implementation_;
  i.begin(Call::enterInitialization);
  i.message.put(startTime);
  i.message.put(stopTime.has_value());
  i.message.put(stopTime.value_or(0));
  i.process.exchange(i.message);
}

void ProcessSubsystem::exitInitialization() { implementation_->call(Call::exitInitialization); }

void ProcessSubsystem::setForces(const ForcePolynomial& forces) {
  Implementation& i = *implementation_;
  i.begin(Call::setForces);
  i.message.putNumbers(forces.value);
  i.message.putNumbers(forces.first);
  i.message.putNumbers(forces.second);
  i.process.exchange(i.message);
}

void ProcessSubsystem::setInputs(VectorIn value, VectorIn first) {
  Implementation& i = *implementation_;
  i.begin(Call::setInputs);
  i.message.putNumbers(value);
  i.message.putNumbers(first);
  i.process.exchange(i.message);
}

SubsystemStep ProcessSubsystem::step(double t, double H) {
  Implementation& i = *implementation_;
  i.begin(Call::step);
  i.message.put(t);
  i.message.put(H);
  try {
    i.process.exchange(i.message);
  } catch (const FmuError& error) {
    const std::string& obituary = i.process.obituary();
    if (obituary.empty()) throw;
    return {.outcome = StepOutcome::fatal, .reachedTime = t, .message = obituary};
  }
  SubsystemStep step;
  step.outcome = i.message.get<StepOutcome>();
  step.reachedTime = i.message.get<double>();
  step.event = i.message.get<bool>();
  step.wantsToEnd = i.message.get<bool>();
  step.message = i.message.getText();
  return step;
}

bool ProcessSubsystem::handleEvent() {
  implementation_->call(Call::handleEvent);
  return implementation_->message.get<bool>();
}

void ProcessSubsystem::readMotion(std::span<PortMotion> motions) {
  implementation_->call(Call::readMotion);
  for (PortMotion& motion : motions) getMotion(implementation_->message, motion);
}

void ProcessSubsystem::readOutputs(VectorOut values) {
  implementation_->call(Call::readOutputs);
  const Vector received = implementation_->message.getNumbers();
  if (received.size() != values.size()) throw FmuError(name() + ": outputs of the wrong size");
  values = received;
}

bool ProcessSubsystem::mobility(Matrix& W) {
  Implementation& i = *implementation_;
  if (!i.capabilities.mobility) return false;
  i.call(Call::mobility);
  if (!i.message.get<bool>()) return false;
  const Vector received = i.message.getNumbers();
  const Index size = forceSize();
  if (received.size() != size * size) throw FmuError(name() + ": a mobility of the wrong size");
  W = received.reshaped(size, size);
  return true;
}

void ProcessSubsystem::save() { implementation_->call(Call::save); }
void ProcessSubsystem::restore() { implementation_->call(Call::restore); }
void ProcessSubsystem::terminate() { implementation_->call(Call::terminate); }

}  // namespace trammel::coupling
