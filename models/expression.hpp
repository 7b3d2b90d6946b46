#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/operation.hpp"

namespace trammel {

/// What a name in an expression stands for.
enum class SymbolKind : std::uint8_t {
  time,
  parameter,
  input,
  position,
  velocity,
  acceleration,
  multiplier,
  inputRate,        // du/dt: enters the derivatives of constraints, has no name in a model
  inputSecondRate,  // d²u/dt²
  derived,          // computed beside the expressions, for outputs only
};
constexpr auto symbolKindCount = static_cast<std::size_t>(SymbolKind::derived) + 1;

struct Symbol {
  SymbolKind kind = SymbolKind::time;
  std::uint32_t index = 0;  // within its kind

  bool operator==(const Symbol&) const = default;
  bool operator<(const Symbol& other) const {
    return kind != other.kind ? kind < other.kind : index < other.index;
  }
};

/// A set of symbol kinds, one bit each.
using SymbolKinds = std::uint16_t;

constexpr SymbolKinds only(SymbolKind kind) {
  return static_cast<SymbolKinds>(1U << static_cast<unsigned>(kind));
}
template <class... Kinds>
constexpr SymbolKinds anyOf(Kinds... kinds) {
  return static_cast<SymbolKinds>((0U | ... | only(kinds)));
}

/// A node of an ExpressionGraph.
struct Expression {
  std::uint32_t id = 0;

  bool operator==(const Expression&) const = default;
};

/// One entry of a gradient: ∂(expression)/∂(symbol).
struct Partial {
  Symbol symbol;
  Expression value;
};

/// Expressions as a graph in which equal subexpressions are one node, simplified while they are
/// built. The operands of a node always have smaller ids than the node, so that every pass over the
/// graph is a loop.
class ExpressionGraph {
 public:
  struct Node {
    Operation operation = Operation::constant;
    SymbolKinds kinds = 0;  // of all symbols below this node
    std::uint32_t a = 0, b = 0;
    double value = 0;  // of a constant
    Symbol symbol;     // of a symbol
  };

  ExpressionGraph();

  Expression constant(double value);
  Expression symbol(Symbol symbol);
  Expression apply(Operation operation, Expression a);
  Expression apply(Operation operation, Expression a, Expression b);

  Expression add(Expression a, Expression b) { return apply(Operation::add, a, b); }
  Expression subtract(Expression a, Expression b) { return apply(Operation::subtract, a, b); }
  Expression multiply(Expression a, Expression b) { return apply(Operation::multiply, a, b); }
  Expression divide(Expression a, Expression b) { return apply(Operation::divide, a, b); }
  Expression negate(Expression a) { return apply(Operation::negate, a); }

  /// The derivatives that are not identically zero, with respect to all symbols of the given kinds,
  /// sorted by symbol. The work is proportional to the size of the expression.
  std::vector<Partial> gradient(Expression expression, SymbolKinds kinds);

  /// The symbols of the given kinds that the expressions contain, sorted, without duplicates.
  std::vector<Symbol> symbols(std::span<const Expression> expressions, SymbolKinds kinds);

  /// All nodes below and including the roots, ascending.
  std::vector<Expression> reachable(std::span<const Expression> roots);
  /// Those of them that contain a symbol of the given kinds.
  std::vector<Expression> reachable(std::span<const Expression> roots, SymbolKinds kinds);

  const Node& node(Expression expression) const { return nodes_[expression.id]; }
  SymbolKinds kinds(Expression expression) const { return node(expression).kinds; }
  bool isConstant(Expression expression) const {
    return node(expression).operation == Operation::constant;
  }
  bool isConstant(Expression expression, double value) const {
    return isConstant(expression) && node(expression).value == value;
  }
  bool isZero(Expression expression) const { return isConstant(expression, 0); }
  std::size_t size() const { return nodes_.size(); }

 private:
  Expression intern(const Node& node);
  void grow();
  Expression simplifiedAdd(Expression a, Expression b);
  Expression simplifiedSubtract(Expression a, Expression b);
  Expression simplifiedMultiply(Expression a, Expression b);
  Expression simplifiedDivide(Expression a, Expression b);
  Expression simplifiedPower(Expression a, Expression b);
  Expression binary(Operation operation, Expression a, Expression b);
  bool isNegation(Expression e) const { return node(e).operation == Operation::negate; }
  Expression operand(Expression e) const { return Expression{node(e).a}; }

  template <class Wanted>
  std::vector<Expression> collect(std::span<const Expression> roots, Wanted wanted);
  Expression localDerivative(const Node& node, Expression result, Expression adjoint,
                             bool withRespectToA);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> table_;  // open addressing: id + 1, 0 is free
  std::vector<std::uint32_t> visit_;  // of each node: the number of the last walk that came by
  std::vector<Expression> adjoint_;   // of each node met in the present walk
  std::uint32_t walks_ = 0;
};

}  // namespace trammel
