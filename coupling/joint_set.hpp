#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coupling/interface_operator.hpp"
#include "coupling/joint.hpp"
#include "coupling/scheme.hpp"
#include "coupling/subsystem.hpp"

namespace trammel::coupling {

using SubsystemList = std::vector<std::unique_ptr<Subsystem>>;
using Motions = std::vector<std::vector<PortMotion>>;  // of each subsystem, of each port

/// Rows of all joints one after another.
struct InterfaceValues {
  Vector g, gv, ga;
  std::vector<InterfaceTerm> terms;  // sides that are not the ground
};

/// All joints of a coupled system on one vector of multipliers λ.
class JointSet final {
 public:
  /// Throws CouplingError naming a joint that does not fit its ports.
  JointSet(std::vector<Joint> joints, const SubsystemList& subsystems);

  const std::vector<Joint>& joints() const { return joints_; }
  Index rowCount() const { return rowCount_; }
  Index rowOffset(std::size_t joint) const { return rowOffsets_[joint]; }
  std::size_t jointOfRow(Index row) const;
  /// Rows that share a unit and a joint have the same group: their multipliers are compared.
  int groupOfRow(Index row) const { return groups_[static_cast<std::size_t>(row)]; }
  int groupCount() const { return groupCount_; }

  bool hasConstantJacobians() const { return constantJacobians_; }

  void evaluate(const Motions& motions, InterfaceValues& values) const;
  /// Forces −Gᵀ λ on all ports, subsystems one after another.
  Vector forces(const InterfaceValues& values, VectorIn lambda) const;
  Index forceSize() const { return forceSize_; }
  Index forceOffset(std::size_t subsystem) const { return forceOffsets_[subsystem]; }

 private:
  std::vector<Joint> joints_;
  std::vector<std::vector<PortKind>> kinds_;           // of each joint, of each side
  std::vector<std::vector<Index>> offsetInSubsystem_;  // of each joint, of each side
  std::vector<Index> rowOffsets_, forceOffsets_;
  std::vector<int> groups_;
  int groupCount_ = 0;
  bool constantJacobians_ = true;
  Index rowCount_ = 0, forceSize_ = 0;
};

/// The force polynomial of a step: G turns with the ports while λ runs, so F(τ) = −G(τ)ᵀ λ(τ) is
/// taken at the beginning, the middle and the end of the step, where the ports are expected to be.
class StepForces final {
 public:
  StepForces(const JointSet& joints, const Motions& atBeginning, double H);

  /// Degree 1: F has the mean and the first moment of −Gᵀ λ (least squares). Degree 2: F goes
  /// through the three points. H is the time of the whole step.
  ForcePolynomial line(const Matrix& coefficients) const;
  ForcePolynomial parabola(const Matrix& coefficients) const;
  /// Means over the first (0) or the second half (1) with λ constant.
  Vector halfStepMean(VectorIn lambda, int half) const;

 private:
  const JointSet& joints_;
  double H_;
  InterfaceValues begin_, middle_, end_;
};

}  // namespace trammel::coupling
