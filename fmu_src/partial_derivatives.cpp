#include "fmu_src/partial_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fmu_src/difference_stencil.hpp"

namespace trammel::fmi {
namespace {

constexpr double relativeStep = 1e-3;  // h⁴ of the difference formula and ε/h meet here
constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t at(const Variable& variable) { return static_cast<std::size_t>(variable.index); }

std::span<double> spanOf(Vector& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

}  // namespace

PartialDerivatives::Trial::Trial(ModelSystem& system, const OutsideValues& outside, double t,
                                 const Variable& variable)
    : system_(system), outside_(outside), variable_(variable), tried_(outside) {
  value_ = variable.quantity == Quantity::parameter ? outside.parameters[at(variable)]
                                                    : outside.inputs.at(at(variable), t);
}

PartialDerivatives::Trial::~Trial() {
  system_.setParameters(outside_.parameters);  // accepted before
  system_.setInputs(outside_.inputs.polynomials());
}

double PartialDerivatives::Trial::step(double relative) const {
  // Inputs may be tiny by rounding: their size is at least the nominal value, by default 1.
  const double least = variable_.quantity == Quantity::input ? 1.0 : 0.0;
  const double size = std::max(std::abs(value_), variable_.nominal.value_or(least));
  return relative * (size > 0 ? size : 1.0);
}

void PartialDerivatives::Trial::use(double value) {
  if (variable_.quantity == Quantity::parameter) {
    tried_.parameters[at(variable_)] = value;
    system_.setParameters(tried_.parameters);
  } else {
    const std::size_t i = at(variable_);
    tried_.inputs = outside_.inputs;
    const double shifted = value + (tried_.inputs.valueAtOrigin(i) - value_);
    tried_.inputs.setValueAtOrigin(i, shifted);
    system_.setInputs(tried_.inputs.polynomials());
  }
}

PartialDerivatives::PartialDerivatives(const CompiledModel& model, ModelSystem& system)
    : model_(model),
      system_(system),
      n_(model.coordinateCount()),
      m_(model.constraintCount()),
      outputCount_(model.outputCount()),
      accelerations_(system, model.solverOptions().linearAlgebra),
      gradients_(shapeOf(system)),
      byPosition_(outputCount_, n_),
      byVelocity_(outputCount_, n_),
      byAcceleration_(outputCount_, n_),
      byMultiplier_(outputCount_, m_),
      r_(n_),
      gamma_(m_),
      outputs_(outputCount_) {}

Report PartialDerivatives::linearise(const Motion& at, const OutsideValues& outside) {
  at_ = at;
  outside_ = &outside;
  outputsDifferentiated_ = false;
  return accelerations_.linearise(at);
}

KnownColumn PartialDerivatives::emptyColumn() const {
  return {{Vector::Zero(n_), Vector::Zero(n_), Vector::Zero(n_), Vector::Zero(m_)},
          Vector::Zero(outputCount_)};
}

Response PartialDerivatives::respond(const Perturbation& perturbation) {
  Response response;
  accelerations_.directional(perturbation, response);
  return response;
}

/// Adds weight times (−r, −(G a + γ), outputs) at q, v, a, λ: what is left of them after the
/// weights of a difference formula is the effect of what differs between its nodes.
void PartialDerivatives::accumulate(double t, double weight, KnownColumn& column) {
  system_.forceBalance(t, at_.q, at_.v, at_.a, at_.lambda, r_);
  column.motion.force -= weight * r_;
  system_.constraintAcceleration(t, at_.q, at_.v, gamma_);
  system_.massAndGradient(t, at_.q, gradients_);
  gamma_ += gradients_.G * at_.a;
  column.motion.acceleration -= weight * gamma_;
  system_.outputs(t, at_.q, at_.v, at_.a, at_.lambda, spanOf(outputs_));
  column.outputs += weight * outputs_;
}

/// A hundredth of a communication step is short against the motion and long against roundoff.
double PartialDerivatives::timeStep() const { return 1e-2 * model_.defaultExperiment().stepSize; }

KnownColumn PartialDerivatives::timeColumn() {
  KnownColumn column = emptyColumn();
  for (const StencilNode& node : DifferenceStencil(at_.t, timeStep()))
    accumulate(at_.t + node.move, node.weight, column);
  return column;
}

KnownColumn PartialDerivatives::column(const Variable& known) {
  KnownColumn column = emptyColumn();
  if (known.quantity == Quantity::position) {
    column.motion.q[known.index] = 1;
  } else if (known.quantity == Quantity::velocity) {
    column.motion.v[known.index] = 1;
  } else if (known.quantity == Quantity::time) {
    std::vector<double> held;
    for (std::size_t i = 0; i < outside_->inputs.size(); ++i)
      held.push_back(outside_->inputs.at(i, at_.t));
    system_.setInputs(held);
    column = timeColumn();
    system_.setInputs(outside_->inputs.polynomials());
  } else {
    Trial trial(system_, *outside_, at_.t, known);
    const DifferenceStencil stencil(trial.value(), trial.step(relativeStep),
                                    known.min.value_or(-infinity), known.max.value_or(infinity));
    for (const StencilNode& node : stencil) {
      trial.use(trial.value() + node.move);
      accumulate(at_.t, node.weight, column);
    }
  }
  return column;
}

/// ∂(outputs)/∂x for one of q, v, a, λ of the point, which is moved and put back.
void PartialDerivatives::outputBlock(Vector& x, Matrix& block) {
  // Accelerations and multipliers may be tiny by rounding, and outputs are smooth in them.
  const double least = &x == &at_.a || &x == &at_.lambda ? 1.0 : 0.0;
  const double size = x.size() > 0 ? std::max(x.lpNorm<Eigen::Infinity>(), least) : 0;
  const double h = relativeStep * (size > 0 ? size : 1.0);
  block.setZero();
  for (Index j = 0; j < x.size(); ++j) {
    const double there = x[j];
    for (const StencilNode& node : DifferenceStencil(there, h)) {
      x[j] = there + node.move;
      system_.outputs(at_.t, at_.q, at_.v, at_.a, at_.lambda, spanOf(outputs_));
      block.col(j) += node.weight * outputs_;
    }
    x[j] = there;
  }
}

void PartialDerivatives::differentiateOutputs() {
  if (outputsDifferentiated_) return;
  outputBlock(at_.q, byPosition_);
  outputBlock(at_.v, byVelocity_);
  outputBlock(at_.a, byAcceleration_);
  outputBlock(at_.lambda, byMultiplier_);
  outputsDifferentiated_ = true;
}

void PartialDerivatives::directional(std::span<const Variable* const> unknowns,
                                     std::span<const KnownColumn> columns,
                                     std::span<const double> seed, std::span<double> sensitivity) {
  KnownColumn sum = emptyColumn();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    sum.motion.q += seed[k] * columns[k].motion.q;
    sum.motion.v += seed[k] * columns[k].motion.v;
    sum.motion.force += seed[k] * columns[k].motion.force;
    sum.motion.acceleration += seed[k] * columns[k].motion.acceleration;
    sum.outputs += seed[k] * columns[k].outputs;
  }
  const Response response = respond(sum.motion);
  const auto output = [&](Index j) {
    differentiateOutputs();
    return sum.outputs[j] + byPosition_.row(j).dot(sum.motion.q) +
           byVelocity_.row(j).dot(sum.motion.v) + byAcceleration_.row(j).dot(response.a) +
           byMultiplier_.row(j).dot(response.lambda);
  };
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const Index j = unknowns[i]->index;
    switch (unknowns[i]->quantity) {
      case Quantity::position:
        sensitivity[i] = sum.motion.q[j];
        break;
      case Quantity::velocity:
        sensitivity[i] = sum.motion.v[j];
        break;
      case Quantity::acceleration:
        sensitivity[i] = response.a[j];
        break;
      case Quantity::multiplier:
        sensitivity[i] = response.lambda[j];
        break;
      default:
        sensitivity[i] = output(j);
    }
  }
}

void PartialDerivatives::adjoint(std::span<const Variable* const> unknowns,
                                 std::span<const KnownColumn> columns, std::span<const double> seed,
                                 std::span<double> sensitivity) {
  Vector q = Vector::Zero(n_), v = Vector::Zero(n_), y = Vector::Zero(outputCount_);
  Response weights{Vector::Zero(n_), Vector::Zero(m_)};
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const Index j = unknowns[i]->index;
    switch (unknowns[i]->quantity) {
      case Quantity::position:
        q[j] += seed[i];
        break;
      case Quantity::velocity:
        v[j] += seed[i];
        break;
      case Quantity::acceleration:
        weights.a[j] += seed[i];
        break;
      case Quantity::multiplier:
        weights.lambda[j] += seed[i];
        break;
      default:
        y[j] += seed[i];
    }
  }
  if (y.any()) {
    differentiateOutputs();
    q += byPosition_.transpose() * y;
    v += byVelocity_.transpose() * y;
    weights.a += byAcceleration_.transpose() * y;
    weights.lambda += byMultiplier_.transpose() * y;
  }
  Perturbation gradient;
  accelerations_.adjoint(weights, gradient);
  q += gradient.q;
  v += gradient.v;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Perturbation& known = columns[k].motion;
    sensitivity[k] = known.q.dot(q) + known.v.dot(v) + known.force.dot(gradient.force) +
                     known.acceleration.dot(gradient.acceleration) + columns[k].outputs.dot(y);
  }
}

}  // namespace trammel::fmi
