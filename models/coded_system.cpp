#include "models/coded_system.hpp"

#include <utility>

namespace trammel {
namespace {

/// Every entry may be there.
SparseMatrix fullPattern(Index rows, Index columns) {
  return Matrix::Ones(rows, columns).sparseView();
}

}  // namespace

CodedSystem::CodedSystem(const CodedProgram& program, std::unique_ptr<CodedModel> model)
    : program_(program),
      model_(std::move(model)),
      parameters_(program.parameters),
      inputs_(program.inputs),
      M_(Matrix::Zero(program.nominal.size(), program.nominal.size())),
      system_(equations()) {}

PlainEquations CodedSystem::equations() {
  PlainEquations e;
  e.coordinateNames = program_.coordinateNames;
  e.constraintNames = program_.constraintNames;
  e.nominal = program_.nominal;
  const Index n = e.nominal.size();
  const auto m = static_cast<Index>(e.constraintNames.size());
  e.massPattern = e.massByPosition = e.forceByPosition = e.forceByVelocity = fullPattern(n, n);
  e.gradientPattern = fullPattern(m, n);
  e.mass = [this](VectorIn q, SparseMatrix& M) {
    M_.setZero();
    model_->mass(valuesAt(0), q, M_);
    for (Index i = 0; i < M_.size(); ++i) M.valuePtr()[i] = M_.data()[i];  // full, by columns
  };
  e.force = [this](double t, VectorIn q, VectorIn v, VectorOut f) {
    model_->force(valuesAt(t), t, q, v, f);
  };
  e.constraint = [this](double t, VectorIn q, VectorOut g) {
    model_->constraint(valuesAt(t), t, q, g);
  };
  return e;
}

CodedValues CodedSystem::valuesAt(double t) {
  TapeSources sources;
  inputs_.at(t, sources);
  return {parameters_, {sources.inputs, program_.inputs.size()}};
}

void CodedSystem::setParameters(std::span<const double> values) {
  program_.check(values);
  parameters_.assign(values.begin(), values.end());
}

void CodedSystem::startValues(VectorOut q, VectorOut v) {
  q = program_.startPosition;
  v = program_.startVelocity;
}

void CodedSystem::outputs(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                          std::span<double> values) {
  model_->outputs(valuesAt(t), t, q, v, a, lambda, values);
}

}  // namespace trammel
