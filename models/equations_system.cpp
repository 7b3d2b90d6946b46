#include "models/equations_system.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "models/text.hpp"
#include "solver/pairs.hpp"

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
      placedAt_(program.coordinateNames.size()),
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
  place_.evaluate(sourcesAt(t));
  double* to = placedAt_.data();
  forPairs(static_cast<Index>(placedAt_.size()),
           [&]<class Some>(Index i) { store<Some>(load<Some>(q + i), to + i); });
  placeTime_ = t;
  placed_ = true;
}

void EquationsSystem::setInputs(const InputPolynomials& inputs) {
  inputs_.set(inputs);
  placed_ = stays_ = false;
}

void EquationsSystem::forceBalance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                                   VectorOut r) {
  TapeSources& sources = sourcesAt(t, q.data());
  sources.v = v.data();
  sources.a = a.data();
  sources.lambda = lambda.data();
  forceBalance_.evaluate(sources, r.data());
}

void EquationsSystem::constraint(double t, VectorIn q, VectorOut g) {
  TapeSources& sources = sourcesAt(t, q.data());
  constraint_.evaluate(sources, g.data());
}

void EquationsSystem::constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) {
  TapeSources& sources = sourcesAt(t, q.data());
  sources.v = v.data();
  constraintRate_.evaluate(sources, rate.data());
}

void EquationsSystem::constraintAcceleration(double t, VectorIn q, VectorIn v, VectorOut gamma) {
  TapeSources& sources = sourcesAt(t, q.data());
  sources.v = v.data();
  constraintAcceleration_.evaluate(sources, gamma.data());
}

void EquationsSystem::shape(Linearisation& linearisation) const {
  program_.M.shape(linearisation.M);
  program_.C.shape(linearisation.C);
  program_.K.shape(linearisation.K);
  program_.G.shape(linearisation.G);
}

void EquationsSystem::linearise(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                                Linearisation& out) {
  TapeSources& sources = sourcesAt(t, q.data());
  sources.v = v.data();
  sources.a = a.data();
  sources.lambda = lambda.data();
  linearisation_.evaluate(sources);
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
  TapeSources& sources = sourcesAt(t, q.data());
  massAndGradient_.evaluate(sources);
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
  TapeSources& sources = sourcesAt(t, q.data());
  sources.v = v.data();
  sources.a = a.data();
  sources.lambda = lambda.data();
  assert(values.size() == program_.outputs.rootCount());
  outputs_.evaluate(sources, values.data());
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
