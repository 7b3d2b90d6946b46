#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/model_interface.hpp"
#include "solver/types.hpp"

namespace trammel {

class ModelSystem;
struct CodedProgram;

/// Makes the evaluable form of a model that is coded in C++, one for each instance; the program
/// outlives it.
using SystemFactory = std::function<std::unique_ptr<ModelSystem>(const CodedProgram&)>;

/// A model of kind "coded": names, sizes and defaults from its file, equations from C++.
struct CodedProgram : ModelInterface {
  std::vector<std::string> coordinateNames, constraintNames;
  Vector nominal;                       // of each coordinate, SI
  Vector startPosition, startVelocity;  // SI
  Index outputCount = 0;
  SystemFactory makeSystem;  // empty: the file alone is known
};

}  // namespace trammel
