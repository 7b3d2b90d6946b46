#include "models/mechanism/mechanism_system.hpp"

#include <algorithm>
#include <limits>

#include "models/text.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// W of a channel, and where its entries belong.
struct Row {
  const LocalEntry* entries;
  const double* W;
  int count;
};

Row rowOf(const MechanismProgram& program, const std::vector<double>& W, int channel) {
  const ChannelProgram& c = program.channels[at(channel)];
  return {program.entries.data() + c.firstEntry, W.data() + c.firstEntry, c.entryCount};
}

double timesRow(const Row& row, VectorIn v) {
  double sum = 0;
  for (int i = 0; i < row.count; ++i) sum += row.W[i] * v[row.entries[i].column];
  return sum;
}

void addRow(const Row& row, double factor, VectorOut r) {
  for (int i = 0; i < row.count; ++i) r[row.entries[i].column] += factor * row.W[i];
}

}  // namespace

MechanismSystem::MechanismSystem(const MechanismProgram& program)
    : program_(program),
      parameters_(program.parameters),
      inputs_(program.inputs),
      numbers_(program.numbers.rootCount()),
      inertias_(program.bodies.size()),
      centres_(program.bodies.size(), Vector3::Zero()),
      frames_(program.frames.size()),
      evaluatedAt_(program.coordinateNames.size(), std::numeric_limits<double>::quiet_NaN()),
      turns_(program.bodies.size()),
      z_(program.channels.size()),
      rate_(z_.size()),
      bias_(z_.size()),
      load_(z_.size()),
      W_(program.entries.size()),
      R_(program.entries.size()),
      expressions_(program.constraint.rootCount()),
      extras_(program.extras.size()),
      numbersStage_(program.numbers),
      balance_(program.balance),
      constraint_(program.constraint),
      rateStage_(program.rate),
      acceleration_(program.acceleration),
      linearisation_(program.linearisation),
      outputs_(program.outputs),
      rootFunctions_(program.rootFunctions) {
  prepare();
}

std::string MechanismSystem::coordinateName(Index i) const {
  return program_.coordinateNames[static_cast<std::size_t>(i)];
}
std::string MechanismSystem::constraintName(Index i) const {
  return program_.rows[static_cast<std::size_t>(i)].name;
}
double MechanismSystem::coordinateNominal(Index i) const {
  return program_.nominal[static_cast<std::size_t>(i)];
}

TapeSources MechanismSystem::sourcesAt(double t) {
  TapeSources sources;
  sources.time = t;
  sources.parameters = parameters_.data();
  inputs_.at(t, sources);
  sources.q = z_.data();
  sources.v = rate_.data();
  sources.a = bias_.data();
  sources.derived = extras_.data();
  return sources;
}

KernelData MechanismSystem::dataOf(const BlockProgram& block) const {
  const auto numberOr0 = [this](int index) { return index < 0 ? 0.0 : numbers_[at(index)]; };
  return {&frames_[at(block.frameA)], &frames_[at(block.frameB)], numberOr0(block.radiusA),
          numberOr0(block.radiusB)};
}

/// The functions of the solver come in groups at the same place: what is there already is kept.
void MechanismSystem::evaluateChannels(VectorIn q) {
  if (std::equal(q.begin(), q.end(), evaluatedAt_.begin(), evaluatedAt_.end())) return;
  evaluatedAt_.assign(q.begin(), q.end());
  for (std::size_t b = 1; b < program_.bodies.size(); ++b) {
    const BodyProgram& body = program_.bodies[b];
    if (body.kind == BodyKind::planar) turns_[b] = PlanarTurn(q[body.coordinate + 2]);
  }
  KernelResult<double> result;
  double x[kernelWidth] = {};
  for (const BlockProgram& block : program_.blocks) {
    const Kernel& kernel = block.kernel;
    if (kernel.kind == KernelKind::difference) {
      evaluateDifference(block, q);
      continue;
    }
    for (std::size_t j = 0; j < kernel.width; ++j) x[j] = q[block.columns[j]];
    evaluateKernel(kernel, dataOf(block), x, result);
    for (int k = 0; k < kernel.rows; ++k) {
      const int channel = block.firstChannel + k;
      z_[at(channel)] = isForm(kernel.kind) ? 0.0 : result.z[at(k)];
      const ChannelProgram& c = program_.channels[at(channel)];
      for (int i = c.firstEntry; i < c.firstEntry + c.entryCount; ++i)
        W_[at(i)] = result.W[at(k)][at(program_.entries[at(i)].local)];
    }
  }
}

/// z = P_b − P_a and its rows: what most joints are made of, so it is written out.
void MechanismSystem::evaluateDifference(const BlockProgram& block, VectorIn q) {
  const Kernel& kernel = block.kernel;
  DifferenceRows rows;
  const auto add = [&](int frame, double sign, std::size_t first) {
    const auto b = static_cast<std::size_t>(program_.frames[at(frame)].body);
    const BodyProgram& body = program_.bodies[b];
    const double* x = body.coordinate < 0 ? nullptr : q.data() + body.coordinate;
    addPoint(body.kind, x, turns_[b], frames_[at(frame)].s, sign, first, rows);
  };
  add(block.frameA, -1, 0);
  add(block.frameB, 1, kernel.firstB);
  for (std::size_t k = 0; k < kernel.rows; ++k) {
    const std::size_t channel = at(block.firstChannel) + k;
    z_[channel] = rows.z[k];
    const ChannelProgram& c = program_.channels[channel];
    for (int i = c.firstEntry; i < c.firstEntry + c.entryCount; ++i)
      W_[at(i)] = rows.W[k][program_.entries[at(i)].local];
  }
}

void MechanismSystem::evaluateRates(VectorIn v) {
  for (std::size_t c = 0; c < rate_.size(); ++c)
    rate_[c] = timesRow(rowOf(program_, W_, static_cast<int>(c)), v);
}

/// d(W v)/dt at constant v: W in the direction of v, times v.
double MechanismSystem::biasOf(const BlockProgram& block, VectorIn q, VectorIn v, double* bias) {
  Dual<1> x[kernelWidth];
  const Kernel& kernel = block.kernel;
  for (std::size_t j = 0; j < kernel.width; ++j) {
    x[j].value = q[block.columns[j]];
    x[j].d[0] = v[block.columns[j]];
  }
  KernelResult<Dual<1>> result;
  evaluateKernel(kernel, dataOf(block), x, result);
  for (std::size_t k = 0; k < kernel.rows; ++k) {
    bias[k] = 0;
    for (std::size_t j = 0; j < kernel.width; ++j) bias[k] += result.W[k][j].d[0] * x[j].d[0];
  }
  return bias[0];
}

void MechanismSystem::evaluateBias(VectorIn q, VectorIn v) {
  for (const BlockProgram& block : program_.blocks)
    biasOf(block, q, v, bias_.data() + block.firstChannel);
}

void MechanismSystem::constraint(double t, VectorIn q, VectorOut g) {
  evaluateChannels(q);
  constraint_.evaluate(sourcesAt(t));
  for (std::size_t r = 0; r < program_.rows.size(); ++r) {
    const RowProgram& row = program_.rows[r];
    double& value = g[static_cast<Index>(r)];
    if (row.expression >= 0) value = constraint_.root(row.expression);
    if (row.channel >= 0)
      value = z_[at(row.channel)] - (row.offset < 0 ? 0.0 : numbers_[at(row.offset)]);
  }
  for (const BodyProgram& body : program_.bodies) {
    if (body.kind == BodyKind::rigid)
      g[body.normRow] = (q.segment<4>(body.coordinate + 3).squaredNorm() - 1) / 2;
  }
}

void MechanismSystem::constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) {
  evaluateChannels(q);
  evaluateRates(v);
  rateStage_.evaluate(sourcesAt(t));
  for (std::size_t r = 0; r < program_.rows.size(); ++r) {
    const RowProgram& row = program_.rows[r];
    if (row.expression >= 0) rate[static_cast<Index>(r)] = rateStage_.root(row.expression);
    if (row.channel >= 0) rate[static_cast<Index>(r)] = rate_[at(row.channel)];
  }
  for (const BodyProgram& body : program_.bodies) {
    if (body.kind != BodyKind::rigid) continue;
    const int p = body.coordinate + 3;
    rate[body.normRow] = q.segment<4>(p).dot(v.segment<4>(p));
  }
}

void MechanismSystem::constraintAcceleration(double t, VectorIn q, VectorIn v, VectorOut gamma) {
  evaluateChannels(q);
  evaluateRates(v);
  evaluateBias(q, v);
  acceleration_.evaluate(sourcesAt(t));
  for (std::size_t r = 0; r < program_.rows.size(); ++r) {
    const RowProgram& row = program_.rows[r];
    if (row.expression >= 0) gamma[static_cast<Index>(r)] = acceleration_.root(row.expression);
    if (row.channel >= 0) gamma[static_cast<Index>(r)] = bias_[at(row.channel)];
  }
  for (const BodyProgram& body : program_.bodies) {
    if (body.kind == BodyKind::rigid)
      gamma[body.normRow] = v.segment<4>(body.coordinate + 3).squaredNorm();
  }
}

/// μ_c = Σ_r λ_r ∂E_r/∂z_c − F_c.
void MechanismSystem::collectLoads(const Stage& stage, VectorIn lambda) {
  std::fill(load_.begin(), load_.end(), 0.0);
  for (const RowTerm& term : program_.rowTerms)
    load_[at(term.channel)] += coefficient(term, stage) * lambda[term.row];
  for (std::size_t k = 0; k < program_.lawChannels.size(); ++k)
    load_[at(program_.lawChannels[k])] -=
        stage.root(program_.coefficientCount + static_cast<int>(k));
}

void MechanismSystem::forceBalance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                                   VectorOut r) {
  r.setZero();
  evaluateChannels(q);
  if (!program_.lawChannels.empty()) evaluateRates(v);  // coefficients of rows have no use for them
  balance_.evaluate(sourcesAt(t));
  collectLoads(balance_, lambda);
  for (std::size_t c = 0; c < load_.size(); ++c)
    if (load_[c] != 0) addRow(rowOf(program_, W_, static_cast<int>(c)), load_[c], r);
  addInertia(q, v, a, r);
  for (const BodyProgram& body : program_.bodies) {
    if (body.kind == BodyKind::rigid) {
      const int p = body.coordinate + 3;
      r.segment<4>(p) += lambda[body.normRow] * q.segment<4>(p);
    }
  }
}

void MechanismSystem::addInertia(VectorIn q, VectorIn v, VectorIn a, VectorOut r) {
  for (std::size_t b = 1; b < program_.bodies.size(); ++b) {
    const BodyProgram& body = program_.bodies[b];
    const Inertia& inertia = inertias_[b];
    const int first = body.coordinate;
    if (body.kind == BodyKind::scalar) {
      if (body.windingBlock >= 0) {
        addWindingInertia(body, a, r);
      } else {
        r[first] += inertia.mass * a[first];
      }
      continue;
    }
    const int axes = isPlanar(body.kind) ? 2 : 3;
    for (int i = 0; i < axes; ++i) r[first + i] += inertia.mass * (a[first + i] - gravity_[i]);
    if (body.kind == BodyKind::planar) r[first + 2] += inertia.J(2, 2) * a[first + 2];
    if (body.kind == BodyKind::rigid) {
      addRotationalBalance(inertia, q.data() + first + 3, v.data() + first + 3,
                           a.data() + first + 3, r.data() + first + 3);
    }
  }
}

/// ρ n (n·a) with the row n of the winding constraint: the angle has an inertia and no motion
/// changes, because only the multiplier of that row takes up a force along n.
void MechanismSystem::addWindingInertia(const BodyProgram& body, VectorIn a, VectorOut r) {
  const Row n = rowOf(program_, W_, program_.blocks[at(body.windingBlock)].firstChannel);
  const double rho = inertias_[static_cast<std::size_t>(&body - program_.bodies.data())].mass;
  addRow(n, rho * timesRow(n, a), r);
}

/// ∂(ρ n (n·a))/∂x = ρ (n·a) D + ρ n (aᵀ D),   D = ∂n/∂x.
void MechanismSystem::addWindingCurvature(VectorIn q, VectorIn a, double* K) {
  using Number = Dual<kernelWidth>;
  const int* position = program_.windingPositions.data();
  for (std::size_t b = 1; b < program_.bodies.size(); ++b) {
    const BodyProgram& body = program_.bodies[b];
    if (body.windingBlock < 0) continue;
    const BlockProgram& block = program_.blocks[at(body.windingBlock)];
    const ChannelProgram& c = program_.channels[at(block.firstChannel)];
    const LocalEntry* entries = program_.entries.data() + c.firstEntry;
    Number x[kernelWidth];
    for (int j = 0; j < block.kernel.width; ++j)
      x[j] = Number::variable(q[block.columns[at(j)]], j);
    KernelResult<Number> result;
    evaluateKernel(block.kernel, dataOf(block), x, result);
    Number along;
    for (int i = 0; i < c.entryCount; ++i)
      along += a[entries[i].column] * result.W[0][at(entries[i].local)];
    for (int j = 0; j < c.entryCount; ++j) {
      for (int i = 0; i < c.entryCount; ++i) {
        const Number product = along * result.W[0][at(entries[i].local)];
        K[*position++] += inertias_[b].mass * product.d[entries[j].local];
      }
    }
  }
}

void MechanismSystem::shape(Linearisation& linearisation) const {
  program_.M.shape(linearisation.M);
  program_.C.shape(linearisation.C);
  program_.K.shape(linearisation.K);
  program_.G.shape(linearisation.G);
}

void MechanismSystem::fillMass(VectorIn q, SparseMatrix& M) {
  double* values = M.valuePtr();
  std::fill_n(values, M.nonZeros(), 0.0);
  const int* position = program_.massPositions.data();
  for (std::size_t b = 1; b < program_.bodies.size(); ++b) {
    const BodyProgram& body = program_.bodies[b];
    const Inertia& inertia = inertias_[b];
    if (body.kind == BodyKind::scalar && body.windingBlock >= 0) {
      const Row n = rowOf(program_, W_, program_.blocks[at(body.windingBlock)].firstChannel);
      for (int j = 0; j < n.count; ++j)
        for (int i = 0; i < n.count; ++i) values[*position++] += inertia.mass * n.W[i] * n.W[j];
      continue;
    }
    const int masses = body.kind == BodyKind::planar  ? 2
                       : body.kind == BodyKind::rigid ? 3
                                                      : coordinateCountOf(body.kind);
    for (int i = 0; i < masses; ++i) values[*position++] += inertia.mass;
    if (body.kind == BodyKind::planar) values[*position++] += inertia.J(2, 2);
    if (body.kind != BodyKind::rigid) continue;
    const Eigen::Matrix4d Mp = rotationalMass(inertia, q.data() + body.coordinate + 3);
    for (int k = 0; k < 16; ++k) values[*position++] += Mp.data()[k];
  }
}

void MechanismSystem::fillGradient(VectorIn q, const Stage& stage, SparseMatrix& G) {
  double* values = G.valuePtr();
  std::fill_n(values, G.nonZeros(), 0.0);
  for (const RowTerm& term : program_.rowTerms) {
    const Row row = rowOf(program_, W_, term.channel);
    const double factor = coefficient(term, stage);
    const int* position = program_.gradientPositions.data() + term.firstPosition;
    for (int i = 0; i < row.count; ++i) values[position[i]] += factor * row.W[i];
  }
  const int* position = program_.normPositions.data();
  for (const BodyProgram& body : program_.bodies) {
    if (body.kind != BodyKind::rigid) continue;
    for (int i = 3; i < 7; ++i) values[*position++] = q[body.coordinate + i];
  }
}

void MechanismSystem::massAndGradient(double t, VectorIn q, Linearisation& out) {
  evaluateChannels(q);
  balance_.evaluate(sourcesAt(t));  // coefficients of rows do not depend on rates
  fillMass(q, out.M);
  fillGradient(q, balance_, out.G);
}

void MechanismSystem::linearise(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                                Linearisation& out) {
  evaluateChannels(q);
  evaluateRates(v);
  TapeSources sources = sourcesAt(t);
  sources.lambda = lambda.data();
  linearisation_.evaluate(sources);
  collectLoads(linearisation_, lambda);
  fillMass(q, out.M);
  fillGradient(q, linearisation_, out.G);
  std::fill_n(out.C.valuePtr(), out.C.nonZeros(), 0.0);
  std::fill_n(out.K.valuePtr(), out.K.nonZeros(), 0.0);
  addRotations(q, v, a, lambda, out);
  for (const BlockProgram& block : program_.blocks) {
    if (block.scatterCount == 0) continue;
    if (block.kernel.kind == KernelKind::difference && !block.rateGradientUsed) {
      addDifferenceCurvature(block, q, out.K.valuePtr());
    } else if (block.kernel.width <= 8) {
      addCurvature<Dual<8>>(block, q, v, out.K.valuePtr());
    } else {
      addCurvature<Dual<kernelWidth>>(block, q, v, out.K.valuePtr());
    }
  }
  addCouplings(linearisation_, out);
  addWindingCurvature(q, a, out.K.valuePtr());
}

void MechanismSystem::addRotations(VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                                   Linearisation& out) {
  const int* inK = program_.rotationPositionsK.data();
  const int* inC = program_.rotationPositionsC.data();
  Eigen::Matrix4d byP, byRate;
  for (std::size_t b = 1; b < program_.bodies.size(); ++b) {
    const BodyProgram& body = program_.bodies[b];
    if (body.kind != BodyKind::rigid) continue;
    const int p = body.coordinate + 3;
    rotationalDerivatives(inertias_[b], q.data() + p, v.data() + p, a.data() + p, byP, byRate);
    byP.diagonal().array() += lambda[body.normRow];
    for (int k = 0; k < 16; ++k) {
      out.K.valuePtr()[*inK++] += byP.data()[k];
      out.C.valuePtr()[*inC++] += byRate.data()[k];
    }
  }
}

/// The same for d = P_b − P_a, where every row is ∂(A s)/∂x: linear in the Euler parameters of a
/// rigid body, and −A s in the plane.
void MechanismSystem::addDifferenceCurvature(const BlockProgram& block, VectorIn q, double* K) {
  const Kernel& kernel = block.kernel;
  const double* load = load_.data() + block.firstChannel;
  const Triple<double> mu{load[0], load[1], kernel.rows > 2 ? load[2] : 0.0};
  double D[kernelWidth][kernelWidth] = {};
  const auto add = [&](BodyKind kind, const Frame& frame, std::size_t first,
                       const Triple<double>& force) {
    if (kind == BodyKind::planar) {
      const double x[3] = {0, 0, q[block.columns[first + 2]]};
      D[first + 2][first + 2] =
          -dot(BodyPlace<double>(kind, x).turned(frame.s), force) + force.z * frame.s.z();
    }
    if (kind != BodyKind::rigid) return;
    for (std::size_t j = 3; j < 7; ++j) {
      double unit[7] = {}, W[7] = {};
      unit[j] = 1;
      BodyPlace<double>(kind, unit).pullTurned(frame.s, force, W);
      for (std::size_t i = 3; i < 7; ++i) D[first + i][first + j] = W[i];
    }
  };
  add(kernel.bodyB, frames_[at(block.frameB)], kernel.firstB, mu);
  add(kernel.bodyA, frames_[at(block.frameA)], 0, -mu);
  const LocalScatter* scatter = program_.scatters.data() + block.firstScatter;
  for (int e = 0; e < block.scatterCount; ++e)
    K[scatter[e].position] += D[scatter[e].i][scatter[e].j];
}

/// K += Σ_c μ_c ∂W_c/∂x, and R_c = ∂(W_c v)/∂x.
template <class Number>
void MechanismSystem::addCurvature(const BlockProgram& block, VectorIn q, VectorIn v, double* K) {
  const Kernel& kernel = block.kernel;
  Number x[kernelWidth];
  for (int j = 0; j < kernel.width; ++j) x[j] = Number::variable(q[block.columns[at(j)]], j);
  KernelResult<Number> result;
  evaluateKernel(kernel, dataOf(block), x, result);
  for (int k = 0; k < kernel.rows; ++k) {
    const int channel = block.firstChannel + k;
    const auto& W = result.W[at(k)];
    const double mu = load_[at(channel)];
    const LocalScatter* scatter = program_.scatters.data() + block.firstScatter;
    if (mu != 0) {
      for (int e = 0; e < block.scatterCount; ++e)
        K[scatter[e].position] += mu * W[scatter[e].i].d[scatter[e].j];
    }
    typename Number::Directions R = Number::Directions::Zero();
    for (std::size_t i = 0; i < kernel.width; ++i) R += v[block.columns[i]] * W[i].d;
    const ChannelProgram& c = program_.channels[at(channel)];
    for (int i = c.firstEntry; i < c.firstEntry + c.entryCount; ++i)
      R_[at(i)] = R[program_.entries[at(i)].local];
  }
}

/// K += W_cᵀ (κ_cd W_d + σ_cd R_d),   C += W_cᵀ σ_cd W_d.
void MechanismSystem::addCouplings(const Stage& stage, Linearisation& out) {
  const int first = program_.coefficientCount + static_cast<int>(program_.lawChannels.size());
  double *K = out.K.valuePtr(), *C = out.C.valuePtr();
  for (const CouplingProgram& coupling : program_.couplings) {
    const Row c = rowOf(program_, W_, coupling.c), d = rowOf(program_, W_, coupling.d);
    const Row dRate = rowOf(program_, R_, coupling.d);
    const double kappa = coupling.byPosition < 0 ? 0 : stage.root(first + coupling.byPosition);
    const double sigma = coupling.byRate < 0 ? 0 : stage.root(first + coupling.byRate);
    const int* inK = program_.couplingPositions.data() + coupling.firstK;
    const int* inC = program_.couplingPositions.data() + std::max(coupling.firstC, 0);
    for (int i = 0; i < c.count; ++i) {
      for (int j = 0; j < d.count; ++j) {
        *(K + *inK++) += c.W[i] * (kappa * d.W[j] + sigma * dRate.W[j]);
        if (coupling.byRate >= 0) *(C + *inC++) += c.W[i] * sigma * d.W[j];
      }
    }
  }
}

Index MechanismSystem::rootCount() const {
  return static_cast<Index>(program_.rootFunctions.rootCount());
}

void MechanismSystem::roots(double t, VectorIn q, VectorIn v, VectorOut values) {
  if (program_.rootFunctions.rootCount() == 0) return;
  evaluateChannels(q);
  evaluateRates(v);
  rootFunctions_.evaluate(sourcesAt(t));
  rootFunctions_.copy(0, program_.rootFunctions.rootCount(), values.data());
}

}  // namespace trammel
