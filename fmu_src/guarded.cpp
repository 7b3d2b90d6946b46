#include "fmu_src/guarded.hpp"

#include <exception>

namespace trammel::fmi {
Status runGuarded(void* handle, Version version, Call call, GuardedBody body) noexcept {
  Handle* const fmu = livingHandle(handle, version);
  if (fmu == nullptr) return Status::error;
  const auto function = [&] { return ruleOf(call).name(version); };
  try {
    requireLegal(call, version, fmu->instance.mode());
    return body.run(body.body, *fmu);
  } catch (const Discarded& discarded) {
    fmu->instance.log().write(Status::discard, function(), discarded.what());
    return Status::discard;
  } catch (const std::exception& error) {
    fmu->instance.fail(function(), error.what());
  } catch (...) {
    fmu->instance.fail(function(), "unknown error");
  }
  return Status::error;
}

}  // namespace trammel::fmi
