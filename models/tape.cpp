#include "models/tape.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace trammel {
namespace {

constexpr SymbolKinds variable = static_cast<SymbolKinds>(~only(SymbolKind::parameter));
constexpr std::uint32_t notThere = std::numeric_limits<std::uint32_t>::max();

/// The nodes that must be computed for the roots, ascending: not those that are there already nor
/// what only they need.
std::vector<Expression> missingNodes(ExpressionGraph& graph, std::span<const Expression> roots,
                                     const std::vector<std::uint32_t>& slotOf) {
  std::vector<Expression> nodes = graph.reachable(roots);
  std::vector<bool> needed(graph.size(), false);
  for (const Expression root : roots) needed[root.id] = true;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const ExpressionGraph::Node& n = graph.node(*node);
    if (slotOf[node->id] != notThere) needed[node->id] = false;
    if (!needed[node->id] || n.operation <= Operation::symbol) continue;
    needed[n.a] = true;
    if (isBinary(n.operation)) needed[n.b] = true;
  }
  std::erase_if(nodes, [&](Expression e) { return !needed[e.id]; });
  return nodes;
}

}  // namespace

Tape::Tape(ExpressionGraph& graph, std::span<const Expression> roots) {
  SharedStorage own;
  *this = Tape(graph, roots, own);
}

Tape::Tape(ExpressionGraph& graph, std::span<const Expression> roots, SharedStorage& shared)
    : offset_(shared.size) {
  std::vector<std::uint32_t> slotOf = shared.slotOf;
  slotOf.resize(graph.size(), notThere);
  const std::vector<Expression> nodes = missingNodes(graph, roots, slotOf);
  enum Group { constants, parameters, preparation, loads, operations, groupCount };
  const auto groupOf = [&](Expression e) {
    const ExpressionGraph::Node& n = graph.node(e);
    const bool varies = (n.kinds & variable) != 0;
    if (n.operation == Operation::constant) return constants;
    if (n.operation == Operation::symbol) return varies ? loads : parameters;
    return varies ? operations : preparation;
  };
  std::array<std::uint32_t, groupCount + 1> first{};
  for (const Expression e : nodes) ++first[static_cast<std::size_t>(groupOf(e)) + 1];
  for (std::size_t group = 0; group < groupCount; ++group) first[group + 1] += first[group];
  ownSize_ = first[groupCount];

  // Slots by group; within a group nodes stay in ascending order, so operands come before their
  // users.
  auto next = first;
  for (const Expression e : nodes)
    slotOf[e.id] = static_cast<std::uint32_t>(offset_) + next[groupOf(e)]++;
  for (const Expression e : nodes) {
    const ExpressionGraph::Node& n = graph.node(e);
    const Group group = groupOf(e);
    if (group == constants) constants_.push_back(n.value);
    if (group == parameters) parameters_.push_back(n.symbol.index);
    if (group == loads) loads_.push_back({n.symbol, slotOf[e.id]});
    if (group == preparation || group == operations) {
      const std::uint32_t a = slotOf[n.a];
      const Instruction instruction{n.operation, a, isBinary(n.operation) ? slotOf[n.b] : a};
      (group == preparation ? preparation_ : operations_).push_back(instruction);
    }
  }
  roots_.reserve(roots.size());
  for (const Expression root : roots) roots_.push_back(slotOf[root.id]);
  if (!shared.begun) shared.slotOf = std::move(slotOf);
  shared.begun = true;
  shared.size = storageSize();
}

void Tape::prepare(const double* parameters, double* storage) const {
  double* slot = std::copy(constants_.begin(), constants_.end(), storage + offset_);
  for (const std::uint32_t index : parameters_) *slot++ = parameters[index];
  for (const Instruction& i : preparation_)
    *slot++ = trammel::evaluate(i.operation, storage[i.a], storage[i.b]);
}

void Tape::evaluate(const TapeSources& sources, double* storage) const {
  const std::array<const double*, 10> tables{
      &sources.time,  sources.parameters, sources.inputs,
      sources.q,      sources.v,          sources.a,
      sources.lambda, sources.inputRates, sources.inputSecondRates,
      sources.derived};
  for (const Load& load : loads_) {
    storage[load.slot] = tables[static_cast<std::size_t>(load.symbol.kind)][load.symbol.index];
  }
  double* slot = storage + (storageSize() - operations_.size());
  for (const Instruction& i : operations_)
    *slot++ = trammel::evaluate(i.operation, storage[i.a], storage[i.b]);
}

void Tape::copyRoots(const double* storage, std::size_t first, std::size_t count,
                     double* values) const {
  for (std::size_t k = 0; k < count; ++k) values[k] = storage[roots_[first + k]];
}

}  // namespace trammel
