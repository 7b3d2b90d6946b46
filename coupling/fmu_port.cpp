#include "coupling/fmu_port.hpp"

#include <algorithm>

#include "coupling/fmu_error.hpp"

namespace trammel::coupling {
namespace {

/// The variable of that name, or the scalars name[1], name[2] …; empty: neither.
std::vector<std::string> componentNames(const FmuDescription& description,
                                        const std::string& name) {
  if (description.find(name) != nullptr) return {name};
  std::vector<std::string> names;
  for (int i = 1;; ++i) {
    std::string component = name + '[' + std::to_string(i) + ']';
    if (description.find(component) == nullptr) return names;
    names.push_back(std::move(component));
  }
}

std::vector<std::string> firstOf(const FmuDescription& description, const std::string& port,
                                 const char* name, const char* alternative) {
  std::vector<std::string> names = componentNames(description, port + name);
  return names.empty() ? componentNames(description, port + alternative) : names;
}

class PortReader {
 public:
  PortReader(const FmuDescription& description, std::string where)
      : description_(description), where_(std::move(where)) {}

  FmuSignal signal(const std::vector<std::string>& names) const {
    FmuSignal signal;
    for (const std::string& name : names) {
      const FmuVariable* variable = description_.find(name);
      if (variable == nullptr) fail("variable \"" + name + "\" is not in the FMU");
      if (variable->type != FmuType::real) fail("variable \"" + name + "\" must be real");
      signal.references.push_back(variable->valueReference);
      signal.size += static_cast<Index>(variable->size);
    }
    return signal;
  }

  /// Empty or of the given size.
  FmuSignal sized(const std::vector<std::string>& names, Index size, const char* what) const {
    FmuSignal s = signal(names);
    if (!s.isEmpty() && s.size != size) {
      fail(std::string(what) + " must have " + std::to_string(size) + " components, has " +
           std::to_string(s.size));
    }
    return s;
  }

  FmuSignal required(const std::vector<std::string>& names, Index size, const char* what) const {
    FmuSignal s = sized(names, size, what);
    if (s.isEmpty()) fail(std::string("its ") + what + " is missing");
    return s;
  }

  void checkInput(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
      if (description_.find(name)->causality != FmuCausality::input) {
        fail("variable \"" + name + "\" must be an input");
      }
    }
  }

  [[noreturn]] void fail(const std::string& what) const { throw FmuError(where_ + what); }

 private:
  const FmuDescription& description_;
  const std::string where_;
};

FmuSignal joined(FmuSignal first, const FmuSignal& second) {
  first.references.insert(first.references.end(), second.references.begin(),
                          second.references.end());
  first.size += second.size;
  return first;
}

}  // namespace

FmuPortNames portNames(const FmuDescription& d, const std::string& port) {
  FmuPortNames n;
  n.force = firstOf(d, port, ".F", ".tau");
  n.forceRate = firstOf(d, port, ".F_der1", ".tau_der1");
  n.forceSecondRate = firstOf(d, port, ".F_der2", ".tau_der2");
  n.position = firstOf(d, port, ".r", ".phi");
  n.velocity = firstOf(d, port, ".v", ".w");
  n.acceleration = firstOf(d, port, ".a", ".z");
  n.torque = componentNames(d, port + ".T");
  if (n.force.empty() || n.position.empty()) {
    throw FmuError(d.modelName + ": has no port \"" + port + "\": expected variables " + port +
                   ".F and " + port + ".r");
  }
  if (n.torque.empty()) return n;
  n.torqueRate = componentNames(d, port + ".T_der1");
  n.torqueSecondRate = componentNames(d, port + ".T_der2");
  n.orientation = componentNames(d, port + ".Q");
  n.angularVelocity = componentNames(d, port + ".w");
  n.angularAcceleration = componentNames(d, port + ".z");
  return n;
}

FmuPort makePort(const FmuDescription& description, const std::string& source,
                 const std::string& name, const FmuPortNames& names) {
  const PortReader reader(description, source + ": port \"" + name + "\": ");
  FmuPort port;
  port.port.name = name;
  port.forceSign = names.forceSign;
  const FmuSignal force = reader.signal(names.force);
  const bool isFrame = !names.torque.empty();
  if (force.size != 3 && (force.size != 1 || isFrame)) {
    reader.fail("its force must have 1 or 3 components, has " + std::to_string(force.size));
  }
  const Index n = force.size;
  port.port.kind = isFrame ? PortKind::frame : n == 3 ? PortKind::point : PortKind::scalar;
  reader.checkInput(names.force);
  port.force = force;
  port.forceRate = reader.sized(names.forceRate, n, "rate of force");
  port.forceSecondRate = reader.sized(names.forceSecondRate, n, "second rate of force");
  port.r = reader.required(names.position, n, "position");
  port.v = reader.required(names.velocity, n, "velocity");
  port.a = reader.sized(names.acceleration, n, "acceleration");
  if (!isFrame) return port;
  port.force = joined(force, reader.required(names.torque, 3, "torque"));
  reader.checkInput(names.torque);
  const auto withTorque = [&](FmuSignal& rate, const std::vector<std::string>& torque) {
    const FmuSignal s = reader.sized(torque, 3, "rate of torque");
    if (s.isEmpty() != rate.isEmpty()) reader.fail("force and torque must both have rates");
    rate = joined(rate, s);
  };
  withTorque(port.forceRate, names.torqueRate);
  withTorque(port.forceSecondRate, names.torqueSecondRate);
  port.Q = reader.required(names.orientation, 4, "orientation");
  port.w = reader.required(names.angularVelocity, 3, "angular velocity");
  port.z = reader.sized(names.angularAcceleration, 3, "angular acceleration");
  return port;
}

std::vector<std::string> portsOf(const FmuDescription& description) {
  std::vector<std::string> ports;
  const auto collect = [&](const std::string& name, const std::string& suffix) {
    if (!name.ends_with(suffix)) return;
    std::string port = name.substr(0, name.size() - suffix.size());
    const bool hasPosition = !firstOf(description, port, ".r", ".phi").empty();
    if (hasPosition && std::find(ports.begin(), ports.end(), port) == ports.end()) {
      ports.push_back(std::move(port));
    }
  };
  for (const FmuVariable& variable : description.variables) {
    if (variable.causality != FmuCausality::input) continue;
    for (const char* suffix : {".F", ".F[1]", ".tau"}) collect(variable.name, suffix);
  }
  return ports;
}

}  // namespace trammel::coupling
