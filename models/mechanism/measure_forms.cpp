#include <algorithm>

#include "models/mechanism/measures.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// ω of a body with coordinates x and rates v.
Triple<double> omegaOf(const SpinPlan& spin, const double* x, const double* v) {
  if (spin.kind == VectorKind::planarAxis) return {0.0, 0.0, v[spin.coordinate + 2]};
  if (spin.kind != VectorKind::rigidAxis) return {};
  return angularVelocity(x + spin.coordinate + 3, v + spin.coordinate + 3);
}

/// W += factor (∂ω/∂x')ᵀ n.
void addSpinRow(const SpinPlan& spin, const double* x, const Triple<double>& n, double factor,
                double* W) {
  if (spin.kind == VectorKind::planarAxis) W[2] += factor * n.z;
  if (spin.kind == VectorKind::rigidAxis) addSpin(x + spin.coordinate + 3, n, factor, W + 3);
}

}  // namespace

/// n·(velocity of P_b) or n·(ω_b − ω_a).
void Measures::rateForms(const BodyMotion& motion, const BodyMotion& along, double* rate) const {
  for (const FormPlan& form : plans_.forms) {
    const Triple<double>& n = x_[at(form.normal)];
    rate[form.channel] =
        form.place >= 0
            ? dot(n, rate_[at(form.place)])
            : dot(n, omegaOf(form.b, motion.x, along.x) - omegaOf(form.a, motion.x, along.x));
  }
}

void Measures::formRows(const BodyMotion& motion, double* W) const {
  for (const FormPlan& form : plans_.forms) {
    const Triple<double>& n = x_[at(form.normal)];
    double local[kernelWidth] = {};
    double* ofB = local + program_.blocks[at(form.block)].kernel.firstB;
    if (form.place >= 0) {
      addPlaced(form.place, n, ofB);
      addTurned(form.place, motion, n, ofB);
    } else {
      addSpinRow(form.b, motion.x, n, 1, ofB);
      addSpinRow(form.a, motion.x, n, -1, local);
    }
    store(form.channel, local, W);
  }
}

/// With u the velocity or angular velocity along n: ∂(n·u)/∂x = (∂n/∂x)ᵀ u + (∂u/∂x)ᵀ n, where
/// ∂ω/∂p = −N(p').
void Measures::formRowRates(const BodyMotion& motion, const double* v, double* R) const {
  for (const FormPlan& form : plans_.forms) {
    const BlockProgram& block = program_.blocks[at(form.block)];
    if (!block.rateGradientUsed) continue;
    const Triple<double>& n = x_[at(form.normal)];
    double local[kernelWidth] = {};
    double* ofB = local + block.kernel.firstB;
    if (form.place >= 0) {
      addTurned(form.normal, motion, rateOf(form.place, motion, v), local);
      addTurnedRate(form.place, motion, v, n, ofB);
    } else {
      addTurned(form.normal, motion, omegaOf(form.b, motion.x, v) - omegaOf(form.a, motion.x, v),
                local);
      if (form.b.kind == VectorKind::rigidAxis) addSpinRow(form.b, v, n, -1, ofB);
      if (form.a.kind == VectorKind::rigidAxis) addSpinRow(form.a, v, n, 1, local);
    }
    store(form.channel, local, R);
  }
}

/// ∂ω/∂x'.
Measures::Columns Measures::columnsOf(const SpinPlan& spin, const BodyMotion& motion) const {
  Columns columns;
  if (spin.kind == VectorKind::fixed) return columns;
  const bool planar = spin.kind == VectorKind::planarAxis;
  columns.first = planar ? 2 : 3;
  columns.end = planar ? 3 : 7;
  if (planar) columns.column[2].z = 1;
  for (std::size_t i = 3; i < columns.end; ++i) {
    double unit[4] = {};
    unit[i - 3] = 1;
    columns.column[i] =
        angularVelocity(motion.x + spin.coordinate + 3, static_cast<const double*>(unit));
  }
  return columns;
}

/// The derivatives of forms by the axis that they are measured along.
void Measures::addFormPairs(const BodyMotion& motion, const double* load, double* K) const {
  for (const FormPlan& form : plans_.forms) {
    const BlockProgram& block = program_.blocks[at(form.block)];
    const double mu = load[form.channel];
    if (block.scatterCount == 0 || mu == 0 ||
        plans_.vectors[at(form.normal)].kind == VectorKind::fixed)
      continue;
    const std::size_t b = block.kernel.firstB, width = block.kernel.width;
    LocalMatrix D;
    for (std::size_t i = 0; i < width; ++i) std::fill_n(D[i], width, 0.0);
    const Columns n = columnsOf(form.normal, motion);
    if (form.place >= 0) {
      columnsOf(form.place, motion).addOneWay(b, n, 0, mu, D);
    } else {
      columnsOf(form.b, motion).addOneWay(b, n, 0, mu, D);
      columnsOf(form.a, motion).addOneWay(0, n, 0, -mu, D);
    }
    scatter(block, D, K);
  }
}

}  // namespace trammel
