#pragma once

#include <string>

#include "packaging/inspection.hpp"

namespace trammel::fmi {

/// Tables to read.
std::string inspectionText(const CompiledModel& model, const Inspection& inspection);

/// The same as one JSON object.
std::string inspectionJson(const CompiledModel& model, const Inspection& inspection);

}  // namespace trammel::fmi
