#pragma once

#include <Eigen/Geometry>
#include <string>

#include "solver/types.hpp"

namespace trammel::coupling {

/// What a port is: one coordinate, a point in space, or a frame with position and orientation.
enum class PortKind { scalar, point, frame };

/// Number of force components, F or (F, T), which is also the number of acceleration components.
constexpr Index portSize(PortKind kind) {
  return kind == PortKind::scalar ? 1 : kind == PortKind::point ? 3 : 6;
}

/// A place where a joint can take hold of a subsystem.
struct Port {
  std::string name;
  PortKind kind = PortKind::scalar;
};

/// Motion of a port, resolved in the inertial frame. A scalar port uses the first components of r,
/// v, a only, in its own unit (m or rad).
struct PortMotion {
  Eigen::Vector3d r = Eigen::Vector3d::Zero();            // position [m]
  Eigen::Vector3d v = Eigen::Vector3d::Zero();            // velocity [m/s]
  Eigen::Vector3d a = Eigen::Vector3d::Zero();            // acceleration [m/s2]
  Eigen::Quaterniond Q = Eigen::Quaterniond::Identity();  // port frame to inertial frame
  Eigen::Vector3d w = Eigen::Vector3d::Zero();            // angular velocity [rad/s]
  Eigen::Vector3d z = Eigen::Vector3d::Zero();            // angular acceleration [rad/s2]

  bool isFinite() const {
    return r.allFinite() && v.allFinite() && a.allFinite() && Q.coeffs().allFinite() &&
           w.allFinite() && z.allFinite();
  }
};

/// The motion dt later if the accelerations stay: r + v dt + a dt²/2, rotation by w dt + z dt²/2.
PortMotion extrapolated(const PortMotion& motion, double dt);

}  // namespace trammel::coupling
