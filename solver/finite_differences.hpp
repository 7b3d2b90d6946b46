#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/colouring.hpp"
#include "solver/mechanical_system.hpp"

namespace trammel {

/// The equations of a system without any derivative. Only the patterns of the matrices count; those
/// of C and K are derived from the four given here.
struct PlainEquations {
  std::vector<std::string> coordinateNames;  // n
  std::vector<std::string> constraintNames;  // m
  Vector nominal;                            // n, > 0

  SparseMatrix massPattern;      // n×n, M(q)
  SparseMatrix massByPosition;   // n×n, where ∂(M a)/∂q may not vanish
  SparseMatrix forceByPosition;  // n×n, where ∂f/∂q may not vanish
  SparseMatrix forceByVelocity;  // n×n, where ∂f/∂v may not vanish
  SparseMatrix gradientPattern;  // m×n, where ∂g/∂q may not vanish

  std::function<void(VectorIn q, SparseMatrix& M)> mass;  // fills values of the pattern
  std::function<void(double t, VectorIn q, VectorIn v, VectorOut f)> force;
  std::function<void(double t, VectorIn q, VectorOut g)> constraint;
};

/// A MechanicalSystem for equations without derivatives: all derivatives by central differences of
/// fourth order, columns grouped by colour. For models that supply none and to check those that do.
class FiniteDifferenceSystem final : public MechanicalSystem {
 public:
  /// Throws Error if sizes do not fit each other.
  explicit FiniteDifferenceSystem(PlainEquations equations);

  Index coordinateCount() const override { return n_; }
  Index constraintCount() const override { return m_; }
  std::string coordinateName(Index i) const override;
  std::string constraintName(Index i) const override;
  double coordinateNominal(Index i) const override { return equations_.nominal[i]; }

  void forceBalance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                    VectorOut r) override;
  void constraint(double t, VectorIn q, VectorOut g) override { equations_.constraint(t, q, g); }
  void constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) override;
  void constraintAcceleration(double t, VectorIn q, VectorIn v, VectorOut gamma) override;
  void shape(Linearisation& linearisation) const override { linearisation = shape_; }
  void linearise(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                 Linearisation& out) override;
  void massAndGradient(double t, VectorIn q, Linearisation& out) override;

  /// Evaluations of g for one G, for a look at the cost.
  Index gradientEvaluations() const { return 4 * gradientColours_.count(); }

 private:
  void gradient(double t, VectorIn q, SparseMatrix& G);
  void balance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda, VectorOut r);

  PlainEquations equations_;
  Index n_, m_;
  Linearisation shape_;
  Colouring gradientColours_, stiffnessColours_, dampingColours_;
  SparseMatrix M_, G_;
  Vector q_, v_, move_, column_, sum_, force_, constraint_, rows_;
};

}  // namespace trammel
