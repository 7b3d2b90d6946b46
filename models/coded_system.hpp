#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/coded_program.hpp"
#include "models/compiled_model.hpp"
#include "models/input_signals.hpp"
#include "solver/finite_differences.hpp"

namespace trammel {

/// Values that a coded model sees while it is evaluated, in the order of its file.
struct CodedValues {
  std::span<const double> parameters;  // SI
  std::span<const double> inputs;      // SI, at the time of the evaluation
};

/// The equations of a model in C++, of the form (E1) of docs/theory.md:
///   M(q) a + G(q,t)ᵀ λ = f(t,q,v),   0 = g(q,t),   G = ∂g/∂q.
/// Only M, f, g and the outputs are needed: the derivatives are differences of fourth order.
/// Functions must not allocate, must not throw and may return NaN where the model is not defined.
class CodedModel {
 public:
  virtual ~CodedModel() = default;

  /// M(q): symmetric, positive definite on the motions that the constraints allow. It is zero when
  /// it is handed over.
  virtual void mass(const CodedValues& values, VectorIn q, Matrix& M) = 0;
  virtual void force(const CodedValues& values, double t, VectorIn q, VectorIn v, VectorOut f) = 0;
  virtual void constraint(const CodedValues& values, double t, VectorIn q, VectorOut g) = 0;
  virtual void outputs(const CodedValues& values, double t, VectorIn q, VectorIn v, VectorIn a,
                       VectorIn lambda, std::span<double> y) = 0;
};

/// The system that the solver sees of a coded model.
class CodedSystem final : public ModelSystem {
 public:
  CodedSystem(const CodedProgram& program, std::unique_ptr<CodedModel> model);

  Index coordinateCount() const override { return system_.coordinateCount(); }
  Index constraintCount() const override { return system_.constraintCount(); }
  std::string coordinateName(Index i) const override { return system_.coordinateName(i); }
  std::string constraintName(Index i) const override { return system_.constraintName(i); }
  double coordinateNominal(Index i) const override { return system_.coordinateNominal(i); }

  void forceBalance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                    VectorOut r) override {
    system_.forceBalance(t, q, v, a, lambda, r);
  }
  void constraint(double t, VectorIn q, VectorOut g) override { system_.constraint(t, q, g); }
  void constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) override {
    system_.constraintRate(t, q, v, rate);
  }
  void constraintAcceleration(double t, VectorIn q, VectorIn v, VectorOut gamma) override {
    system_.constraintAcceleration(t, q, v, gamma);
  }
  void shape(Linearisation& linearisation) const override { system_.shape(linearisation); }
  void linearise(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                 Linearisation& out) override {
    system_.linearise(t, q, v, a, lambda, out);
  }
  void massAndGradient(double t, VectorIn q, Linearisation& out) override {
    system_.massAndGradient(t, q, out);
  }

  void setParameters(std::span<const double> values) override;
  void setInputs(const InputPolynomials& inputs) override { inputs_.set(inputs); }
  void startValues(VectorOut q, VectorOut v) override;
  void outputs(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
               std::span<double> values) override;

 private:
  PlainEquations equations();
  CodedValues valuesAt(double t);

  const CodedProgram& program_;
  std::unique_ptr<CodedModel> model_;
  std::vector<double> parameters_;
  InputSignals inputs_;
  Matrix M_;
  FiniteDifferenceSystem system_;
};

/// Coded models whose equations are those of the class Model.
template <class Model>
SystemFactory codedBy() {
  return [](const CodedProgram& program) {
    return std::make_unique<CodedSystem>(program, std::make_unique<Model>());
  };
}

/// The model coded in the binary at hand; each such binary defines this once:
///   trammel::SystemFactory trammel::codedSystem() { return trammel::codedBy<MyModel>(); }
SystemFactory codedSystem();

}  // namespace trammel
