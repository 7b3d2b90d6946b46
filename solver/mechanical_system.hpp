#pragma once

#include <string>

#include "solver/types.hpp"

namespace trammel {

/// Linearisation of the force balance M(q) a − f(t,q,v) + G(q,t)ᵀλ about a point; patterns are
/// fixed for the life of a system.
struct Linearisation {
  SparseMatrix M;  // n×n, symmetric, both triangles stored
  SparseMatrix C;  // n×n, −∂f/∂v
  SparseMatrix K;  // n×n, ∂(M a)/∂q − ∂f/∂q + ∂(Gᵀλ)/∂q
  SparseMatrix G;  // m×n, ∂g/∂q
};

/// A constrained mechanical system in the form (E1) of docs/theory.md:
///   q' = v,   M(q) v' + G(q,t)ᵀ λ = f(t,q,v),   0 = g(q,t),   n coordinates, m constraints.
/// An object is the evaluable form of a model for one instance: it may own scratch storage, so its
/// functions are not const and two threads need two objects. Inputs and parameters are set by its
/// owner; the solver sees them only through these functions. Functions must not allocate, must not
/// throw and may return NaN where the model is not defined.
class MechanicalSystem {
 public:
  virtual ~MechanicalSystem() = default;

  virtual Index coordinateCount() const = 0;  // n
  virtual Index constraintCount() const = 0;  // m
  virtual std::string coordinateName(Index i) const = 0;
  virtual std::string constraintName(Index i) const = 0;
  virtual double coordinateNominal(Index i) const = 0;  // typical size of q_i in its SI unit, > 0

  /// Says that the next function is asked for at the t and q of the last one: nothing to compare.
  virtual void stay() {}

  /// r = M(q) a − f(t,q,v) + G(q,t)ᵀ λ.
  virtual void forceBalance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                            VectorOut r) = 0;
  /// g(q,t).
  virtual void constraint(double t, VectorIn q, VectorOut g) = 0;
  /// Both, (r, g).
  [[gnu::noinline]] virtual void residual(double t, VectorIn q, VectorIn v, VectorIn a,
                                          VectorIn lambda, VectorOut rg) {
    forceBalance(t, q, v, a, lambda, rg.head(q.size()));
    stay();
    constraint(t, q, rg.tail(lambda.size()));
  }
  /// dg/dt = G(q,t) v + ∂g/∂t.
  virtual void constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) = 0;
  /// γ(t,q,v), the part of d²g/dt² = G a + γ without accelerations.
  virtual void constraintAcceleration(double t, VectorIn q, VectorIn v, VectorOut gamma) = 0;

  /// Gives the four matrices their sizes and (compressed) patterns. May allocate.
  virtual void shape(Linearisation& linearisation) const = 0;
  /// Fills the values of all four matrices; the patterns are those of shape().
  virtual void linearise(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                         Linearisation& out) = 0;
  /// Fills only M and G.
  virtual void massAndGradient(double t, VectorIn q, Linearisation& out) = 0;

  /// Root functions r(t,q,v): the integrator stops where one of them changes its sign.
  virtual Index rootCount() const { return 0; }
  virtual void roots(double /*t*/, VectorIn /*q*/, VectorIn /*v*/, VectorOut /*r*/) {}

  /// Optional and exact: ∂(G a + γ)/∂q and ∂γ/∂v in the pattern of G, which holds them because the
  /// derivatives of a constraint involve its own coordinates only. False: not supplied.
  virtual bool accelerationGradient(double /*t*/, VectorIn /*q*/, VectorIn /*v*/, VectorIn /*a*/,
                                    SparseMatrix& /*byPosition*/, SparseMatrix& /*byVelocity*/) {
    return false;
  }
};

/// The matrices of a linearisation with their patterns, values not yet set.
inline Linearisation shapeOf(const MechanicalSystem& system) {
  Linearisation linearisation;
  system.shape(linearisation);
  return linearisation;
}

}  // namespace trammel
