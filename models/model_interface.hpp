#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/model_file.hpp"

namespace trammel {

struct ParameterLimits {
  std::string name;
  double min = 0, max = 0;  // SI, may be infinite
};

/// Parameters and inputs of a program: what its owner may set.
struct ModelInterface {
  std::vector<ParameterLimits> limits;     // of each parameter
  std::vector<double> parameters, inputs;  // defaults, SI

  /// Defaults and bounds of a file.
  void read(const ModelFile& file);
  /// Throws Error where the number of values is wrong or one is out of its bounds.
  void check(std::span<const double> values) const;
};

}  // namespace trammel
