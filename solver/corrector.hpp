#pragma once

#include <concepts>
#include <variant>

#include "solver/ggl_iteration.hpp"
#include "solver/index1_iteration.hpp"
#include "solver/index3_iteration.hpp"
#include "solver/kkt_iteration.hpp"
#include "solver/options.hpp"
#include "solver/split_iteration.hpp"
#include "solver/step_point.hpp"

namespace trammel {

/// What every formulation offers. refresh() linearises and factors at a predicted point, begin()
/// opens the iteration of a step (it may replace predicted companions), iterate() returns one
/// correction or makes it, finish() may project the accepted (q, v) and returns the multipliers of
/// the step.
template <class T>
concept Formulation = requires(T formulation, StepPoint& point, VectorIn in, VectorOut out) {
  { formulation.traits() } -> std::same_as<CorrectorTraits>;
  { formulation.refresh(point, in) } -> std::same_as<bool>;
  formulation.begin(point);
  formulation.filter(point.cj, out);                                // damp mode, (E18)
  { formulation.imbalance(point.cj, in) } -> std::same_as<double>;  // of the last iterate, (E19)
  formulation.finish(point, out);
  {
    formulation.independentDirections()
    } -> std::same_as<const Matrix*>;                     // columns span what is tested; null: all
  { formulation.factoredFor() } -> std::same_as<double>;  // cj of the factor
  { formulation.refactor() } -> std::same_as<bool>;       // after its numbers were replaced
};

/// One of the formulations, chosen by SolverOptions::method.
class Corrector {
  using Family =
      std::variant<KktIteration, Index1Iteration, Index3Iteration, GglIteration, SplitIteration>;
  static Family make(MechanicalSystem& system, const SolverOptions& options);
  Family formulation_;

  template <class Action>
  decltype(auto) call(Action action) {
    return std::visit(action, formulation_);
  }

 public:
  Corrector(MechanicalSystem& system, const SolverOptions& options);

  CorrectorTraits traits() {
    return call([](auto& f) { return f.traits(); });
  }
  bool refresh(StepPoint& point, VectorIn multipliers) {
    return call([&](auto& f) { return f.refresh(point, multipliers); });
  }
  void begin(StepPoint& point) {
    call([&](auto& f) { f.begin(point); });
  }
  /// Corrects the point by one iteration. Returns the sum of squares of what Newton tests of the
  /// correction, times the inverse weights; near a loss of rank the correction is in `delta`.
  double iterate(StepPoint& point, const Vector& inverseWeights, Vector& delta) {
    return call([&](auto& f) {
      if constexpr (requires { f.iterate(point, inverseWeights, delta); }) {
        return f.iterate(point, inverseWeights, delta);
      } else {
        f.iterate(point, delta);
        const CorrectorTraits traits = f.traits();
        const Index moved = delta.size() - traits.companions;
        const Index tested = traits.companionsInNewton ? delta.size() : moved;
        point.y += delta;
        point.derivative.head(moved) += point.cj * delta.head(moved);
        return (delta.head(tested).array() * inverseWeights.head(tested).array()).square().sum();
      }
    });
  }
  /// Of (q, v), or where velocities are not asked for at least of q.
  void filter(double cj, VectorOut error, bool velocities) {
    call([&](auto& f) {
      if constexpr (requires { f.filter(cj, error, velocities); }) {
        f.filter(cj, error, velocities);
      } else {
        f.filter(cj, error);
      }
    });
  }
  /// With the inverse weights of the velocities.
  double imbalance(double cj, VectorIn inverseWeights) {
    return call([&](auto& f) { return f.imbalance(cj, inverseWeights); });
  }
  void finish(StepPoint& point, VectorOut multipliers) {
    call([&](auto& f) { f.finish(point, multipliers); });
  }
  const Matrix* independentDirections() {
    return call([](auto& f) { return f.independentDirections(); });
  }
  double factoredFor() {
    return call([](auto& f) { return f.factoredFor(); });
  }
  bool refactor() {
    return call([](auto& f) { return f.refactor(); });
  }
  /// Factors the present linearisation for another step size; false where that is not possible.
  bool refactorFor(double cj) {
    return call([&](auto& f) {
      if constexpr (requires { f.refactorFor(cj); }) return f.refactorFor(cj);
      return false;
    });
  }
  /// Leaves out rows of G that the others imply; formulations that find a basis of their own do
  /// not need it.
  void leaveOut(VectorIn flags) {
    call([&](auto& f) {
      if constexpr (requires { f.leaveOut(flags); }) f.leaveOut(flags);
    });
  }
  /// See KktIteration; 0 where rows are not watched.
  double violationOfLeftOut(double t, VectorIn q, VectorIn positionWeights) {
    return call([&](auto& f) {
      if constexpr (requires { f.violationOfLeftOut(t, q, positionWeights); })
        return f.violationOfLeftOut(t, q, positionWeights);
      return 0.0;
    });
  }
  double largestCoefficient() {
    return call([](auto& f) {
      if constexpr (requires { f.largestCoefficient(); }) return f.largestCoefficient();
      return 0.0;
    });
  }

  /// Only what is tangential to the constraints of an error of (q, v) says something there.
  bool isNearLossOfRank() {
    return call([](auto& f) {
      if constexpr (requires { f.isNearLossOfRank(); }) return f.isNearLossOfRank();
      return false;
    });
  }
  void keepTangential(VectorOut error) {
    call([&](auto& f) {
      if constexpr (requires { f.keepTangential(error); }) f.keepTangential(error);
    });
  }
  /// What was learnt from the motion so far: another one begins.
  void forget() {
    call([](auto& f) {
      if constexpr (requires { f.forget(); }) f.forget();
    });
  }

  template <class Archive>
  void visit(Archive& archive) {
    call([&](auto& f) { f.visit(archive); });
  }
};

}  // namespace trammel
