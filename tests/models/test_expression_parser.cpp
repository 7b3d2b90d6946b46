#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "models/expression_parser.hpp"
#include "models/model_file.hpp"
#include "models/tape.hpp"

namespace trammel {

namespace {

constexpr SymbolKinds everything = 0x7F;

struct Reader {
  ExpressionGraph graph;
  NameTable names;

  Reader() {
    names["p"] = {graph.symbol({SymbolKind::parameter, 0}), "parameter"};
    names["F"] = {graph.symbol({SymbolKind::input, 0}), "input"};
    names["x"] = {graph.symbol({SymbolKind::position, 0}), "coordinate"};
    names["arm.y"] = {graph.symbol({SymbolKind::position, 1}), "coordinate"};
    names["rod.lambda"] = {graph.symbol({SymbolKind::multiplier, 0}), "multiplier"};
  }

  Expression parse(const std::string& text, SymbolKinds allowed = everything) {
    return parseExpression(text, graph, names, {"test.toml", 7, "force", allowed});
  }

  // p = 2, F = 3, x = 5, arm.y = 7, der(x) = 11, der(x,2) = 13, rod.lambda = 17, time = 19
  double value(const std::string& text) {
    const Expression e = parse(text);
    const Tape tape(graph, {&e, 1});
    std::vector<double> storage(tape.storageSize());
    const double p = 2, F = 3, q[] = {5, 7}, v[] = {11, 0}, a[] = {13, 0}, lambda = 17;
    double result = 0;
    tape.prepare(&p, storage.data());
    tape.evaluate({19, &p, &F, q, v, a, &lambda}, storage.data());
    tape.copyRoots(storage.data(), 0, 1, &result);
    return result;
  }

  std::string error(const std::string& text, SymbolKinds allowed = everything) {
    try {
      parse(text, allowed);
    } catch (const ModelError& error) {
      return error.what();
    }
    return {};
  }
};

}  // namespace

TEST_CASE("An expression has the value of the usual mathematical notation") {
  Reader reader;
  const std::pair<const char*, double> cases[] = {
      {"1", 1},
      {".5", 0.5},
      {"1.5e-3", 1.5e-3},
      {"2E2", 200},
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"8/4/2", 1},
      {"8 - 4 - 2", 2},
      {"2^3^2", 512},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-1", 0.5},
      {"x^-p", 1.0 / 25},
      {"--3", 3},
      {"2*-3", -6},
      {"+x - -p", 7},
      {" x\t*\n p ", 10},
      {"p + F + x + arm.y + der(x) + der(x,2) + rod.lambda + time", 77},
      {"der( x , 2 )", 13},
      {"pi", std::numbers::pi},
      {"sin(p) + cos(p) + tan(p)", std::sin(2) + std::cos(2) + std::tan(2)},
      {"asin(1/p) + acos(1/p) + atan(p)", std::asin(0.5) + std::acos(0.5) + std::atan(2)},
      {"atan2(F, p)", std::atan2(3, 2)},
      {"atan2(-F, -p)", std::atan2(-3, -2)},
      {"sinh(p) + cosh(p) + tanh(p)", std::sinh(2) + std::cosh(2) + std::tanh(2)},
      {"exp(p) + log(p) + log10(p) + sqrt(p)",
       std::exp(2) + std::log(2) + std::log10(2) + std::sqrt(2)},
      {"abs(-p) + sign(-p) + sign(0)", 1},
      {"min(p, F) + max(p, F)", 5},
      {"max(1, p, x, F)", 5},
      {"min(x, F, p)", 2},
      {"pow(p, F)", 8},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(reader.value(text) == Approx(expected).epsilon(1e-15));
  }
}

TEST_CASE("A wrong expression names the problem, its column and what was expected") {
  Reader reader;
  const std::pair<const char*, const char*> cases[] = {
      {"", "is empty at column 1"},
      {"   ", "is empty at column 1"},
      {"1 +", "ends too early at column 4 of \"1 +\", expected a number, a name or \"(\""},
      {"1 2", "unexpected \"2\" at column 3"},
      {"2x", "unexpected \"x\" at column 2"},
      {"(1 + 2", "ends too early at column 7 of \"(1 + 2\", expected \")\""},
      {"1)", "unexpected \")\" at column 2"},
      {"x * y", "unknown name \"y\" at column 5"},
      {"frce*2", "unknown name \"frce\" at column 1"},
      {"rod.lamda",
       "unknown name \"rod.lamda\" at column 1 of \"rod.lamda\", did you mean \"rod.lambda\"?"},
      {"sine(x)", "unknown name \"sine\" at column 1 of \"sine(x)\", did you mean \"sin\"?"},
      {"sin x", "unexpected \"x\" at column 5 of \"sin x\", expected \"(\""},
      {"sin()", "unexpected \")\" at column 5"},
      {"sin(x, p)", "sin has too many arguments at column 6 of \"sin(x, p)\", expected one"},
      {"atan2(x)", "atan2 has one argument at column 1 of \"atan2(x)\", expected two"},
      {"pow(x, 2, 3)", "pow has too many arguments"},
      {"x(2)", "\"x\" is not a function at column 1"},
      {"der(p)", "der needs a coordinate, got \"p\" at column 5"},
      {"der(2)", "der needs a coordinate, got \"2\" at column 5"},
      {"der(x,3)", "expected der(x) or der(x,2)"},
      {"der x", "expected \"(\""},
      {"x > 1", "unexpected \">\" at column 3"},
      {"x && p", "unexpected \"&\" at column 3"},
      {"x = 1", "unexpected \"=\" at column 3"},
      {"x + µ", "unexpected \"µ\" at column 5"},
      {"1e999", "number out of range at column 1"},
      {"1/0", "is not a finite number at column 2"},
      {"sqrt(-1)", "is not a finite number at column 1"},
      {"x**2", "unexpected \"*\" at column 3"},
      {".", "unexpected \".\" at column 1"},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    const std::string error = reader.error(text);
    INFO(error);
    CHECK(error.rfind("test.toml:7: force: ", 0) == 0);
    CHECK(error.find(expected) != std::string::npos);
    CHECK(error.find('\n') == std::string::npos);
  }
}

TEST_CASE("A name that has no place in an expression is refused with what may stand there") {
  Reader reader;
  const SymbolKinds constraint =
      anyOf(SymbolKind::parameter, SymbolKind::position, SymbolKind::time);
  CHECK(reader.error("p*x + time", constraint).empty());
  CHECK(reader.error("F", constraint) ==
        "test.toml:7: force: input \"F\" cannot be used here at column 1 of \"F\", expected only "
        "numbers, time, parameters, "
        "coordinates");
  CHECK(reader.error("x + der(x)", constraint)
            .find("velocity \"x\" cannot be used here at column 5") != std::string::npos);
  CHECK(reader.error("rod.lambda", constraint).find("multiplier") != std::string::npos);
  CHECK(reader.error("time", only(SymbolKind::parameter)).find("time cannot be used here") !=
        std::string::npos);
  reader.names["power"] = {reader.parse("F*der(x)"), "definition"};
  CHECK(reader.error("2*power", constraint)
            .find("definition \"power\" cannot be used here at column 3") != std::string::npos);
}

TEST_CASE("Deep nesting is refused, long chains are not") {
  Reader reader;
  const auto repeated = [](const std::string& text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += text;
    return result;
  };
  for (const char* opening : {"(", "sin(", "-(", "2^(", "1+("}) {
    INFO(opening);
    CHECK(reader.error(repeated(opening, 100000) + "x").find("is nested deeper than 200 levels") !=
          std::string::npos);
  }
  CHECK(reader.error(repeated("2^", 100000) + "x").find("is nested deeper than 200 levels") !=
        std::string::npos);
  CHECK(reader.value(repeated("(", 150) + "x" + repeated(")", 150)) == 5);
  CHECK(reader.value(repeated("-", 100000) + "x") == 5);
  CHECK(reader.value("x" + repeated("+p", 100000)) == 200005);
  CHECK(reader.value(repeated("sin(p)*cos(p)+", 1000) + "x") ==
        Approx(1000 * std::sin(2) * std::cos(2) + 5).epsilon(1e-12));
}

TEST_CASE("Functions, time, pi and der are reserved names") {
  for (const char* name : {"time", "pi", "der", "sin", "atan2", "pow", "max"})
    CHECK(isReservedName(name));
  for (const char* name : {"x", "Sin", "e", "lambda", "der2"}) CHECK_FALSE(isReservedName(name));
}

}  // namespace trammel
