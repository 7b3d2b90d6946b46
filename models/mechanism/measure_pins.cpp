#include "models/mechanism/measures.hpp"
#include "solver/wide.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Joins vectors in the plane of bodies a and b.
[[gnu::always_inline]] inline void join(const double* a, const double* b, Quad& both) {
  both = __builtin_shufflevector(pairAt(a), pairAt(b), 0, 1, 2, 3);
}
/// What b has more than a.
[[gnu::always_inline]] inline Pair difference(const Quad& both) {
  return __builtin_shufflevector(both, both, 2, 3) - __builtin_shufflevector(both, both, 0, 1);
}
/// Both vectors turned by a right angle.
[[gnu::always_inline]] inline void turnRight(const Quad& s, Quad& perpendicular) {
  perpendicular = __builtin_shufflevector(s, s, 1, 0, 3, 2) * Quad{-1, 1, -1, 1};
}

/// The arm A s of a body that turns with θ' has the rate θ' (−(A s)_y, (A s)_x).
[[gnu::always_inline]] inline Pair rateOfPin(const PinPlan& pin, const Quad& arms,
                                             const double* v) {
  const double *va = v + pin.coordinateA, *vb = v + pin.coordinateB;
  Quad rates, perpendicular;
  join(va, vb, rates);
  turnRight(arms, perpendicular);
  return difference(rates + Quad{va[2], va[2], vb[2], vb[2]} * perpendicular);
}

}  // namespace

/// d = (r_b + A_b s_b) − (r_a + A_a s_a), and the arms A s for all that follows at this place.
template <bool withRates>
void Measures::placePins(const BodyMotion& motion, PinRange range, double* z, PinRates rates) {
  const PlanarTurn* turns = motion.planar.data();
  const PinPlan* pins = plans_.pins.data();
  const Arms* arms = arms_.data();
  Arms* turned = turned_.data();
  act([ =, x = motion.x ]() __attribute__((always_inline)) {
    for (std::size_t i = range.first; i < range.end; ++i) {
      const PinPlan& pin = pins[i];
      const Quad s = quadAt(&arms[i].ax);
      Quad turn, perpendicular, places;
      join(&turns[pin.slotA].cosine, &turns[pin.slotB].cosine, turn);
      turnRight(s, perpendicular);
      const Quad cosines = __builtin_shufflevector(turn, turn, 0, 0, 2, 2),
                 sines = __builtin_shufflevector(turn, turn, 1, 1, 3, 3);
      const Quad arm = cosines * s + sines * perpendicular;
      quadAt(&turned[i].ax) = arm;
      join(x + pin.coordinateA, x + pin.coordinateB, places);
      pairAt(z + pin.channel) = difference(places + arm);
      if (withRates) pairAt(rates.rate + pin.channel) = rateOfPin(pin, arm, rates.v);
    }
  });
}

void Measures::placePins(const BodyMotion& motion, PinRange range, double* z, PinRates rates) {
  if (rates.v) {
    placePins<true>(motion, range, z, rates);
  } else {
    placePins<false>(motion, range, z, rates);
  }
}

void Measures::ratePins(PinRange range, PinRates rates) const {
  const PinPlan* pins = plans_.pins.data();
  const Arms* turned = turned_.data();
  act([=]() __attribute__((always_inline)) {
    for (std::size_t i = range.first; i < range.end; ++i)
      pairAt(rates.rate + pins[i].channel) = rateOfPin(pins[i], quadAt(&turned[i].ax), rates.v);
  });
}

void Measures::addPinForces(const double* load, PinRange range, double* r) const {
  const PinPlan* pins = plans_.pins.data();
  const Arms* turned = turned_.data();
  act([=]() __attribute__((always_inline)) {
    for (std::size_t i = range.first; i < range.end; ++i) {
      const PinPlan& pin = pins[i];
      const Pair force = pairAt(load + pin.channel);
      const Quad moments =
          quadAt(&turned[i].ax) * __builtin_shufflevector(force, force, 1, 0, 1, 0);
      double *onA = r + pin.coordinateA, *onB = r + pin.coordinateB;
      pairAt(onA) -= force;
      onA[2] -= moments[0] - moments[1];
      pairAt(onB) += force;
      onB[2] += moments[2] - moments[3];
    }
  });
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
