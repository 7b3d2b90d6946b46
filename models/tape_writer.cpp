#include <algorithm>
#include <array>

#include "models/tape.hpp"

namespace trammel {
namespace {

constexpr SymbolKinds variable = static_cast<SymbolKinds>(~only(SymbolKind::parameter));
constexpr std::uint32_t notThere = SharedStorage::notThere;

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

/// Puts the operations of a tape in order: pairs of them become one where they can, and each is
/// done as late as is needed for long runs of the same operation.
class Tape::Writer {
 public:
  Writer(const ExpressionGraph& graph, const std::vector<Expression>& operations,
         std::span<const Expression> roots)
      : graph_(graph), numberOf_(graph.size(), notThere) {
    std::vector<bool> isRoot(graph.size(), false);
    for (const Expression root : roots) isRoot[root.id] = true;
    for (const Expression e : operations) {
      numberOf_[e.id] = static_cast<std::uint32_t>(instructions_.size());
      instructions_.push_back(plain(e));
    }
    mergeProducts(isRoot);
    mergeTurns();
    countWaiting();
  }

  /// Appends the operations to the tape; their results get the slots from `slot` on.
  void write(std::uint32_t slot, std::vector<std::uint32_t>& slotOf, Tape& tape) {
    std::vector<std::uint32_t> order;
    const std::uint32_t first = slot;
    while (const std::size_t longest = longestQueue()) {
      std::vector<std::uint32_t>& queue = queues_[longest - 1];
      for (std::size_t next = 0; next < queue.size(); ++next) {  // the queue may grow
        const std::uint32_t i = queue[next];
        order.push_back(i);
        for (const std::uint32_t node : instructions_[i].results) {
          if (node == notThere) continue;
          slotOf[node] = slot++;
          release(node);
        }
      }
      queue.clear();
    }
    tape.ownSize_ += slot - first;
    tape.instructionCount_ += order.size();
    for (const std::uint32_t i : order) {
      const Step& step = instructions_[i];
      const auto& from = step.operands;
      tape.instructions_.push_back(
          {slotOf[from[0]], slotOf[from[1]], slotOf[from[2]], step.code, step.operation});
    }
    tape.instructions_.emplace_back();  // the end
  }

 private:
  struct Step {
    TapeCode code = TapeCode::end;
    Operation operation = Operation::constant;
    bool merged = false;                      // into another one
    std::array<std::uint32_t, 3> operands{};  // nodes
    std::array<std::uint32_t, 2> results{notThere, notThere};
    std::uint32_t waitsFor = 0;  // operands that are not computed yet
  };
  /// One for each code and, behind them, for each function.
  static constexpr auto functionQueues = static_cast<std::size_t>(TapeCode::function);
  static constexpr auto queueCount = functionQueues + static_cast<std::size_t>(Operation::sign) + 1;
  static std::size_t queueOf(const Step& i) {
    if (i.code != TapeCode::function) return static_cast<std::size_t>(i.code);
    return functionQueues + static_cast<std::size_t>(i.operation);
  }

  Step plain(Expression e) const {
    const ExpressionGraph::Node& n = graph_.node(e);
    Step i;
    i.code = codeOf(n.operation);
    i.operation = n.operation;
    const std::uint32_t b = isBinary(n.operation) ? n.b : n.a;
    i.operands = {n.a, b, n.a};
    i.results[0] = e.id;
    return i;
  }

  /// A product that only one sum or difference needs becomes part of it.
  void mergeProducts(const std::vector<bool>& isRoot) {
    std::vector<std::uint32_t> users(graph_.size(), 0);
    for (const Step& i : instructions_) {
      ++users[i.operands[0]];
      if (i.operands[1] != i.operands[0]) ++users[i.operands[1]];
    }
    const auto productOf = [&](std::uint32_t node) -> Step* {
      if (numberOf_[node] == notThere || users[node] != 1 || isRoot[node]) return nullptr;
      Step& product = instructions_[numberOf_[node]];
      return product.code == TapeCode::multiply ? &product : nullptr;
    };
    for (Step& i : instructions_) {
      const bool adds = i.code == TapeCode::add;
      if (!adds && i.code != TapeCode::subtract) continue;
      const std::uint32_t a = i.operands[0], b = i.operands[1];
      Step* product = productOf(a);
      const bool isFirst = product != nullptr;
      if (!isFirst) product = productOf(b);
      if (product == nullptr) continue;
      i.code = adds      ? TapeCode::productPlus
               : isFirst ? TapeCode::productMinus
                         : TapeCode::minusProduct;
      i.operands = {product->operands[0], product->operands[1], isFirst ? b : a};
      product->merged = true;
    }
  }

  /// sin and cos of the same angle.
  void mergeTurns() {
    std::vector<std::uint32_t> sineOf(graph_.size(), notThere);
    for (Step& i : instructions_)
      if (i.operation == Operation::sin) sineOf[i.operands[0]] = numberOf_[i.results[0]];
    for (Step& i : instructions_) {
      if (i.operation != Operation::cos || sineOf[i.operands[0]] == notThere) continue;
      Step& sine = instructions_[sineOf[i.operands[0]]];
      sine.code = TapeCode::sineCosine;
      sine.results[1] = i.results[0];
      i.merged = true;
    }
  }

  /// Lists for each operation those that wait for its result.
  void countWaiting() {
    const auto forEachOperand = [this](auto visit) {
      for (std::uint32_t number = 0; number < instructions_.size(); ++number) {
        if (instructions_[number].merged) continue;
        for (const std::uint32_t node : instructions_[number].operands)
          if (numberOf_[node] != notThere) visit(number, numberOf_[node]);
      }
    };
    firstUser_.assign(instructions_.size() + 1, 0);
    forEachOperand([this](std::uint32_t user, std::uint32_t of) {
      ++instructions_[user].waitsFor;
      ++firstUser_[of + 1];
    });
    for (std::size_t i = 0; i < instructions_.size(); ++i) firstUser_[i + 1] += firstUser_[i];
    users_.resize(firstUser_.back());
    std::vector<std::uint32_t> next = firstUser_;
    forEachOperand([&](std::uint32_t user, std::uint32_t of) { users_[next[of]++] = user; });
    for (std::uint32_t number = 0; number < instructions_.size(); ++number) {
      const Step& i = instructions_[number];
      if (!i.merged && i.waitsFor == 0) queues_[queueOf(i)].push_back(number);
    }
  }

  void release(std::uint32_t node) {
    const std::uint32_t of = numberOf_[node];
    for (std::uint32_t k = firstUser_[of]; k < firstUser_[of + 1]; ++k) {
      Step& i = instructions_[users_[k]];
      if (--i.waitsFor == 0) queues_[queueOf(i)].push_back(users_[k]);
    }
  }

  std::size_t longestQueue() const {  // its number from 1 on; 0: all are empty
    std::size_t longest = 0, length = 0;
    for (std::size_t k = 0; k < queueCount; ++k) {
      if (queues_[k].size() <= length) continue;
      length = queues_[k].size();
      longest = k + 1;
    }
    return longest;
  }

  const ExpressionGraph& graph_;
  std::vector<std::uint32_t> numberOf_;  // instruction of each node
  std::vector<Step> instructions_;
  std::vector<std::uint32_t> firstUser_, users_;  // instructions that wait for each one
  std::array<std::vector<std::uint32_t>, queueCount> queues_;  // instructions that can be done
};

Tape::Tape(ExpressionGraph& graph, std::span<const Expression> roots) {
  SharedStorage own;
  *this = Tape(graph, roots, own);
}

Tape::Tape(ExpressionGraph& graph, std::span<const Expression> roots, SharedStorage& shared)
    : offset_(shared.size) {
  std::vector<std::uint32_t> slotOf = shared.slotOf;
  slotOf.resize(graph.size(), notThere);
  enum Group { constants, parameters, preparation, loads, operations, groupCount };
  std::array<std::vector<Expression>, groupCount> groups;
  for (const Expression e : missingNodes(graph, roots, slotOf)) {
    const ExpressionGraph::Node& n = graph.node(e);
    const bool varies = (n.kinds & variable) != 0;
    if (n.operation == Operation::symbol) slotOf[e.id] = shared.slotOfSymbol(n.symbol);
    if (slotOf[e.id] != notThere) continue;
    const Group group = n.operation == Operation::constant ? constants
                        : n.operation == Operation::symbol ? (varies ? loads : parameters)
                        : varies                           ? operations
                                                           : preparation;
    groups[group].push_back(e);
  }
  const auto symbolOf = [&](Expression e) { return graph.node(e).symbol; };
  std::sort(groups[loads].begin(), groups[loads].end(),
            [&](Expression x, Expression y) { return symbolOf(x) < symbolOf(y); });

  // Slots by group; within a group operands come before their users.
  auto next = static_cast<std::uint32_t>(offset_);
  for (const Group group : {constants, parameters, preparation, loads}) {
    if (group == loads) first_ = next;
    for (const Expression e : groups[group]) slotOf[e.id] = next++;
  }
  ownSize_ = next - offset_;
  for (const Expression e : groups[constants]) constants_.push_back(graph.node(e).value);
  for (const Expression e : groups[parameters]) parameters_.push_back(symbolOf(e).index);
  for (const Expression e : groups[preparation]) {
    const ExpressionGraph::Node& n = graph.node(e);
    const std::uint32_t a = slotOf[n.a], b = isBinary(n.operation) ? slotOf[n.b] : a;
    preparation_.push_back({a, b, a, codeOf(n.operation), n.operation});
  }
  instructions_.clear();
  for (const Expression e : groups[loads]) {
    const Symbol symbol = symbolOf(e);
    const auto kind = static_cast<std::uint32_t>(symbol.kind);
    Instruction* last = instructions_.empty() ? nullptr : &instructions_.back();
    if (last && last->a == kind && last->b + last->c == symbol.index)
      ++last->c;
    else
      instructions_.push_back({kind, symbol.index, 1, TapeCode::load});
  }
  instructionCount_ = groups[loads].size();
  Writer(graph, groups[operations], roots).write(next, slotOf, *this);
  roots_.reserve(roots.size());
  for (const Expression root : roots) roots_.push_back(slotOf[root.id]);
  if (!shared.begun) shared.slotOf = std::move(slotOf);
  shared.begun = true;
  shared.size = storageSize();
}

}  // namespace trammel
