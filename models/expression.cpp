#include "models/expression.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace trammel {
namespace {

std::uint64_t mixed(std::uint64_t h, std::uint64_t value) {
  h = (h ^ value) * 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 29U);
}

std::uint64_t hashOf(const ExpressionGraph::Node& node) {
  std::uint64_t h = mixed(static_cast<std::uint64_t>(node.operation), node.a);
  h = mixed(h, node.b);
  h = mixed(h, std::bit_cast<std::uint64_t>(node.value));
  return mixed(h, (static_cast<std::uint64_t>(node.symbol.kind) << 32U) | node.symbol.index);
}

bool same(const ExpressionGraph::Node& x, const ExpressionGraph::Node& y) {
  return x.operation == y.operation && x.a == y.a && x.b == y.b && x.symbol == y.symbol &&
         std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

}  // namespace

ExpressionGraph::ExpressionGraph() : table_(64, 0) {}

Expression ExpressionGraph::intern(const Node& node) {
  if (2 * (nodes_.size() + 1) > table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t place = hashOf(node) & mask;
  for (; table_[place] != 0; place = (place + 1) & mask) {
    const std::uint32_t id = table_[place] - 1;
    if (same(nodes_[id], node)) return Expression{id};
  }
  nodes_.push_back(node);
  table_[place] = static_cast<std::uint32_t>(nodes_.size());
  return Expression{static_cast<std::uint32_t>(nodes_.size() - 1)};
}

void ExpressionGraph::grow() {
  std::vector<std::uint32_t> larger(2 * table_.size(), 0);
  const std::size_t mask = larger.size() - 1;
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    std::size_t place = hashOf(nodes_[id]) & mask;
    while (larger[place] != 0) place = (place + 1) & mask;
    larger[place] = static_cast<std::uint32_t>(id + 1);
  }
  table_ = std::move(larger);
}

Expression ExpressionGraph::constant(double value) {
  Node node;
  node.value = value == 0 ? 0.0 : value;  // one zero
  return intern(node);
}

Expression ExpressionGraph::symbol(Symbol symbol) {
  Node node;
  node.operation = Operation::symbol;
  node.symbol = symbol;
  node.kinds = only(symbol.kind);
  return intern(node);
}

Expression ExpressionGraph::apply(Operation operation, Expression a) {
  assert(!isBinary(operation));
  if (isConstant(a)) return constant(evaluate(operation, node(a).value, 0));
  if (operation == Operation::negate) {
    if (isNegation(a)) return operand(a);
    if (node(a).operation == Operation::subtract) {
      return binary(Operation::subtract, Expression{node(a).b}, Expression{node(a).a});
    }
  }
  Node node;
  node.operation = operation;
  node.a = a.id;
  node.kinds = kinds(a);
  return intern(node);
}

Expression ExpressionGraph::apply(Operation operation, Expression a, Expression b) {
  assert(isBinary(operation));
  if (isConstant(a) && isConstant(b))
    return constant(evaluate(operation, node(a).value, node(b).value));
  switch (operation) {
    case Operation::add:
      return simplifiedAdd(a, b);
    case Operation::subtract:
      return simplifiedSubtract(a, b);
    case Operation::multiply:
      return simplifiedMultiply(a, b);
    case Operation::divide:
      return simplifiedDivide(a, b);
    case Operation::power:
      return simplifiedPower(a, b);
    case Operation::min:
    case Operation::max:
      return a == b ? a : binary(operation, a, b);
    default:
      return binary(operation, a, b);
  }
}

Expression ExpressionGraph::binary(Operation operation, Expression a, Expression b) {
  const bool commutes = operation == Operation::add || operation == Operation::multiply;
  if (commutes && b.id < a.id) std::swap(a, b);
  Node node;
  node.operation = operation;
  node.a = a.id;
  node.b = b.id;
  node.kinds = kinds(a) | kinds(b);
  return intern(node);
}

Expression ExpressionGraph::simplifiedAdd(Expression a, Expression b) {
  if (isZero(a)) return b;
  if (isZero(b)) return a;
  if (a == b) return simplifiedMultiply(constant(2), a);
  if (isNegation(b)) return simplifiedSubtract(a, operand(b));
  if (isNegation(a)) return simplifiedSubtract(b, operand(a));
  return binary(Operation::add, a, b);
}

Expression ExpressionGraph::simplifiedSubtract(Expression a, Expression b) {
  if (isZero(b)) return a;
  if (isZero(a)) return negate(b);
  if (a == b) return constant(0);
  if (isNegation(b)) return simplifiedAdd(a, operand(b));
  if (isNegation(a)) return negate(simplifiedAdd(operand(a), b));
  return binary(Operation::subtract, a, b);
}

Expression ExpressionGraph::simplifiedMultiply(Expression a, Expression b) {
  if (isConstant(b)) std::swap(a, b);
  if (isConstant(a)) {
    const double factor = node(a).value;
    if (factor == 0) return a;
    if (factor == 1) return b;
    if (factor == -1) return negate(b);
    if (isNegation(b)) return apply(Operation::multiply, constant(-factor), operand(b));
    if (node(b).operation == Operation::multiply) {  // c₁ (c₂ x) = (c₁ c₂) x
      const Expression left{node(b).a}, right{node(b).b};
      if (isConstant(left))
        return apply(Operation::multiply, constant(factor * node(left).value), right);
      if (isConstant(right))
        return apply(Operation::multiply, constant(factor * node(right).value), left);
    }
    return binary(Operation::multiply, a, b);
  }
  if (isNegation(a)) return negate(apply(Operation::multiply, operand(a), b));
  if (isNegation(b)) return negate(apply(Operation::multiply, a, operand(b)));
  return binary(Operation::multiply, a, b);
}

Expression ExpressionGraph::simplifiedDivide(Expression a, Expression b) {
  if (isZero(a) || isConstant(b, 1)) return a;
  if (isConstant(b, -1)) return negate(a);
  if (isNegation(a)) return negate(apply(Operation::divide, operand(a), b));
  if (isNegation(b)) return negate(apply(Operation::divide, a, operand(b)));
  return binary(Operation::divide, a, b);
}

Expression ExpressionGraph::simplifiedPower(Expression a, Expression b) {
  if (!isConstant(b)) return binary(Operation::power, a, b);
  const double exponent = node(b).value;
  if (exponent == 0) return constant(1);
  if (exponent == 1) return a;
  if (exponent == 0.5) return apply(Operation::sqrt, a);
  if (exponent == -1) return divide(constant(1), a);
  const auto square = [this](Expression x) { return multiply(x, x); };
  if (exponent == 2) return square(a);
  if (exponent == 3) return multiply(square(a), a);
  if (exponent == 4) return square(square(a));
  if (exponent == -2) return divide(constant(1), square(a));
  return binary(Operation::power, a, b);
}

template <class Wanted>
std::vector<Expression> ExpressionGraph::collect(std::span<const Expression> roots, Wanted wanted) {
  visit_.resize(nodes_.size(), 0);
  const std::uint32_t walk = ++walks_;
  std::vector<Expression> found;
  const auto visit = [&](std::uint32_t id) {
    if (visit_[id] == walk || !wanted(nodes_[id])) return;
    visit_[id] = walk;
    found.push_back(Expression{id});
  };
  for (const Expression root : roots) visit(root.id);
  for (std::size_t next = 0; next < found.size(); ++next) {
    const Node& n = node(found[next]);
    if (n.operation == Operation::constant || n.operation == Operation::symbol) continue;
    visit(n.a);
    if (isBinary(n.operation)) visit(n.b);
  }
  std::sort(found.begin(), found.end(), [](Expression x, Expression y) { return x.id < y.id; });
  return found;
}

std::vector<Expression> ExpressionGraph::reachable(std::span<const Expression> roots) {
  return collect(roots, [](const Node&) { return true; });
}

std::vector<Expression> ExpressionGraph::reachable(std::span<const Expression> roots,
                                                   SymbolKinds kinds) {
  return collect(roots, [kinds](const Node& n) { return (n.kinds & kinds) != 0; });
}

std::vector<Symbol> ExpressionGraph::symbols(std::span<const Expression> expressions,
                                             SymbolKinds kinds) {
  std::vector<Symbol> found;
  for (const Expression e : reachable(expressions, kinds)) {
    if (node(e).operation == Operation::symbol) found.push_back(node(e).symbol);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace trammel
