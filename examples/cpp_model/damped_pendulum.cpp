#include <cmath>

#include "models/coded_system.hpp"

using trammel::CodedValues;
using trammel::Matrix;
using trammel::VectorIn;
using trammel::VectorOut;

namespace {

/// m a = (F, -m g) - c |v| v - Gᵀ λ,   g = (x² + y² - L²)/2.
class DampedPendulum final : public trammel::CodedModel {
 public:
  void mass(const CodedValues& values, VectorIn /*q*/, Matrix& M) override {
    M.diagonal().setConstant(values.parameters[m]);
  }

  void force(const CodedValues& values, double /*t*/, VectorIn /*q*/, VectorIn v,
             VectorOut f) override {
    const auto& p = values.parameters;
    f = -p[c] * v.norm() * v;
    f[0] += values.inputs[0];
    f[1] -= p[m] * p[g];
  }

  void constraint(const CodedValues& values, double /*t*/, VectorIn q,
                  VectorOut residual) override {
    const double length = values.parameters[L];
    residual[0] = (q.squaredNorm() - length * length) / 2;
  }

  void outputs(const CodedValues& values, double /*t*/, VectorIn q, VectorIn v, VectorIn /*a*/,
               VectorIn /*lambda*/, std::span<double> y) override {
    const auto& p = values.parameters;
    y[0] = p[m] * v.squaredNorm() / 2 + p[m] * p[g] * q[1];
    y[1] = -p[c] * std::pow(v.norm(), 3);
  }

 private:
  enum Parameter { m, L, g, c };  // the order of damped_pendulum.toml
};

}  // namespace

trammel::SystemFactory trammel::codedSystem() { return codedBy<DampedPendulum>(); }
