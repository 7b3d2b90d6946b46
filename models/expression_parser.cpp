#include "models/expression_parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

#include "models/model_file.hpp"
#include "models/text.hpp"

namespace trammel {
namespace {

constexpr int deepestNesting =
    200;  // parentheses, signs and exponents inside each other; keeps the stack small

constexpr double mostTerms = 1e5;  // of all sums in an expression

struct Function {
  std::string_view name;
  Operation operation;
};

constexpr std::array functions{
    Function{"abs", Operation::abs},     Function{"acos", Operation::acos},
    Function{"asin", Operation::asin},   Function{"atan", Operation::atan},
    Function{"atan2", Operation::atan2}, Function{"cos", Operation::cos},
    Function{"cosh", Operation::cosh},   Function{"exp", Operation::exp},
    Function{"log", Operation::log},     Function{"log10", Operation::log10},
    Function{"max", Operation::max},     Function{"min", Operation::min},
    Function{"pow", Operation::power},   Function{"sign", Operation::sign},
    Function{"sin", Operation::sin},     Function{"sinh", Operation::sinh},
    Function{"sqrt", Operation::sqrt},   Function{"tan", Operation::tan},
    Function{"tanh", Operation::tanh},
};

const Function* findFunction(std::string_view name) {
  const auto* found = std::find_if(functions.begin(), functions.end(),
                                   [name](const Function& f) { return f.name == name; });
  return found == functions.end() ? nullptr : found;
}

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool startsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string wordsFor(SymbolKinds kinds) {
  constexpr std::array<std::string_view, 7> words{
      "time", "parameters", "inputs", "coordinates", "velocities", "accelerations", "multipliers"};
  std::vector<std::string_view> listed{"numbers"};
  for (std::size_t kind = 0; kind < words.size(); ++kind) {
    if ((kinds >> kind & 1U) != 0) listed.push_back(words[kind]);
  }
  return joined(listed);
}

/// Recursive descent:
///   sum := product {(+|-) product};  product := signed {(*|/) signed};  signed := {+|-} power;
///   power := primary [^ signed];     primary := number | name | function(sum {, sum}) | der(name
///   [, 2]) | sum(sum, sum) | (sum);  name may be followed by [sum]
class Parser {
 public:
  Parser(std::string_view text, ExpressionGraph& graph, const NameTable& names,
         const ExpressionPlace& place)
      : text_(text), graph_(graph), names_(names), place_(place), element_(place.element) {}

  Expression parse() {
    skipSpace();
    if (atEnd()) fail("is empty", 0, ", expected an expression");
    const Expression result = sum();
    if (!atEnd()) fail("unexpected " + here(), position_, ", expected an operator or the end");
    return result;
  }

 private:
  struct Nested {
    explicit Nested(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepestNesting) {
        parser_.fail("is nested deeper than " + std::to_string(deepestNesting) + " levels",
                     parser_.position_, "");
      }
    }
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    Parser& parser_;
  };

  Expression sum() {
    Expression left = product();
    while (!atEnd() && (text_[position_] == '+' || text_[position_] == '-')) {
      const std::size_t at = position_;
      const Operation operation = take() == '+' ? Operation::add : Operation::subtract;
      left = finite(graph_.apply(operation, left, product()), at);
    }
    return left;
  }

  Expression product() {
    Expression left = signedPower();
    while (!atEnd() && (text_[position_] == '*' || text_[position_] == '/')) {
      const std::size_t at = position_;
      const Operation operation = take() == '*' ? Operation::multiply : Operation::divide;
      left = finite(graph_.apply(operation, left, signedPower()), at);
    }
    return left;
  }

  Expression signedPower() {
    bool negative = false;
    while (!atEnd() && (text_[position_] == '+' || text_[position_] == '-'))
      negative ^= take() == '-';
    const Expression value = power();
    return negative ? graph_.negate(value) : value;
  }

  Expression power() {
    const Nested nested(*this);
    const Expression base = primary();
    if (atEnd() || text_[position_] != '^') return base;
    const std::size_t at = position_;
    take();
    return finite(graph_.apply(Operation::power, base, signedPower()), at);
  }

  Expression primary() {
    if (atEnd()) fail("ends too early", text_.size(), ", expected a number, a name or \"(\"");
    const char c = text_[position_];
    if (isDigit(c) || c == '.') return number();
    if (startsName(c)) return named();
    if (c != '(') fail("unexpected " + here(), position_, ", expected a number, a name or \"(\"");
    take();
    const Expression inner = sum();
    expect(')');
    return inner;
  }

  Expression number() {
    double value = 0;
    const char* first = text_.data() + position_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("number out of range", position_, "");
    if (error != std::errc{}) fail("unexpected " + here(), position_, ", expected a number");
    position_ += static_cast<std::size_t>(end - first);
    skipSpace();
    return graph_.constant(value);
  }

  Expression named() {
    const std::size_t at = position_;
    const std::string_view name = takeName();
    if (name == "time") return checked(graph_.symbol({SymbolKind::time, 0}), "time", "", at);
    if (name == "pi") return graph_.constant(std::numbers::pi);
    if (name == "der") return derivative(at);
    if (const Function* function = findFunction(name)) return call(*function, at);
    if (name == "sum" && !atEnd() && text_[position_] == '(') return sumOfElements(at);
    const std::string element = elementName(name);
    const auto meaning = names_.find(element);
    if (meaning == names_.end() && element == "i" && element_ > 0)
      return graph_.constant(static_cast<double>(element_));
    if (meaning == names_.end()) failUnknown(element, at);
    if (!atEnd() && text_[position_] == '(') fail(inQuotes(name) + " is not a function", at, "");
    return checked(meaning->second.expression, meaning->second.word, name, at);
  }

  /// A whole number from an expression of numbers, `i` and structural parameters.
  double wholeNumber(const char* what) {
    const std::size_t at = position_;
    const Expression expression = sum();
    const double value = graph_.isConstant(expression) ? graph_.node(expression).value : 0.5;
    if (value != std::floor(value) || std::abs(value) > mostTerms)
      fail(std::string(what) + " is no whole number", at,
           ", expected one made of numbers, i and structural parameters");
    return value;
  }

  /// The name as it is, or with the number of an element: x[i-1] is x[2] where i is 3.
  std::string elementName(std::string_view name) {
    std::string full(name);
    if (atEnd() || text_[position_] != '[') return full;
    const Nested nested(*this);
    take();
    full += "[" + numberText(wholeNumber("number of an element")) + "]";
    expect(']');
    return full;
  }

  /// sum(n, term): the sum of the term for i = 1, …, n.
  Expression sumOfElements(std::size_t at) {
    const Nested nested(*this);
    expect('(');
    const double count = wholeNumber("number of terms");
    if (count < 1) fail("number of terms must be > 0", at, "");
    expect(',');
    const std::size_t term = position_, outside = element_;
    Expression total = graph_.constant(0);
    for (element_ = 1; element_ <= static_cast<std::size_t>(count); ++element_) {
      if (++terms_ > mostTerms) fail("has too many terms", at, "");
      position_ = term;
      total = finite(graph_.add(total, sum()), at);
    }
    element_ = outside;
    expect(')');
    return total;
  }

  /// der(x) is the velocity of a coordinate, der(x,2) its acceleration.
  Expression derivative(std::size_t at) {
    expect('(');
    const std::size_t nameAt = position_;
    const std::string name =
        !atEnd() && startsName(text_[position_]) ? elementName(takeName()) : std::string{};
    const auto meaning = names_.find(name);
    if (meaning == names_.end() || meaning->second.word != "coordinate") {
      fail("der needs a coordinate, got " + (name.empty() ? here() : inQuotes(name)), nameAt,
           suggestionFor(name));
    }
    Symbol symbol = graph_.node(meaning->second.expression).symbol;
    symbol.kind = SymbolKind::velocity;
    if (!atEnd() && text_[position_] == ',') {
      take();
      if (atEnd() || take() != '2') fail("der(" + name + ",", at, " expected der(x) or der(x,2)");
      symbol.kind = SymbolKind::acceleration;
    }
    expect(')');
    return checked(graph_.symbol(symbol),
                   symbol.kind == SymbolKind::velocity ? "velocity" : "acceleration", name, at);
  }

  Expression call(const Function& function, std::size_t at) {
    const Nested nested(*this);
    expect('(');
    Expression result = sum();
    std::size_t count = 1;
    const bool repeats =
        function.operation == Operation::min || function.operation == Operation::max;
    while (isBinary(function.operation) && !atEnd() && text_[position_] == ',' &&
           (count < 2 || repeats)) {
      take();
      result = finite(graph_.apply(function.operation, result, sum()), at);
      ++count;
    }
    if (isBinary(function.operation) && count < 2) {
      fail(std::string(function.name) + " has one argument", at, ", expected two");
    }
    if (!atEnd() && text_[position_] == ',') {
      fail(std::string(function.name) + " has too many arguments", position_,
           isBinary(function.operation) ? ", expected two" : ", expected one");
    }
    expect(')');
    if (!isBinary(function.operation))
      result = finite(graph_.apply(function.operation, result), at);
    return result;
  }

  Expression checked(Expression expression, std::string_view word, std::string_view name,
                     std::size_t at) {
    if ((graph_.kinds(expression) & static_cast<SymbolKinds>(~place_.allowed)) != 0) {
      const std::string what = std::string(word) + (name.empty() ? "" : " " + inQuotes(name));
      fail(what + " cannot be used here", at, ", expected only " + wordsFor(place_.allowed));
    }
    return expression;
  }

  Expression finite(Expression expression, std::size_t at) {
    if (graph_.isConstant(expression) && !std::isfinite(graph_.node(expression).value)) {
      fail("is not a finite number", at, "");
    }
    return expression;
  }

  bool atEnd() const { return position_ >= text_.size(); }
  void skipSpace() {
    while (!atEnd() && isSpace(text_[position_])) ++position_;
  }
  char take() {
    const char c = text_[position_++];
    skipSpace();
    return c;
  }
  std::string_view takeName() {
    const std::size_t first = position_;
    while (!atEnd() &&
           (startsName(text_[position_]) || isDigit(text_[position_]) || text_[position_] == '.'))
      ++position_;
    const std::string_view name = text_.substr(first, position_ - first);
    skipSpace();
    return name;
  }
  void expect(char c) {
    if (atEnd()) fail("ends too early", text_.size(), std::string(", expected \"") + c + "\"");
    if (text_[position_] != c)
      fail("unexpected " + here(), position_, std::string(", expected \"") + c + "\"");
    take();
  }

  /// The character here, with all bytes of its UTF-8 sequence.
  std::string here() const {
    if (atEnd()) return "end";
    std::size_t length = 1;
    while (position_ + length < text_.size() &&
           (static_cast<unsigned char>(text_[position_ + length]) & 0xC0U) == 0x80U) {
      ++length;
    }
    return inQuotes(text_.substr(position_, length));
  }

  std::string suggestionFor(std::string_view name) const {
    std::vector<std::string_view> candidates{"time", "pi", "der"};
    for (const Function& function : functions) candidates.push_back(function.name);
    for (const auto& entry : names_) candidates.emplace_back(entry.first);
    return suggestion(name, candidates);
  }

  [[noreturn]] void failUnknown(std::string_view name, std::size_t at) const {
    const std::string base(name.substr(0, name.find('[')));
    if (names_.find(base + "[1]") != names_.end()) {
      if (base == name)
        fail(inQuotes(name) + " has several elements", at,
             ", expected one of them: " + base + "[i]");
      fail(inQuotes(base) + " has no element " + std::string(name.substr(base.size())), at, "");
    }
    fail("unknown name " + inQuotes(name), at, suggestionFor(name));
  }

  [[noreturn]] void fail(const std::string& problem, std::size_t at,
                         const std::string& expected) const {
    constexpr std::size_t window = 25;
    const std::size_t first = text_.size() <= 2 * window ? 0 : at - std::min(at, window);
    throw ModelError(place_.file, place_.line,
                     place_.what + ": " + problem + " at column " + std::to_string(at + 1) +
                         (first == 0 ? " of " : " near ") +
                         inQuotes(text_.substr(first, first == 0 ? text_.size() : 2 * window)) +
                         expected);
  }

  std::string_view text_;
  ExpressionGraph& graph_;
  const NameTable& names_;
  const ExpressionPlace& place_;
  std::size_t element_;  // what `i` means here; 0: nothing
  std::size_t position_ = 0;
  int depth_ = 0;
  double terms_ = 0;  // of sums so far
};

}  // namespace

Expression parseExpression(std::string_view text, ExpressionGraph& graph, const NameTable& names,
                           const ExpressionPlace& place) {
  return Parser(text, graph, names, place).parse();
}

bool isReservedName(std::string_view name) {
  return name == "time" || name == "pi" || name == "der" || findFunction(name) != nullptr;
}

}  // namespace trammel
