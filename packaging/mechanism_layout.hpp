#pragma once

#include <vector>

#include "models/mechanism/mechanism_program.hpp"

namespace trammel::fmi {

/// A force between two frames, as pictures show it.
struct ForceLine {
  enum class Kind { spring, beam, contact, other };
  Kind kind = Kind::spring;
  int frameA = 0, frameB = 0;
};

/// Forces between frames that no joint ties together, each pair once.
std::vector<ForceLine> forceLines(const MechanismProgram& program);

/// Frames of joints and forces and those that the model names; not the origins of bodies that
/// nothing uses.
std::vector<int> shownFrames(const MechanismProgram& program);

/// Frames on bodies that the model names and no joint or force uses: points to be looked at.
std::vector<int> observedFrames(const MechanismProgram& program);

/// Whether everything moves in the plane z = 0.
bool isPlane(const MechanismProgram& program);

/// Which column of a frame's axes is the direction of a joint that slides or turns about it.
int jointAxis(const MechanismProgram& program, const JointProgram& joint);

}  // namespace trammel::fmi
