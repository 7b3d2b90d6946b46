#include "models/mechanism/mechanism_builder.hpp"

#include <algorithm>
#include <cassert>
#include <random>
#include <utility>

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }
int sizeOf(const auto& container) { return static_cast<int>(container.size()); }

int rowsOf(KernelKind kind, bool planar) {
  if (kind == KernelKind::difference) return planar ? 2 : 3;
  return kind == KernelKind::rotation ? 3 : 1;
}

}  // namespace

MechanismBuilder::MechanismBuilder(ExpressionGraph& graph, MechanismProgram& program)
    : graph_(graph), program_(program) {
  BodyProgram ground;
  ground.name = "ground";
  program_.bodies.push_back(std::move(ground));
  addFrame({}, "ground");
}

int MechanismBuilder::numbers(std::span<const Expression> values) {
  const int first = sizeOf(numbers_);
  numbers_.insert(numbers_.end(), values.begin(), values.end());
  return first;
}

int MechanismBuilder::zeros(int count) {
  const std::vector<Expression> values(at(count), graph_.constant(0));
  return numbers(values);
}

int MechanismBuilder::addBody(BodyProgram body, const std::vector<std::string>& coordinateNames) {
  assert(sizeOf(coordinateNames) == coordinateCountOf(body.kind));
  body.coordinate = sizeOf(program_.coordinateNames);
  program_.coordinateNames.insert(program_.coordinateNames.end(), coordinateNames.begin(),
                                  coordinateNames.end());
  if (body.kind == BodyKind::rigid) {
    body.normRow = rowCount();
    program_.rows.push_back({body.name + ".norm", -1, -1, -1, -1});
  }
  program_.bodies.push_back(std::move(body));
  return sizeOf(program_.bodies) - 1;
}

int MechanismBuilder::addFrame(FrameProgram frame, std::string name) {
  program_.frames.push_back(frame);
  program_.frameNames.push_back(std::move(name));
  return sizeOf(program_.frames) - 1;
}

int MechanismBuilder::aligned(int frame, const RotationNumbers& alignment, int line) {
  if (alignment.kind == RotationKind::none) return frame;
  const auto key = std::make_tuple(frame, alignment.kind, alignment.first);
  const auto [found, isNew] = aligned_.try_emplace(key, 0);
  if (isNew) {
    FrameProgram turned = program_.frames[at(frame)];
    turned.alignment = alignment;
    turned.line = line;
    found->second = addFrame(turned, program_.frameNames[at(frame)]);
  }
  return found->second;
}

BodyKind MechanismBuilder::kindOf(int frame) const {
  return program_.bodies[at(bodyOf(frame))].kind;
}
int MechanismBuilder::bodyOf(int frame) const { return program_.frames[at(frame)].body; }

int MechanismBuilder::channel(const MeasureKey& key) {
  const auto [found, isNew] = channels_.try_emplace(key, 0);
  if (isNew) found->second = addBlock(key);
  return found->second;
}

int MechanismBuilder::addBlock(const MeasureKey& key) {
  BlockProgram block;
  Kernel& kernel = block.kernel;
  kernel.kind = key.kind;
  kernel.axisA = static_cast<std::uint8_t>(key.axisA);
  kernel.axisB = static_cast<std::uint8_t>(key.axisB);
  const BodyProgram& a = program_.bodies[at(bodyOf(key.frameA))];
  const BodyProgram& b = program_.bodies[at(bodyOf(key.frameB))];
  kernel.bodyA = a.kind;
  kernel.bodyB = b.kind;
  const auto inPlane = [](BodyKind kind) { return isPlanar(kind) || kind == BodyKind::ground; };
  kernel.rows = static_cast<std::uint8_t>(rowsOf(key.kind, inPlane(a.kind) && inPlane(b.kind)));
  block.frameA = key.frameA;
  block.frameB = key.frameB;
  block.scalar = key.scalar;
  block.radiusA = key.radiusA;
  block.radiusB = key.radiusB;
  const auto append = [&](const BodyProgram& body) {
    const auto first = kernel.width;
    for (int i = 0; i < coordinateCountOf(body.kind); ++i)
      block.columns[kernel.width++] = body.coordinate + i;
    return first;
  };
  append(a);
  kernel.firstB = append(b);
  kernel.firstScalar = kernel.width;
  if (key.scalar >= 0) append(program_.bodies[at(key.scalar)]);
  block.firstChannel = sizeOf(program_.channels);
  program_.blocks.push_back(block);
  probe(program_.blocks.back());
  return block.firstChannel;
}

/// Finds which entries of W and ∂W/∂x are not identically zero, at places without any symmetry.
void MechanismBuilder::probe(BlockProgram& block) {
  std::mt19937 random(1);
  const auto draw = [&random] { return 0.3 + static_cast<double>(random() % 1000U) / 700.0; };
  const auto anyFrame = [&] {
    Frame frame;
    frame.s = {draw(), draw(), draw()};
    const Eigen::Quaterniond turn = Eigen::Quaterniond(draw(), draw(), draw(), draw()).normalized();
    frame.axes = turn.toRotationMatrix();
    frame.turn = {turn.w(), {turn.x(), turn.y(), turn.z()}};
    return frame;
  };
  const Frame a = anyFrame(), b = anyFrame();
  const Kernel& kernel = block.kernel;
  double x[kernelWidth] = {};
  for (std::size_t j = 0; j < kernel.width; ++j) x[j] = draw();
  KernelDerivatives result;
  differentiateKernel(kernel, {&a, &b, draw(), draw()}, x, result);

  const int index = sizeOf(program_.blocks) - 1;
  std::vector<std::pair<std::uint8_t, std::uint8_t>> scatter;
  for (int k = 0; k < kernel.rows; ++k) {
    ChannelProgram channel{index, k, sizeOf(program_.entries), 0};
    for (int i = 0; i < kernel.width; ++i) {
      bool present = result.W[k][i] != 0;
      for (int j = 0; j < kernel.width; ++j) {
        // The rate W x' has derivatives where W itself may have none.
        if (result.D[k][j][i] != 0) present = true;
        if (result.D[k][i][j] == 0) continue;
        present = true;
        scatter.emplace_back(static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j));
      }
      if (present) program_.entries.push_back({i, block.columns[at(i)]});
    }
    channel.entryCount = sizeOf(program_.entries) - channel.firstEntry;
    program_.channels.push_back(channel);
  }
  std::sort(scatter.begin(), scatter.end());
  scatter.erase(std::unique(scatter.begin(), scatter.end()), scatter.end());
  blockScatters_.push_back(std::move(scatter));
}

int MechanismBuilder::angle(int frameA, int frameB, const std::string& name, int start) {
  const auto [found, isNew] = angles_.try_emplace({frameA, frameB}, 0);
  if (!isNew) return found->second;
  const BodyKind a = kindOf(frameA), b = kindOf(frameB);
  if (a != BodyKind::rigid && b != BodyKind::rigid) {
    return found->second = channel({.kind = KernelKind::turn, .frameA = frameA, .frameB = frameB});
  }
  BodyProgram scalar;
  scalar.name = name;
  scalar.kind = BodyKind::scalar;
  scalar.start = start;
  scalar.given = false;
  const int body = addBody(scalar, {name});
  const int row =
      channel({.kind = KernelKind::winding, .frameA = frameA, .frameB = frameB, .scalar = body});
  program_.bodies.back().windingBlock = channelOf(row).block;
  const int open = std::exchange(openJoint_, -1);
  addRow(name + ".winding", row);
  openJoint_ = open;
  found->second = channel({.kind = KernelKind::scalar, .scalar = body});
  return found->second;
}

int MechanismBuilder::beginJoint(JointProgram joint) {
  joint.firstRow = rowCount();
  program_.joints.push_back(std::move(joint));
  return openJoint_ = sizeOf(program_.joints) - 1;
}

void MechanismBuilder::endJoint() {
  JointProgram& joint = program_.joints[at(openJoint_)];
  joint.rowCount = rowCount() - joint.firstRow;
  openJoint_ = -1;
}

void MechanismBuilder::addRow(std::string name, int channel, int offset) {
  program_.rows.push_back({std::move(name), channel, offset, -1, openJoint_});
}

void MechanismBuilder::addRow(std::string name, Expression expression) {
  program_.rows.push_back({std::move(name), -1, -1, sizeOf(rowExpressions_), openJoint_});
  rowExpressions_.push_back(expression);
}

void MechanismBuilder::addForce(int channel, Expression F) {
  const auto [found, isNew] = forces_.try_emplace(channel, F);
  if (!isNew) found->second = graph_.add(found->second, F);
}

Expression MechanismBuilder::extra(const ExtraProgram& extra) {
  const auto key = std::make_tuple(extra.kind, extra.index, extra.component);
  const auto [found, isNew] = extras_.try_emplace(key, sizeOf(program_.extras));
  if (isNew) program_.extras.push_back(extra);
  return symbol(SymbolKind::derived, found->second);
}

}  // namespace trammel
