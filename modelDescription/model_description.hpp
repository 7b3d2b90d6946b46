#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/compiled_model.hpp"

namespace trammel::fmi {

enum class FmiVersion { fmi2, fmi3 };

struct DescriptionOptions {
  std::optional<std::int64_t> generationTime;  // [s] since 1970-01-01T00:00:00Z; none: left out
};

/// The text of modelDescription.xml, made from the same VariableTable that the FMU answers get and
/// set from. Equal models and options give equal bytes.
std::string modelDescriptionXml(const CompiledModel& model, FmiVersion version,
                                const DescriptionOptions& options = {});

}  // namespace trammel::fmi
