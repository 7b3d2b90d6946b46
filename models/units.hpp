#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

/// Exponents of kg, m, s, A, K, mol, cd, rad and the factor and offset to SI: SI value = factor ×
/// value + offset.
struct Unit {
  std::string name;  // as written in the model file, e.g. "m/s2", "N.m", "deg"
  std::array<int, 8> exponents{};
  double factor = 1;
  double offset = 0;
};

using UnitTable = std::vector<Unit>;  // sorted by name, no duplicates

/// Parses a unit written in the FMI / Modelica way: products by '.', one '/', exponents behind the
/// symbol: "kg.m2/s3", "W/(m2.K)", "m.s-2", "1/s". Symbols may have prefixes: "mm", "kN". nullopt
/// where a symbol is not known or the syntax is wrong.
std::optional<Unit> parseUnit(std::string_view name);

/// The unit without factor and offset in which SI values of this unit are: "mm" -> "m", "deg/s" ->
/// "rad/s", "N.m" stays. Pre: parseUnit() knows the name; the empty name (no unit) stays empty.
std::string coherentUnit(std::string_view name);

/// The unit of the derivative in time: "m" -> "m/s", "m/s" -> "m/s2", "1" -> "1/s".
std::string derivativeUnit(std::string_view name);

/// The unit of a multiplier, energy divided by the unit of the constraint: "m" -> "N", "m2" ->
/// "N/m", "rad" -> "N.m".
std::string multiplierUnit(std::string_view constraintUnit);

/// SI value of a value given in the unit.
inline double toSi(const Unit& unit, double value) { return unit.factor * value + unit.offset; }

}  // namespace trammel
