#include "coupling/port.hpp"

namespace trammel::coupling {

PortMotion extrapolated(const PortMotion& motion, double dt) {
  PortMotion later = motion;
  later.r = motion.r + motion.v * dt + motion.a * (dt * dt / 2);
  later.v = motion.v + motion.a * dt;
  later.w = motion.w + motion.z * dt;
  const Eigen::Vector3d phi = motion.w * dt + motion.z * (dt * dt / 2);
  const double angle = phi.norm();
  if (angle > 0) {
    later.Q = Eigen::AngleAxisd(angle, phi / angle) * motion.Q;
    later.Q.normalize();
  }
  return later;
}

}  // namespace trammel::coupling
