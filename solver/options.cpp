#include "solver/options.hpp"

#include <cmath>
#include <sstream>

#include "solver/bdf_history.hpp"
#include "solver/error.hpp"

namespace trammel {

namespace {

[[noreturn]] void refuse(const char* what, double got, const char* expected) {
  std::ostringstream text;
  text << "solver option " << what << " is " << got << ", expected " << expected;
  throw Error(text.str());
}

}  // namespace

void SolverOptions::validate() const {
  if (!(tolerance >= 1e-14 && tolerance <= 0.1)) refuse("tolerance", tolerance, "1e-14 ... 0.1");
  if (maxOrder < 1 || maxOrder > highestOrder) refuse("max_order", maxOrder, "1 ... 6");
  if (!(maxStep > 0)) refuse("max_step", maxStep, "> 0 s");
  if (!(initialStep >= 0) || std::isinf(initialStep)) refuse("initial_step", initialStep, ">= 0 s (0: automatic)");
  if (!(horizon > 0) || std::isinf(horizon)) refuse("horizon", horizon, "> 0 s");
}

}  // namespace trammel
