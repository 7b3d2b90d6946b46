#include <algorithm>
#include <map>
#include <set>

#include "models/mechanism/mechanism_builder.hpp"

namespace trammel {
namespace {

constexpr auto ofZ = only(SymbolKind::position);
constexpr auto ofRate = only(SymbolKind::velocity);
constexpr auto ofSecond = only(SymbolKind::acceleration);

std::size_t at(int i) { return static_cast<std::size_t>(i); }
int sizeOf(const auto& container) { return static_cast<int>(container.size()); }

/// Collects places of a matrix, then tells where each stands among the values.
class PatternBuilder {
 public:
  PatternBuilder(Index rows, Index columns) : rows_(rows), columns_(columns) {}

  void add(int row, int column) { places_.emplace_back(column, row); }

  SparsePattern finish() {
    std::sort(places_.begin(), places_.end());
    places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
    SparsePattern pattern;
    pattern.rows = rows_;
    pattern.columns = columns_;
    pattern.outer.assign(static_cast<std::size_t>(columns_) + 1, 0);
    for (const auto& [column, row] : places_) {
      ++pattern.outer[at(column) + 1];
      pattern.inner.push_back(row);
    }
    for (std::size_t j = 0; j + 1 < pattern.outer.size(); ++j)
      pattern.outer[j + 1] += pattern.outer[j];
    return pattern;
  }

 private:
  Index rows_, columns_;
  std::vector<std::pair<int, int>> places_;
};

int positionOf(const SparsePattern& pattern, int row, int column) {
  const auto begin = pattern.inner.begin() + pattern.outer[at(column)];
  const auto end = pattern.inner.begin() + pattern.outer[at(column) + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - pattern.inner.begin());
}

/// Calls visit(row, column) for the places of the mass matrix of all bodies, in the order in which
/// MechanismSystem computes them.
template <class Visit>
void forEachMass(const MechanismProgram& program, Visit visit) {
  for (const BodyProgram& body : program.bodies) {
    const int first = body.coordinate;
    if (body.kind == BodyKind::scalar && body.windingBlock >= 0) {
      const BlockProgram& block = program.blocks[at(body.windingBlock)];
      const ChannelProgram& channel = program.channels[at(block.firstChannel)];
      const LocalEntry* entries = program.entries.data() + channel.firstEntry;
      for (int j = 0; j < channel.entryCount; ++j)
        for (int i = 0; i < channel.entryCount; ++i) visit(entries[i].column, entries[j].column);
      continue;
    }
    const int diagonal = body.kind == BodyKind::rigid ? 3 : coordinateCountOf(body.kind);
    for (int i = 0; i < diagonal; ++i) visit(first + i, first + i);
    if (body.kind != BodyKind::rigid) continue;
    for (int j = 3; j < 7; ++j)
      for (int i = 3; i < 7; ++i) visit(first + i, first + j);
  }
}

/// Those of the mass matrix that belong to the winding rows of angles.
template <class Visit>
void forEachWinding(const MechanismProgram& program, Visit visit) {
  for (const BodyProgram& body : program.bodies) {
    if (body.windingBlock < 0) continue;
    const BlockProgram& block = program.blocks[at(body.windingBlock)];
    const ChannelProgram& channel = program.channels[at(block.firstChannel)];
    const LocalEntry* entries = program.entries.data() + channel.firstEntry;
    for (int j = 0; j < channel.entryCount; ++j)
      for (int i = 0; i < channel.entryCount; ++i) visit(entries[i].column, entries[j].column);
  }
}

template <class Visit>
void forEachRotation(const MechanismProgram& program, Visit visit) {
  for (const BodyProgram& body : program.bodies) {
    if (body.kind != BodyKind::rigid) continue;
    for (int j = 3; j < 7; ++j)
      for (int i = 3; i < 7; ++i) visit(body.coordinate + i, body.coordinate + j);
  }
}

}  // namespace

void MechanismBuilder::finish(std::span<const Expression> outputs) {
  program_.numbers = Tape(graph_, numbers_);
  buildRows();
  buildLaws();
  buildCouplings();
  buildPatterns();
  buildMeasures();
  program_.outputs = Tape(graph_, outputs);
  program_.rootFunctions = Tape(graph_, roots_);
  program_.outputsNeedBias = std::any_of(outputs.begin(), outputs.end(), [this](Expression e) {
    return (graph_.kinds(e) & ofSecond) != 0;
  });
}

Expression MechanismBuilder::rateOf(const Symbol& s) {
  const int index = static_cast<int>(s.index);
  if (s.kind == SymbolKind::time) return graph_.constant(1);
  if (s.kind == SymbolKind::input) return symbol(SymbolKind::inputRate, index);
  if (s.kind == SymbolKind::inputRate) return symbol(SymbolKind::inputSecondRate, index);
  return symbol(s.kind == SymbolKind::position ? SymbolKind::velocity : SymbolKind::acceleration,
                index);
}

/// dE/dt of an expression of z, z', t, u, u'.
Expression MechanismBuilder::totalRate(Expression expression) {
  constexpr auto moving = static_cast<SymbolKinds>(
      ofZ | ofRate | anyOf(SymbolKind::time, SymbolKind::input, SymbolKind::inputRate));
  Expression sum = graph_.constant(0);
  for (const Partial& partial : graph_.gradient(expression, moving))
    sum = graph_.add(sum, graph_.multiply(partial.value, rateOf(partial.symbol)));
  return sum;
}

/// Row terms of all rows, and the tapes of those that are expressions.
void MechanismBuilder::buildRows() {
  std::vector<Expression> rates, accelerations;
  for (int r = 0; r < rowCount(); ++r) {
    const RowProgram& row = program_.rows[at(r)];
    if (row.channel >= 0) program_.rowTerms.push_back({r, row.channel, -1, 0});
    if (row.expression < 0) continue;
    const Expression E = rowExpressions_[at(row.expression)];
    for (const Partial& partial : graph_.gradient(E, ofZ)) {
      const int channel = static_cast<int>(partial.symbol.index);
      const bool one = graph_.isConstant(partial.value, 1);
      program_.rowTerms.push_back({r, channel, one ? -1 : sizeOf(coefficients_), 0});
      if (!one) coefficients_.push_back(partial.value);
    }
    rates.push_back(totalRate(E));
    accelerations.push_back(totalRate(rates.back()));
  }
  program_.constraint = Tape(graph_, rowExpressions_);
  program_.rate = Tape(graph_, rates);
  program_.acceleration = Tape(graph_, accelerations);
  program_.coefficientCount = sizeOf(coefficients_);
}

void MechanismBuilder::buildLaws() {
  std::vector<Expression> roots = coefficients_;
  for (const auto& [channel, F] : forces_) {
    program_.lawChannels.push_back(channel);
    roots.push_back(F);
  }
  program_.balance = Tape(graph_, roots);
}

/// κ_cd = ∂²(Σ λ_r E_r)/∂z_c∂z_d − ∂F_c/∂z_d and σ_cd = −∂F_c/∂z'_d.
void MechanismBuilder::buildCouplings() {
  const Expression zero = graph_.constant(0);
  struct Pair {
    Expression byZ, byRate;
  };
  std::map<std::pair<int, int>, Pair> pairs;
  const auto add = [&](int c, const Partial& partial, Expression value) {
    const int d = static_cast<int>(partial.symbol.index);
    Pair& pair = pairs.try_emplace({c, d}, Pair{zero, zero}).first->second;
    Expression& sum = partial.symbol.kind == SymbolKind::position ? pair.byZ : pair.byRate;
    sum = graph_.add(sum, value);
  };
  for (int r = 0; r < rowCount(); ++r) {
    const RowProgram& row = program_.rows[at(r)];
    if (row.expression < 0) continue;
    for (const Partial& first : graph_.gradient(rowExpressions_[at(row.expression)], ofZ)) {
      for (const Partial& second : graph_.gradient(first.value, ofZ)) {
        add(static_cast<int>(first.symbol.index), second,
            graph_.multiply(multiplier(r), second.value));
      }
    }
  }
  for (const auto& [channel, F] : forces_) {
    for (const Partial& partial : graph_.gradient(F, ofZ | ofRate))
      add(channel, partial, graph_.negate(partial.value));
  }
  for (const auto& [place, pair] : pairs) {
    CouplingProgram coupling;
    std::tie(coupling.c, coupling.d) = place;
    const auto rootOf = [this](Expression value) {
      if (graph_.isZero(value)) return -1;
      couplingExpressions_.push_back(value);
      return sizeOf(couplingExpressions_) - 1;
    };
    coupling.byPosition = rootOf(pair.byZ);
    coupling.byRate = rootOf(pair.byRate);
    program_.couplings.push_back(coupling);
  }
  std::vector<Expression> roots = coefficients_;
  for (const auto& [channel, F] : forces_) roots.push_back(F);
  roots.insert(roots.end(), couplingExpressions_.begin(), couplingExpressions_.end());
  program_.linearisation = Tape(graph_, roots);
}

void MechanismBuilder::buildPatterns() {
  const Index n = program_.coordinateCount(), m = program_.constraintCount();
  PatternBuilder M(n, n), C(n, n), K(n, n), G(m, n);
  forEachMass(program_, [&](int row, int column) { M.add(row, column); });
  forEachRotation(program_, [&](int row, int column) {
    C.add(row, column);
    K.add(row, column);
  });
  forEachWinding(program_, [&](int row, int column) { K.add(row, column); });
  // ∂W/∂x matters where a row or a force stands on the channel, or a force depends on its rate.
  std::set<int> loaded;
  for (const RowTerm& term : program_.rowTerms) loaded.insert(channelOf(term.channel).block);
  for (const int channel : program_.lawChannels) loaded.insert(channelOf(channel).block);
  for (const CouplingProgram& coupling : program_.couplings)
    if (coupling.byRate >= 0) {
      loaded.insert(channelOf(coupling.d).block);
      program_.blocks[at(channelOf(coupling.d).block)].rateGradientUsed = true;
    }
  for (const int b : loaded) {
    const BlockProgram& block = program_.blocks[at(b)];
    for (const auto& [i, j] : blockScatters_[at(b)]) K.add(block.columns[i], block.columns[j]);
  }
  const auto forEachPair = [this](const CouplingProgram& coupling, auto visit) {
    const ChannelProgram &c = channelOf(coupling.c), &d = channelOf(coupling.d);
    for (int i = 0; i < c.entryCount; ++i)
      for (int j = 0; j < d.entryCount; ++j)
        visit(program_.entries[at(c.firstEntry + i)].column,
              program_.entries[at(d.firstEntry + j)].column);
  };
  for (const CouplingProgram& coupling : program_.couplings) {
    forEachPair(coupling, [&](int row, int column) {
      K.add(row, column);
      if (coupling.byRate >= 0) C.add(row, column);
    });
  }
  const auto forEachGradient = [this](const RowTerm& term, auto visit) {
    const ChannelProgram& channel = channelOf(term.channel);
    for (int i = 0; i < channel.entryCount; ++i)
      visit(term.row, program_.entries[at(channel.firstEntry + i)].column);
  };
  for (const RowTerm& term : program_.rowTerms)
    forEachGradient(term, [&](int row, int column) { G.add(row, column); });
  const auto forEachNorm = [this](auto visit) {
    for (const BodyProgram& body : program_.bodies)
      if (body.kind == BodyKind::rigid)
        for (int i = 3; i < 7; ++i) visit(body.normRow, body.coordinate + i);
  };
  forEachNorm([&](int row, int column) { G.add(row, column); });
  for (const BodyProgram& body : program_.bodies)  // the multiplier of |p| = 1 on the diagonal
    if (body.kind == BodyKind::rigid)
      for (int i = 3; i < 7; ++i) K.add(body.coordinate + i, body.coordinate + i);

  program_.M = M.finish();
  program_.C = C.finish();
  program_.K = K.finish();
  program_.G = G.finish();

  forEachMass(program_, [&](int row, int column) {
    program_.massPositions.push_back(positionOf(program_.M, row, column));
  });
  forEachWinding(program_, [&](int row, int column) {
    program_.windingPositions.push_back(positionOf(program_.K, row, column));
  });
  for (const BodyProgram& body : program_.bodies) {
    if (body.kind != BodyKind::planar) continue;
    const int theta = body.coordinate + 2;
    const int position = positionOf(program_.K, theta, theta);
    const bool there =
        position < program_.K.outer[at(theta) + 1] && program_.K.inner[at(position)] == theta;
    program_.planarPositions.push_back(there ? position : -1);
  }
  forEachRotation(program_, [&](int row, int column) {
    program_.rotationPositionsK.push_back(positionOf(program_.K, row, column));
    program_.rotationPositionsC.push_back(positionOf(program_.C, row, column));
  });
  for (const int b : loaded) {
    BlockProgram& block = program_.blocks[at(b)];
    block.firstScatter = sizeOf(program_.scatters);
    for (const auto& [i, j] : blockScatters_[at(b)]) {
      program_.scatters.push_back(
          {i, j, positionOf(program_.K, block.columns[i], block.columns[j])});
    }
    block.scatterCount = sizeOf(program_.scatters) - block.firstScatter;
  }
  for (CouplingProgram& coupling : program_.couplings) {
    coupling.firstK = sizeOf(program_.couplingPositions);
    forEachPair(coupling, [&](int row, int column) {
      program_.couplingPositions.push_back(positionOf(program_.K, row, column));
    });
    if (coupling.byRate < 0) continue;
    coupling.firstC = sizeOf(program_.couplingPositions);
    forEachPair(coupling, [&](int row, int column) {
      program_.couplingPositions.push_back(positionOf(program_.C, row, column));
    });
  }
  for (RowTerm& term : program_.rowTerms) {
    term.firstPosition = sizeOf(program_.gradientPositions);
    forEachGradient(term, [&](int row, int column) {
      program_.gradientPositions.push_back(positionOf(program_.G, row, column));
    });
  }
  forEachNorm([&](int row, int column) {
    program_.normPositions.push_back(positionOf(program_.G, row, column));
  });
}

/// The equations of motion look at the channels that rows, forces and root functions contain.
void MechanismBuilder::buildMeasures() {
  std::vector<Expression> expressions = rowExpressions_;
  expressions.insert(expressions.end(), roots_.begin(), roots_.end());
  for (const auto& [channel, F] : forces_) {
    expressions.push_back(F);
    if ((graph_.kinds(F) & ofRate) != 0) program_.forcesNeedRates = true;
  }
  std::set<int> channels(program_.lawChannels.begin(), program_.lawChannels.end());
  for (const RowTerm& term : program_.rowTerms) channels.insert(term.channel);
  for (const Symbol& symbol : graph_.symbols(expressions, ofZ | ofRate | ofSecond))
    channels.insert(static_cast<int>(symbol.index));
  std::vector<bool> used(program_.blocks.size(), false);
  for (const int channel : channels) used[at(channelOf(channel).block)] = true;
  std::vector<int> dynamics, others;
  for (int b = 0; b < sizeOf(program_.blocks); ++b) (used[at(b)] ? dynamics : others).push_back(b);
  program_.dynamics = planMeasures(program_, dynamics);
  program_.outputMeasures = planMeasures(program_, others);
}

}  // namespace trammel
