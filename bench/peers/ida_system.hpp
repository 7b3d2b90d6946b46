#pragma once

#include <vector>

namespace trammel::bench {

enum class Unknown { position, velocity, multiplier };

/// A constrained mechanism as a DAE F(t, y, y') = 0 for IDA, stabilised after Gear, Gupta and
/// Leimkuhler,
///   0 = q' − v + Gᵀμ,   0 = M v' − f + Gᵀλ,   0 = G v + g_t,   0 = g,
/// or of index 2, the same without μ and g.
class IdaSystem {
 public:
  virtual ~IdaSystem() = default;

  virtual std::vector<Unknown> unknowns() const = 0;
  /// Consistent y and y' at t = 0.
  virtual void start(double* y, double* yp) = 0;
  virtual void residual(double t, const double* y, const double* yp, double* r) = 0;

  /// Pattern of the Jacobian by columns; empty pointers: the matrix is dense.
  virtual void pattern(std::vector<long>& pointers, std::vector<long>& rows) = 0;
  /// ∂F/∂y + cj ∂F/∂y' into values that are zero: in the order of the pattern, or dense by columns.
  virtual void jacobian(double t, double cj, const double* y, const double* yp, double* values) = 0;

  virtual void outputs(const double* y, std::vector<double>& out) const = 0;
};

}  // namespace trammel::bench
