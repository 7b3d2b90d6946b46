#pragma once

#include <string>

#include "solver/mechanical_system.hpp"

namespace trammel::test {

/// Where a FaultySystem returns a wrong number.
enum class Fault { none, force, constraint, rate, acceleration, mass, gradient, stiffness };

/// Another system with one of its numbers replaced, from the evaluation `after` on.
class FaultySystem final : public MechanicalSystem {
 public:
  explicit FaultySystem(MechanicalSystem& sound) : sound_(sound) {}

  Fault fault = Fault::none;
  double value = 0;    // what is returned instead
  Index entry = 0;     // where, modulo the size
  int after = 0;       // evaluations of the faulty function that are still right
  bool shown = false;  // a wrong number was returned

  Index coordinateCount() const override { return sound_.coordinateCount(); }
  Index constraintCount() const override { return sound_.constraintCount(); }
  std::string coordinateName(Index i) const override { return sound_.coordinateName(i); }
  std::string constraintName(Index i) const override { return sound_.constraintName(i); }
  double coordinateNominal(Index i) const override { return sound_.coordinateNominal(i); }
  void forceBalance(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                    VectorOut r) override {
    sound_.forceBalance(t, q, v, a, lambda, r);
    spoil(Fault::force, r.data(), r.size());
  }
  void constraint(double t, VectorIn q, VectorOut g) override {
    sound_.constraint(t, q, g);
    spoil(Fault::constraint, g.data(), g.size());
  }
  void constraintRate(double t, VectorIn q, VectorIn v, VectorOut rate) override {
    sound_.constraintRate(t, q, v, rate);
    spoil(Fault::rate, rate.data(), rate.size());
  }
  void constraintAcceleration(double t, VectorIn q, VectorIn v, VectorOut gamma) override {
    sound_.constraintAcceleration(t, q, v, gamma);
    spoil(Fault::acceleration, gamma.data(), gamma.size());
  }
  void shape(Linearisation& out) const override { sound_.shape(out); }
  void linearise(double t, VectorIn q, VectorIn v, VectorIn a, VectorIn lambda,
                 Linearisation& out) override {
    sound_.linearise(t, q, v, a, lambda, out);
    spoilMatrices(out);
    spoil(Fault::stiffness, out.K.valuePtr(), out.K.nonZeros());
  }
  void massAndGradient(double t, VectorIn q, Linearisation& out) override {
    sound_.massAndGradient(t, q, out);
    spoilMatrices(out);
  }

 private:
  void spoilMatrices(Linearisation& out) {
    spoil(Fault::mass, out.M.valuePtr(), out.M.nonZeros());
    spoil(Fault::gradient, out.G.valuePtr(), out.G.nonZeros());
  }
  void spoil(Fault place, double* values, Index size) {
    if (place != fault || size == 0 || --after >= 0) return;
    values[entry % size] = value;
    shown = true;
  }

  MechanicalSystem& sound_;
};

}  // namespace trammel::test
