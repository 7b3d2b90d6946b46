#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace trammel {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<double>;  // column-major, 32-bit indices

using VectorIn =
    Eigen::Ref<const Vector>;          // read-only view; pass contiguous storage, no copy is made
using VectorOut = Eigen::Ref<Vector>;  // writable view

}  // namespace trammel
