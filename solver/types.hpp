#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace trammel {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<double>;  // column-major, 32-bit indices

/// Whether the numbers of an Eigen expression lie in memory one after the other.
template <class Derived>
constexpr bool isContiguous = [] {
  if constexpr ((Derived::Flags & Eigen::DirectAccessBit) != 0)
    return Derived::IsVectorAtCompileTime && Derived::InnerStrideAtCompileTime == 1;
  return false;
}();

/// Read-only view of numbers that lie one after the other, for arguments. An expression is
/// evaluated into a temporary, which lives until the call returns. Eigen::Ref<const Vector> does
/// the same with a vector of its own, which is built and freed at every call, used or not.
class VectorIn : public Eigen::Map<const Vector> {
 public:
  template <class Derived>
  requires(isContiguous<Derived>)
      VectorIn(const Eigen::MatrixBase<Derived>& x)  // NOLINT(google-explicit-constructor)
      : Eigen::Map<const Vector>(x.derived().data(), x.size()) {}
  template <class Derived>
  requires(!isContiguous<Derived>)
      VectorIn(const Eigen::MatrixBase<Derived>& x,  // NOLINT(google-explicit-constructor)
               Vector&& value = Vector())
      : VectorIn(value = x) {}
};
using VectorOut = Eigen::Ref<Vector>;  // writable view

}  // namespace trammel
