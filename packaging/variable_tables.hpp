#pragma once

#include <string>

#include "models/compiled_model.hpp"

namespace trammel::fmi {

/// Tables of the model's variables as HTML, grouped by what they are for; long groups that few
/// readers need are folded.
std::string variableTables(const CompiledModel& model);

/// Tables of the bodies and joints of a mechanism; empty for other models.
std::string mechanismTables(const CompiledModel& model);

}  // namespace trammel::fmi
