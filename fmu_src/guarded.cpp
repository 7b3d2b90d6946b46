#include "fmu_src/guarded.hpp"

#include <exception>

namespace trammel::fmi {

Status statusOfException(Handle& fmu, Version version, Call call) noexcept {
  const char* const function = ruleOf(call).name(version);
  try {
    throw;
  } catch (const Discarded& discarded) {
    fmu.instance.log().write(Status::discard, function, discarded.what());
    return Status::discard;
  } catch (const std::exception& error) {
    fmu.instance.fail(function, error.what());
  } catch (...) {
    fmu.instance.fail(function, "unknown error");
  }
  return Status::error;
}

}  // namespace trammel::fmi
