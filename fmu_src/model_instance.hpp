#pragma once

#include <memory>

#include "fmu_src/component.hpp"
#include "models/compiled_model.hpp"

namespace trammel::fmi {

/// An instance of a model. Throws Error where the request's token is not that of the model.
std::unique_ptr<Component> makeInstance(CompiledModel model, const ComponentRequest& request,
                                        const Log& log, StepOptions options);

}  // namespace trammel::fmi
