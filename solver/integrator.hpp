#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solver/mechanical_system.hpp"
#include "solver/options.hpp"

namespace trammel {

/// A point of the motion: everything that outputs are computed from.
struct Motion {
  double t = 0;  // [s]
  Vector q, v, a, lambda;
};

/// How the forces of a motion change with time.
struct Rates {
  Vector jerk;    // da/dt
  Vector lambda;  // dλ/dt
};

/// Where a motion starts and what of it must stay as given.
struct StartValues {
  double t = 0;  // [s]
  Vector q, v;
  std::vector<bool> keepPosition, keepVelocity;  // one flag a coordinate; empty: nothing is kept
};

/// What the integrator has done since start(); counts only, no times.
struct Statistics {
  long steps = 0;
  long residuals = 0;       // evaluations of the force balance inside Newton iterations
  long linearisations = 0;  // evaluations of M, C, K, G
  long factorisations = 0;
  long errorFailures = 0;        // steps repeated because the error test failed
  long convergenceFailures = 0;  // steps repeated because Newton did not converge
};

/// Outcome of numerics that may fail; `message` names what went wrong, where, and with which
/// constraint; of a start that is ok, which constraints are redundant.
struct Report {
  bool ok = true;
  std::string message;
  bool event = false;  // advance() stopped where root functions changed their sign
};

/// Variable-order, variable-step BDF for MechanicalSystem in the KKT form (E6) of docs/theory.md.
/// All mutable numbers that decide the future live in one value, so save() and restore() continue
/// bit for bit.
///
/// Communication points. An owner whose inputs cannot change at t_n calls advance(t_n, ∞): steps go
/// past t_n and cost follows the physics; motion(t_n, …) gives the outputs. If an input does change
/// at t_n, with the old one still set:
///   motion(t_n, true, before);  returnTo(t_n);  rates(before, ratesBefore);   // internal time:
///   t_n
/// then, with the new input set: shift(before, ratesBefore), and advance() as ever. An owner whose
/// inputs change at every t_n calls advance(t_n, t_n) instead, so that no step is taken in vain.
class Integrator {
 public:
  Integrator(MechanicalSystem& system, SolverOptions options);
  ~Integrator();
  Integrator(Integrator&&) noexcept;

  /// Start at time t near (q, v): positions and velocities are projected on the constraints
  /// (closest in the mass metric), accelerations and multipliers solved for. On failure the former
  /// state is untouched.
  Report start(double t, VectorIn q, VectorIn v);
  /// The same with coordinates and velocities that are kept exactly as given. What cannot be met is
  /// named, constraints and kept coordinates alike.
  Report start(const StartValues& values);

  /// Starts afresh at the current time from (q, v), projected like those of start(), with the
  /// statistics going on: after an impact or a change of the model.
  Report restart(VectorIn q, VectorIn v);

  /// Advance internal time to at least t, never past `limit` (>= t). On failure the state is as
  /// before the call. If a root function changes its sign before t, the report says `event` and
  /// internal time is that of the event, the earliest; events() says which roots. The owner then
  /// calls restart(), shift() or simply advance() again.
  Report advance(double t, double limit);

  /// Of each root function, until the next step: +1 if it rose through zero at the last event, −1
  /// if it fell, 0 if it took no part.
  const Vector& events() const;

  /// Motion at a time inside the last step (or at the current time): dense output projected on the
  /// position and velocity constraints; with `withForces` also a and λ from the acceleration level.
  Report motion(double t, bool withForces, Motion& out);

  /// Takes internal time back to t inside the last step (after overstepping), the motion up to t
  /// unchanged.
  Report returnTo(double t);

  /// Rates of a and λ at the current time along a motion with forces, which motion() has given
  /// under the present forces. To be called before they change, for shift().
  Report rates(const Motion& at, Rates& out);

  /// The forces jump at the current time (an input or parameter was changed): shifts the history by
  /// the jump of the accelerations, (E20). `before` are the accelerations and multipliers with the
  /// old forces at the current time.
  Report shift(const Motion& before);
  /// The same where the slope of the forces jumps too (inputs that are polynomials in time): shifts
  /// by the jump of the jerk as well.
  Report shift(const Motion& before, const Rates& ratesBefore);

  /// Internal time, at or past the last time asked for.
  double time() const { return *time_; }
  const Statistics& statistics() const;
  const SolverOptions& options() const;

  void save(
      std::vector<double>& out) const;  // complete memory as plain numbers; size fixed for a system
  bool restore(
      const std::vector<double>& in);  // false if the size does not fit; then nothing is changed

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
  const double* time_;  // in it: owners ask for it at every communication step
};

}  // namespace trammel
