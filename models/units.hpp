#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

/// Exponents of kg, m, s, A, K, mol, cd, rad and the factor and offset to SI: SI value = factor × value + offset.
struct Unit {
  std::string name;  // as written in the model file, e.g. "m/s2", "N.m", "deg"
  std::array<int, 8> exponents{};
  double factor = 1;
  double offset = 0;
};

using UnitTable = std::vector<Unit>;  // sorted by name, no duplicates

/// Parses a unit written in the FMI / Modelica way: products by '.', one '/', exponents behind the symbol: "kg.m2/s3".
/// nullopt where a symbol is not known or the syntax is wrong.
std::optional<Unit> parseUnit(std::string_view name);

}  // namespace trammel
