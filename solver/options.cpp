#include "solver/options.hpp"

#include <array>
#include <cmath>
#include <sstream>
#include <utility>

#include "solver/bdf_history.hpp"
#include "solver/error.hpp"

namespace trammel {

namespace {

[[noreturn]] void refuse(const char* what, double got, const char* expected) {
  std::ostringstream text;
  text << "solver option " << what << " is " << got << ", expected " << expected;
  throw Error(text.str());
}

constexpr std::array<std::pair<Method, std::string_view>, 7> methodNames{
    {{Method::cml, "cml"},
     {Method::index3, "index3"},
     {Method::ggl, "ggl"},
     {Method::gglStar, "ggl*"},
     {Method::cs, "cs"},
     {Method::cm, "cm"},
     {Method::index1, "index1"}}};
constexpr std::array<std::pair<Mode, std::string_view>, 3> modeNames{
    {{Mode::follow, "follow"}, {Mode::damp, "damp"}, {Mode::plain, "plain"}}};
constexpr std::array<std::pair<ErrorTest, std::string_view>, 3> errorTestNames{
    {{ErrorTest::automatic, "automatic"},
     {ErrorTest::positions, "positions"},
     {ErrorTest::positionsAndVelocities, "positions_and_velocities"}}};

template <class Value, std::size_t size>
std::optional<Value> find(const std::array<std::pair<Value, std::string_view>, size>& names,
                          std::string_view name) {
  for (const auto& [value, text] : names) {
    if (text == name) return value;
  }
  return std::nullopt;
}

template <class Value, std::size_t size>
std::string_view nameIn(const std::array<std::pair<Value, std::string_view>, size>& names,
                        Value value) {
  for (const auto& [candidate, text] : names) {
    if (candidate == value) return text;
  }
  return {};
}

}  // namespace

std::optional<Method> methodFromName(std::string_view name) { return find(methodNames, name); }
std::string_view nameOf(Method method) { return nameIn(methodNames, method); }
std::optional<Mode> modeFromName(std::string_view name) { return find(modeNames, name); }
std::string_view nameOf(Mode mode) { return nameIn(modeNames, mode); }
std::optional<ErrorTest> errorTestFromName(std::string_view name) {
  return find(errorTestNames, name);
}
std::string_view nameOf(ErrorTest errorTest) { return nameIn(errorTestNames, errorTest); }

void SolverOptions::validate() const {
  if (!(tolerance >= 1e-14 && tolerance <= 0.1)) refuse("tolerance", tolerance, "1e-14 ... 0.1");
  if (maxOrder < 1 || maxOrder > highestOrder) refuse("max_order", maxOrder, "1 ... 6");
  if (!(maxStep > 0)) refuse("max_step", maxStep, "> 0 s");
  if (!(initialStep >= 0) || std::isinf(initialStep))
    refuse("initial_step", initialStep, ">= 0 s (0: automatic)");
  if (!(horizon > 0) || std::isinf(horizon)) refuse("horizon", horizon, "> 0 s");
}

}  // namespace trammel
