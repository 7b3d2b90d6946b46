#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/mechanism/mechanism_program.hpp"

namespace trammel {

/// Which kernel between which frames.
struct MeasureKey {
  KernelKind kind = KernelKind::difference;
  int frameA = 0, frameB = 0;
  int axisA = 0, axisB = 0;
  int scalar = -1;
  int radiusA = -1, radiusB = -1;

  // NOLINTNEXTLINE(modernize-use-nullptr): the 0 that a default compares with is no pointer
  auto operator<=>(const MeasureKey&) const = default;
};

/// Puts a MechanismProgram together from bodies, frames, measures, rows and forces. Measures are
/// made when first asked for and shared; in expressions z, z' and z'' of channel c are the symbols
/// position, velocity and acceleration with index c.
class MechanismBuilder {
 public:
  MechanismBuilder(ExpressionGraph& graph, MechanismProgram& program);

  /// Places of the values in the list of numbers.
  int numbers(std::span<const Expression> values);
  int number(Expression value) { return numbers({&value, 1}); }
  int zeros(int count);

  /// Also adds the row |p| = 1 of a rigid body.
  int addBody(BodyProgram body, const std::vector<std::string>& coordinateNames);
  int addFrame(FrameProgram frame, std::string name);
  /// The frame turned so that its z axis is the axis given in it.
  int aligned(int frame, const RotationNumbers& alignment, int line);
  /// First channel of the measure.
  int channel(const MeasureKey& key);
  /// Angle of frame b relative to frame a about their common z axis, over many turns.
  int angle(int frameA, int frameB, const std::string& name, int start);

  int beginJoint(JointProgram joint);  // rows added from now on are its rows
  void endJoint();
  void addRow(std::string name, int channel, int offset = -1);
  void addRow(std::string name, Expression expression);
  /// f += Wᵀ F for the row W of the channel.
  void addForce(int channel, Expression F);
  void addRoot(Expression expression) { roots_.push_back(expression); }

  Expression z(int channel) { return symbol(SymbolKind::position, channel); }
  Expression rate(int channel) { return symbol(SymbolKind::velocity, channel); }
  Expression second(int channel) { return symbol(SymbolKind::acceleration, channel); }
  Expression multiplier(int row) { return symbol(SymbolKind::multiplier, row); }
  Expression extra(const ExtraProgram& extra);

  BodyKind kindOf(int frame) const;  // of the frame's body
  int bodyOf(int frame) const;
  int rowCount() const { return static_cast<int>(program_.rows.size()); }

  /// Fixes patterns and writes the tapes. `outputs` are expressions of
  /// everything.
  void finish(std::span<const Expression> outputs);

 private:
  Expression symbol(SymbolKind kind, int index) {
    return graph_.symbol({kind, static_cast<std::uint32_t>(index)});
  }
  int addBlock(const MeasureKey& key);
  void probe(BlockProgram& block);
  void buildRows();
  void buildLaws();
  void buildCouplings();
  void buildPatterns();
  void buildMeasures();
  Expression rateOf(const Symbol& s);
  Expression totalRate(Expression expression);
  const ChannelProgram& channelOf(int c) const {
    return program_.channels[static_cast<std::size_t>(c)];
  }

  ExpressionGraph& graph_;
  MechanismProgram& program_;
  std::vector<Expression> numbers_;
  std::map<MeasureKey, int> channels_;
  std::map<std::tuple<int, RotationKind, int>, int> aligned_;
  std::map<std::pair<int, int>, int> angles_;
  std::vector<Expression> rowExpressions_, coefficients_, roots_;
  std::map<int, Expression> forces_;  // by channel
  std::vector<Expression> couplingExpressions_;
  std::vector<std::vector<std::pair<std::uint8_t, std::uint8_t>>> blockScatters_;
  std::map<std::tuple<ExtraKind, int, int>, int> extras_;
  int openJoint_ = -1;
};

}  // namespace trammel
