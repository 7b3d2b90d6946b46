#pragma once

#include <array>
#include <utility>

#include "solver/types.hpp"

namespace trammel {

constexpr int highestOrder = 6;

/// The past of a variable-step BDF method in fixed-leading-coefficient form: modified divided
/// differences φ and the coefficients that belong to them ((E12) to (E15) of docs/theory.md;
/// Brenan, Campbell, Petzold, chapter 5). A value: a copy is a complete save.
///
/// A step is begin() → predict() → (correction E found by the caller) → accept(E) or reject().
class BdfHistory {
 public:
  BdfHistory() = default;
  BdfHistory(Index rows, int maxOrder);

  /// No past yet: y and its derivative at t, first step of size h at order 1.
  void restart(double t, VectorIn y, VectorIn derivative, double h);

  /// Prepares a step of size h at order k (k <= lastOrder + 1); time becomes t + h.
  void begin(double h, int k);
  /// Takes back what begin() did.
  void reject();
  /// Enters y = prediction + E as the value at the new time.
  void accept(VectorIn E);
  /// Squares of what the predictions of orders j − 1 = 0 … k leave of companions.
  using Leftovers = std::array<double, highestOrder + 2>;  // 1-based as differences
  /// The same, where of the last rows, the companions, the value itself is given. Of the others E
  /// is kept, in exchange for another vector, until the next prediction or whoever asks for them:
  /// so large systems have one pass over the past for both.
  Leftovers accept(Vector& E, VectorIn companions);

  /// Sums of squares of E, φ_{k+1} + E and φ_k + φ_{k+1} + E times inverse weights; 0 where there
  /// are none of these differences for orders k − 1 and k − 2.
  struct Squares {
    double atOrder = 0, below = 0, twoBelow = 0;
  };
  /// E ← E + y, and the squares of its first rows, those with weights.
  Squares completeError(VectorIn y, VectorOut E, VectorIn inverseWeights) const;

  /// Predicted y at the new time, and y' but for companions, the last rows, which are extrapolated
  /// with at most `companionOrder`.
  void predict(VectorOut y, VectorOut derivative, Index companions, int companionOrder) const {
    predict({y, derivative, y.head(0)}, companions, companionOrder);
  }
  /// The same with −y of the first rows, from which completeError() makes E.
  struct Prediction {
    VectorOut y, derivative, E;
  };
  void predict(Prediction to, Index companions, int companionOrder) const;
  /// The interpolating polynomial of the last step at time t.
  void interpolate(double t, VectorOut y) const;

  /// Re-expresses the polynomial about a time t inside or just past the last step, as if steps of
  /// the last size had ended there. `scratch` is resized to rows × (maxOrder + 2) where it is not
  /// yet.
  void rebase(double t, Matrix& scratch);

  /// The history that would have led to a jump da of the second derivative of rows [0, n)
  /// (positions) and of the first derivative of rows [n, 2n) (velocities) at the current time,
  /// (E20).
  void shiftAcceleration(VectorIn da);
  /// The same for a jump dj of the third derivative of positions and the second one of velocities.
  void shiftJerk(VectorIn dj);
  /// Adds a constant to rows [first, first + d.size()) of the whole past.
  void shiftValue(Index first, VectorIn d);
  /// Adds d (s − t) to these rows at every stored point s.
  void shiftSlope(Index first, VectorIn d);
  /// Gives a row its present value for the whole past.
  void flatten(Index row) {
    settle();
    phi_.row(row).tail(phi_.cols() - 1).setZero();
  }

  const double& time() const { return t_; }
  void setTime(double t) { t_ = t; }  // only to remove the rounding of t + h
  double lastStep() const { return lastStep_; }
  int lastOrder() const { return lastOrder_; }
  int order() const { return order_; }
  double step() const { return step_; }
  int stepsAtConstant() const {
    return constantSteps_;
  }  // steps with the present h and k, counted up to k + 2

  double leadingCoefficient() const { return harmonic[index(order_)] / step_; }  // c_j = Σ 1/i / h
  double errorCoefficient() const;  // C_k of the error test
  double sigma(int k) const { return sigma_[index(k)]; }
  auto difference(int i) const {  // φ_i, i = 1 … maxOrder + 2
    settle();
    return std::as_const(phi_).col(i - 1);
  }
  auto current() const { return difference(1); }

  template <class Archive>
  void visit(Archive& archive) {
    settle();
    archive(t_, step_, lastStep_, order_, lastOrder_, constantSteps_, previousConstantSteps_);
    archive(psi_, alpha_, beta_, gamma_, sigma_);
    archive(phi_);
  }

 private:
  /// Σ 1/i up to each order.
  static constexpr auto harmonic = [] {
    std::array<double, highestOrder + 1> sums{};
    for (std::size_t i = 1; i < sums.size(); ++i)
      sums[i] = sums[i - 1] + 1.0 / static_cast<double>(i);
    return sums;
  }();
  using Coefficients = std::array<double, highestOrder + 3>;
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  void enter(Index first, Index count, const double* E) const;
  void keepHighest(Index first, Index count, const double* E) const;
  void settle() const {
    if (entersLater_ > 0 || scalesLater_) settleAll();
  }
  void settleAll() const;
  void settleRows(Index first, Index count) const;

  int maxOrder_ = 5;
  double t_ = 0, step_ = 0, lastStep_ = 0;
  int order_ = 1, lastOrder_ = 0, constantSteps_ = 0, previousConstantSteps_ = 0;
  Coefficients psi_{}, alpha_{}, beta_{}, gamma_{}, sigma_{};  // 1-based as in the equations
  mutable Matrix phi_;
  // What begin() and accept() have left to do with the differences, which nobody sees undone.
  mutable Index entersLater_ = 0;  // rows of E
  mutable bool scalesLater_ = false;
  Vector E_;
};

}  // namespace trammel
