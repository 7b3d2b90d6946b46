#include <catch2/catch.hpp>
#include <numbers>

#include "models/units.hpp"

namespace trammel {

namespace {

struct UnitCase {
  const char* name;
  std::array<int, 8> exponents;  // kg, m, s, A, K, mol, cd, rad
  double factor;
};

constexpr double pi = std::numbers::pi;

// Factors: SI Brochure, 9th edition, tables 3, 4, 7 and 8.
const UnitCase knownUnits[] = {
    {"1", {}, 1},
    {"m", {0, 1}, 1},
    {"mm", {0, 1}, 1e-3},
    {"cm", {0, 1}, 1e-2},
    {"km", {0, 1}, 1e3},
    {"um", {0, 1}, 1e-6},
    {"kg", {1}, 1},
    {"g", {1}, 1e-3},
    {"mg", {1}, 1e-6},
    {"t", {1}, 1e3},
    {"s", {0, 0, 1}, 1},
    {"ms", {0, 0, 1}, 1e-3},
    {"min", {0, 0, 1}, 60},
    {"h", {0, 0, 1}, 3600},
    {"d", {0, 0, 1}, 86400},
    {"A", {0, 0, 0, 1}, 1},
    {"mA", {0, 0, 0, 1}, 1e-3},
    {"K", {0, 0, 0, 0, 1}, 1},
    {"mol", {0, 0, 0, 0, 0, 1}, 1},
    {"cd", {0, 0, 0, 0, 0, 0, 1}, 1},
    {"rad", {0, 0, 0, 0, 0, 0, 0, 1}, 1},
    {"deg", {0, 0, 0, 0, 0, 0, 0, 1}, pi / 180},
    {"rev", {0, 0, 0, 0, 0, 0, 0, 1}, 2 * pi},
    {"rpm", {0, 0, -1, 0, 0, 0, 0, 1}, 2 * pi / 60},
    {"rev/min", {0, 0, -1, 0, 0, 0, 0, 1}, 2 * pi / 60},
    {"Hz", {0, 0, -1}, 1},
    {"N", {1, 1, -2}, 1},
    {"kN", {1, 1, -2}, 1e3},
    {"N.m", {1, 2, -2}, 1},
    {"N.m/rad", {1, 2, -2, 0, 0, 0, 0, -1}, 1},
    {"N.s/m", {1, 0, -1}, 1},
    {"Pa", {1, -1, -2}, 1},
    {"MPa", {1, -1, -2}, 1e6},
    {"bar", {1, -1, -2}, 1e5},
    {"J", {1, 2, -2}, 1},
    {"W", {1, 2, -3}, 1},
    {"kW", {1, 2, -3}, 1e3},
    {"V", {1, 2, -3, -1}, 1},
    {"C", {0, 0, 1, 1}, 1},
    {"Ohm", {1, 2, -3, -2}, 1},
    {"F", {-1, -2, 4, 2}, 1},
    {"H", {1, 2, -2, -2}, 1},
    {"L", {0, 3}, 1e-3},
    {"m/s2", {0, 1, -2}, 1},
    {"m.s-2", {0, 1, -2}, 1},
    {"mm2", {0, 2}, 1e-6},
    {"km/h", {0, 1, -1}, 1e3 / 3600},
    {"kg.m2/s3", {1, 2, -3}, 1},
    {"W/(m2.K)", {1, 0, -3, 0, -1}, 1},
    {"1/s", {0, 0, -1}, 1},
};

}  // namespace

TEST_CASE("A known unit has the exponents and the factor of the SI brochure") {
  for (const UnitCase& unitCase : knownUnits) {
    INFO(unitCase.name);
    const std::optional<Unit> unit = parseUnit(unitCase.name);
    REQUIRE(unit);
    CHECK(unit->name == unitCase.name);
    CHECK(unit->exponents == unitCase.exponents);
    CHECK(unit->factor == Approx(unitCase.factor).epsilon(1e-15));
    CHECK(unit->offset == 0);
  }
}

TEST_CASE("Degrees Celsius have an offset and stand alone") {
  const std::optional<Unit> unit = parseUnit("degC");
  REQUIRE(unit);
  CHECK(toSi(*unit, 20) == Approx(293.15).epsilon(1e-15));
  CHECK_FALSE(parseUnit("W/degC"));
  CHECK_FALSE(parseUnit("degC2"));
}

TEST_CASE("A text that is no unit is refused") {
  for (const char* name :
       {"",      " ",    "metre", "kkg", "mmin", "cdeg", "m/",   "/s",         "m//s",
        "m/s/s", "m..s", ".m",    "m.",  "m0",   "m^2",  "m2.5", "m99",        "m-",
        "(m)",   "m/(s", "m/1",   "2m",  "m s",  "µm",   "Mrpm", "m2147483648"}) {
    INFO(name);
    CHECK_FALSE(parseUnit(name));
  }
  CHECK_FALSE(parseUnit(std::string(100000, 'm')));
}

TEST_CASE("The coherent unit of a unit has factor one and the same dimension") {
  const std::pair<const char*, const char*> cases[] = {
      {"mm", "m"},          {"deg", "rad"},    {"rpm", "rad/s"},    {"kN.m", "N.m"},
      {"N.m", "N.m"},       {"km/h", "m/s"},   {"L/min", "m3/s"},   {"degC", "K"},
      {"g/cm3", "kg/m3"},   {"m/s2", "m/s2"},  {"1", "1"},          {"", ""},
      {"rev/min", "rad/s"}, {"N/mm2", "N/m2"}, {"rpm/s", "rad/s2"}, {"MPa", "Pa"}};
  for (const auto& [name, coherent] : cases) {
    INFO(name);
    CHECK(coherentUnit(name) == coherent);
    if (*name == '\0') continue;
    const std::optional<Unit> unit = parseUnit(coherentUnit(name));
    REQUIRE(unit);
    CHECK(unit->factor == 1);
    CHECK(unit->offset == 0);
    CHECK(unit->exponents == parseUnit(name)->exponents);
  }
}

TEST_CASE("A derivative in time divides the unit by seconds") {
  CHECK(derivativeUnit("m") == "m/s");
  CHECK(derivativeUnit("m/s") == "m/s2");
  CHECK(derivativeUnit("rad") == "rad/s");
  CHECK(derivativeUnit("deg/s") == "deg/s2");
  CHECK(derivativeUnit("1") == "1/s");
  CHECK(derivativeUnit("m.s") == "m");
  CHECK(derivativeUnit("N/m") == "N/(m.s)");
  CHECK(derivativeUnit("").empty());
}

TEST_CASE("A multiplier times the constraint is an energy") {
  for (const char* name : {"m", "m2", "rad", "1", "m3", "m/s", "N"}) {
    INFO(name);
    const std::optional<Unit> multiplier = parseUnit(multiplierUnit(name));
    REQUIRE(multiplier);
    Unit constraint = *parseUnit(name);
    const Unit energy = *parseUnit("J");
    if (constraint.name == "rad")
      constraint.exponents[7] = 0;  // a torque is written in N.m, not in N.m/rad
    for (std::size_t i = 0; i < 8; ++i)
      CHECK(multiplier->exponents[i] + constraint.exponents[i] == energy.exponents[i]);
  }
  CHECK(multiplierUnit("m") == "N");
  CHECK(multiplierUnit("m2") == "N/m");
  CHECK(multiplierUnit("").empty());
}

}  // namespace trammel
