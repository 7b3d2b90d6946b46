#include "models/mechanism/measures.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Arm {
  Arm(const PlanarTurn& turn, double sx, double sy)
      : x(turn.cosine * sx - turn.sine * sy), y(turn.sine * sx + turn.cosine * sy) {}
  double x, y;  // A s
};

}  // namespace

/// d = (r_b + A_b s_b) − (r_a + A_a s_a).
void Measures::placePins(const BodyMotion& motion, double* difference) const {
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const PinPlan& pin = plans_.pins[i];
    const Arm a(motion.planar[at(pin.slotA)], arms_[i].ax, arms_[i].ay);
    const Arm b(motion.planar[at(pin.slotB)], arms_[i].bx, arms_[i].by);
    const double *ra = motion.x + pin.coordinateA, *rb = motion.x + pin.coordinateB;
    difference[pin.channel] = (rb[0] + b.x) - (ra[0] + a.x);
    difference[pin.channel + 1] = (rb[1] + b.y) - (ra[1] + a.y);
  }
}

void Measures::addPinForces(const BodyMotion& motion, const double* load, double* r) const {
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const PinPlan& pin = plans_.pins[i];
    const Arm a(motion.planar[at(pin.slotA)], arms_[i].ax, arms_[i].ay);
    const Arm b(motion.planar[at(pin.slotB)], arms_[i].bx, arms_[i].by);
    const double x = load[pin.channel], y = load[pin.channel + 1];
    double *onA = r + pin.coordinateA, *onB = r + pin.coordinateB;
    onA[0] -= x;
    onA[1] -= y;
    onA[2] -= a.x * y - a.y * x;
    onB[0] += x;
    onB[1] += y;
    onB[2] += b.x * y - b.y * x;
  }
}

void Measures::addPinCurvatures(const BodyMotion& motion, const double* load,
                                std::vector<double>& planar) const {
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const PinPlan& pin = plans_.pins[i];
    const Arm a(motion.planar[at(pin.slotA)], arms_[i].ax, arms_[i].ay);
    const Arm b(motion.planar[at(pin.slotB)], arms_[i].bx, arms_[i].by);
    const double x = load[pin.channel], y = load[pin.channel + 1];
    planar[at(pin.slotA)] += a.x * x + a.y * y;
    planar[at(pin.slotB)] -= b.x * x + b.y * y;
  }
}

/// Entries of a row: place and angle of a, then of b.
void Measures::pinRows(const BodyMotion& motion, double* W) const {
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const PinPlan& pin = plans_.pins[i];
    const Arm a(motion.planar[at(pin.slotA)], arms_[i].ax, arms_[i].ay);
    const Arm b(motion.planar[at(pin.slotB)], arms_[i].bx, arms_[i].by);
    const double rows[2][4] = {{-1, a.y, 1, -b.y}, {-1, -a.x, 1, b.x}};
    for (std::size_t k = 0; k < 2; ++k) {
      const ChannelProgram& c = program_.channels[at(pin.channel) + k];
      for (std::size_t e = 0; e < 4; ++e) W[at(c.firstEntry) + e] = rows[k][e];
    }
  }
}

}  // namespace trammel
