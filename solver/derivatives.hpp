#pragma once

#include "solver/colouring.hpp"
#include "solver/integrator.hpp"
#include "solver/kkt_solver.hpp"

namespace trammel {

/// A change of what the accelerations depend on. `force` is a change of f and `acceleration` one of
/// −γ at fixed q and v: the parts that inputs and parameters have in them.
struct Perturbation {
  Vector q, v;          // n
  Vector force;         // n
  Vector acceleration;  // m
};

/// A change of the answer of the acceleration level, or weights on it.
struct Response {
  Vector a;       // n
  Vector lambda;  // m
};

/// First derivatives of (a, λ), the solution of M a + Gᵀλ = f, G a = −γ, through its KKT matrix:
///   [M Gᵀ; G 0] [δa; δλ] = [−K δq − C δv + δf;  −A_q δq − A_v δv + δc],
///   K, C as in Linearisation at (a, λ),  A_q = ∂(G a + γ)/∂q,  A_v = ∂γ/∂v.
class AccelerationDerivatives {
 public:
  AccelerationDerivatives(MechanicalSystem& system, LinearAlgebra choice);

  /// Linearises at a point with consistent a and λ. Nothing else may be called after a failure.
  Report linearise(const Motion& at);

  /// The change of (a, λ) caused by a perturbation.
  void directional(const Perturbation& perturbation, Response& out);
  /// The transpose: the gradient of ⟨weights.a, a⟩ + ⟨weights.lambda, λ⟩ with respect to everything
  /// in a perturbation.
  void adjoint(const Response& weights, Perturbation& out);

  const SparseMatrix& byPosition() const { return byPosition_; }  // A_q
  const SparseMatrix& byVelocity() const { return byVelocity_; }  // A_v

 private:
  void differentiateConstraints(const Motion& at);
  void alongPosition(const Motion& at, VectorIn direction);
  void solve();

  MechanicalSystem& system_;
  Index n_, m_;
  Linearisation linearisation_;
  SparseMatrix byPosition_, byVelocity_;
  Colouring colouring_;  // of the pattern of G
  KktSolver kkt_;
  Vector rhs_, solution_, residual_;
  Vector q_, v_, move_, direction_, gamma_, sum_, nominal_;
};

}  // namespace trammel
