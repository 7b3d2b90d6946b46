#pragma once

#include "solver/types.hpp"

namespace trammel {

/// Calls visit<Some>(i) for i = 0, 2, 4, … below `count`, Some being two numbers, which fill a
/// register of every machine, and for the last one alone if `count` is odd.
template <class Visit>
void forPairs(Index count, Visit visit) {
  const Index last = count - 1;
  for (Index i = 0; i < last; i += 2) visit.template operator()<Eigen::Array2d>(i);
  if (count % 2 != 0) visit.template operator()<Eigen::Array<double, 1, 1>>(last);
}

/// A sum over such visits.
class PairSum {
 public:
  template <class Expression>
  void add(const Expression& x) {
    if constexpr (Expression::SizeAtCompileTime == 2) {
      pairs_ += x;
    } else {
      single_ += x[0];
    }
  }
  double total() const { return pairs_.sum() + single_; }

 private:
  Eigen::Array2d pairs_ = Eigen::Array2d::Zero();
  double single_ = 0;
};

template <class Some>
Some load(const double* x) {
  return Eigen::Map<const Some>(x);
}
template <class Some>
void store(const Some& value, double* x) {
  Eigen::Map<Some>{x} = value;
}

/// target −= factor source. KKT matrices have many zeros.
template <class Size>
void subtractMultiple(double factor, const double* source, double* target, Size size) {
  if (factor == 0) return;
  forPairs(size, [&]<class Some>(Index i) {
    store<Some>(load<Some>(target + i) - factor * load<Some>(source + i), target + i);
  });
}

}  // namespace trammel
