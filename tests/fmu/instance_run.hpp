#pragma once

#include <string>
#include <vector>

#include "fmu_src/instance.hpp"
#include "models/variable_arrays.hpp"
#include "tests/fmu/test_models.hpp"

namespace trammel::fmi::test {

/// An instance with its variables by name.
struct InstanceRun {
  explicit InstanceRun(const std::string& text, double tolerance = 1e-8, StepOptions options = {})
      : instance(compiled(text), Log(), std::move(options)) {
    instance.enterInitializationMode(tolerance, 0, std::nullopt);
  }
  void exit() { instance.exitInitializationMode(); }
  std::uint32_t vr(const std::string& name) const { return reference(instance.model(), name); }
  std::vector<std::uint32_t> vrs(const std::vector<std::string>& names) const {
    std::vector<std::uint32_t> references;
    references.reserve(names.size());
    for (const std::string& name : names) references.push_back(vr(name));
    return references;
  }
  void set(const std::string& name, double value) {
    instance.setReal(vrs({name}), std::vector<double>{value});
  }
  double get(const std::string& name) { return get(std::vector<std::string>{name})[0]; }
  std::vector<double> get(const std::vector<std::string>& names) {
    std::vector<double> values(names.size());
    instance.getReal(vrs(names), values);
    return values;
  }
  std::vector<double> directional(const std::vector<std::string>& unknowns,
                                  const std::vector<std::string>& knowns,
                                  const std::vector<double>& seed) {
    std::vector<double> sensitivity(unknowns.size());
    instance.directionalDerivative(vrs(unknowns), vrs(knowns), seed, sensitivity);
    return sensitivity;
  }
  std::vector<double> adjoint(const std::vector<std::string>& unknowns,
                              const std::vector<std::string>& knowns,
                              const std::vector<double>& seed) {
    std::vector<double> sensitivity(knowns.size());
    instance.adjointDerivative(vrs(unknowns), vrs(knowns), seed, sensitivity);
    return sensitivity;
  }
  double derivative(const std::string& name, int order) {
    std::vector<double> value(1);
    instance.outputDerivatives(vrs({name}), std::vector<std::int32_t>{order}, value);
    return value[0];
  }
  void setDerivative(const std::string& name, int order, double value) {
    instance.setInputDerivatives(vrs({name}), std::vector<std::int32_t>{order},
                                 std::vector<double>{value});
  }

  Instance instance;
};

}  // namespace trammel::fmi::test
