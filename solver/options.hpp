#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "solver/linear_algebra.hpp"

namespace trammel {

/// How the constraints enter the BDF equations; docs/theory.md says what each one solves.
enum class Method {
  cml,      // corrected coordinate-split iteration in KKT form (default)
  index3,   // position constraints only
  ggl,      // stabilised index 2 (Gear, Gupta, Leimkuhler), multipliers in the Newton test
  gglStar,  // the same, multipliers out of the Newton test
  cs,       // coordinate split as Yen and Petzold define it
  cm,       // their modification: P frozen at the last Jacobian
  index1    // accelerations from [M Gᵀ; G 0], with or without projection
};

enum class Mode {
  follow,  // positions and velocities tested, all orders: the motion as it is
  damp,    // order <= 2, filtered error, force balance, L-stable start: the smooth part of a stiff
           // oscillatory motion
  plain    // positions tested, order <= 2, DASSL's rules: for comparison with the literature
};

enum class ErrorTest {
  automatic,
  positions,
  positionsAndVelocities
};                                       // automatic: as the mode says
enum class Index3Fields { two, three };  // unknowns (q, λ) or (q, v, λ)
enum class Index3Scaling { none, left, leftRight };
enum class Projection { none, identity, mass };  // metric of the coordinate projection of index1

struct SolverOptions {
  double tolerance = 1e-6;  // relative; absolute is tolerance × nominal of the coordinate
  int maxOrder = 5;         // 1 … 6
  double maxStep = std::numeric_limits<double>::infinity();  // [s]
  double initialStep = 0;                                    // [s], 0: chosen by the solver
  double horizon = 1;  // [s], expected length of the run: bounds the first step
  LinearAlgebra linearAlgebra = LinearAlgebra::automatic;
  Method method = Method::cml;
  Mode mode = Mode::follow;
  ErrorTest errorTest = ErrorTest::automatic;
  Index3Fields index3Fields = Index3Fields::two;
  Index3Scaling index3Scaling = Index3Scaling::leftRight;
  Projection projection = Projection::mass;
  /// Step sizes, orders and Newton iterations up to the limit of advance() are planned from the
  /// memory at the start of the interval and change only where a test fails, so that the motion at
  /// its end is a smooth function of the forces. Of effect where the limit is finite.
  bool repeatable = false;

  /// Throws Error naming the first value out of range.
  void validate() const;
};

/// Names as they are written in model files and on the command line: "cml", "index3", "ggl",
/// "ggl*", "cs", "cm", "index1".
std::optional<Method> methodFromName(std::string_view name);
std::string_view nameOf(Method method);
/// "follow", "damp", "plain".
std::optional<Mode> modeFromName(std::string_view name);
std::string_view nameOf(Mode mode);
/// "automatic", "positions", "positions_and_velocities".
std::optional<ErrorTest> errorTestFromName(std::string_view name);
std::string_view nameOf(ErrorTest errorTest);

}  // namespace trammel
