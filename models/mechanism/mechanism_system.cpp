#include "models/mechanism/mechanism_system.hpp"

#include <algorithm>
#include <utility>

#include "models/mechanism/entry_row.hpp"
#include "models/mechanism/planar_turns.hpp"
#include "models/same_place.hpp"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

MechanismSystem::MechanismSystem(const MechanismProgram& program)
    : program_(program),
      parameters_(program.parameters),
      inputs_(program.inputs),
      numbers_(program.numbers.rootCount()),
      inertias_(program.bodies.size()),
      centres_(program.bodies.size(), Vector3::Zero()),
      frames_(program.frames.size()),
      diagonalMass_(program.coordinateNames.size()),
      weight_(program.coordinateNames.size()),
      evaluatedAt_(program.coordinateNames.size()),
      dynamics_(program, program.dynamics),
      outputMeasures_(program, program.outputMeasures),
      z_(program.channels.size()),
      rate_(z_.size()),
      second_(z_.size()),
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
  listParts();
  prepare();
}

void MechanismSystem::copyDirect(const std::vector<double>& channels, VectorOut rows) const {
  for (const RowRun& run : directRows_)
    std::copy_n(channels.data() + run.channel, run.count, rows.data() + run.row);
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
bool MechanismSystem::isAt(VectorIn q) {
  at_.x = q.data();
  if (std::exchange(stays_, false)) return true;
  return placeKnown_ && isSame(q.data(), evaluatedAt_.data(), evaluatedAt_.size());
}

void MechanismSystem::evaluateChannels(VectorIn q) {
  if (!isAt(q)) placeAt(q, {});
}

/// z, and the rates of the pins where these are asked for. Newton asks for rates at each iterate
/// and then only stays there, so the place is not kept: of large systems that takes as long as the
/// pins.
void MechanismSystem::placeAt(VectorIn q, PinRates rates) {
  placed_ = true;
  rowsThere_ = outputsThere_ = false;
  placeKnown_ = rates.v == nullptr;
  const auto copy = [&](std::size_t first, std::size_t end) {
    if (placeKnown_) std::copy(q.data() + first, q.data() + end, evaluatedAt_.data() + first);
  };
  at_.x = q.data();
  PlanarLot done;
  for (const PlanarLot& lot : lots_) {
    copy(done.coordinateEnd, lot.coordinateEnd);
    setTurns(at_.x, std::span(planarAngles_).subspan(done.bodyEnd, lot.bodyEnd - done.bodyEnd),
             at_.planar.data() + done.bodyEnd);
    dynamics_.placePins(at_, {done.pinEnd, lot.pinEnd}, z_.data(), rates);
    done = lot;
  }
  copy(done.coordinateEnd, evaluatedAt_.size());
  for (std::size_t i = 0; i < rigidBodies_.size(); ++i)
    setTurn(at_.x + rigidBodies_[i].p, at_.rigid[i]);
  dynamics_.placeOthers(at_, z_.data());
  evaluateKernels(program_.dynamics.others);
}

void MechanismSystem::evaluateOutputChannels() {
  if (outputsThere_) return;
  outputMeasures_.place(at_, z_.data());
  evaluateKernels(program_.outputMeasures.others);
  outputsThere_ = true;
}

/// z and W of blocks that are no measures of vectors.
void MechanismSystem::evaluateKernels(const std::vector<int>& blocks) {
  if (blocks.empty()) return;  // before room for them is cleared
  KernelResult<double> result;
  double x[kernelWidth] = {};
  for (const int b : blocks) {
    const BlockProgram& block = program_.blocks[at(b)];
    const Kernel& kernel = block.kernel;
    for (std::size_t j = 0; j < kernel.width; ++j) x[j] = at_.x[block.columns[j]];
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

void MechanismSystem::evaluateRows() {
  if (!rowsThere_) dynamics_.rows(at_, W_.data());
  rowsThere_ = true;
}

void MechanismSystem::setDirection(VectorIn v) {
  along_.x = v.data();
  for (const int slot : turningPlanar_) {
    const double rate = v[planarAngles_[at(slot)]];
    along_.planar[at(slot)].cosine = -at_.planar[at(slot)].sine * rate;
    along_.planar[at(slot)].sine = at_.planar[at(slot)].cosine * rate;
  }
  for (std::size_t i = 0; i < rigidBodies_.size(); ++i) {
    const int p = rigidBodies_[i].p;
    setTurnRate(at_.x + p, along_.x + p, along_.rigid[i]);
  }
}

void MechanismSystem::evaluateRates(VectorIn v) {
  setDirection(v);
  dynamics_.rates(at_, along_, rate_.data());
  ratesOf(program_.dynamics.others, v, rate_.data());
}

void MechanismSystem::ratesOf(const std::vector<int>& blocks, VectorIn v, double* rates) const {
  for (const int b : blocks) {
    const BlockProgram& block = program_.blocks[at(b)];
    for (int c = block.firstChannel; c < block.firstChannel + block.kernel.rows; ++c)
      rates[c] = EntryRow(program_, W_, c).times(v);
  }
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
  if (offsets_.empty()) {
    copyDirect(z_, g);
  } else {
    const double* offset = offsets_.data();
    for (const RowRun& run : directRows_) {
      const double* z = z_.data() + run.channel;
      double* to = g.data() + run.row;
      for (int i = 0; i < run.count; ++i) to[i] = z[i] - offset[i];
      offset += run.count;
    }
  }
  for (const RigidBody& body : rigidBodies_)
    g[body.normRow] = (q.segment<4>(body.p).squaredNorm() - 1) / 2;
  if (expressionRows_.empty()) return;
  constraint_.evaluate(sourcesAt(t));
  for (const ExpressionRow& row : expressionRows_) g[row.row] = constraint_.root(row.root);
}

void MechanismSystem::constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) {
  double* rates = ratesAreRows_ ? rate.data() : rate_.data();
  if (isAt(q)) {
    dynamics_.ratePins(dynamics_.allPins(), {v.data(), rates});
  } else {
    placeAt(q, {v.data(), rates});
  }
  setDirection(v);
  dynamics_.rateOthers(at_, along_, rates);
  ratesOf(program_.dynamics.others, v, rates);
  if (ratesAreRows_) return;
  copyDirect(rate_, rate);
  for (const RigidBody& body : rigidBodies_)
    rate[body.normRow] = q.segment<4>(body.p).dot(v.segment<4>(body.p));
  if (expressionRows_.empty()) return;
  rateStage_.evaluate(sourcesAt(t));
  for (const ExpressionRow& row : expressionRows_) rate[row.row] = rateStage_.root(row.root);
}

void MechanismSystem::constraintAcceleration(double t, VectorIn q, VectorIn v, VectorOut gamma) {
  evaluateChannels(q);
  evaluateRates(v);
  evaluateBias(q, v);
  copyDirect(bias_, gamma);
  for (const RigidBody& body : rigidBodies_)
    gamma[body.normRow] = v.segment<4>(body.p).squaredNorm();
  if (expressionRows_.empty()) return;
  acceleration_.evaluate(sourcesAt(t));
  for (const ExpressionRow& row : expressionRows_) gamma[row.row] = acceleration_.root(row.root);
}

/// μ_c = Σ_r λ_r ∂E_r/∂z_c − F_c. The inertia ρ n (n·a) of an angle, with the row n of its winding,
/// is a load on that row: the angle has an inertia and no motion changes, because only the
/// multiplier of the row takes up a force along n.
void MechanismSystem::collectLoads(const Stage& stage, VectorIn a, VectorIn lambda) {
  loads_ = loadsAreMultipliers_ ? lambda.data() : load_.data();
  if (loadsAreMultipliers_) return;
  std::fill(load_.begin(), load_.end(), 0.0);
  for (const RowRun& run : unitTerms_) {
    const double* from = lambda.data() + run.row;
    double* to = load_.data() + run.channel;
    for (int i = 0; i < run.count; ++i) to[i] += from[i];
  }
  for (const RowTerm& term : otherTerms_)
    load_[at(term.channel)] += stage.root(term.root) * lambda[term.row];
  for (std::size_t k = 0; k < program_.lawChannels.size(); ++k)
    load_[at(program_.lawChannels[k])] -=
        stage.root(program_.coefficientCount + static_cast<int>(k));
  for (const WoundAngle& angle : woundAngles_) {
    load_[at(angle.channel)] +=
        inertias_[at(angle.body)].mass * dynamics_.alongWinding(angle.winding, at_, a.data());
  }
}

void MechanismSystem::setInertia(std::size_t first, std::size_t end, const double* a,
                                 double* __restrict r) const {
  for (std::size_t i = first; i < end; ++i) r[i] = weight_[i] + diagonalMass_[i] * a[i];
}

/// The same for planar bodies alone, with less to read.
void MechanismSystem::setPlanarInertia(const PlanarLot& done, const PlanarLot& lot, const double* a,
                                       double* __restrict r) const {
  const double gx = gravity_.x(), gy = gravity_.y();
  std::size_t i = done.coordinateEnd;
  for (std::size_t b = done.bodyEnd; b < lot.bodyEnd; ++b, i += 3) {
    const PlanarMass& body = planarMasses_[b];
    r[i] = -body.mass * gx + body.mass * a[i];
    r[i + 1] = -body.mass * gy + body.mass * a[i + 1];
    r[i + 2] = body.inertia * a[i + 2];
  }
}

void MechanismSystem::forceBalance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                                   VectorOut r) {
  evaluateChannels(q);
  if (program_.forcesNeedRates) evaluateRates(v);  // coefficients of rows have no use for them
  balance_.evaluate(sourcesAt(t));
  collectLoads(balance_, a, lambda);
  PlanarLot done;
  for (const PlanarLot& lot : lots_) {
    if (lot.coordinateEnd - done.coordinateEnd == 3 * (lot.bodyEnd - done.bodyEnd)) {
      setPlanarInertia(done, lot, a.data(), r.data());
    } else {
      setInertia(done.coordinateEnd, lot.coordinateEnd, a.data(), r.data());
    }
    dynamics_.addPinForces(loads_, {done.pinEnd, lot.pinEnd}, r.data());
    done = lot;
  }
  setInertia(done.coordinateEnd, weight_.size(), a.data(), r.data());
  std::fill(turnings_.begin(), turnings_.end(), Turning{});
  dynamics_.addOtherForces(at_, loads_, r.data(), turnings_);
  for (const int b : program_.dynamics.others) {
    const BlockProgram& block = program_.blocks[at(b)];
    for (int c = block.firstChannel; c < block.firstChannel + block.kernel.rows; ++c)
      if (loads_[c] != 0) EntryRow(program_, W_, c).addTo(r, loads_[c]);
  }
  for (std::size_t i = 0; i < rigidBodies_.size(); ++i) {
    const RigidBody& body = rigidBodies_[i];
    const double* p = q.data() + body.p;
    double* to = r.data() + body.p;
    turnings_[i].addForce(p, to);
    addRotationalBalance(inertias_[at(body.body)], p, v.data() + body.p, a.data() + body.p, to);
    for (int k = 0; k < 4; ++k) to[k] += lambda[body.normRow] * p[k];
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
