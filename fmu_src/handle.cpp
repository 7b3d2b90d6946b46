#include "fmu_src/handle.hpp"

#include <string_view>
#include <utility>

#include "fmu_src/arguments.hpp"
#include "fmu_src/resources.hpp"

namespace trammel::fmi {
namespace {

constexpr std::uint64_t freed = 0x6672656564212121U;

Handle* instantiateOrThrow(const InstantiationArguments& arguments, const Log& log,
                           const StepOptions& options) {
  if (arguments.refusal != nullptr) throw Error(arguments.refusal);
  if (arguments.instanceName == nullptr ||
      std::string_view(arguments.instanceName).find_first_not_of(" \t\r\n") ==
          std::string_view::npos)
    throw Error("instance name is empty, expected at least one character that is not a space");
  if (arguments.token == nullptr) throw Error("instantiation token (guid) is NULL");
  const auto intermediateVariables =
      arrayArgument(arguments.intermediateVariables, arguments.intermediateVariableCount,
                    "requiredIntermediateVariables");
  const ComponentRequest request{
      .resources = resourceDirectory(arguments.version, arguments.resources),
      .instanceName = arguments.instanceName,
      .token = arguments.token,
      .intermediateVariables = intermediateVariables};
  return std::make_unique<Handle>(arguments.version, makeComponent(request, log, options))
      .release();
}

}  // namespace

void* SavedStates::save(const Component& component, void* state) {
  if (state == nullptr) {
    std::unique_ptr<ComponentState> saved;
    component.saveState(saved);
    return add(std::move(saved));
  }
  const auto found = states_.find(state);
  if (found == states_.end())
    throw Error("the state to reuse is neither NULL nor one of this instance");
  component.saveState(found->second);
  return state;
}

void* SavedStates::add(std::unique_ptr<ComponentState> state) {
  void* const key = state.get();
  states_.emplace(key, std::move(state));
  return key;
}

const ComponentState& SavedStates::get(const void* state) const {
  const auto found = states_.find(state);
  if (found == states_.end())
    throw Error(state == nullptr ? "the state is NULL" : "the state is not one of this instance");
  return *found->second;
}

void SavedStates::free(void* state) {
  if (state == nullptr) return;
  if (states_.erase(state) == 0) throw Error("the state is not one of this instance");
}

Handle::Handle(Version versionOfCaller, std::unique_ptr<Component> versionNeutral)
    : marker(livingMarker(versionOfCaller, Standing::inOtherMode)),
      component(std::move(versionNeutral)),
      instance(*component),
      seesArrays_(versionOfCaller == Version::fmi3 && instance.arrays().any()) {}

Handle::~Handle() { *const_cast<volatile std::uint64_t*>(&marker) = freed; }

Handle* instantiate(const InstantiationArguments& arguments, const Log& log,
                    const StepOptions& options) noexcept {
  try {
    return instantiateOrThrow(arguments, log, options);
  } catch (const std::exception& error) {
    log.write(Status::error, arguments.function, error.what());
  } catch (...) {
    log.write(Status::error, arguments.function, "unknown error");
  }
  return nullptr;
}

void freeInstance(void* pointer) noexcept {
  auto* const handle = static_cast<Handle*>(pointer);
  if (handle == nullptr) return;
  if (livingHandle(handle, Version::fmi2) == nullptr &&
      livingHandle(handle, Version::fmi3) == nullptr)
    return;
  if (handle->standing() == Standing::underWay) {
    if (handle->instance.mode() == Mode::intermediateUpdate)
      handle->instance.fail("fmi3FreeInstance",
                            "illegal call: the instance is in the midst of a step");
    return;
  }
  delete handle;
}

}  // namespace trammel::fmi
