#include <algorithm>
#include <numbers>

#include "models/expression.hpp"

namespace trammel {

// The chain rule from the root downwards: with the adjoint w̄ = ∂(root)/∂w of every node w,
//   ā = Σ w̄ ∂w/∂a   over all nodes w that have the operand a,
// so one walk yields the derivatives with respect to all symbols.
std::vector<Partial> ExpressionGraph::gradient(Expression expression, SymbolKinds kinds) {
  const std::vector<Expression> nodes = reachable({&expression, 1}, kinds);
  if (nodes.empty()) return {};
  adjoint_.resize(nodes_.size());
  const Expression zero = constant(0);
  for (const Expression e : nodes) adjoint_[e.id] = zero;
  adjoint_[expression.id] = constant(1);

  std::vector<Partial> partials;
  for (auto e = nodes.rbegin(); e != nodes.rend(); ++e) {
    const Node n = node(*e);  // a copy: new nodes may move the storage
    const Expression adjoint = adjoint_[e->id];
    if (isZero(adjoint)) continue;
    if (n.operation == Operation::symbol) {
      partials.push_back({n.symbol, adjoint});
      continue;
    }
    const Expression a{n.a}, b{n.b};
    if ((node(a).kinds & kinds) != 0) {
      const Expression contribution = localDerivative(n, *e, adjoint, true);
      adjoint_[a.id] = add(adjoint_[a.id], contribution);
    }
    if (isBinary(n.operation) && (node(b).kinds & kinds) != 0) {
      const Expression contribution = localDerivative(n, *e, adjoint, false);
      adjoint_[b.id] = add(adjoint_[b.id], contribution);
    }
  }
  std::sort(partials.begin(), partials.end(),
            [](const Partial& x, const Partial& y) { return x.symbol < y.symbol; });
  return partials;
}

/// w̄ ∂w/∂a (or ∂b) of the node w = `result`.
Expression ExpressionGraph::localDerivative(const Node& n, Expression w, Expression adjoint,
                                            bool byA) {
  const Expression a{n.a}, b{n.b};
  const Expression one = constant(1);
  const auto times = [&](Expression factor) { return multiply(adjoint, factor); };
  const auto over = [&](Expression divisor) { return divide(adjoint, divisor); };
  const auto square = [&](Expression x) { return multiply(x, x); };
  switch (n.operation) {
    case Operation::add:
      return adjoint;
    case Operation::subtract:
      return byA ? adjoint : negate(adjoint);
    case Operation::multiply:
      return times(byA ? b : a);
    case Operation::divide:
      return byA ? over(b) : negate(divide(times(w), b));
    case Operation::power:
      return byA ? times(multiply(b, apply(Operation::power, a, subtract(b, one))))
                 : times(multiply(w, apply(Operation::log, a)));
    case Operation::atan2: {
      const Expression divisor = add(square(a), square(b));
      return byA ? times(divide(b, divisor)) : negate(times(divide(a, divisor)));
    }
    case Operation::max:
    case Operation::min: {
      const bool isMax = n.operation == Operation::max;
      const Expression takesA =
          isMax ? apply(Operation::notLess, a, b) : apply(Operation::notLess, b, a);
      return times(byA ? takesA : subtract(one, takesA));
    }
    case Operation::negate:
      return negate(adjoint);
    case Operation::sin:
      return times(apply(Operation::cos, a));
    case Operation::cos:
      return negate(times(apply(Operation::sin, a)));
    case Operation::tan:
      return times(add(one, square(w)));
    case Operation::asin:
      return over(apply(Operation::sqrt, subtract(one, square(a))));
    case Operation::acos:
      return negate(over(apply(Operation::sqrt, subtract(one, square(a)))));
    case Operation::atan:
      return over(add(one, square(a)));
    case Operation::sinh:
      return times(apply(Operation::cosh, a));
    case Operation::cosh:
      return times(apply(Operation::sinh, a));
    case Operation::tanh:
      return times(subtract(one, square(w)));
    case Operation::exp:
      return times(w);
    case Operation::log:
      return over(a);
    case Operation::log10:
      return over(multiply(constant(std::numbers::ln10), a));
    case Operation::sqrt:
      return over(multiply(constant(2), w));
    case Operation::abs:
      return times(apply(Operation::sign, a));
    case Operation::notLess:
    case Operation::sign:
    case Operation::constant:
    case Operation::symbol:
      break;
  }
  return constant(0);
}

}  // namespace trammel
