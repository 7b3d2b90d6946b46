#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/mechanism/kernel.hpp"

namespace trammel {

struct BlockProgram;
struct MechanismProgram;

/// How a vector in space depends on the coordinates of its body.
enum class VectorKind : std::uint8_t {
  fixed,        // axes of bodies that do not turn, places on the ground
  planarPoint,  // place of a mass point in the plane
  point,
  planarPlace,  // place on a planar body
  planarAxis,
  rigidPlace,
  rigidAxis
};
constexpr std::size_t vectorKindCount = 7;

constexpr bool isPlace(VectorKind kind) {
  return kind != VectorKind::fixed && kind != VectorKind::planarAxis &&
         kind != VectorKind::rigidAxis;
}

/// The place of a frame's origin or one of its axes.
struct VectorPlan {
  VectorKind kind = VectorKind::fixed;
  int frame = 0;
  int axis = -1;       // −1: the place
  int coordinate = 0;  // first one of the body
  int slot = -1;       // of the body among the planar or the rigid ones
};

/// A block whose value is a short formula of vectors, and these: of a before those of b.
struct MeasurePlan {
  int block = 0, channel = 0;
  std::array<int, 3> vectors{};
  int scalar = -1;  // coordinate of a winding
};

/// An angle that is a coordinate or the difference of two.
struct AnglePlan {
  int block = 0, channel = 0;
  int plus = -1, minus = -1;  // coordinates, −1: none
  bool ofFrames = false;      // measured between the x axes of the frames
};

/// The difference of two places on planar bodies, which revolute joints in the plane are made of.
struct PinPlan {
  int block = 0, channel = 0;
  int coordinateA = 0, coordinateB = 0;  // first ones of the bodies
  int slotA = 0, slotB = 0;
};

/// How a body turns: planarAxis, rigidAxis, or fixed where it does not.
struct SpinPlan {
  VectorKind kind = VectorKind::fixed;
  int coordinate = 0;  // first one of the body
  int slot = -1;
};

/// A form that is the component along n_a of the velocity of P_b, or of the angular velocity of b
/// relative to a.
struct FormPlan {
  int block = 0, channel = 0;
  int normal = 0, place = -1;  // vectors; place −1: an angular velocity
  SpinPlan a, b;
};

/// The blocks of a program that are evaluated together, sorted by what they do so that each loop
/// does one thing.
struct MeasurePlans {
  std::vector<VectorPlan> vectors;  // sorted by kind
  std::array<std::size_t, vectorKindCount + 1> firstOfKind{};
  std::vector<PinPlan> pins;
  std::vector<MeasurePlan> planarDifferences;  // other P_a, P_b; rows x and y
  std::vector<MeasurePlan> differences;        // P_a, P_b
  std::vector<MeasurePlan> projections;        // P_a, n_a, P_b
  std::vector<MeasurePlan> alignments;         // n_a, n_b
  std::vector<MeasurePlan> distances;          // P_a, P_b
  std::vector<MeasurePlan> windings;           // x_a, y_a, x_b
  std::vector<AnglePlan> angles;
  std::vector<FormPlan> forms;
  std::vector<int> others;  // blocks that are evaluated by evaluateKernel()
  int channelEnd = 0;       // behind the last channel of all these blocks
};

/// Plans of the blocks with the given numbers.
MeasurePlans planMeasures(const MechanismProgram& program, const std::vector<int>& blocks);

}  // namespace trammel
