#include "models/mechanism/measures.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A vector in the plane, which fills a register.
using Pair = Eigen::Array2d;
Pair pairAt(const double* x) { return Eigen::Map<const Pair>(x); }
void put(const Pair& value, double* to) { Eigen::Map<Pair>{to} = value; }
Pair perpendicular(const Pair& s) { return s.reverse() * Pair(-1, 1); }

}  // namespace

/// d = (r_b + A_b s_b) − (r_a + A_a s_a), and the arms A s for all that follows at this place.
void Measures::placePins(const BodyMotion& motion, PinRange range, double* z) {
  const double* x = motion.x;
  const PlanarTurn* turns = motion.planar.data();
  const PinPlan* pins = plans_.pins.data();
  const Arms* arms = arms_.data();
  Arms* turned = turned_.data();
  for (std::size_t i = range.first; i < range.end; ++i) {
    const PinPlan& pin = pins[i];
    const PlanarTurn &turnA = turns[pin.slotA], &turnB = turns[pin.slotB];
    const Pair sa = pairAt(&arms[i].ax), sb = pairAt(&arms[i].bx);
    const Pair a = turnA.cosine * sa + turnA.sine * perpendicular(sa);
    const Pair b = turnB.cosine * sb + turnB.sine * perpendicular(sb);
    put(a, &turned[i].ax);
    put(b, &turned[i].bx);
    put((pairAt(x + pin.coordinateB) + b) - (pairAt(x + pin.coordinateA) + a), z + pin.channel);
  }
}

/// The arm A s of a body that turns with θ' has the rate θ' (−(A s)_y, (A s)_x).
void Measures::ratePins(const double* v, PinRange range, double* rate) const {
  const PinPlan* pins = plans_.pins.data();
  const Arms* turned = turned_.data();
  for (std::size_t i = range.first; i < range.end; ++i) {
    const PinPlan& pin = pins[i];
    const double *va = v + pin.coordinateA, *vb = v + pin.coordinateB;
    const Pair a = pairAt(va) + va[2] * perpendicular(pairAt(&turned[i].ax));
    const Pair b = pairAt(vb) + vb[2] * perpendicular(pairAt(&turned[i].bx));
    put(b - a, rate + pin.channel);
  }
}

void Measures::addPinForces(const double* load, PinRange range, double* r) const {
  const PinPlan* pins = plans_.pins.data();
  const Arms* turned = turned_.data();
  for (std::size_t i = range.first; i < range.end; ++i) {
    const PinPlan& pin = pins[i];
    const Arms arm = turned[i];
    const Pair force = pairAt(load + pin.channel);
    const double x = force[0], y = force[1];
    double *onA = r + pin.coordinateA, *onB = r + pin.coordinateB;
    put(pairAt(onA) - force, onA);
    onA[2] -= arm.ax * y - arm.ay * x;
    put(pairAt(onB) + force, onB);
    onB[2] += arm.bx * y - arm.by * x;
  }
}

void Measures::addPinCurvatures(const double* load, std::vector<double>& planar) const {
  for (std::size_t i = 0; i < turned_.size(); ++i) {
    const PinPlan& pin = plans_.pins[i];
    const Arms arm = turned_[i];
    const double x = load[pin.channel], y = load[pin.channel + 1];
    planar[at(pin.slotA)] += arm.ax * x + arm.ay * y;
    planar[at(pin.slotB)] -= arm.bx * x + arm.by * y;
  }
}

/// Entries of a row: place and angle of a, then of b.
void Measures::pinRows(double* W) const {
  for (std::size_t i = 0; i < turned_.size(); ++i) {
    const PinPlan& pin = plans_.pins[i];
    const Arms arm = turned_[i];
    const double rows[2][4] = {{-1, arm.ay, 1, -arm.by}, {-1, -arm.ax, 1, arm.bx}};
    for (std::size_t k = 0; k < 2; ++k) {
      const ChannelProgram& c = program_.channels[at(pin.channel) + k];
      for (std::size_t e = 0; e < 4; ++e) W[at(c.firstEntry) + e] = rows[k][e];
    }
  }
}

}  // namespace trammel
