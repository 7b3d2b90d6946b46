#include "fmu_src/model_instance.hpp"

#include <string>
#include <utility>

#include "fmu_src/instance.hpp"

namespace trammel::fmi {

std::unique_ptr<Component> makeInstance(CompiledModel model, const ComponentRequest& request,
                                        const Log& log, StepOptions options) {
  if (model.token() != request.token)
    throw Error("instantiation token (guid) is \"" + std::string(request.token) +
                "\", expected \"" + model.token() +
                "\": modelDescription.xml and resources/model.toml do not belong together");
  const std::vector<VariableArray> variables = variableArrays(model.variables());
  const ArrayReferences arrays(variables, variables);
  for (const std::uint32_t variable : request.intermediateVariables)
    for (std::uint32_t i = 0; i < arrays.count(variable); ++i)
      options.intermediateVariables.push_back(variable + i);
  return std::make_unique<Instance>(std::move(model), log, std::move(options));
}

}  // namespace trammel::fmi
