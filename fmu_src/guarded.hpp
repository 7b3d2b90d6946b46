#pragma once

#include <type_traits>

#include "fmu_src/call_table.hpp"
#include "fmu_src/handle.hpp"
#include "fmu_src/status.hpp"

namespace trammel::fmi {

/// Marks the handle as long as a call runs.
class UnderWay {
 public:
  explicit UnderWay(Handle& fmu) : fmu_(fmu), isNested_(fmu.standing() == Standing::underWay) {
    fmu_.setStanding(Standing::underWay);
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() {
    if (!isNested_) fmu_.endCall();
  }

 private:
  Handle& fmu_;
  bool isNested_;
};

/// Discarded → logged, discard, instance as before; anything else → logged, instance failed, error.
/// Pre: called where the exception was caught.
Status statusOfException(Handle& fmu, Version version, Call call) noexcept;

/// The only way into an instance: null, foreign or freed handle → error; a call out of a callback
/// that allows none → error; illegal call or anything thrown → statusOfException(). It and
/// guardedInStep() hold the `try` that ends what a component throws. Runs body(Handle&), which
/// returns a Status or nothing (ok).
template <Version version, class Body>
Status guarded(void* handle, CallOf<version> call, const Body& body) noexcept {
  Handle* const fmu = livingHandle(handle, version);
  if (fmu == nullptr) return Status::error;
  const Mode mode = fmu->instance.mode();
  // A call out of a callback of another: only an intermediate update has any. It is not logged,
  // because the callback may be the logger.
  if (fmu->standing() == Standing::underWay && mode != Mode::intermediateUpdate)
    return Status::error;
  const UnderWay underWay(*fmu);
  try {
    requireLegal(call, mode);
    if constexpr (std::is_void_v<std::invoke_result_t<const Body&, Handle&>>) {
      body(*fmu);
      return Status::ok;
    } else {
      return body(*fmu);
    }
  } catch (...) {
    return statusOfException(*fmu, version, call.call);
  }
}

/// The same with little around the body, for calls of every step. Pre: handleInStep() has given the
/// handle; body(Handle&) leaves the mode as it is unless it throws.
template <Version version, Call call, class Body>
Status guardedInStep(Handle& fmu, const Body& body) noexcept {
  static_assert(ruleOf(call).allows(version, Mode::step));
  fmu.marker = livingMarker(version, Standing::underWay);
  try {
    const Status status = body(fmu);
    fmu.marker = livingMarker(version, Standing::inStepMode);
    return status;
  } catch (...) {
    const Status status = statusOfException(fmu, version, call);
    fmu.endCall();
    return status;
  }
}

}  // namespace trammel::fmi
