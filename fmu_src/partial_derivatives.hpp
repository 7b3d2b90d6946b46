#pragma once

#include <span>
#include <vector>

#include "fmu_src/snapshot.hpp"
#include "models/compiled_model.hpp"
#include "solver/derivatives.hpp"

namespace trammel::fmi {

/// What one known does: to the acceleration level and, directly, to the declared outputs.
struct KnownColumn {
  Perturbation motion;
  Vector outputs;
};

/// First derivatives of the unknowns (positions, velocities, accelerations, multipliers, declared
/// outputs) at a point of the motion, through the KKT solve. One set of blocks serves the
/// directional and the adjoint form, which are therefore transposes of each other:
///   [δa; δλ] = KKT(Σ column_k δk),   δy = δy_k + y_q δq + y_v δv + y_a δa + y_λ δλ.
class PartialDerivatives {
 public:
  PartialDerivatives(const CompiledModel& model, ModelSystem& system);

  /// The point at which all derivatives are taken, with consistent a and λ, and the values that the
  /// system works with there.
  Report linearise(const Motion& at, const OutsideValues& outside);

  /// The effect of an input, a parameter or time at fixed q and v; of a position or velocity alone.
  /// The system has its values back afterwards. Throws Error where it does not accept a value.
  KnownColumn column(const Variable& known);
  /// The effect of time with the inputs going on as the polynomials that they are.
  KnownColumn timeColumn();

  /// δ(unknowns) of Σ seed_k column_k.
  void directional(std::span<const Variable* const> unknowns, std::span<const KnownColumn> columns,
                   std::span<const double> seed, std::span<double> sensitivity);
  /// The transpose of directional().
  void adjoint(std::span<const Variable* const> unknowns, std::span<const KnownColumn> columns,
               std::span<const double> seed, std::span<double> sensitivity);

  KnownColumn emptyColumn() const;
  /// Changes of accelerations and multipliers.
  Response respond(const Perturbation& perturbation);

  /// Tries values of a parameter or input and puts the system's values back when it goes.
  class Trial {
   public:
    Trial(ModelSystem& system, const OutsideValues& outside, double t, const Variable& variable);
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial();

    double value() const { return value_; }
    double step(double relative) const;  // of a difference formula
    void use(double value);

   private:
    ModelSystem& system_;
    const OutsideValues& outside_;
    const Variable& variable_;
    OutsideValues tried_;
    double value_ = 0;
  };

 private:
  void accumulate(double t, double weight, KnownColumn& column);
  void differentiateOutputs();
  void outputBlock(Vector& x, Matrix& block);
  double timeStep() const;

  const CompiledModel& model_;
  ModelSystem& system_;
  Index n_, m_, outputCount_;
  AccelerationDerivatives accelerations_;
  Linearisation gradients_;
  Motion at_;
  const OutsideValues* outside_ = nullptr;
  Matrix byPosition_, byVelocity_, byAcceleration_, byMultiplier_;  // of declared outputs
  bool outputsDifferentiated_ = false;
  Vector r_, gamma_, outputs_, sum_;
};

}  // namespace trammel::fmi
