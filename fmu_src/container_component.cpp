#include <string>

#include "fmu_src/component.hpp"
#include "fmu_src/container_instance.hpp"

namespace trammel::fmi {

/// The coupled system of resources/system.toml.
std::unique_ptr<Component> makeComponent(const ComponentRequest& request, const Log& log,
                                         const StepOptions& options) {
  ContainerDescription description = readContainer(request.resources / "system.toml");
  if (description.token != request.token)
    throw Error("instantiation token (guid) is \"" + std::string(request.token) +
                "\", expected \"" + description.token +
                "\": modelDescription.xml and resources/system.toml do not belong together");
  if (options.eventModeUsed) throw Error("eventModeUsed is true, but hasEventMode is false");
  if (!request.intermediateVariables.empty())
    throw Error("required intermediate variable " +
                std::to_string(request.intermediateVariables[0]) +
                " is not one with intermediateUpdate: the container has none");
  return std::make_unique<ContainerInstance>(std::move(description),
                                             std::filesystem::absolute(request.resources), log,
                                             options.knowsTypes);
}

}  // namespace trammel::fmi
