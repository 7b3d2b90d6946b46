#include "fmu_src/model_instance.hpp"
#include "models/model_file.hpp"

namespace trammel::fmi {

/// The model of resources/model.toml.
std::unique_ptr<Component> makeComponent(const ComponentRequest& request, const Log& log,
                                         const StepOptions& options) {
  return makeInstance(compile(readModelFile(request.resources / "model.toml")), request, log,
                      options);
}

}  // namespace trammel::fmi
