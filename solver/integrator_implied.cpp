#include "solver/constraint_rank.hpp"
#include "solver/implied_constraints.hpp"
#include "solver/integrator_implementation.hpp"

namespace trammel {

namespace {

constexpr double usualCoefficient = 10;  // of a row in another one that it implies
constexpr double mostViolation = 100;    // of a row that is left out, in tolerances

}  // namespace

void Integrator::Implementation::leaveOut(const Vector& flags) {
  implied = flags;
  anyImplied = m > 0 && implied.maxCoeff() > 0;
  corrector.leaveOut(implied);
  consistency.leaveOut(implied);
}

/// At a start; returns which constraints are redundant there, if any. Pre: accelerate() was called
/// at this point with all rows.
std::string Integrator::Implementation::findImplied(const Motion& at) {
  coefficientLimit = usualCoefficient;
  if (!consistency.suspectsDependency()) return {};
  const ConstraintRank rank = constraintRank(system, at.t, at.q);
  if (!rank.finite || rank.full()) return {};
  if (const auto flags = impliedConstraints(system, at.t, at.q, options.linearAlgebra))
    leaveOut(*flags);
  return "redundant constraints, " + describeRedundancy(rank, system);
}

/// At the current time. True if the choice is another one than before. Multipliers go on from those
/// of least norm with the same forces: nothing jumps, and none keeps a value that has grown large.
bool Integrator::Implementation::chooseImplied() {
  const auto flags =
      impliedConstraints(system, history.time(), history.current().head(n), options.linearAlgebra);
  if (!flags || *flags == implied) return false;
  leaveOut(*flags);
  work.lambda = multipliers;
  consistency.balance(history.time(), history.current().head(n), work.lambda);
  work.lambda -= multipliers;
  multipliers += work.lambda;
  if (traits.companions >= m) {
    history.shiftValue(2 * n, work.lambda);
    for (Index i = 0; i < m; ++i)  // what is not corrected any more must not be extrapolated
      if (implied[i] != 0) history.flatten(2 * n + i);
  }
  coefficientLimit = usualCoefficient;
  factorStale = true;
  return true;
}

/// After a step: chooses anew where what is left out is violated or, with a new factor, follows
/// from the others by large coefficients only.
Report Integrator::Implementation::watchImplied(bool refreshed) {
  if (!anyImplied) return {};
  scratch.head(n) = inverseWeights.head(n).cwiseInverse();
  const bool violated = corrector.violationOfLeftOut(history.time(), history.current().head(n),
                                                     scratch.head(n)) > mostViolation;
  if (!violated && !(refreshed && corrector.largestCoefficient() > coefficientLimit)) return {};
  if (chooseImplied()) return {};
  if (violated) return failure("constraints that the others implied are violated");
  coefficientLimit *= 2;
  return {};
}

}  // namespace trammel
