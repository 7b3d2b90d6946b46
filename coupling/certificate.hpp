#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coupling/scheme.hpp"
#include "coupling/subsystem.hpp"

namespace trammel::coupling {

/// Interface mobilities of one joint at the start [1/kg or alike]: extreme eigenvalues of the rows
/// of S that each side and both together contribute.
struct JointCertificate {
  std::string name;
  Index rows = 0;
  double smallestA = 0, largestA = 0, smallestB = 0, largestB = 0, smallest = 0, largest = 0;
};

struct SubsystemCertificate {
  std::string name;
  SubsystemCapabilities capabilities;
  PortNoise noise;
};

/// What can be said about a coupled run before it begins.
struct Certificate {
  std::vector<SubsystemCertificate> subsystems;
  std::vector<JointCertificate> joints;
  Index rows = 0, rank = 0;                          // of the interface matrix S
  std::vector<std::string> redundantJoints;          // joints with rows that depend on others
  std::optional<double> contractionA, contractionB;  // of the plain splits; none: undefined
  bool contractionKnown = true;                      // false: too many rows to compute it
  Scheme scheme = Scheme::pv1;
  std::string reason;                        // why this scheme
  double expectedLow = 1, expectedHigh = 1;  // evaluations for each step
  std::vector<std::string> warnings;

  std::string text() const;  // lines to print
};

}  // namespace trammel::coupling
