#pragma once

#include <span>
#include <string>

#include "models/model_file.hpp"

namespace trammel::fmi {

/// The model file with other values of parameters, start values of inputs and settings of the
/// solver, each given as "name=value": written into its text in place of those it had, so that the
/// model travels as if its author had written them. A number is in SI unless a unit follows it:
/// "L=300 mm". Throws InputError naming the assignment that is wrong.
ModelFile withBakedValues(ModelFile file, std::span<const std::string> assignments);

}  // namespace trammel::fmi
