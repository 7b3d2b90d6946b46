#include <cmath>
#include <limits>

#include "coupling/master_implementation.hpp"

namespace trammel::coupling {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Largest components of the motions of all ports.
struct Extent {
  double r = 0, v = 0, a = 0;

  explicit Extent(const Motions& motions) {
    for (const auto& ports : motions) {
      for (const PortMotion& m : ports) {
        r = std::max(r, m.r.lpNorm<Eigen::Infinity>());
        v = std::max(v, m.v.lpNorm<Eigen::Infinity>());
        a = std::max(a, m.a.lpNorm<Eigen::Infinity>());
      }
    }
  }
};

}  // namespace

bool Master::Implementation::trial(const SchemeStep& step, const Vector& x, Vector& R) {
  if (!isFirstTrial && !restoreAll()) return false;
  isFirstTrial = false;
  tried = x;
  if (!stepAll(step, x)) return false;
  joints.evaluate(last.motions, last.interface);
  const Index n = unknownsOfJoints(step.scheme);
  R.resize(x.size());
  if (n > 0) R.head(n) = step.residual(last.interface.g, last.interface.gv, last.interface.ga);
  if (x.size() > n) R.tail(x.size() - n) = connectedValues(last.outputs) - x.tail(x.size() - n);
  return true;
}

bool Master::Implementation::stepAll(const SchemeStep& step, const Vector& x) {
  const Index n = unknownsOfJoints(step.scheme);
  const Matrix C = step.coefficients(x.head(n), memory);
  ForcePolynomial first, second;
  const bool inHalves = step.scheme == Scheme::pc2;
  if (inHalves) {
    first.setZero(joints.forceSize());
    second.setZero(joints.forceSize());
    first.value = stepForces->halfStepMean(C.col(0), 0);
    second.value = stepForces->halfStepMean(C.col(1), 1);
  } else {
    first = step.scheme == Scheme::b2 && allFollowParabolas ? stepForces->parabola(C)
                                                            : stepForces->line(C);
  }
  const Vector next = x.tail(x.size() - n);
  last.wantsToEnd = false;
  last.subsystem = -1;
  last.atEvent.clear();
  const double end = t + step.H;
  for (std::size_t k = 0; k < system.subsystems.size(); ++k) {
    const double H = inHalves ? step.H / 2 : step.H;
    const auto set = [&](const InputSpan& span) {
      return carriedOut(k, [&] { setInputsOf(k, next, span); });
    };
    if (!set({0, inHalves ? 0.5 : 1, step.H}) || !stepOne(k, first, t, H, end)) return false;
    if (!inHalves) continue;
    if (!set({0.5, 1, step.H}) || !stepOne(k, second, t + H, H, end)) return false;
  }
  return true;
}

/// A step, or part of one that ends at `end`, of one subsystem.
bool Master::Implementation::stepOne(std::size_t k, const ForcePolynomial& all, double from,
                                     double H, double end) {
  Subsystem& subsystem = *system.subsystems[k];
  const Index offset = joints.forceOffset(k), size = subsystem.forceSize();
  SubsystemStep answer;
  const bool hasAnswered = carriedOut(k, [&] {
    subsystem.setForces({all.value.segment(offset, size), all.first.segment(offset, size),
                         all.second.segment(offset, size)});
    answer = subsystem.step(from, H);
  });
  if (!hasAnswered) return false;
  if (answer.outcome != StepOutcome::done || answer.wantsToEnd) {
    last.subsystem = static_cast<int>(k);
    last.step = answer;
    last.wantsToEnd = answer.wantsToEnd;
  }
  if (answer.outcome != StepOutcome::done) return false;
  if (answer.event) {
    const double rounding = eventRounding() + 16 * epsilon * std::abs(end);
    last.subsystem = static_cast<int>(k);
    last.step = answer;
    if (answer.reachedTime < end - rounding) return false;
    last.atEvent.push_back(k);
    last.subsystem = answer.wantsToEnd ? last.subsystem : -1;
  }
  const bool isRead = carriedOut(k, [&] {
    subsystem.readMotion(last.motions[k]);
    subsystem.readOutputs(last.outputs[k]);
  });
  if (!isRead) return false;
  bool finite = last.outputs[k].allFinite();
  for (const PortMotion& motion : last.motions[k]) finite = finite && motion.isFinite();
  if (!finite) {
    last.subsystem = static_cast<int>(k);
    last.step = {.outcome = StepOutcome::failed,
                 .reachedTime = from,
                 .message = "an output is not a finite number"};
  }
  return finite;
}

void Master::Implementation::setInputsOf(std::size_t k, const Vector& next, const InputSpan& span) {
  Subsystem& subsystem = *system.subsystems[k];
  const auto size = std::ssize(subsystem.inputs());
  if (size == 0) return;
  Vector value = Vector::Zero(size), first = value;
  const bool followsLine = subsystem.capabilities().inputOrder >= 1;
  for (std::size_t i = 0; i < system.connections.size(); ++i) {
    const Connection& c = system.connections[i];
    if (c.to != static_cast<int>(k)) continue;
    const double now = u[static_cast<Index>(i)];
    if (connectionMode == ConnectionMode::jacobi) {
      value[c.input] = now;
    } else if (connectionMode == ConnectionMode::gaussSeidel) {
      const bool isDone = c.from < c.to;
      value[c.input] =
          isDone ? c.factor * last.outputs[static_cast<std::size_t>(c.from)][c.output] + c.offset
                 : now;
    } else {
      const double then = next[static_cast<Index>(i)];
      value[c.input] = followsLine ? now + (then - now) * span.begin : then;
      first[c.input] = followsLine ? (then - now) / span.H : 0;
    }
  }
  subsystem.setInputs(value, first);
}

Vector Master::Implementation::connectedValues(const std::vector<Vector>& from) const {
  Vector values(std::ssize(system.connections));
  for (Index i = 0; i < values.size(); ++i) {
    const Connection& c = system.connections[static_cast<std::size_t>(i)];
    values[i] = c.factor * from[static_cast<std::size_t>(c.from)][c.output] + c.offset;
  }
  return values;
}

void Master::Implementation::takeMobilities() {
  for (std::size_t k = 0; k < W.size(); ++k) {
    if (system.subsystems[k]->forceSize() > 0) system.subsystems[k]->mobility(W[k]);
  }
}

void Master::Implementation::renewInterface(const InterfaceValues& values) {
  const Index m = joints.rowCount();
  if (m == 0) return;
  takeMobilities();
  S = interfaceMatrix(values.terms, W, m);
  solver.factor(S);
  smallestMobility = solver.smallestMobility();
  scalarEstimate = 0.3 / S.diagonal().maxCoeff();
  const auto factorSide = [&](InterfacePart part, InterfaceSolver& side) {
    side.factor(interfaceMatrix(values.terms, W, m, part));
  };
  const Preconditioner p = options.preconditioner;
  if (p == Preconditioner::sideA || p == Preconditioner::weighted) {
    factorSide(InterfacePart::sideA, sideA);
  }
  if (p == Preconditioner::sideB || p == Preconditioner::weighted) {
    factorSide(InterfacePart::sideB, sideB);
  }
}

/// λ ← S⁺ S λ: where rows depend on each other, the part that does nothing is taken out before it
/// grows.
void Master::Implementation::removeIdlePart(VectorOut lambda) const {
  if (!solver.isRankDeficient()) return;
  const Vector r = S * lambda;
  solver.solve(r, lambda);
}

/// One block of rows of R: P r with the side or sides that the preconditioner looks at.
void Master::Implementation::solveRows(Preconditioner p, VectorIn r, VectorOut e) const {
  switch (p) {
    case Preconditioner::mobility:
      return solver.solve(r, e);
    case Preconditioner::sideA:
      return sideA.solve(r, e);
    case Preconditioner::sideB:
      return sideB.solve(r, e);
    case Preconditioner::scalar:
      e = scalarEstimate * r;
      return;
    case Preconditioner::weighted: {
      Vector other(r.size());
      sideA.solve(r, other);
      sideB.solve(r, e);
      e = options.splitWeight * e + (1 - options.splitWeight) * other;
    }
  }
}

/// e = (T⁻¹ ⊗ S⁺) R for the multipliers; connected inputs take the outputs as they are.
void Master::Implementation::precondition(const SchemeStep& step, Preconditioner p, const Vector& R,
                                          Vector& e) const {
  const Index m = joints.rowCount(), blocks = blockCount(step.scheme), n = blocks * m;
  e = R;
  if (n == 0) return;
  Matrix Y(m, blocks);
  Vector y(m);
  for (Index b = 0; b < blocks; ++b) {
    solveRows(p, R.segment(b * m, m), y);
    Y.col(b) = y;
  }
  if (p == Preconditioner::scalar) {
    e.head(n) = Y.reshaped();
    return;
  }
  const Matrix inverse = step.stepFactor(memory.lastStep).inverse();
  for (Index b = 0; b < blocks; ++b) e.segment(b * m, m) = Y * inverse.row(b).transpose();
}

/// rtol max(|λ|, λ_ref) + 10 ν of each row, |λ| over the rows of one joint and unit.
Vector Master::Implementation::toleratedErrors(const SchemeStep& step, VectorIn c) const {
  const Index m = joints.rowCount();
  const Vector lambda = step.endValue(c);
  Vector scale = Vector::Constant(joints.groupCount(), options.nominalMultiplier);
  if (options.nominalMultiplier <= 0) {
    scale.setConstant(1e-3 * std::max(largestMultiplier, 1e-3));
  }
  for (Index j = 0; j < m; ++j) {
    double& s = scale[joints.groupOfRow(j)];
    s = std::max(s, std::abs(lambda[j]));
  }
  Vector tolerated = Vector::Constant(m, 10 * noiseFloor(step));
  for (Index j = 0; j < m; ++j) {
    tolerated[j] += options.relativeTolerance * scale[joints.groupOfRow(j)];
  }
  return tolerated;
}

/// max over rows of |e_j| in units of what is tolerated. For PV1 e is the error of λ at the
/// beginning and at the end of the step.
double Master::Implementation::error(const SchemeStep& step, const Vector& x,
                                     const Vector& e) const {
  const Index m = joints.rowCount(), blocks = blockCount(step.scheme), n = blocks * m;
  double worst = 0;
  if (m > 0) {
    const Vector tolerated = toleratedErrors(step, x.head(n));
    const bool isLine = step.scheme == Scheme::pv1;
    for (Index j = 0; j < n; ++j) {
      const double atEnd = isLine && j >= m ? e[j - m] : 0;
      worst = std::max(worst, std::abs(atEnd + e[j]) / tolerated[j % m]);
    }
  }
  for (Index i = n; i < e.size(); ++i) {
    const double scale = std::max({std::abs(x[i]), 1e-3 * largestInput, 1e-9});
    worst = std::max(worst, std::abs(e[i]) / (options.relativeTolerance * scale));
  }
  return e.allFinite() ? worst : std::numeric_limits<double>::infinity();
}

/// ν, the multiplier that answers to what subsystems do not repeat and to round-off.
double Master::Implementation::noiseFloor(const SchemeStep& step) const {
  double noiseR = 0, noiseV = 0;
  for (const PortNoise& n : noise) {
    noiseR = std::max(noiseR, n.r);
    noiseV = std::max(noiseV, n.v);
  }
  const Extent extent(last.motions);
  const double H = step.H, a = step.gain;
  if (blockCount(step.scheme) == 2) {
    return 9 * (epsilon * extent.r + noiseR) / (H * H * smallestMobility);
  }
  const double ofNoise = (100 + 2 * a) * noiseV + a * a * noiseR;
  const double ofRounding = 10 * epsilon * (extent.a + 2 * a * extent.v + a * a * extent.r);
  return (ofNoise + ofRounding) / smallestMobility;
}

}  // namespace trammel::coupling
