#pragma once

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <span>

#include "solver/index3_scaling.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel::test {

/// The experiment of Bottasso, Bauchau and Cardona, sections 3.3 and 4.3: the pendulum (31) with
/// BDF2 of constant step h, Newton until its corrections stop decreasing, (33). Everything is
/// iterated in the scaled unknowns z = (u, v̂, λ̂) or (u, λ̂). What the paper leaves open: the past of
/// the first step is constant, the iteration starts from u + h v + h²a/2, and (33) is looked at
/// from the third correction on.
class BottassoPendulum {
 public:
  struct Result {
    double condition = 0;   // largest 2-norm condition of the matrix
    double correction = 0;  // largest ‖z‖ of the last decreasing correction
    double position = 0, velocity = 0, lambda = 0;  // the same by field
  };

  BottassoPendulum(Index3Fields fields, double h, const Index3Scales& scales)
      : fields_(fields), h_(h), scales_(scales) {
    pendulum_.shape(linearisation_);
    const Index rows = index3Rows(linearisation_, fields);
    matrix_.setZero(rows, rows);
    lu_ = Eigen::PartialPivLU<Matrix>(rows);
    for (Vector* x : {&residual_, &z_}) x->setZero(rows);
    now_.u = before_.u = past_.u = Vector{{1.0, 0.0}};
    for (Point* point : {&now_, &before_, &past_}) point->v = Vector::Zero(2);
    lambda_ = Vector::Zero(1);
  }

  Result run(long steps) {
    Result result;
    const long every = std::max(1L, steps / 20);
    for (long step = 1; step <= steps; ++step) {
      newtonUntilSaturated();
      result.correction = std::max(result.correction, z_.norm());
      result.position = std::max(result.position, z_.head(2).lpNorm<Eigen::Infinity>());
      result.lambda = std::max(result.lambda, std::abs(z_[z_.size() - 1]));
      if (fields_ == Index3Fields::three)
        result.velocity = std::max(result.velocity, z_.segment(2, 2).lpNorm<Eigen::Infinity>());
      if (step <= 5 || step % every == 0)
        result.condition = std::max(result.condition, condition());
      past_ = before_;
      before_ = now_;
    }
    return result;
  }

 private:
  struct Point {
    Vector u, v;  // v is v̂ where three fields are iterated, else the velocity
  };
  static constexpr double a0 = 1.5, a1 = -2.0, a2 = 0.5;  // BDF2

  void predict() {
    const double toVelocity = fields_ == Index3Fields::three ? scales_.velocity : 1.0;
    const Vector v = toVelocity * before_.v;
    const Vector a = Vector{{0.0, -1.0}} - scales_.multiplier * lambda_[0] * before_.u;
    now_.u = before_.u + h_ * v + 0.5 * h_ * h_ * a;
    now_.v = before_.v + h_ * a / toVelocity;
  }

  /// D_L r, every term scaled before it is added, as the scaled equations would be programmed.
  void evaluate() {
    const Vector difference = a0 * now_.u + a1 * before_.u + a2 * past_.u;  // h u'
    const Vector force{{0.0, -1.0}};
    Index row = 0;
    double toVelocity = 1.0;
    if (fields_ == Index3Fields::three) {
      toVelocity = scales_.velocity;
      residual_.head(2) =
          scales_.kinematic / h_ * difference - scales_.kinematic * scales_.velocity * now_.v;
      row = 2;
    } else {
      now_.v = difference / h_;
    }
    residual_.segment(row, 2) =
        scales_.balance * toVelocity / h_ * (a0 * now_.v + a1 * before_.v + a2 * past_.v) -
        scales_.balance * force + scales_.balance * scales_.multiplier * lambda_[0] * now_.u;
    residual_[row + 2] = scales_.constraint * 0.5 * (now_.u.squaredNorm() - 1.0);
    const Vector lambda = scales_.multiplier * lambda_;
    pendulum_.linearise(0, now_.u, now_.v, force, lambda, linearisation_);
    assembleIndex3(linearisation_, a0 / h_, fields_, scales_, matrix_);
  }

  void newtonUntilSaturated() {
    predict();
    double last = std::numeric_limits<double>::infinity();
    for (int j = 0; j < 50; ++j) {
      evaluate();
      lu_.compute(matrix_);
      const Vector z = -lu_.solve(residual_);
      const double size = z.norm();
      if (size >= last && j >= 2) break;  // (33)
      last = size;
      z_ = z;
      now_.u += z.head(2);
      if (fields_ == Index3Fields::three) now_.v += z.segment(2, 2);
      lambda_[0] += z[z.size() - 1];
      if (size == 0) break;
    }
    if (fields_ == Index3Fields::two) now_.v = (a0 * now_.u + a1 * before_.u + a2 * past_.u) / h_;
  }

  /// In long double: without scaling the condition reaches 1e32.
  double condition() const {
    using Extended = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    const Eigen::JacobiSVD<Extended> svd(matrix_.cast<long double>());
    const auto& values = svd.singularValues();
    return static_cast<double>(values[0] / values[values.size() - 1]);
  }

  Index3Fields fields_;
  double h_;
  Index3Scales scales_;
  Problem<Pendulum> pendulum_;  // gravity 1
  Linearisation linearisation_;
  Matrix matrix_;
  Eigen::PartialPivLU<Matrix> lu_;
  Vector residual_, z_, lambda_;
  Point now_, before_, past_;
};

/// Slope of log y over log x by least squares.
inline double logSlope(std::span<const double> x, std::span<const double> y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log10(x[i]), b = std::log10(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  const double n = static_cast<double>(x.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace trammel::test
