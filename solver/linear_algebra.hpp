#pragma once

namespace trammel {

enum class LinearAlgebra { automatic, dense, sparse };

}  // namespace trammel
