#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/equations_system.hpp"
#include "models/mechanism/inertia.hpp"
#include "models/mechanism/kernel.hpp"
#include "models/mechanism/measure_plan.hpp"
#include "models/tape.hpp"

namespace trammel {

/// How a rotation is given by numbers.
enum class RotationKind : std::uint8_t { none, quaternion, axisAngle, cardan, axes, zAxis };

/// Places in the list of numbers of a program, which are expressions of parameters; −1: not given.
struct RotationNumbers {
  RotationKind kind = RotationKind::none;
  int first = -1;  // 4 (quaternion, axis and angle), 3 (cardan, z axis) or 6 (x axis, y axis)
};
struct PoseNumbers {
  int position = -1;  // 3 [m]
  RotationNumbers rotation;
};

struct BodyProgram {
  std::string name;
  int line = 0;
  BodyKind kind = BodyKind::ground;
  int coordinate = -1;  // of its first one
  int normRow = -1;     // of |p| = 1
  int mass = -1;
  int inertia = -1;                         // 6: xx yy zz xy xz yz; planar: 1
  int centre = -1;                          // 3, centre of mass in body coordinates
  PoseNumbers pose;                         // at the start, of the origin of the body's coordinates
  int velocity = -1, angularVelocity = -1;  // 3 each, in axes of the ground
  int start = -1, startRate = -1;           // of a scalar
  int windingBlock = -1;  // of a scalar that is an angle: the block of its winding row, which gives
                          // it its inertia
  bool keepPosition = false, keepOrientation = false;  // assembly must not change them
  bool keepVelocity = false, keepAngularVelocity = false;
  bool given = true;  // false: made for an element of the model
};

struct FrameProgram {
  int body = 0;
  PoseNumbers pose;           // in body coordinates
  RotationNumbers alignment;  // of a joint's axis, in the frame
  int line = 0;
};

/// A kernel with its place in the system.
struct BlockProgram {
  Kernel kernel;
  int frameA = 0, frameB = 0;
  int scalar = -1;                 // body
  int radiusA = -1, radiusB = -1;  // numbers
  int firstChannel = 0;
  std::array<int, kernelWidth> columns{};  // coordinate of each local one
  int firstScatter = 0, scatterCount = 0;  // entries of ∂W/∂x that are not identically zero
  bool rateGradientUsed = false;           // ∂(W v)/∂x is needed in couplings
};

/// One row of a block: its entries W that are not identically zero.
struct ChannelProgram {
  int block = 0, row = 0;
  int firstEntry = 0, entryCount = 0;
};

struct LocalEntry {
  int local = 0, column = 0;
};
struct LocalScatter {
  std::uint8_t i = 0, j = 0;
  int position = 0;  // among the values of K
};

/// g = z of a channel − offset, or the value of an expression of channels.
struct RowProgram {
  std::string name;
  int channel = -1;
  int offset = -1;      // number
  int expression = -1;  // among the roots of the constraint tape
  int element = -1;     // the joint it belongs to
};

/// ∂(row)/∂z of a channel: root of the tape, or 1 where there is none.
struct RowTerm {
  int row = 0, channel = 0;
  int root = -1;
  int firstPosition = 0;  // in gradientPositions: one for each entry of the channel
};

/// W_cᵀ x W_d, with x from the tape of the linearisation, into K and C, and W_cᵀ y ∂(W_d v)/∂q into
/// K.
struct CouplingProgram {
  int c = 0, d = 0;
  int byPosition = -1, byRate = -1;  // roots
  int firstK = 0, firstC = -1;       // positions, entry of c by entry of d
};

struct JointProgram {
  std::string name, type;
  int line = 0;
  int frameA = -1, frameB = -1;
  int firstRow = 0, rowCount = 0;
};

enum class ExtraKind : std::uint8_t {
  reactionForce,  // of a joint on b, at P_b, in axes of a
  reactionTorque,
  quaternion,     // of a frame
  rotationAngle,  // of a frame, total
  kineticEnergy,
  gravityEnergy
};
/// A quantity of the outputs that no channel gives.
struct ExtraProgram {
  ExtraKind kind = ExtraKind::kineticEnergy;
  int index = 0;  // joint or frame
  int component = 0;
};

/// A mechanism with all names resolved: const after compilation.
struct MechanismProgram : ModelInterface {
  std::vector<std::string> coordinateNames;
  std::vector<double> nominal;

  Tape numbers;
  int gravity = -1;                 // 3 numbers [m/s²]
  std::vector<BodyProgram> bodies;  // 0 is the ground
  std::vector<FrameProgram> frames;
  std::vector<std::string> frameNames;
  std::vector<BlockProgram> blocks;
  std::vector<ChannelProgram> channels;
  std::vector<LocalEntry> entries;
  std::vector<LocalScatter> scatters;
  std::vector<RowProgram> rows;
  std::vector<JointProgram> joints;
  std::vector<RowTerm> rowTerms;
  std::vector<int> gradientPositions;  // into G
  std::vector<int> normPositions;      // into G, 4 for each rigid body
  std::vector<int> lawChannels;        // channel of each law
  std::vector<CouplingProgram> couplings;
  std::vector<int> couplingPositions;
  std::vector<int> windingPositions;                                       // into K
  std::vector<int> massPositions, rotationPositionsK, rotationPositionsC;  // see MechanismBuilder
  std::vector<int> planarPositions;  // into K: θ of each planar body, −1: not in the pattern
  MeasurePlans dynamics;             // what the equations of motion depend on
  MeasurePlans outputMeasures;       // what only outputs need
  std::vector<ExtraProgram> extras;
  SparsePattern M, C, K, G;

  Tape balance;        // coefficients of row terms, forces of laws
  Tape constraint;     // of the rows that are expressions, in their order
  Tape rate;           // their time derivatives
  Tape acceleration;   // their second ones, accelerations of the channels being their bias
  Tape linearisation;  // as balance, then couplings
  Tape outputs;
  Tape rootFunctions;
  int coefficientCount = 0;
  bool forcesNeedRates = false;
  bool outputsNeedBias = false;

  Index coordinateCount() const { return static_cast<Index>(coordinateNames.size()); }
  Index constraintCount() const { return static_cast<Index>(rows.size()); }
};

}  // namespace trammel
