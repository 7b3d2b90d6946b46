#include "models/equations_system.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "models/text.hpp"

namespace trammel {

void SparsePattern::shape(SparseMatrix& matrix) const {
  matrix.resize(rows, columns);
  matrix.resizeNonZeros(static_cast<Index>(inner.size()));
  std::copy(outer.begin(), outer.end(), matrix.outerIndexPtr());
  std::copy(inner.begin(), inner.end(), matrix.innerIndexPtr());
  std::fill_n(matrix.valuePtr(), inner.size(), 0.0);
}

EquationsSystem::EquationsSystem(const EquationsProgram& program)
    : program_(program),
      parameters_(program.parameters),
      inputs_(program.inputs),
      start_(program.start.rootCount()),
      mass_(program.mass.rootCount()),
      n_(program.coordinateNames.size()),
      m_(program.constraintNames.size()),
      shared_(program.sharedSize),
      startStage_(program.start),
      massStage_(program.mass),
      place_(program.place, shared_),
      forceBalance_(program.forceBalance, shared_),
      constraint_(program.constraint, shared_),
      constraintRate_(program.constraintRate, shared_),
      constraintAcceleration_(program.constraintAcceleration, shared_),
      linearisation_(program.linearisation, shared_),
      massAndGradient_(program.massAndGradient, shared_),
      outputs_(program.outputs) {
  prepare();
}

void EquationsSystem::prepare() {
  placed_ = stays_ = false;
  sources_.parameters = parameters_.data();
  for (Stage* stage :
       {&place_, &startStage_, &massStage_, &forceBalance_, &constraint_, &constraintRate_,
        &constraintAcceleration_, &linearisation_, &massAndGradient_, &outputs_}) {
    stage->tape.prepare(parameters_.data(), stage->storage.data());
  }
}

std::string EquationsSystem::coordinateName(Index i) const {
  return program_.coordinateNames[static_cast<std::size_t>(i)];
}
std::string EquationsSystem::constraintName(Index i) const {
  return program_.constraintNames[static_cast<std::size_t>(i)];
}
double EquationsSystem::coordinateNominal(Index i) const {
  return program_.nominal[static_cast<std::size_t>(i)];
}

TapeSources& EquationsSystem::sourcesAt(double t) {
  sources_.time = t;
  inputs_.at(t, sources_);
  placed_ = stays_ = false;
  return sources_;
}

void EquationsSystem::placeAt(double t, const double* q) {
  put(positions, q, n_);
  place_.evaluate(sourcesAt(t));
  placeTime_ = t;
  placed_ = true;
}

void EquationsSystem::setInputs(const InputPolynomials& inputs) {
  inputs_.set(inputs);
  placed_ = stays_ = false;
}

void EquationsSystem::forceBalance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                                   VectorOut r) {
  goTo(t, q.data());
  putMotion(v.data(), a.data(), lambda.data());
  forceBalance_.evaluate(sources_, r.data());
}

void EquationsSystem::residual(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                               VectorOut rg) {
  goTo(t, q.data());
  putMotion(v.data(), a.data(), lambda.data());
  forceBalance_.evaluate(sources_, rg.data());
  constraint_.evaluate(sources_, rg.data() + n_);
}

void EquationsSystem::constraint(double t, VectorIn q, VectorOut g) {
  goTo(t, q.data());
  constraint_.evaluate(sources_, g.data());
}

void EquationsSystem::constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) {
  goTo(t, q.data());
  put(velocities, v.data(), n_);
  constraintRate_.evaluate(sources_, rate.data());
}

void EquationsSystem::constraintAcceleration(double t, VectorIn q, VectorIn v, VectorOut gamma) {
  goTo(t, q.data());
  put(velocities, v.data(), n_);
  constraintAcceleration_.evaluate(sources_, gamma.data());
}

void EquationsSystem::shape(Linearisation& linearisation) const {
  program_.M.shape(linearisation.M);
  program_.C.shape(linearisation.C);
  program_.K.shape(linearisation.K);
  program_.G.shape(linearisation.G);
}

void EquationsSystem::linearise(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                                Linearisation& out) {
  goTo(t, q.data());
  putMotion(v.data(), a.data(), lambda.data());
  linearisation_.evaluate(sources_);
  std::size_t first = 0;
  const auto fill = [&](const SparsePattern& pattern, SparseMatrix& matrix) {
    assert(matrix.nonZeros() == static_cast<Index>(pattern.entryCount()));
    linearisation_.copy(first, pattern.entryCount(), matrix.valuePtr());
    first += pattern.entryCount();
  };
  fill(program_.M, out.M);
  fill(program_.C, out.C);
  fill(program_.K, out.K);
  fill(program_.G, out.G);
}

void EquationsSystem::massAndGradient(double t, VectorIn q, Linearisation& out) {
  goTo(t, q.data());
  massAndGradient_.evaluate(sources_);
  massAndGradient_.copy(0, program_.M.entryCount(), out.M.valuePtr());
  massAndGradient_.copy(program_.M.entryCount(), program_.G.entryCount(), out.G.valuePtr());
}

void EquationsSystem::setParameters(std::span<const double> values) {
  program_.check(values);
  const std::vector<double> former = parameters_;
  std::copy(values.begin(), values.end(), parameters_.begin());
  prepare();
  const Defect defect = findDefect();
  if (defect.coordinate < 0) return;
  parameters_ = former;
  prepare();
  throw Error(describe(defect));
}

void EquationsSystem::startValues(VectorOut q, VectorOut v) {
  startStage_.evaluate(sourcesAt(0));
  const auto n = static_cast<std::size_t>(coordinateCount());
  startStage_.copy(0, n, q.data());
  startStage_.copy(n, n, v.data());
}

void EquationsSystem::outputs(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                              std::span<double> values) {
  goTo(t, q.data());
  sources_.q = q.data();
  sources_.v = v.data();
  sources_.a = a.data();
  sources_.lambda = lambda.data();
  assert(values.size() == program_.outputs.rootCount());
  outputs_.evaluate(sources_, values.data());
}

EquationsSystem::Defect EquationsSystem::findDefect() {
  const auto n = static_cast<std::size_t>(coordinateCount());
  startStage_.evaluate(sourcesAt(0), start_.data());
  TapeSources& sources = sourcesAt(0);
  sources.q = start_.data();
  massStage_.evaluate(sources, mass_.data());
  for (std::size_t i = 0; i < n; ++i) {
    const auto coordinate = static_cast<Index>(i);
    if (!std::isfinite(start_[i])) return {coordinate, Defect::Place::start, start_[i]};
    if (!std::isfinite(start_[n + i]))
      return {coordinate, Defect::Place::startVelocity, start_[n + i]};
    if (!(mass_[i] > 0) || !std::isfinite(mass_[i]))
      return {coordinate, Defect::Place::mass, mass_[i]};
  }
  return {};
}

std::string EquationsSystem::describe(const Defect& defect) const {
  const std::string subject = "coordinate " + inQuotes(coordinateName(defect.coordinate)) + ": ";
  const std::string value = numberText(defect.value);
  switch (defect.place) {
    case Defect::Place::start:
      return subject + "start must be finite, is " + value;
    case Defect::Place::startVelocity:
      return subject + "start_velocity must be finite, is " + value;
    case Defect::Place::mass:
      break;
  }
  return subject + "mass must be > 0, is " + value;
}

}  // namespace trammel
