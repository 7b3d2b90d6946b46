#include <catch2/catch.hpp>
#include <complex>
#include <random>

#include "models/expression.hpp"
#include "models/tape.hpp"

namespace trammel {

namespace {

using Complex = std::complex<double>;

constexpr std::uint32_t variableCount = 4;

/// Continues the operations to complex numbers near the real axis; piecewise ones follow the real
/// part.
Complex evaluateComplex(Operation operation, Complex a, Complex b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return std::exp(b * std::log(a));
    case Operation::atan2:
      return std::atan2(a.real(), b.real()) +
             (a * b.real() - b * a.real()).imag() / (std::norm(a) + std::norm(b)) * Complex(0, 1);
    case Operation::min:
      return a.real() <= b.real() ? a : b;
    case Operation::max:
      return a.real() >= b.real() ? a : b;
    case Operation::notLess:
      return a.real() >= b.real() ? 1.0 : 0.0;
    case Operation::negate:
      return -a;
    case Operation::sin:
      return std::sin(a);
    case Operation::cos:
      return std::cos(a);
    case Operation::tan:
      return std::tan(a);
    case Operation::asin:
      return std::asin(a);
    case Operation::acos:
      return std::acos(a);
    case Operation::atan:
      return std::atan(a);
    case Operation::sinh:
      return std::sinh(a);
    case Operation::cosh:
      return std::cosh(a);
    case Operation::tanh:
      return std::tanh(a);
    case Operation::exp:
      return std::exp(a);
    case Operation::log:
      return std::log(a);
    case Operation::log10:
      return std::log(a) / std::log(10.0);
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::abs:
      return a.real() < 0 ? -a : a;
    case Operation::sign:
      return a.real() > 0 ? 1.0 : -1.0;
    case Operation::constant:
    case Operation::symbol:
      break;
  }
  return 0.0;
}

/// Complex step: ∂e/∂x_k = Im e(x + i h e_k) / h, exact to rounding for h = 1e-100.
double complexStep(ExpressionGraph& graph, Expression e, const std::vector<double>& x,
                   std::uint32_t k) {
  constexpr double h = 1e-100;
  std::vector<Complex> values(graph.size());
  for (const Expression node : graph.reachable({&e, 1})) {
    const ExpressionGraph::Node& n = graph.node(node);
    if (n.operation == Operation::constant) {
      values[node.id] = n.value;
    } else if (n.operation == Operation::symbol) {
      values[node.id] = Complex(x[n.symbol.index], n.symbol.index == k ? h : 0);
    } else {
      values[node.id] =
          evaluateComplex(n.operation, values[n.a], isBinary(n.operation) ? values[n.b] : 0);
    }
  }
  return values[e.id].imag() / h;
}

double valueOf(ExpressionGraph& graph, Expression e, const std::vector<double>& x) {
  const Tape tape(graph, {&e, 1});
  std::vector<double> storage(tape.storageSize());
  TapeSources sources;
  sources.q = x.data();
  double value = 0;
  tape.prepare(nullptr, storage.data());
  tape.evaluate(sources, storage.data());
  tape.copyRoots(storage.data(), 0, 1, &value);
  return value;
}

double partialOf(ExpressionGraph& graph, Expression e, const std::vector<double>& x,
                 std::uint32_t k) {
  for (const Partial& partial : graph.gradient(e, only(SymbolKind::position))) {
    if (partial.symbol.index == k) return valueOf(graph, partial.value, x);
  }
  return 0;
}

/// Random expressions whose operations stay inside their domains, with values of moderate size.
class Generator {
 public:
  Generator(ExpressionGraph& graph, unsigned seed) : graph_(graph), random_(seed) {}

  Expression expression(int depth) {
    if (depth == 0) return leaf();
    const Expression a = expression(depth - 1);
    switch (pick(22)) {
      case 0:
        return graph_.add(a, expression(depth - 1));
      case 1:
        return graph_.subtract(a, expression(depth - 1));
      case 2:
        return graph_.multiply(bounded(a), expression(depth - 1));
      case 3:
        return graph_.divide(a, positive(expression(depth - 1)));
      case 4:
        return graph_.apply(Operation::power, positive(a), bounded(expression(depth - 1)));
      case 5:
        return graph_.apply(Operation::power, bounded(a),
                            graph_.constant(static_cast<double>(pick(7)) - 2));
      case 6:
        return graph_.apply(Operation::atan2, bounded(a), positive(expression(depth - 1)));
      case 7:
        return graph_.apply(Operation::min, a, expression(depth - 1));
      case 8:
        return graph_.apply(Operation::max, a, expression(depth - 1));
      case 9:
        return graph_.negate(a);
      case 10:
        return graph_.apply(Operation::sin, a);
      case 11:
        return graph_.apply(Operation::cos, a);
      case 12:
        return graph_.apply(Operation::tan, half(bounded(a)));
      case 13:
        return graph_.apply(Operation::asin, half(bounded(a)));
      case 14:
        return graph_.apply(Operation::acos, half(bounded(a)));
      case 15:
        return graph_.apply(Operation::atan, a);
      case 16:
        return graph_.apply(Operation::sinh, bounded(a));
      case 17:
        return graph_.apply(Operation::cosh, bounded(a));
      case 18:
        return graph_.apply(Operation::tanh, a);
      case 19:
        return graph_.apply(Operation::exp, bounded(a));
      case 20:
        return graph_.apply(pick(2) == 0 ? Operation::log : Operation::log10, positive(a));
      default:
        return graph_.apply(pick(2) == 0 ? Operation::abs : Operation::sqrt, positive(a));
    }
  }

  std::vector<double> point() {
    std::uniform_real_distribution<double> uniform(-1.5, 1.5);
    std::vector<double> x(variableCount);
    for (double& value : x) value = uniform(random_);
    return x;
  }

 private:
  std::uint32_t pick(std::uint32_t count) {
    return std::uniform_int_distribution<std::uint32_t>(0, count - 1)(random_);
  }
  Expression leaf() {
    if (pick(5) == 0)
      return graph_.constant(std::uniform_real_distribution<double>(-2, 2)(random_));
    return graph_.symbol({SymbolKind::position, pick(variableCount)});
  }
  Expression bounded(Expression a) { return graph_.apply(Operation::sin, a); }
  Expression half(Expression a) { return graph_.multiply(graph_.constant(0.5), a); }
  Expression positive(Expression a) { return graph_.add(graph_.constant(1.25), bounded(a)); }

  ExpressionGraph& graph_;
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("First and second derivatives of random expressions agree with complex steps") {
  ExpressionGraph graph;
  Generator generator(graph, 20240229);
  int checked = 0;
  for (int repetition = 0; repetition < 400; ++repetition) {
    const Expression e = generator.expression(1 + repetition % 5);
    const std::vector<double> x = generator.point();
    for (const Partial& partial : graph.gradient(e, only(SymbolKind::position))) {
      const double first = valueOf(graph, partial.value, x);
      const double expected = complexStep(graph, e, x, partial.symbol.index);
      REQUIRE(first == Approx(expected).epsilon(1e-11).margin(1e-11));
      for (std::uint32_t j = 0; j < variableCount; ++j) {
        const double second = partialOf(graph, partial.value, x, j);
        REQUIRE(second ==
                Approx(complexStep(graph, partial.value, x, j)).epsilon(1e-10).margin(1e-10));
        ++checked;
      }
    }
  }
  CHECK(checked > 1000);
}

TEST_CASE("A variable that an expression does not contain has no derivative") {
  ExpressionGraph graph;
  const Expression x = graph.symbol({SymbolKind::position, 0});
  const Expression y = graph.symbol({SymbolKind::position, 1});
  const Expression v = graph.symbol({SymbolKind::velocity, 0});
  const auto gradient =
      graph.gradient(graph.multiply(graph.multiply(x, x), v), only(SymbolKind::position));
  REQUIRE(gradient.size() == 1);
  CHECK(gradient[0].symbol == Symbol{SymbolKind::position, 0});
  CHECK(graph.gradient(graph.subtract(y, y), only(SymbolKind::position)).empty());
  CHECK(graph.gradient(graph.apply(Operation::sign, x), only(SymbolKind::position)).empty());
}

TEST_CASE("Piecewise functions have the derivative of the branch that is taken") {
  ExpressionGraph graph;
  const Expression x = graph.symbol({SymbolKind::position, 0});
  const Expression y = graph.symbol({SymbolKind::position, 1});
  const Expression larger = graph.apply(Operation::max, x, y);
  const Expression smaller = graph.apply(Operation::min, x, y);
  const Expression size = graph.apply(Operation::abs, x);
  CHECK(partialOf(graph, larger, {2, 1}, 0) == 1);
  CHECK(partialOf(graph, larger, {2, 1}, 1) == 0);
  CHECK(partialOf(graph, larger, {1, 2}, 0) == 0);
  CHECK(partialOf(graph, larger, {1, 2}, 1) == 1);
  CHECK(partialOf(graph, smaller, {2, 1}, 0) == 0);
  CHECK(partialOf(graph, smaller, {2, 1}, 1) == 1);
  CHECK(partialOf(graph, smaller, {1, 1}, 0) + partialOf(graph, smaller, {1, 1}, 1) == 1);
  CHECK(partialOf(graph, size, {-3, 0}, 0) == -1);
  CHECK(partialOf(graph, size, {3, 0}, 0) == 1);
}

TEST_CASE("Powers with a constant exponent have exact derivatives for negative bases too") {
  ExpressionGraph graph;
  const Expression x = graph.symbol({SymbolKind::position, 0});
  for (const double exponent : {-3.0, -2.0, -1.0, 2.0, 3.0, 4.0, 5.0}) {
    const Expression power = graph.apply(Operation::power, x, graph.constant(exponent));
    CHECK(valueOf(graph, power, {-1.5}) == Approx(std::pow(-1.5, exponent)).epsilon(1e-15));
    CHECK(partialOf(graph, power, {-1.5}, 0) ==
          Approx(exponent * std::pow(-1.5, exponent - 1)).epsilon(1e-14));
  }
}

TEST_CASE("Equal subexpressions are one node and simplification finds the short form") {
  ExpressionGraph graph;
  const Expression x = graph.symbol({SymbolKind::position, 0});
  const Expression y = graph.symbol({SymbolKind::position, 1});
  const Expression zero = graph.constant(0), one = graph.constant(1), two = graph.constant(2);
  CHECK(graph.add(x, y) == graph.add(y, x));
  CHECK(graph.multiply(x, y) == graph.multiply(y, x));
  CHECK(graph.add(x, zero) == x);
  CHECK(graph.multiply(x, one) == x);
  CHECK(graph.isZero(graph.multiply(x, zero)));
  CHECK(graph.negate(graph.negate(x)) == x);
  CHECK(graph.subtract(x, graph.negate(y)) == graph.add(x, y));
  CHECK(graph.isZero(graph.subtract(x, x)));
  CHECK(graph.apply(Operation::power, x, two) == graph.multiply(x, x));
  CHECK(graph.apply(Operation::power, x, one) == x);
  CHECK(graph.isConstant(graph.apply(Operation::cos, zero), 1));
  // ∂(x²/2)/∂x = x
  const auto gradient =
      graph.gradient(graph.divide(graph.multiply(x, x), two), only(SymbolKind::position));
  REQUIRE(gradient.size() == 1);
  CHECK(gradient[0].value == x);
}

TEST_CASE("A tape evaluates what depends on parameters only once for each set of parameters") {
  ExpressionGraph graph;
  const Expression p = graph.symbol({SymbolKind::parameter, 0});
  const Expression x = graph.symbol({SymbolKind::position, 0});
  const Expression scaled = graph.multiply(graph.apply(Operation::exp, graph.multiply(p, p)), x);
  const Tape tape(graph, {&scaled, 1});
  CHECK(tape.instructionCount() == 2);  // load x, multiply
  std::vector<double> storage(tape.storageSize());
  const double parameter = 0.5, position = 3;
  TapeSources sources;
  sources.q = &position;
  tape.prepare(&parameter, storage.data());
  tape.evaluate(sources, storage.data());
  double value = 0;
  tape.copyRoots(storage.data(), 0, 1, &value);
  CHECK(value == Approx(3 * std::exp(0.25)).epsilon(1e-15));
}

TEST_CASE("A tape loads symbols with gaps and goes on after functions") {
  ExpressionGraph graph;
  const auto q = [&](std::uint32_t i) { return graph.symbol({SymbolKind::position, i}); };
  const auto v = [&](std::uint32_t i) { return graph.symbol({SymbolKind::velocity, i}); };
  const Expression turn = graph.multiply(graph.apply(Operation::sin, q(0)),  // both of one angle
                                         graph.apply(Operation::cos, q(0)));
  const Expression root = graph.apply(Operation::sqrt, graph.add(q(1), graph.negate(q(2))));
  const Expression rest = graph.divide(graph.subtract(q(4), v(2)), v(3));
  const Expression all[] = {graph.add(graph.multiply(turn, root), rest),
                            graph.symbol({SymbolKind::time, 0})};
  const Tape tape(graph, all);
  std::vector<double> storage(tape.storageSize());
  const std::vector<double> positions{0.4, 5, 3, 1e9, 7}, velocities{1e9, 1e9, 2, 4};
  TapeSources sources;
  sources.time = 0.25;
  sources.q = positions.data();
  sources.v = velocities.data();
  tape.prepare(nullptr, storage.data());
  tape.evaluate(sources, storage.data());
  const double expected = std::sin(0.4) * std::cos(0.4) * std::sqrt(2.0) + 1.25;
  CHECK(tape.root(storage.data(), 0) == Approx(expected).epsilon(1e-15));
  CHECK(tape.root(storage.data(), 1) == 0.25);
}

TEST_CASE("Tapes find symbols that their owner puts into the storage they share") {
  ExpressionGraph graph;
  const Expression x = graph.symbol({SymbolKind::position, 1});
  const Expression u = graph.symbol({SymbolKind::velocity, 0});
  const Expression y = graph.symbol({SymbolKind::input, 0});
  SharedStorage shared;
  shared.reserve(SymbolKind::position, 2);
  shared.reserve(SymbolKind::velocity, 1);
  const Expression square = graph.multiply(x, x);
  const Expression sum = graph.add(graph.multiply(square, u), y);
  const Tape first(graph, {&square, 1}, shared);
  const Tape second(graph, {&sum, 1}, shared);
  const Tape third(graph, {&x, 1}, shared);  // has nothing to do
  CHECK(first.instructionCount() == 1);
  CHECK(second.instructionCount() == 2);  // loads y
  CHECK(third.instructionCount() == 0);
  std::vector<double> storage(shared.size);
  storage[1] = 3;  // x
  storage[2] = 5;  // u
  const double input = 0.5;
  TapeSources sources;
  sources.inputs = &input;
  for (const Tape* tape : {&first, &second, &third}) {
    tape->prepare(nullptr, storage.data());
    tape->evaluate(sources, storage.data());
  }
  CHECK(second.root(storage.data(), 0) == 45.5);
  CHECK(third.root(storage.data(), 0) == 3);
}

}  // namespace trammel
