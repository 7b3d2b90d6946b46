#pragma once

#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "solver/types.hpp"

namespace trammel::coupling {

/// How the next trial follows from the corrections e = P R.
enum class Acceleration {
  relaxation,  // x + ω e, ω fixed: the plain and the weighted splits
  aitken,      // x + ω e, ω from the last two corrections
  newton,      // x + e, P renewed after every trial
  iqnIls       // secants of this and of earlier steps, least squares: the default
};

struct IterationOptions {
  Acceleration acceleration = Acceleration::iqnIls;
  double relaxation = 1;    // ω; at the start for Aitken
  int maxEvaluations = 12;  // trials of one step
  int reuse = 10;           // steps whose secants are kept
  double divergence = 1e3;  // growth of the error beyond which the iteration is given up

  void validate() const;  // throws Error
};

/// The equations R(x) = 0 and what is known about them.
struct IterationProblem {
  /// A trial; false: it could not be carried out.
  std::function<bool(const Vector& x, Vector& R)> residual;
  /// Takes the preconditioner from the trial just made. May be empty.
  std::function<void()> renew;
  /// e = P R, an estimate of the correction of x.
  std::function<void(const Vector& R, Vector& e)> precondition;
  /// Whether the trial just made can stand if no better one is found. May be empty: it cannot.
  std::function<bool()> bearable;
  /// Size of a correction in units of what is tolerated: ≤ 1 is converged.
  std::function<double(const Vector& x, const Vector& e)> error;
  /// The same for any difference of x. May be empty: its largest entry.
  std::function<double(const Vector& x, const Vector& difference)> size = {};
};

enum class IterationEnd {
  converged,
  stagnated,  // no trial gets better, the best one is bearable and was taken
  trialFailed,
  notFinite,
  diverged,
  tooManyTrials
};

const char* text(IterationEnd end);

struct IterationReport {
  IterationEnd end = IterationEnd::tooManyTrials;
  int evaluations = 0;
  std::vector<double> errors;  // of each trial, see IterationProblem::error

  bool accepted() const { return end == IterationEnd::converged || end == IterationEnd::stagnated; }
  bool converged() const { return end == IterationEnd::converged; }
};

/// Solves R(x) = 0, one communication step after another, and remembers secants between them.
class MultiplierIteration final {
 public:
  explicit MultiplierIteration(const IterationOptions& options = {});

  /// Where the report says accepted x is the last trial.
  IterationReport solve(const IterationProblem& problem, Vector& x);
  /// To be called where the next step is unlike the last: other size, event, failure.
  void forget();

  /// Hands what later steps remember to `visitor`, for saved states.
  template <class Visitor>
  void visitMemory(const Visitor& visitor) {
    visitor(omega_, earlier_, misses_);
  }

 private:
  /// Differences of e and of x + e between trials, newest first.
  struct Secants {
    std::vector<Vector> e, h;
  };

  /// The trial with the smallest error of this step.
  struct Best {
    Vector x, e;
    double error = 0;
    int evaluation = 0;
    bool bearable = false;
  };

  /// Where the second trial of a step is made, and how far off these places were of late.
  struct SecondTrials {
    Vector plain, secant;  // by P alone, by the secants of earlier steps
  };
  struct Misses {
    double plain = 0, secant = 0;  // squared, in units of what is tolerated
  };

  Vector nextTrial(const Vector& x, const Vector& e);
  Vector secondTrial(const Vector& x, const Vector& e);
  void judge(const IterationProblem& problem, const Vector& x, const Vector& e);
  Vector withoutEarlierSecants();
  void takeBest(const IterationProblem& problem, Vector& x, IterationReport& report);
  Vector secantStep(const Vector& x, const Vector& e);

  IterationOptions options_;
  Secants current_;
  std::deque<Secants> earlier_;  // newest first
  Vector lastE_, lastH_;         // of the trial before, empty: none
  Best best_;
  SecondTrials second_;
  Misses misses_;
  double omega_ = 1;
};

}  // namespace trammel::coupling
