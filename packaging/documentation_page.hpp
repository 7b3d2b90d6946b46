#pragma once

#include <string>

#include "models/compiled_model.hpp"

namespace trammel::fmi {

/// documentation/index.html: what the model is and its variables in a table; self-contained, works
/// offline.
std::string documentationPage(const CompiledModel& model);

}  // namespace trammel::fmi
