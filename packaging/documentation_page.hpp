#pragma once

#include <string>
#include <vector>

#include "modelDescription/model_description.hpp"
#include "models/compiled_model.hpp"
#include "packaging/reference_run.hpp"

namespace trammel::fmi {

/// What the page says of the FMU around it.
struct DocumentationOptions {
  FmiVersion version = FmiVersion::fmi3;
  std::vector<std::string> platforms;  // tuples of FMI 3
};

/// documentation/index.html: what the model is, its motion and plots of the run, variables, how to
/// use it, the model file. Self-contained, works offline. `run` is nullptr where there was none.
/// Equal arguments give equal bytes.
std::string documentationPage(const CompiledModel& model, const DocumentationOptions& options = {},
                              const ReferenceRun* run = nullptr);

}  // namespace trammel::fmi
