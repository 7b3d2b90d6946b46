#include <algorithm>

#include "models/mechanism/entry_row.hpp"
#include "models/mechanism/mechanism_system.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void MechanismSystem::shape(Linearisation& linearisation) const {
  program_.M.shape(linearisation.M);
  program_.C.shape(linearisation.C);
  program_.K.shape(linearisation.K);
  program_.G.shape(linearisation.G);
}

void MechanismSystem::fillMass(VectorIn q, SparseMatrix& M) const {
  double* values = M.valuePtr();
  std::copy(constantMass_.begin(), constantMass_.end(), values);
  for (const VaryingMass& varying : varyingMasses_) {
    const BodyProgram& body = program_.bodies[at(varying.body)];
    const Inertia& inertia = inertias_[at(varying.body)];
    const int* position = program_.massPositions.data() + varying.position;
    if (body.kind == BodyKind::scalar) {
      const EntryRow n(program_, W_, program_.blocks[at(body.windingBlock)].firstChannel);
      for (int j = 0; j < n.count; ++j)
        for (int i = 0; i < n.count; ++i) values[*position++] += inertia.mass * n.W[i] * n.W[j];
    } else {
      const Eigen::Matrix4d Mp = rotationalMass(inertia, q.data() + body.coordinate + 3);
      for (int k = 0; k < 16; ++k) values[*position++] += Mp.data()[k];
    }
  }
}

void MechanismSystem::fillGradient(VectorIn q, const Stage& stage, SparseMatrix& G) {
  double* values = G.valuePtr();
  if (!gradientIsRows_) std::fill_n(values, G.nonZeros(), 0.0);
  for (const EntryRun& run : unitEntries_) {
    const double* W = W_.data() + run.entry;
    const int* position = program_.gradientPositions.data() + run.position;
    for (int i = 0; i < run.count; ++i) {
      if (gradientIsRows_) {
        values[position[i]] = W[i];
      } else {
        values[position[i]] += W[i];
      }
    }
  }
  for (const RowTerm& term : otherTerms_) {
    const EntryRow row(program_, W_, term.channel);
    const double factor = stage.root(term.root);
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
  evaluateRows();
  balance_.evaluate(sourcesAt(t));  // coefficients of rows do not depend on rates
  fillMass(q, out.M);
  fillGradient(q, balance_, out.G);
}

void MechanismSystem::linearise(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                                Linearisation& out) {
  evaluateChannels(q);
  evaluateRows();
  if (program_.forcesNeedRates) evaluateRates(v);
  TapeSources sources = sourcesAt(t);
  sources.lambda = lambda.data();
  linearisation_.evaluate(sources);
  collectLoads(linearisation_, a, lambda);
  fillMass(q, out.M);
  fillGradient(q, linearisation_, out.G);
  double* K = out.K.valuePtr();
  std::fill_n(out.C.valuePtr(), out.C.nonZeros(), 0.0);
  std::fill_n(K, out.K.nonZeros(), 0.0);
  std::fill(planarCurvatures_.begin(), planarCurvatures_.end(), 0.0);
  std::fill(turnings_.begin(), turnings_.end(), Turning{});
  dynamics_.collectTurnings(at_, loads_, planarCurvatures_, turnings_);
  for (std::size_t i = 0; i < planarCurvatures_.size(); ++i)
    if (program_.planarPositions[i] >= 0) K[program_.planarPositions[i]] += planarCurvatures_[i];
  addRotations(q, v, a, lambda, out);
  dynamics_.addCurvature(at_, loads_, K);
  dynamics_.rowRates(at_, v.data(), R_.data());
  for (const int b : program_.dynamics.others) addKernelCurvature(program_.blocks[at(b)], q, v, K);
  addCouplings(linearisation_, out);
  addWindingCurvature(a, K);
}

/// What moves and turns rigid bodies: inertia, the multiplier of |p| = 1, forces on their vectors.
void MechanismSystem::addRotations(VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                                   Linearisation& out) {
  const int* inK = program_.rotationPositionsK.data();
  const int* inC = program_.rotationPositionsC.data();
  Eigen::Matrix4d byP, byRate;
  for (std::size_t i = 0; i < rigidBodies_.size(); ++i) {
    const RigidBody& body = rigidBodies_[i];
    rotationalDerivatives(inertias_[at(body.body)], q.data() + body.p, v.data() + body.p,
                          a.data() + body.p, byP, byRate);
    byP.diagonal().array() += lambda[body.normRow];
    turnings_[i].addCurvature(byP);
    for (int k = 0; k < 16; ++k) {
      out.K.valuePtr()[*inK++] += byP.data()[k];
      out.C.valuePtr()[*inC++] += byRate.data()[k];
    }
  }
}

/// The second part of ∂(ρ n (n·a))/∂x = ρ (n·a) ∂n/∂x + ρ n (aᵀ ∂n/∂x); the first one belongs to
/// the load on the row.
void MechanismSystem::addWindingCurvature(VectorIn a, double* K) {
  const int* position = program_.windingPositions.data();
  for (const WoundAngle& angle : woundAngles_) {
    const EntryRow n(program_, W_, angle.channel);
    double rate[kernelWidth] = {};
    dynamics_.windingRowRate(angle.winding, at_, a.data(), rate);
    const double rho = inertias_[at(angle.body)].mass;
    for (int j = 0; j < n.count; ++j)
      for (int i = 0; i < n.count; ++i) K[*position++] += rho * n.W[i] * rate[n.entries[j].local];
  }
}

/// K += Σ_c μ_c ∂W_c/∂x, and R_c = ∂(W_c v)/∂x.
void MechanismSystem::addKernelCurvature(const BlockProgram& block, VectorIn q, VectorIn v,
                                         double* K) {
  if (block.scatterCount == 0) return;
  const Kernel& kernel = block.kernel;
  double x[kernelWidth] = {};
  for (std::size_t j = 0; j < kernel.width; ++j) x[j] = q[block.columns[j]];
  KernelDerivatives result;
  differentiateKernel(kernel, dataOf(block), x, result);
  for (std::size_t k = 0; k < kernel.rows; ++k) {
    const std::size_t channel = at(block.firstChannel) + k;
    const auto& D = result.D[k];
    const double mu = loads_[channel];
    const LocalScatter* scatter = program_.scatters.data() + block.firstScatter;
    if (mu != 0) {
      for (int e = 0; e < block.scatterCount; ++e)
        K[scatter[e].position] += mu * D[scatter[e].i][scatter[e].j];
    }
    if (!block.rateGradientUsed) continue;
    const ChannelProgram& c = program_.channels[channel];
    for (int e = c.firstEntry; e < c.firstEntry + c.entryCount; ++e) {
      double sum = 0;
      for (std::size_t i = 0; i < kernel.width; ++i)
        sum += v[block.columns[i]] * D[i][program_.entries[at(e)].local];
      R_[at(e)] = sum;
    }
  }
}

/// K += W_cᵀ (κ_cd W_d + σ_cd R_d),   C += W_cᵀ σ_cd W_d.
void MechanismSystem::addCouplings(const Stage& stage, Linearisation& out) {
  const int first = program_.coefficientCount + static_cast<int>(program_.lawChannels.size());
  double *K = out.K.valuePtr(), *C = out.C.valuePtr();
  for (const CouplingProgram& coupling : program_.couplings) {
    const EntryRow c(program_, W_, coupling.c), d(program_, W_, coupling.d);
    const EntryRow dRate(program_, R_, coupling.d);
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

}  // namespace trammel
