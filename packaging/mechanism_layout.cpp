#include "packaging/mechanism_layout.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace trammel::fmi {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Blocks whose measures carry forces between two frames.
std::set<int> forceBlocks(const MechanismProgram& program) {
  std::set<int> blocks;
  for (const int channel : program.lawChannels) {
    const int block = program.channels[at(channel)].block;
    const Kernel& kernel = program.blocks[at(block)].kernel;
    if (!isForm(kernel.kind) && kernel.kind != KernelKind::scalar) blocks.insert(block);
  }
  return blocks;
}

std::set<int> usedFrames(const MechanismProgram& program) {
  std::set<int> frames;
  for (const JointProgram& joint : program.joints) {
    if (joint.frameB >= 0) frames.insert({joint.frameA, joint.frameB});
  }
  for (const int block : forceBlocks(program))
    frames.insert({program.blocks[at(block)].frameA, program.blocks[at(block)].frameB});
  return frames;
}

bool isNamedOnBody(const FrameProgram& frame) {
  return frame.body != 0 && frame.pose.position >= 0;
}

}  // namespace

std::vector<ForceLine> forceLines(const MechanismProgram& program) {
  std::set<std::pair<int, int>> joined, drawn, held;  // held: also against turning
  for (const JointProgram& joint : program.joints) joined.insert({joint.frameA, joint.frameB});
  const std::set<int> blocks = forceBlocks(program);
  for (const int index : blocks) {
    const BlockProgram& block = program.blocks[at(index)];
    if (block.kernel.kind == KernelKind::rotation || block.kernel.kind == KernelKind::turn)
      held.insert({block.frameA, block.frameB});
  }
  std::vector<ForceLine> lines;
  for (const int index : blocks) {
    const BlockProgram& block = program.blocks[at(index)];
    const std::pair pair{block.frameA, block.frameB};
    if (joined.count(pair) != 0 || !drawn.insert(pair).second) continue;
    auto kind = ForceLine::Kind::other;
    if (block.kernel.kind == KernelKind::projection) kind = ForceLine::Kind::contact;
    if (held.count(pair) != 0) kind = ForceLine::Kind::beam;  // or bushing
    if (block.kernel.kind == KernelKind::distance) kind = ForceLine::Kind::spring;
    lines.push_back({kind, pair.first, pair.second});
  }
  return lines;
}

std::vector<int> shownFrames(const MechanismProgram& program) {
  std::set<int> frames = usedFrames(program);
  for (std::size_t f = 0; f < program.frames.size(); ++f) {
    if (isNamedOnBody(program.frames[f])) frames.insert(static_cast<int>(f));
  }
  return {frames.begin(), frames.end()};
}

std::vector<int> observedFrames(const MechanismProgram& program) {
  const std::set<int> used = usedFrames(program);
  // Joints with an axis use a turned copy of the frame, which has the same place.
  const auto isUsed = [&](const FrameProgram& frame) {
    return std::any_of(used.begin(), used.end(), [&](int f) {
      const FrameProgram& other = program.frames[at(f)];
      return other.body == frame.body && other.pose.position == frame.pose.position;
    });
  };
  std::vector<int> frames;
  for (std::size_t f = 0; f < program.frames.size(); ++f) {
    const FrameProgram& frame = program.frames[f];
    if (isNamedOnBody(frame) && !isUsed(frame)) frames.push_back(static_cast<int>(f));
  }
  return frames;
}

bool isPlane(const MechanismProgram& program) {
  return std::all_of(program.bodies.begin(), program.bodies.end(), [](const BodyProgram& body) {
    return isPlanar(body.kind) || body.kind == BodyKind::ground || body.kind == BodyKind::scalar;
  });
}

int jointAxis(const MechanismProgram& program, const JointProgram& joint) {
  const auto kind = [&](int frame) {
    return program.bodies[at(program.frames[at(frame)].body)].kind;
  };
  const bool plane = isPlanar(kind(joint.frameA)) || isPlanar(kind(joint.frameB));
  const bool turns = joint.type == "revolute" || joint.type == "point_on_circle";
  return plane && !turns ? 0 : 2;
}

}  // namespace trammel::fmi
