#include "models/dimensions.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "models/text.hpp"

namespace trammel {
namespace {

using State = Dimensioned::State;

class Inference {
 public:
  Inference(ExpressionGraph& graph,
            const std::function<std::optional<Dimension>(const Symbol&)>& of, std::string& conflict)
      : graph_(graph), of_(of), conflict_(conflict) {}

  Dimensioned run(Expression expression) {
    for (const Expression e : graph_.reachable({&expression, 1})) found_[e.id] = visit(e);
    return found_[expression.id];
  }

 private:
  Dimensioned visit(Expression e) {
    const ExpressionGraph::Node& n = graph_.node(e);
    if (n.operation == Operation::constant) return {State::constant, {}};
    if (n.operation == Operation::symbol) {
      const std::optional<Dimension> dimension = of_(n.symbol);
      return dimension ? Dimensioned{State::known, *dimension} : Dimensioned{};
    }
    const Dimensioned a = found_[n.a], b = isBinary(n.operation) ? found_[n.b] : a;
    switch (n.operation) {
      case Operation::add:
      case Operation::subtract:
      case Operation::min:
      case Operation::max:
        return alike(a, b, "adds or compares");
      case Operation::multiply:
        // A constant factor may well stand for a quantity, as 0.3 in "0.3*u".
        if (a.state != b.state) return {};
        return product(a, b, 1);
      case Operation::divide:
        if (a.state != b.state && !isInteger(Expression{n.b})) return {};
        return product(a, b, -1);
      case Operation::power:
        return power(a, Expression{n.b});
      case Operation::sqrt:
        return scaled(a, 1, 2);
      case Operation::negate:
      case Operation::abs:
        return a;
      case Operation::atan2:
        alike(a, b, "compares");
        return {State::constant, {}};
      case Operation::sign:
      case Operation::notLess:
        return {State::constant, {}};
      default:  // functions of a number
        if (a.state == State::known && a.dimension != Dimension{})
          conflict("takes a function of a quantity in " + inQuotes(dimensionText(a.dimension)) +
                   ", expected a number");
        return {State::constant, {}};
    }
  }

  Dimensioned alike(const Dimensioned& a, const Dimensioned& b, const char* verb) {
    if (a.state == State::known && b.state == State::known && a.dimension != b.dimension) {
      conflict(std::string(verb) + " " + inQuotes(dimensionText(a.dimension)) + " and " +
               inQuotes(dimensionText(b.dimension)));
    }
    if (a.state == State::unknown || b.state == State::unknown) return {};
    return a.state == State::known ? a : b;
  }

  bool isInteger(Expression e) const {
    const double value = graph_.node(e).value;
    return graph_.isConstant(e) && value == std::round(value);
  }

  static Dimensioned product(const Dimensioned& a, const Dimensioned& b, int sign) {
    if (a.state == State::unknown || b.state == State::unknown) return {};
    Dimensioned result = a;
    for (std::size_t i = 0; i < result.dimension.size(); ++i)
      result.dimension[i] += sign * b.dimension[i];
    if (b.state == State::known) result.state = State::known;
    return result;
  }

  Dimensioned power(const Dimensioned& a, Expression exponent) const {
    if (a.state != State::known || a.dimension == Dimension{}) return a;
    if (!graph_.isConstant(exponent)) return {};
    const double value = 2 * graph_.node(exponent).value;
    if (value != std::round(value) || std::abs(value) > 64) return {};
    return scaled(a, static_cast<int>(value), 2);
  }

  static Dimensioned scaled(Dimensioned a, int numerator, int denominator) {
    for (int& exponent : a.dimension) {
      if (exponent * numerator % denominator != 0) return {};
      exponent = exponent * numerator / denominator;
    }
    return a;
  }

  void conflict(const std::string& message) const {
    if (conflict_.empty()) conflict_ = message;
  }

  ExpressionGraph& graph_;
  const std::function<std::optional<Dimension>(const Symbol&)>& of_;
  std::string& conflict_;
  std::map<std::uint32_t, Dimensioned> found_;
};

}  // namespace

Dimension dimensionOf(const Unit& unit) {
  Dimension dimension{};
  std::copy_n(unit.exponents.begin(), dimension.size(), dimension.begin());
  return dimension;
}

std::string dimensionText(const Dimension& dimension) {
  constexpr const char* symbols[] = {"kg", "m", "s", "A", "K", "mol", "cd"};
  std::string above, below;
  int belowCount = 0;
  for (std::size_t i = 0; i < dimension.size(); ++i) {
    const int exponent = std::abs(dimension[i]);
    if (exponent == 0) continue;
    std::string& part = dimension[i] > 0 ? above : below;
    if (dimension[i] < 0) ++belowCount;
    if (!part.empty()) part += '.';
    part += symbols[i];
    if (exponent > 1) part += std::to_string(exponent);
  }
  if (above.empty()) above = "1";
  if (below.empty()) return above;
  return above + "/" + (belowCount > 1 ? "(" + below + ")" : below);
}

Dimensioned inferDimension(ExpressionGraph& graph, Expression expression,
                           const std::function<std::optional<Dimension>(const Symbol&)>& of,
                           std::string& conflict) {
  return Inference(graph, of, conflict).run(expression);
}

}  // namespace trammel
