#include "models/tape.hpp"

#include <algorithm>
#include <array>

namespace trammel {
namespace {

constexpr SymbolKinds variable = static_cast<SymbolKinds>(~only(SymbolKind::parameter));

}  // namespace

Tape::Tape(ExpressionGraph& graph, std::span<const Expression> roots) {
  const std::vector<Expression> nodes = graph.reachable(roots);
  enum Group { constants, parameters, preparation, loads, operations, groupCount };
  const auto groupOf = [&graph](Expression e) {
    const ExpressionGraph::Node& n = graph.node(e);
    const bool varies = (n.kinds & variable) != 0;
    if (n.operation == Operation::constant) return constants;
    if (n.operation == Operation::symbol) return varies ? loads : parameters;
    return varies ? operations : preparation;
  };
  std::array<std::uint32_t, groupCount + 1> first{};
  for (const Expression e : nodes) ++first[static_cast<std::size_t>(groupOf(e)) + 1];
  for (std::size_t group = 0; group < groupCount; ++group) first[group + 1] += first[group];
  storageSize_ = first[groupCount];

  // Slots by group; within a group nodes stay in ascending order, so operands come before their
  // users.
  std::vector<std::uint32_t> slots(nodes.size());
  auto next = first;
  for (std::size_t k = 0; k < nodes.size(); ++k) slots[k] = next[groupOf(nodes[k])]++;
  const auto slotOf = [&](std::uint32_t id) {
    const auto found = std::lower_bound(nodes.begin(), nodes.end(), id,
                                        [](Expression e, std::uint32_t i) { return e.id < i; });
    return slots[static_cast<std::size_t>(found - nodes.begin())];
  };

  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const ExpressionGraph::Node& n = graph.node(nodes[k]);
    const Group group = groupOf(nodes[k]);
    if (group == constants) constants_.push_back(n.value);
    if (group == parameters) parameters_.push_back(n.symbol.index);
    if (group == loads) loads_.push_back({n.symbol, slots[k]});
    if (group == preparation || group == operations) {
      const std::uint32_t a = slotOf(n.a);
      const Instruction instruction{n.operation, a, isBinary(n.operation) ? slotOf(n.b) : a};
      (group == preparation ? preparation_ : operations_).push_back(instruction);
    }
  }
  roots_.reserve(roots.size());
  for (const Expression root : roots) roots_.push_back(slotOf(root.id));
}

void Tape::prepare(const double* parameters, double* storage) const {
  double* slot = std::copy(constants_.begin(), constants_.end(), storage);
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
  double* slot = storage + (storageSize_ - operations_.size());
  for (const Instruction& i : operations_)
    *slot++ = trammel::evaluate(i.operation, storage[i.a], storage[i.b]);
}

void Tape::copyRoots(const double* storage, std::size_t first, std::size_t count,
                     double* values) const {
  for (std::size_t k = 0; k < count; ++k) values[k] = storage[roots_[first + k]];
}

}  // namespace trammel
