#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coupling/fmu_description.hpp"
#include "coupling/port.hpp"

namespace trammel::coupling {

/// Names of the variables of an FMU that make up a port; empty: the FMU has none. Three names where
/// a quantity of three components is three scalars, one where it is an array.
struct FmuPortNames {
  std::vector<std::string> force, position, velocity, acceleration;
  std::vector<std::string> torque, orientation, angularVelocity, angularAcceleration;  // frames
  std::vector<std::string> forceRate, forceSecondRate;    // F_der1, F_der2: F(t) as a polynomial
  std::vector<std::string> torqueRate, torqueSecondRate;  // T_der1, T_der2
  double forceSign = 1;  // −1 where the FMU's input is the force it exerts
};

/// Value references of one or more variables that are read or set together.
struct FmuSignal {
  std::vector<std::uint32_t> references;
  Index size = 0;  // number of values
  bool isEmpty() const { return references.empty(); }
};

/// A port with its variables looked up.
struct FmuPort {
  Port port;
  FmuSignal force, forceRate, forceSecondRate;  // with torque behind force for a frame
  FmuSignal r, v, a, Q, w, z;
  double forceSign = 1;
};

/// The variables of a port after our convention: `<port>.F` (`.tau`), `.F_der1`, `.F_der2`, `.r`
/// (`.phi`), `.v` (`.w`), `.a` (`.z`), for frames also `.T`, `.T_der1`, `.T_der2`, `.Q`, `.w`,
/// `.z`; components as an array or as `[1]`, `[2]` … Throws FmuError where there is no such port.
FmuPortNames portNames(const FmuDescription& description, const std::string& port);

/// Looks the variables up; the kind follows from the number of components. Throws FmuError naming
/// the variable that is missing, not real, or of the wrong size. `source` names the FMU.
FmuPort makePort(const FmuDescription& description, const std::string& source,
                 const std::string& name, const FmuPortNames& names);

/// Names of all ports after our convention.
std::vector<std::string> portsOf(const FmuDescription& description);

}  // namespace trammel::coupling
