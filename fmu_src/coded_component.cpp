#include <string>

#include "fmu_src/model_instance.hpp"
#include "models/coded_file.hpp"
#include "models/coded_system.hpp"

namespace trammel::fmi {

/// The model whose interface is resources/model.toml and whose equations are in this binary.
std::unique_ptr<Component> makeComponent(const ComponentRequest& request, const Log& log,
                                         const StepOptions& options) {
  const auto file = readCodedFile(request.resources / "model.toml");
  if (!file) throw Error("resources/model.toml is not of kind \"coded\"");
  return makeInstance(compile(*file, codedSystem()), request, log, options);
}

}  // namespace trammel::fmi
