#include "solver/bdf_history.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "solver/pairs.hpp"
#include "solver/wide.hpp"

namespace trammel {

namespace {

constexpr Index block = 256;  // rows of all differences that stay in the nearest cache

/// y = φ_1 + … + φ_{k+1},   y' = γ_2 φ_2 + … + γ_{k+1} φ_{k+1}, all in one pass over `count` rows.
template <std::size_t order>
void sumDifferences(const double* __restrict phi, Index stride, Index count, const double* gamma,
                    double* __restrict y, double* __restrict derivative) {
  std::array<double, order> factors;
  std::copy_n(gamma, order, factors.begin());
  for (Index i = 0; i < count; ++i) {
    double value = phi[i], rate = 0;
    for (std::size_t j = 1; j <= order; ++j) {
      const double difference = phi[static_cast<Index>(j) * stride + i];
      value += difference;
      rate += factors[j - 1] * difference;
    }
    y[i] = value;
    derivative[i] = rate;
  }
}

/// y alone.
template <std::size_t order>
void sumValues(const double* __restrict phi, Index stride, Index count, double* __restrict y) {
  for (Index i = 0; i < count; ++i) {
    double value = phi[i];
    for (std::size_t j = 1; j <= order; ++j) value += phi[static_cast<Index>(j) * stride + i];
    y[i] = value;
  }
}

/// φ_{k+1} += E, φ_k += φ_{k+1}, …, φ_1 += φ_2.
template <std::size_t order>
void addDifferences(double* phi, Index stride, Index count, const double* E) {
  forPairs(count, [&]<class Some>(Index i) {
    Some sum = load<Some>(E + i);
    for (std::size_t j = order + 1; j-- > 0;) {
      double* difference = phi + static_cast<Index>(j) * stride + i;
      sum += load<Some>(difference);
      store<Some>(sum, difference);
    }
  });
}

/// Both of a step of the same order as the last one, whose E is entered, and −y, while the
/// differences are in registers.
template <std::size_t order>
void enterAndSum(double* phi, Index stride, Index count, const double* E, const double* gamma,
                 double* y, double* derivative, double* negative) {
  std::array<double, order> factors;
  std::copy_n(gamma, order, factors.begin());
  actOn(
      count, [=]() __attribute__((always_inline)) {
        forQuads(
            count, [&]<class Some>(Index i) __attribute__((always_inline)) {
              std::array<Some, order + 1> differences;
              Some sum = at<Some>(E + i);
              for (std::size_t j = order + 1; j-- > 0;) {
                sum += at<Some>(phi + static_cast<Index>(j) * stride + i);
                at<Some>(phi + static_cast<Index>(j) * stride + i) = sum;
                differences[j] = sum;
              }
              Some rate = {};
              for (std::size_t j = 1; j <= order; ++j) {
                sum += differences[j];
                rate += factors[j - 1] * differences[j];
              }
              at<Some>(y + i) = sum;
              at<Some>(derivative + i) = rate;
              at<Some>(negative + i) = -sum;
            });
      });
}

/// addDifferences() for companions, of which `highest`, φ_{k+2}, gets E where it is kept: E is what
/// the sum of all leaves of their values. Squares of what the first ones leave go to `squares`.
template <std::size_t order>
void addCompanions(double* phi, Index stride, Index count, const double* values, bool keepsE,
                   double* squares) {
  std::array<PairSum, order + 1> sums;
  forPairs(count, [&]<class Some>(Index i) {
    std::array<Some, order + 1> differences;
    Some sum = load<Some>(values + i);
    for (std::size_t j = 0; j <= order; ++j) {
      differences[j] = load<Some>(phi + static_cast<Index>(j) * stride + i);
      sum -= differences[j];
      sums[j].add(sum.square());
    }
    if (keepsE) store<Some>(sum, phi + static_cast<Index>(order + 1) * stride + i);
    for (std::size_t j = order + 1; j-- > 0;) {
      sum += differences[j];
      store<Some>(sum, phi + static_cast<Index>(j) * stride + i);
    }
  });
  for (std::size_t j = 0; j <= order; ++j) squares[j] = sums[j].total();
}

/// E ← E + y, and sums of squares of E plus none, one … of the differences, `below` the highest of
/// them.
template <std::size_t differences>
std::array<double, 3> squaresOfErrors(const std::array<const double*, 2>& below, Index count,
                                      const double* __restrict y, double* __restrict E,
                                      const double* __restrict inverse) {
  std::array<double, 3> squares{};
  actOn(
      count, [ =, &squares ]() __attribute__((always_inline)) {
        std::array<QuadSum, differences + 1> sums;
        forQuads(
            count, [&]<class Some>(Index i) __attribute__((always_inline)) {
              Some error = at<Some>(E + i) + at<Some>(y + i);
              at<Some>(E + i) = error;
              const Some weight = at<Some>(inverse + i);
              for (std::size_t j = 0; j <= differences; ++j) {
                if (j > 0) error += at<Some>(below[j - 1] + i);
                const Some weighted = error * weight;
                sums[j].add(weighted * weighted);
              }
            });
        for (std::size_t j = 0; j <= differences; ++j) squares[j] = sums[j].total();
      });
  return squares;
}

}  // namespace

BdfHistory::BdfHistory(Index rows, int maxOrder)
    : maxOrder_(maxOrder), phi_(Matrix::Zero(rows, maxOrder + 2)), E_(Vector::Zero(rows)) {
  assert(1 <= maxOrder && maxOrder <= highestOrder);
}

void BdfHistory::restart(double t, VectorIn y, VectorIn derivative, double h) {
  t_ = t;
  step_ = h;
  lastStep_ = 0;
  order_ = 1;
  lastOrder_ = 0;
  constantSteps_ = 0;
  previousConstantSteps_ = 0;
  for (Coefficients* c : {&psi_, &alpha_, &beta_, &gamma_, &sigma_}) c->fill(0.0);
  psi_[1] = h;
  entersLater_ = 0;
  scalesLater_ = false;
  phi_.setZero();
  phi_.col(0) = y;
  phi_.col(1) = h * derivative;
}

void BdfHistory::begin(double h, int k) {
  assert(1 <= k && k <= maxOrder_ && k <= lastOrder_ + 1);
  if (scalesLater_) settle();
  previousConstantSteps_ = constantSteps_;
  step_ = h;
  order_ = k;
  if (h != lastStep_ || k != lastOrder_) constantSteps_ = 0;
  constantSteps_ = std::min(constantSteps_ + 1, lastOrder_ + 2);
  if (k + 1 >= constantSteps_) {
    alpha_[1] = beta_[1] = sigma_[1] = 1;
    gamma_[1] = 0;
    double span = h;  // ψ_i(n+1) = t_{n+1} − t_{n+1−i}
    for (int i = 2; i <= k + 1; ++i) {
      const double old = psi_[index(i - 1)];
      psi_[index(i - 1)] = span;
      beta_[index(i)] = beta_[index(i - 1)] * psi_[index(i - 1)] / old;
      span = old + h;
      alpha_[index(i)] = h / span;
      sigma_[index(i)] = (i - 1) * sigma_[index(i - 1)] * alpha_[index(i)];
      gamma_[index(i)] = gamma_[index(i - 1)] + alpha_[index(i - 1)] / h;
    }
    psi_[index(k + 1)] = span;
  }
  scalesLater_ = k + 1 > constantSteps_;
  t_ += h;
}

void BdfHistory::reject() {
  settle();
  t_ -= step_;
  for (int j = constantSteps_ + 1; j <= order_ + 1; ++j) phi_.col(j - 1) /= beta_[index(j)];
  for (int i = 2; i <= order_ + 1; ++i) psi_[index(i - 1)] = psi_[index(i)] - step_;
  constantSteps_ = previousConstantSteps_;
}

/// What is left to do with some rows: φ_j of the last step and E, then β_j φ_j for the present one.
void BdfHistory::settleRows(Index first, Index count) const {
  if (first < entersLater_) enter(first, std::min(count, entersLater_ - first), E_.data() + first);
  if (!scalesLater_) return;
  const Index stride = phi_.rows();
  double* difference = phi_.data() + constantSteps_ * stride + first;
  for (int j = constantSteps_ + 1; j <= order_ + 1; ++j, difference += stride) {
    const double factor = beta_[index(j)];
    forPairs(count, [&]<class Some>(Index i) {
      store<Some>(factor * load<Some>(difference + i), difference + i);
    });
  }
}

void BdfHistory::settleAll() const {
  for (Index first = 0; first < phi_.rows(); first += block)
    settleRows(first, std::min(block, phi_.rows() - first));
  entersLater_ = 0;
  scalesLater_ = false;
}

void BdfHistory::accept(VectorIn E) {
  settle();
  lastOrder_ = order_;
  lastStep_ = step_;
  enter(0, E.size(), E.data());
}

BdfHistory::Leftovers BdfHistory::accept(Vector& E, VectorIn companions) {
  static constexpr std::array adds = {addCompanions<1>, addCompanions<2>, addCompanions<3>,
                                      addCompanions<4>, addCompanions<5>, addCompanions<6>};
  const Index others = phi_.rows() - companions.size();
  settle();
  lastOrder_ = order_;
  lastStep_ = step_;
  Leftovers squares{};
  adds[index(order_ - 1)](phi_.data() + others, phi_.rows(), companions.size(), companions.data(),
                          order_ != maxOrder_, &squares[1]);
  E_.swap(E);
  entersLater_ = others;
  return squares;
}

/// Rows of the new value: φ_{k+2} = E, φ_{k+1} += E, φ_k += φ_{k+1}, …
void BdfHistory::enter(Index first, Index count, const double* E) const {
  static constexpr std::array sums = {addDifferences<1>, addDifferences<2>, addDifferences<3>,
                                      addDifferences<4>, addDifferences<5>, addDifferences<6>};
  keepHighest(first, count, E);
  sums[index(lastOrder_ - 1)](phi_.data() + first, phi_.rows(), count, E);
}

/// φ_{k+2} = E.
void BdfHistory::keepHighest(Index first, Index count, const double* E) const {
  if (lastOrder_ == maxOrder_) return;
  double* to = phi_.data() + (lastOrder_ + 1) * phi_.rows() + first;
  forPairs(count, [&]<class Some>(Index i) { store<Some>(load<Some>(E + i), to + i); });
}

void BdfHistory::predict(Prediction to, Index companions, int companionOrder) const {
  static constexpr std::array sums = {sumDifferences<1>, sumDifferences<2>, sumDifferences<3>,
                                      sumDifferences<4>, sumDifferences<5>, sumDifferences<6>};
  static constexpr std::array values = {sumValues<0>, sumValues<1>, sumValues<2>, sumValues<3>,
                                        sumValues<4>, sumValues<5>, sumValues<6>};
  static constexpr std::array both = {enterAndSum<1>, enterAndSum<2>, enterAndSum<3>,
                                      enterAndSum<4>, enterAndSum<5>, enterAndSum<6>};
  static_assert(sums.size() == highestOrder && values.size() == highestOrder + 1);
  const Index rows = phi_.rows(), others = rows - companions;
  assert(to.E.size() == 0 || to.E.size() == others || to.E.size() == rows);
  const auto inBlocks = [&](Index start, Index end, auto visit) {
    for (Index first = start; first < end; first += block) {
      const Index size = std::min(block, end - first);
      settleRows(first, size);
      visit(phi_.data() + first, first, size);
      if (first >= to.E.size()) continue;
      const double* value = to.y.data() + first;
      double* negative = to.E.data() + first;
      forPairs(size,
               [&]<class Some>(Index i) { store<Some>(-load<Some>(value + i), negative + i); });
    }
  };
  const bool sameOrder = entersLater_ == others && !scalesLater_ && order_ == lastOrder_;
  if (sameOrder && to.E.size() == others) {
    for (Index first = 0; first < others; first += block) {
      const Index size = std::min(block, others - first);
      keepHighest(first, size, E_.data() + first);
      both[index(order_ - 1)](phi_.data() + first, rows, size, E_.data() + first, &gamma_[2],
                              to.y.data() + first, to.derivative.data() + first,
                              to.E.data() + first);
    }
    entersLater_ = 0;
  } else {
    inBlocks(0, others, [&](const double* phi, Index first, Index size) {
      sums[index(order_ - 1)](phi, rows, size, &gamma_[2], to.y.data() + first,
                              to.derivative.data() + first);
    });
  }
  inBlocks(others, rows, [&](const double* phi, Index first, Index size) {
    values[index(std::min(companionOrder, order_))](phi, rows, size, to.y.data() + first);
  });
  entersLater_ = 0;
  scalesLater_ = false;
}

BdfHistory::Squares BdfHistory::completeError(VectorIn y, VectorOut E,
                                              VectorIn inverseWeights) const {
  static constexpr std::array squaresOf = {squaresOfErrors<0>, squaresOfErrors<1>,
                                           squaresOfErrors<2>};
  settle();
  const auto below = index(std::min(order_, 3) - 1);  // orders that are estimated too
  Squares squares;
  constexpr Index some = 2 * block;  // of fewer columns
  for (Index first = 0; first < y.size(); first += some) {
    const Index size = std::min(some, y.size() - first);
    const Index weighted = std::clamp<Index>(inverseWeights.size() - first, 0, size);
    E.segment(first + weighted, size - weighted) += y.segment(first + weighted, size - weighted);
    if (weighted == 0) continue;
    const double* highest = phi_.data() + order_ * phi_.rows() + first;
    const auto sums = squaresOf[below]({highest, highest - phi_.rows()}, weighted, y.data() + first,
                                       E.data() + first, inverseWeights.data() + first);
    squares.atOrder += sums[0];
    squares.below += sums[1];
    squares.twoBelow += sums[2];
  }
  return squares;
}

void BdfHistory::interpolate(double t, VectorOut y) const {
  settle();
  const double ahead = t - t_;  // <= 0 inside the step
  y = phi_.col(0);
  if (ahead == 0) return;
  double factor = 1;
  double gain = ahead / psi_[1];
  for (int j = 2; j <= std::max(lastOrder_, 1) + 1; ++j) {
    factor *= gain;
    gain = (ahead + psi_[index(j - 1)]) / psi_[index(j)];
    y += factor * phi_.col(j - 1);
  }
}

void BdfHistory::rebase(double t, Matrix& scratch) {
  // Values of the polynomial (degree k) at t, t − h, …, t − k h; for equal steps φ_{i+1} is the
  // backward difference ∇ⁱ.
  const int k = lastOrder_;
  assert(k >= 1);
  settle();
  scratch.resize(phi_.rows(), phi_.cols());
  auto values = scratch.leftCols(k + 1);
  for (int i = 0; i <= k; ++i) interpolate(t - i * lastStep_, values.col(i));
  for (int i = 1; i <= k; ++i) {
    for (int j = k; j >= i; --j) values.col(j) = values.col(j - 1) - values.col(j);
  }
  phi_.setZero();
  phi_.leftCols(k + 1) = values;
  for (int i = 1; i <= k + 1; ++i) psi_[index(i)] = i * lastStep_;
  t_ = t;
  constantSteps_ = 0;
}

void BdfHistory::shiftAcceleration(VectorIn da) {
  settle();
  const Index n = da.size();
  if (lastOrder_ == 0) {  // no past: only the derivative at the start
    phi_.col(1).segment(n, n) += psi_[1] * da;
    return;
  }
  // v(s) += da (s − t),  q(s) += da (s − t)²/2  at every stored point s, written in divided
  // differences.
  phi_.col(1).segment(n, n) += psi_[1] * da;
  phi_.col(1).head(n) -= 0.5 * psi_[1] * psi_[1] * da;
  phi_.col(2).head(n) += 0.5 * psi_[1] * psi_[2] * da;
}

void BdfHistory::shiftJerk(VectorIn dj) {
  settle();
  if (lastOrder_ == 0) return;
  const Index n = dj.size();
  const double p1 = psi_[1], p2 = psi_[2], p3 = psi_[3];
  // v(s) += dj (s − t)²/2,  q(s) += dj (s − t)³/6, written in divided differences.
  phi_.col(1).segment(n, n) -= 0.5 * p1 * p1 * dj;
  phi_.col(2).segment(n, n) += 0.5 * p1 * p2 * dj;
  phi_.col(1).head(n) += p1 * p1 * p1 / 6 * dj;
  phi_.col(2).head(n) -= p1 * p2 * (p1 + p2) / 6 * dj;
  if (lastOrder_ >= 2) phi_.col(3).head(n) += p1 * p2 * p3 / 6 * dj;
}

void BdfHistory::shiftSlope(Index first, VectorIn d) {
  settle();
  if (lastOrder_ > 0) phi_.col(1).segment(first, d.size()) += psi_[1] * d;
}

void BdfHistory::shiftValue(Index first, VectorIn d) {
  settle();
  phi_.col(0).segment(first, d.size()) += d;
}

double BdfHistory::errorCoefficient() const {
  double alpha0 = 0;
  for (int i = 1; i <= order_; ++i) alpha0 -= alpha_[index(i)];
  const double last = alpha_[index(order_ + 1)];
  return std::max(std::abs(last - harmonic[index(order_)] - alpha0), last);
}

}  // namespace trammel
