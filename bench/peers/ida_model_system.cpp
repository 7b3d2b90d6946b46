#include "bench/peers/ida_model_system.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/peers/sparse_pattern.hpp"
#include "solver/integrator.hpp"

namespace trammel::bench {

namespace {

constexpr double relativeDifference = 6e-6;  // third root of the roundoff: central differences

using Numbers = Eigen::Map<const Vector>;

void require(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error(what);
}

class ModelSystemForIda final : public IdaSystem {
 public:
  ModelSystemForIda(const CompiledModel& model, bool stabilised,
                    const std::vector<std::string>& outputs)
      : model_(model),
        system_(model_.makeSystem()),
        stabilised_(stabilised),
        n_(model_.coordinateCount()),
        m_(model_.constraintCount()),
        forward_(shapeOf(*system_)),
        backward_(forward_),
        work_(n_) {
    for (const std::string& name : outputs) outputPlaces_.push_back(placeOf(name));
  }

  std::vector<Unknown> unknowns() const override {
    std::vector<Unknown> kinds(static_cast<std::size_t>(size()), Unknown::multiplier);
    std::fill_n(kinds.begin(), n_, Unknown::position);
    std::fill_n(kinds.begin() + n_, n_, Unknown::velocity);
    return kinds;
  }

  void start(double* y, double* yp) override {
    StartValues values{0, Vector(n_), Vector(n_), {}, {}};
    values.keepPosition.resize(static_cast<std::size_t>(n_));
    values.keepVelocity.resize(static_cast<std::size_t>(n_));
    system_->startValues(values.q, values.v);
    system_->keptStart(values.keepPosition, values.keepVelocity);
    Integrator integrator(*system_, model_.solverOptions());
    Motion motion;
    require(integrator.start(values).ok && integrator.motion(0, true, motion).ok, "start values");
    std::fill_n(y, size(), 0.0);
    std::fill_n(yp, size(), 0.0);
    std::copy_n(motion.q.data(), n_, y);
    std::copy_n(motion.v.data(), n_, y + n_);
    std::copy_n(motion.v.data(), n_, yp);
    std::copy_n(motion.a.data(), n_, yp + n_);
    std::copy_n(motion.lambda.data(), m_, y + 2 * n_);
  }

  void residual(double t, const double* y, const double* yp, double* r) override {
    const Numbers q(y, n_), v(y + n_, n_), a(yp + n_, n_), lambda(y + 2 * n_, m_);
    Eigen::Map<Vector> kinematic(r, n_), balance(r + n_, n_), rate(r + 2 * n_, m_);
    kinematic = Numbers(yp, n_) - v;
    system_->forceBalance(t, q, v, a, lambda, balance);
    system_->constraintRate(t, q, v, rate);
    if (!stabilised_) return;
    const Numbers mu(y + 2 * n_ + m_, m_);
    system_->massAndGradient(t, q, forward_);
    kinematic.noalias() += forward_.G.transpose() * mu;
    system_->constraint(t, q, Eigen::Map<Vector>(r + 2 * n_ + m_, m_));
  }

  void pattern(std::vector<long>& pointers, std::vector<long>& rows) override {
    SparsePattern pattern(static_cast<std::size_t>(size()));
    assemble(1, [&](Index row, Index column, double) {
      pattern.add(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
    });
    slots_ = pattern.finish(pointers, rows);
  }

  void jacobian(double t, double cj, const double* y, const double* yp, double* values) override {
    const Numbers q(y, n_), v(y + n_, n_), a(yp + n_, n_), lambda(y + 2 * n_, m_);
    differentiateRate(t, q, v);
    system_->linearise(t, q, v, a, lambda, forward_);
    const long* slot = slots_.data();
    assemble(cj, [&](Index, Index, double value) { values[*slot++] += value; });
  }

  void outputs(const double* y, std::vector<double>& out) const override {
    for (const Index place : outputPlaces_) out.push_back(y[place]);
  }

 private:
  Index size() const { return 2 * n_ + (stabilised_ ? 2 : 1) * m_; }

  Index placeOf(const std::string& name) const {
    const Variable* variable = model_.variables().find(name);
    const bool position = variable != nullptr && variable->quantity == Quantity::position;
    const bool velocity = variable != nullptr && variable->quantity == Quantity::velocity;
    require(position || velocity, "output \"" + name + "\" must be a coordinate or a velocity");
    return variable->index + (velocity ? n_ : 0);
  }

  /// Second derivatives of g commute, so ∂(G v + ∂g/∂t)/∂q is dG/dt along the motion: central
  /// differences, into backward_.G.
  void differentiateRate(double t, const Numbers& q, const Numbers& v) {
    const double speed = (v.array().abs() / (q.array().abs() + 1)).maxCoeff();
    const double step = relativeDifference / std::max(speed, 1.0);
    work_ = q + step * v;
    system_->massAndGradient(t + step, work_, forward_);
    work_ = q - step * v;
    system_->massAndGradient(t - step, work_, backward_);
    const double* ahead = forward_.G.valuePtr();
    double* behind = backward_.G.valuePtr();
    for (Index i = 0; i < forward_.G.nonZeros(); ++i)
      behind[i] = (ahead[i] - behind[i]) / (2 * step);
  }

  template <class Visit>
  static void forEach(const SparseMatrix& matrix, const Visit& visit) {
    for (Index column = 0; column < matrix.outerSize(); ++column)
      for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry)
        visit(entry.row(), column, entry.value());
  }

  template <class Add>
  void assemble(double cj, const Add& add) const {
    for (Index i = 0; i < n_; ++i) {
      add(i, i, cj);
      add(i, n_ + i, -1.0);
    }
    forEach(forward_.K, [&](Index i, Index j, double x) { add(n_ + i, j, x); });
    forEach(forward_.M, [&](Index i, Index j, double x) { add(n_ + i, n_ + j, cj * x); });
    forEach(forward_.C, [&](Index i, Index j, double x) { add(n_ + i, n_ + j, x); });
    forEach(backward_.G, [&](Index k, Index j, double x) { add(2 * n_ + k, j, x); });
    forEach(forward_.G, [&](Index k, Index j, double x) {
      add(2 * n_ + k, n_ + j, x);
      add(n_ + j, 2 * n_ + k, x);
      if (!stabilised_) return;
      add(2 * n_ + m_ + k, j, x);
      add(j, 2 * n_ + m_ + k, x);
    });
  }

  const CompiledModel& model_;
  std::unique_ptr<ModelSystem> system_;
  bool stabilised_;
  Index n_, m_;
  Linearisation forward_;   // the linearisation, before it G a little later
  Linearisation backward_;  // of G only: a little earlier, then its rate
  Vector work_;
  std::vector<Index> outputPlaces_;
  std::vector<long> slots_;
};

}  // namespace

std::unique_ptr<IdaSystem> makeIdaModelSystem(const CompiledModel& model, bool stabilised,
                                              const std::vector<std::string>& outputs) {
  return std::make_unique<ModelSystemForIda>(model, stabilised, outputs);
}

}  // namespace trammel::bench
