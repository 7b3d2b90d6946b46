#include <Eigen/Dense>
#include <cmath>
#include <sstream>

#include "coupling/master_implementation.hpp"

namespace trammel::coupling {
namespace {

constexpr Index spectrumLimit = 300;  // rows up to which eigenvalues are worth their time

bool isDone(const SubsystemStep& step) { return step.outcome == StepOutcome::done && !step.event; }

std::pair<double, double> extremeEigenvalues(const Matrix& S) {
  if (S.rows() == 0) return {0, 0};
  const Vector values =
      Eigen::SelfAdjointEigenSolver<Matrix>((S + S.transpose()) / 2, Eigen::EigenvaluesOnly)
          .eigenvalues();
  return {values.minCoeff(), values.maxCoeff()};
}

}  // namespace

void Master::Implementation::enterInitialization(double startTime, std::optional<double> stopTime) {
  t = startTime;
  for (const auto& subsystem : system.subsystems) subsystem->enterInitialization(t, stopTime);
}

void Master::Implementation::exitInitialization(double H) {
  certificate = {};
  noise.clear();
  checkGaps(H);
  for (const auto& subsystem : system.subsystems) subsystem->exitInitialization();
  for (const auto& subsystem : system.subsystems) noise.push_back(subsystem->noise());
  if (allRollBack) {
    for (const auto& subsystem : system.subsystems) subsystem->save();
    probeMobilities(H, Probe::unknown);
    if (options.estimateNoise && joints.rowCount() > 0) estimateNoise(H);
  }
  for (std::size_t k = 0; k < W.size(); ++k) {
    const Index size = system.subsystems[k]->forceSize();
    if (size == 0 || W[k].size() > 0) continue;
    if (options.massEstimate <= 0) {
      throw CouplingError("subsystem \"" + system.subsystems[k]->name() +
                          "\" has neither accelerations nor rollback: a mass estimate is needed");
    }
    W[k] = Matrix::Identity(size, size) / options.massEstimate;
    certificate.warnings.push_back("the mobility of \"" + system.subsystems[k]->name() +
                                   "\" is taken from the mass estimate; keep the step small");
  }
  joints.evaluate(motions, last.interface);
  renewInterface(last.interface);
  chooseScheme(H);
  checkStepControl();
  certify();
}

void Master::Implementation::readAll(Motions& to, std::vector<Vector>& outputsTo) {
  for (std::size_t k = 0; k < system.subsystems.size(); ++k) {
    system.subsystems[k]->readMotion(to[k]);
    system.subsystems[k]->readOutputs(outputsTo[k]);
  }
}

/// W e_j = a(F = e_j) − a(F = 0): during initialization this needs no step.
void Master::Implementation::probeAtStart(std::size_t k) {
  Subsystem& subsystem = *system.subsystems[k];
  const SubsystemCapabilities can = subsystem.capabilities();
  const Index size = subsystem.forceSize();
  if (size == 0 || can.mobility || !can.acceleration) return;
  const auto accelerations = [&](const ForcePolynomial& F, VectorOut a) {
    subsystem.setForces(F);
    subsystem.readMotion(last.motions[k]);
    Index offset = 0;
    for (std::size_t p = 0; p < last.motions[k].size(); ++p) {
      const Index n = portSize(subsystem.ports()[p].kind);
      a.segment(offset, std::min<Index>(n, 3)) = last.motions[k][p].a.head(std::min<Index>(n, 3));
      if (n == 6) a.segment(offset + 3, 3) = last.motions[k][p].z;
      offset += n;
    }
  };
  ForcePolynomial F;
  F.setZero(size);
  Vector a0(size), a1(size);
  accelerations(F, a0);
  W[k].resize(size, size);
  for (Index j = 0; j < size; ++j) {
    F.value[j] = 1;
    accelerations(F, a1);
    W[k].col(j) = a1 - a0;
    F.value[j] = 0;
  }
  subsystem.setForces(F);
}

/// During initialization values may be set and read in turn: λ with g'' = 0 and inputs equal to the
/// outputs they are connected to, found together.
void Master::Implementation::findConsistentStart() {
  const Index m = allAccelerate ? joints.rowCount() : 0;
  for (std::size_t k = 0; k < W.size(); ++k) probeAtStart(k);
  readAll(last.motions, last.outputs);
  u = connectedValues(last.outputs);
  joints.evaluate(last.motions, last.interface);
  Vector x(m + u.size());
  x << Vector::Zero(m), u;
  IterationProblem problem;
  problem.residual = [&](const Vector& trial, Vector& R) {
    memory.last.head(m) = trial.head(m);
    const Vector F = joints.forces(last.interface, memory.last);
    for (std::size_t k = 0; k < system.subsystems.size(); ++k) {
      Subsystem& subsystem = *system.subsystems[k];
      ForcePolynomial polynomial;
      polynomial.setZero(subsystem.forceSize());
      polynomial.value = F.segment(joints.forceOffset(k), subsystem.forceSize());
      subsystem.setForces(polynomial);
      u = trial.tail(u.size());
      setInputsOf(k, u, {0, 1, 1});
    }
    readAll(last.motions, last.outputs);
    joints.evaluate(last.motions, last.interface);
    R.resize(x.size());
    R << last.interface.ga.head(m), connectedValues(last.outputs) - trial.tail(u.size());
    return true;
  };
  problem.renew = [&] {
    if (m > 0) renewInterface(last.interface);
  };
  problem.precondition = [&](const Vector& R, Vector& e) {
    e = R;
    if (m > 0) solver.solve(R.head(m), e.head(m));
  };
  problem.error = [](const Vector& trial, const Vector& e) {
    if (e.size() == 0) return 0.0;
    return e.lpNorm<Eigen::Infinity>() / (1e-9 * std::max(trial.lpNorm<Eigen::Infinity>(), 1e-3));
  };
  IterationOptions iterationOptions;
  iterationOptions.maxEvaluations = 40;
  iterationOptions.divergence = 1e12;
  const IterationReport report = MultiplierIteration(iterationOptions).solve(problem, x);
  if (!report.converged()) {
    throw CouplingError(std::string("initialization: consistent multipliers and inputs: ") +
                        coupling::text(report.end));
  }
  memory.restart(Vector(memory.last));
  sentAtEnd = memory.last;
  uBefore = u;
  uStep = 0;
  uLargest = u.cwiseAbs();
  motions = last.motions;
  outputs = last.outputs;
  if (m > 0) largestMultiplier = memory.last.lpNorm<Eigen::Infinity>();
}

void Master::Implementation::checkGaps(double H) const {
  for (Index row = 0; row < joints.rowCount(); ++row) {
    const double g = last.interface.g[row], gv = last.interface.gv[row];
    const double rateTolerance = options.gapTolerance / H;
    if (std::abs(g) <= options.gapTolerance && std::abs(gv) <= rateTolerance) continue;
    const std::size_t j = joints.jointOfRow(row);
    std::ostringstream out;
    out << "joint \"" << joints.joints()[j].name << "\" is open at the start: row "
        << row - joints.rowOffset(j) + 1 << " has gap " << g << ", at most " << options.gapTolerance
        << " allowed, and rate " << gv << ", at most " << rateTolerance << " allowed";
    throw CouplingError(out.str());
  }
}

void Master::Implementation::probeMobilities(double H, Probe probe) {
  for (std::size_t k = 0; k < W.size(); ++k) {
    const Subsystem& subsystem = *system.subsystems[k];
    if (subsystem.forceSize() == 0 || subsystem.capabilities().mobility) continue;
    if (probe == Probe::stale || W[k].size() == 0) probeMobility(k, H);
  }
  mobilityIsStale = false;
}

/// W e_j ≈ (v(F + δ e_j) − v(F)) / (H δ) by steps from the saved state, which is restored.
void Master::Implementation::probeMobility(std::size_t k, double H) {
  Subsystem& subsystem = *system.subsystems[k];
  const Index size = subsystem.forceSize();
  const double delta = std::max(1.0, 1e-3 * largestMultiplier);
  InterfaceValues now;
  joints.evaluate(motions, now);
  ForcePolynomial forces;
  forces.setZero(size);
  forces.value = joints.forces(now, memory.last).segment(joints.forceOffset(k), size);
  std::vector<PortMotion> moved(subsystem.ports().size());
  const auto velocities = [&](const ForcePolynomial& F, Vector& v) {
    subsystem.setForces(F);
    setInputsOf(k, u, {0, 1, H});
    const bool done = isDone(subsystem.step(t, H));
    if (done) subsystem.readMotion(moved);
    subsystem.restore();
    v.resize(size);
    Index offset = 0;
    for (std::size_t p = 0; p < moved.size(); ++p) {
      const Index n = portSize(subsystem.ports()[p].kind);
      v.segment(offset, std::min<Index>(n, 3)) = moved[p].v.head(std::min<Index>(n, 3));
      if (n == 6) v.segment(offset + 3, 3) = moved[p].w;
      offset += n;
    }
    return done;
  };
  Vector v0, v1;
  if (!velocities(forces, v0)) return;
  Matrix probed(size, size);
  for (Index j = 0; j < size; ++j) {
    ForcePolynomial changed = forces;
    changed.value[j] += delta;
    if (!velocities(changed, v1)) return;
    probed.col(j) = (v1 - v0) / (H * delta);
  }
  W[k] = probed;
}

/// How far a step differs when its force differs by what cannot matter.
void Master::Implementation::estimateNoise(double H) {
  InterfaceValues now;
  joints.evaluate(motions, now);
  const Vector F = joints.forces(now, memory.last);
  for (std::size_t k = 0; k < system.subsystems.size(); ++k) {
    Subsystem& subsystem = *system.subsystems[k];
    const Index size = subsystem.forceSize();
    if (size == 0 || noise[k].r > 0 || noise[k].v > 0) continue;
    std::vector<PortMotion> once(subsystem.ports().size()), again = once;
    ForcePolynomial forces;
    forces.setZero(size);
    bool done = true;
    for (int pass = 0; pass < 2; ++pass) {
      // Both differ from the force at the start: an integrator may treat a jump as an event.
      forces.value = (1.001 + pass * 1e-15) * F.segment(joints.forceOffset(k), size);
      subsystem.setForces(forces);
      setInputsOf(k, u, {0, 1, H});
      done = done && isDone(subsystem.step(t, H));
      if (done) subsystem.readMotion(pass == 0 ? once : again);
      subsystem.restore();
    }
    for (std::size_t p = 0; done && p < once.size(); ++p) {
      const double r = (once[p].r - again[p].r).lpNorm<Eigen::Infinity>();
      const double v = (once[p].v - again[p].v).lpNorm<Eigen::Infinity>();
      // Below this it is rounding, which the tolerance counts with anyway.
      if (r > 1e-13 * (once[p].r.norm() + H * once[p].v.norm()))
        noise[k].r = std::max(noise[k].r, r);
      if (v > 1e-13 * (once[p].v.norm() + H * once[p].a.norm()))
        noise[k].v = std::max(noise[k].v, v);
    }
  }
}

double Master::Implementation::largestNoise() const {
  double largest = 0;
  for (const PortNoise& n : noise) largest = std::max(largest, n.r);
  return largest;
}

void Master::Implementation::chooseScheme(double H) {
  int order = 2;
  bool derivatives = true;
  for (const auto& subsystem : system.subsystems) {
    if (subsystem->forceSize() == 0) continue;
    order = std::min(order, subsystem->capabilities().forceOrder);
    derivatives = derivatives && subsystem->capabilities().mobility;
  }
  const double tolerated = options.relativeTolerance * std::max(largestMultiplier, 1e-3);
  const bool noisy = 10 * largestNoise() / (H * H * smallestMobility) > tolerated;
  Certificate& c = certificate;
  if (!allRollBack) {
    scheme = order >= 1 && allAccelerate ? Scheme::explicitLine : Scheme::explicitHold;
    c.reason = "not all subsystems can be rolled back";
    if (!allAccelerate) c.warnings.push_back("penalty coupling without accelerations");
  } else if (order == 0) {
    scheme = Scheme::pc2;
    c.reason = "not all subsystems take forces that vary within a step";
  } else if (noisy && allAccelerate) {
    scheme = Scheme::b2;
    c.reason = "repeated steps differ by more than position and velocity level bear";
  } else {
    scheme = Scheme::pv1;
    c.reason = "rollback and polynomial forces everywhere";
  }
  if (options.scheme) {
    const bool needsRollback = isIterated(*options.scheme);
    const bool needsAcceleration = *options.scheme == Scheme::b2 || *options.scheme == Scheme::a1;
    if (needsRollback && !allRollBack && joints.rowCount() > 0) {
      throw CouplingError(std::string("scheme ") + coupling::text(*options.scheme) +
                          " needs rollback, which not all subsystems offer");
    }
    if (needsAcceleration && !allAccelerate) {
      throw CouplingError(std::string("scheme ") + coupling::text(*options.scheme) +
                          " needs accelerations, which not all ports have");
    }
    scheme = *options.scheme;
    c.reason = "as asked";
  }
  c.scheme = scheme;
  const bool twoLevels = blockCount(scheme) == 2;
  c.expectedLow = isIterated(scheme) ? 2 : 1;
  c.expectedHigh = !isIterated(scheme) ? 1 : !derivatives ? 5.5 : twoLevels ? 3.6 : 3.1;
}

void Master::Implementation::certify() {
  Certificate& c = certificate;
  for (std::size_t k = 0; k < system.subsystems.size(); ++k) {
    c.subsystems.push_back(
        {system.subsystems[k]->name(), system.subsystems[k]->capabilities(), noise[k]});
  }
  const Index m = joints.rowCount();
  c.rows = m;
  c.rank = m > 0 ? solver.rank() : 0;
  if (m == 0) return;
  const auto& terms = last.interface.terms;
  const SparseMatrix A = interfaceMatrix(terms, W, m, InterfacePart::sideA);
  const SparseMatrix B = interfaceMatrix(terms, W, m, InterfacePart::sideB);
  for (std::size_t j = 0; j < joints.joints().size(); ++j) {
    const Index begin = joints.rowOffset(j), size = joints.joints()[j].size();
    const auto block = [&](const SparseMatrix& M) {
      return extremeEigenvalues(Matrix(M.block(begin, begin, size, size)));
    };
    const auto [a0, a1] = block(A);
    const auto [b0, b1] = block(B);
    const auto [s0, s1] = block(S);
    c.joints.push_back({joints.joints()[j].name, size, a0, a1, b0, b1, s0, s1});
  }
  c.contractionKnown = m <= spectrumLimit;
  if (c.contractionKnown) {
    c.contractionA = contractionFactor(S, A);
    c.contractionB = contractionFactor(S, B);
  }
  if (!solver.isRankDeficient()) return;
  for (const Index row : dependentRows(S)) {
    const std::string& name = joints.joints()[joints.jointOfRow(row)].name;
    if (c.redundantJoints.empty() || c.redundantJoints.back() != name) {
      c.redundantJoints.push_back(name);
    }
  }
}

}  // namespace trammel::coupling
