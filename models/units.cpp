#include "models/units.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

namespace trammel {
namespace {

constexpr int largestExponent = 30;
constexpr double pi = std::numbers::pi;

struct UnitSymbol {
  std::string_view name;
  std::array<int, 8> exponents;  // kg, m, s, A, K, mol, cd, rad
  double factor;
  std::string_view coherent;  // the same quantity without factor, empty: itself
  bool takesPrefix = true;
  double offset = 0;
};

constexpr std::array unitSymbols{
    UnitSymbol{"m", {0, 1}, 1, ""},
    UnitSymbol{"kg", {1}, 1, "", false},
    UnitSymbol{"g", {1}, 1e-3, "kg"},
    UnitSymbol{"t", {1}, 1e3, "kg", false},
    UnitSymbol{"s", {0, 0, 1}, 1, ""},
    UnitSymbol{"min", {0, 0, 1}, 60, "s", false},
    UnitSymbol{"h", {0, 0, 1}, 3600, "s", false},
    UnitSymbol{"d", {0, 0, 1}, 86400, "s", false},
    UnitSymbol{"A", {0, 0, 0, 1}, 1, ""},
    UnitSymbol{"K", {0, 0, 0, 0, 1}, 1, ""},
    UnitSymbol{"degC", {0, 0, 0, 0, 1}, 1, "K", false, 273.15},
    UnitSymbol{"mol", {0, 0, 0, 0, 0, 1}, 1, ""},
    UnitSymbol{"cd", {0, 0, 0, 0, 0, 0, 1}, 1, "", false},
    UnitSymbol{"rad", {0, 0, 0, 0, 0, 0, 0, 1}, 1, ""},
    UnitSymbol{"deg", {0, 0, 0, 0, 0, 0, 0, 1}, pi / 180, "rad", false},
    UnitSymbol{"rev", {0, 0, 0, 0, 0, 0, 0, 1}, 2 * pi, "rad", false},
    UnitSymbol{"rpm", {0, 0, -1, 0, 0, 0, 0, 1}, pi / 30, "rad/s", false},
    UnitSymbol{"Hz", {0, 0, -1}, 1, ""},
    UnitSymbol{"N", {1, 1, -2}, 1, ""},
    UnitSymbol{"Pa", {1, -1, -2}, 1, ""},
    UnitSymbol{"bar", {1, -1, -2}, 1e5, "Pa"},
    UnitSymbol{"J", {1, 2, -2}, 1, ""},
    UnitSymbol{"W", {1, 2, -3}, 1, ""},
    UnitSymbol{"C", {0, 0, 1, 1}, 1, ""},
    UnitSymbol{"V", {1, 2, -3, -1}, 1, ""},
    UnitSymbol{"Ohm", {1, 2, -3, -2}, 1, ""},
    UnitSymbol{"S", {-1, -2, 3, 2}, 1, ""},
    UnitSymbol{"F", {-1, -2, 4, 2}, 1, ""},
    UnitSymbol{"H", {1, 2, -2, -2}, 1, ""},
    UnitSymbol{"Wb", {1, 2, -2, -1}, 1, ""},
    UnitSymbol{"T", {1, 0, -2, -1}, 1, ""},
    UnitSymbol{"L", {0, 3}, 1e-3, "m3"},
    UnitSymbol{"l", {0, 3}, 1e-3, "m3"},
};

struct Prefix {
  char name;
  int powerOfTen;
};

constexpr std::array prefixes{Prefix{'p', -12}, Prefix{'n', -9}, Prefix{'u', -6}, Prefix{'m', -3},
                              Prefix{'c', -2},  Prefix{'d', -1}, Prefix{'h', 2},  Prefix{'k', 3},
                              Prefix{'M', 6},   Prefix{'G', 9},  Prefix{'T', 12}};

/// One factor of a unit, e.g. the s2 of "kN.m/s2" with exponent -2.
struct UnitFactor {
  const UnitSymbol* symbol = nullptr;
  int powerOfTen = 0;  // of the prefix
  int exponent = 1;
  std::string text;  // symbol with prefix
};

using UnitFactors = std::vector<UnitFactor>;

const UnitSymbol* findSymbol(std::string_view name) {
  const auto* found = std::find_if(unitSymbols.begin(), unitSymbols.end(),
                                   [name](const UnitSymbol& s) { return s.name == name; });
  return found == unitSymbols.end() ? nullptr : found;
}

/// "kN2" or "s-1"; the exponent is multiplied by `sign`.
std::optional<UnitFactor> parseFactor(std::string_view text, int sign) {
  const std::size_t digits = std::min(text.find_first_of("+-0123456789"), text.size());
  UnitFactor factor;
  factor.text = text.substr(0, digits);
  if (digits < text.size()) {
    const char* first = text.data() + digits + (text[digits] == '+' ? 1 : 0);
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, factor.exponent);
    const bool inRange = factor.exponent != 0 && std::abs(factor.exponent) <= largestExponent;
    if (error != std::errc{} || end != last || !inRange) return std::nullopt;
  }
  factor.exponent *= sign;
  factor.symbol = findSymbol(factor.text);
  if (factor.symbol != nullptr) return factor;
  if (factor.text.size() < 2) return std::nullopt;
  const auto* prefix = std::find_if(prefixes.begin(), prefixes.end(),
                                    [&](const Prefix& p) { return p.name == factor.text[0]; });
  factor.symbol = findSymbol(std::string_view(factor.text).substr(1));
  if (prefix == prefixes.end() || factor.symbol == nullptr || !factor.symbol->takesPrefix)
    return std::nullopt;
  factor.powerOfTen = prefix->powerOfTen;
  return factor;
}

/// Factors joined by '.'; a sole "1" is the empty product.
bool parseProduct(std::string_view text, int sign, UnitFactors& factors) {
  if (text == "1") return true;
  while (true) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    std::optional<UnitFactor> factor = parseFactor(text.substr(0, dot), sign);
    if (!factor) return false;
    factors.push_back(std::move(*factor));
    if (dot == text.size()) return true;
    text.remove_prefix(dot + 1);
  }
}

std::optional<UnitFactors> parseFactors(std::string_view name) {
  constexpr std::size_t longestName = 100;
  if (name.size() > longestName) return std::nullopt;
  UnitFactors factors;
  const std::size_t slash = std::min(name.find('/'), name.size());
  if (!parseProduct(name.substr(0, slash), 1, factors)) return std::nullopt;
  if (slash == name.size()) return factors;
  std::string_view divisor = name.substr(slash + 1);
  if (divisor.size() > 2 && divisor.front() == '(' && divisor.back() == ')')
    divisor = divisor.substr(1, divisor.size() - 2);
  if (divisor == "1" || !parseProduct(divisor, -1, factors)) return std::nullopt;
  return factors;
}

/// Joins factors of the same symbol, drops those that cancel.
UnitFactors merged(const UnitFactors& factors) {
  UnitFactors result;
  for (const UnitFactor& factor : factors) {
    const auto same = std::find_if(result.begin(), result.end(),
                                   [&](const UnitFactor& f) { return f.text == factor.text; });
    if (same == result.end()) {
      result.push_back(factor);
    } else {
      same->exponent += factor.exponent;
    }
  }
  std::erase_if(result, [](const UnitFactor& f) { return f.exponent == 0; });
  return result;
}

std::string written(const UnitFactors& factors) {
  std::string above, below;
  int divisors = 0;
  for (const UnitFactor& factor : factors) {
    std::string& part = factor.exponent > 0 ? above : below;
    if (!part.empty()) part += '.';
    part += factor.text;
    const int size = std::abs(factor.exponent);
    if (size != 1) part += std::to_string(size);
    divisors += factor.exponent < 0 ? 1 : 0;
  }
  if (above.empty()) above = "1";
  if (divisors == 0) return above;
  return above + (divisors > 1 ? "/(" + below + ")" : "/" + below);
}

double integerPower(double base, int exponent) {
  double result = 1;
  for (int i = 0; i < std::abs(exponent); ++i) result *= base;
  return exponent < 0 ? 1 / result : result;
}

UnitFactors factorsOf(std::string_view name) { return parseFactors(name).value_or(UnitFactors{}); }

}  // namespace

std::optional<Unit> parseUnit(std::string_view name) {
  const std::optional<UnitFactors> factors = parseFactors(name);
  if (!factors) return std::nullopt;
  Unit unit;
  unit.name = name;
  int powerOfTen = 0;
  for (const UnitFactor& factor : *factors) {
    for (std::size_t i = 0; i < unit.exponents.size(); ++i)
      unit.exponents[i] += factor.symbol->exponents[i] * factor.exponent;
    unit.factor *= integerPower(factor.symbol->factor, factor.exponent);
    powerOfTen += factor.powerOfTen * factor.exponent;
    if (factor.symbol->offset != 0) {  // a temperature with offset cannot be part of a product
      if (factors->size() != 1 || factor.exponent != 1) return std::nullopt;
      unit.offset = factor.symbol->offset;
    }
  }
  // Dividing by a power of ten is exact to one rounding, multiplying by its inverse is not.
  unit.factor = powerOfTen < 0 ? unit.factor / integerPower(10, -powerOfTen)
                               : unit.factor * integerPower(10, powerOfTen);
  if (!std::isfinite(unit.factor) || unit.factor == 0) return std::nullopt;
  return unit;
}

std::string coherentUnit(std::string_view name) {
  const std::optional<Unit> unit = parseUnit(name);
  if (!unit || (unit->factor == 1 && unit->offset == 0)) return std::string(name);
  UnitFactors result;
  for (const UnitFactor& factor : factorsOf(name)) {
    const std::string_view coherent =
        factor.symbol->coherent.empty() ? factor.symbol->name : factor.symbol->coherent;
    for (UnitFactor part : factorsOf(coherent)) {
      part.exponent *= factor.exponent;
      result.push_back(std::move(part));
    }
  }
  return written(merged(result));
}

std::string derivativeUnit(std::string_view name) {
  if (name.empty()) return {};
  UnitFactors factors = factorsOf(name);
  factors.push_back({findSymbol("s"), 0, -1, "s"});
  return written(merged(factors));
}

std::string multiplierUnit(std::string_view constraintUnit) {
  if (constraintUnit.empty()) return {};
  if (constraintUnit == "m") return "N";
  if (constraintUnit == "m2") return "N/m";
  if (constraintUnit == "rad") return "N.m";
  UnitFactors factors = factorsOf("J");
  for (UnitFactor factor : factorsOf(constraintUnit)) {
    factor.exponent = -factor.exponent;
    factors.push_back(std::move(factor));
  }
  return written(merged(factors));
}

}  // namespace trammel
