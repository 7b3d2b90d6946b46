#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "coupling/port.hpp"
#include "solver/error.hpp"

namespace trammel::coupling {

/// A coupled system that is put together wrongly, or cannot be initialized.
class CouplingError final : public Error {
 public:
  using Error::Error;
};

/// A port of a subsystem; `subsystem` −1: the ground, which rests in the inertial frame.
struct PortReference {
  int subsystem = -1;
  int port = 0;
  friend bool operator==(const PortReference&, const PortReference&) = default;
};

/// Elementary rows, e_i being the i-th axis of the joint frame on the side given, d = r_B − r_A.
struct CoincidenceRow {
  int axis;  // g = (r_A − r_B)_axis in the inertial frame
};
struct OrthogonalityRow {
  int axisA, axisB;  // g = e_A · e_B
};
struct TransverseRow {
  int axisA;  // g = e_A · d
};
struct LinearRow {
  std::vector<double> coefficients;  // one for each side: g = Σ c_i x_i − constant
  double constant = 0;
};
using JointRow = std::variant<CoincidenceRow, OrthogonalityRow, TransverseRow, LinearRow>;

/// Equations that tie ports together, with one multiplier for each row. Its forces on a side are
/// −G_sideᵀ λ.
struct Joint {
  std::string name;
  std::vector<PortReference> sides;  // A, B; any number for linear rows
  std::vector<JointRow> rows;
  /// Columns: axes of the joint frame in the port frames of A and B; the third is the joint's axis.
  Eigen::Matrix3d frameA = Eigen::Matrix3d::Identity(), frameB = Eigen::Matrix3d::Identity();
  PortMotion ground;  // motion of sides that are the ground: only r and Q are not zero

  Index size() const { return static_cast<Index>(rows.size()); }
};

/// Whether G stays the same while the ports move.
bool hasConstantJacobian(const Joint& joint);

/// Whether the multiplier of a row is a torque [N.m] rather than a force [N].
bool isTorqueRow(const JointRow& row);

using Sides = std::vector<PortReference>;

Joint sphericalJoint(std::string name, Sides sides);    // 3 rows; points or frames
Joint revoluteJoint(std::string name, Sides sides);     // 5 rows
Joint fixedJoint(std::string name, Sides sides);        // 6 rows
Joint prismaticJoint(std::string name, Sides sides);    // 5 rows
Joint cylindricalJoint(std::string name, Sides sides);  // 4 rows
/// 4 rows: the third axis of A stays normal to the first axis of B.
Joint universalJoint(std::string name, Sides sides);
/// 2 rows: B, point or frame, stays on the line through A along its third axis.
Joint pointOnLineJoint(std::string name, Sides sides);
/// g = Σ c_i x_i − constant over scalar ports.
Joint linearJoint(std::string name, Sides sides, std::vector<double> coefficients,
                  double constant = 0);
/// Rigid shaft: φ_A − φ_B = offset.
Joint shaftJoint(std::string name, Sides sides, double offset = 0);
/// Gear: φ_A − ratio φ_B = offset.
Joint gearJoint(std::string name, Sides sides, double ratio, double offset = 0);
/// Rack A and pinion B: x_A − radius φ_B = offset.
Joint rackAndPinionJoint(std::string name, Sides sides, double radius, double offset = 0);

/// Frame whose third axis is `axis` (made a unit vector) and whose first axis is as near as
/// possible to an axis of the port. Throws CouplingError for a zero vector.
Eigen::Matrix3d frameWithAxis(const Eigen::Vector3d& axis);

/// Throws CouplingError where the joint's rows do not fit the kinds of its sides.
void checkJoint(const Joint& joint, std::span<const PortKind> kinds);

/// Values of a joint's rows and their Jacobians G_side = ∂g'/∂(v, w) of each side.
struct JointValues {
  Vector g, gv, ga;       // g, g', g''
  std::vector<Matrix> G;  // rows × port size
};

/// Pre: as many motions and kinds as sides. Motions of ground sides are not looked at.
void evaluate(const Joint& joint, std::span<const PortMotion> motions,
              std::span<const PortKind> kinds, JointValues& values);

}  // namespace trammel::coupling
