#pragma once

#include <memory>
#include <type_traits>

#include "fmu_src/call_table.hpp"
#include "fmu_src/handle.hpp"
#include "fmu_src/status.hpp"

namespace trammel::fmi {

/// A call through the C interface, without its type.
struct GuardedBody {
  const void* body;
  Status (*run)(const void* body, Handle& fmu);
};

/// The only way into an instance: null, foreign or freed handle → error; a call out of a callback
/// that allows none → error; illegal call or anything
/// thrown → logged, instance failed, error; Discarded → logged, discard, instance as before. Holds
/// the one `try` around a component.
Status runGuarded(void* handle, Version version, Call call, GuardedBody body) noexcept;

/// Runs body(Handle&), which returns a Status or nothing (ok).
template <class Body>
Status guarded(void* handle, Version version, Call call, const Body& body) noexcept {
  const auto run = [](const void* untyped, Handle& fmu) {
    const Body& typed = *static_cast<const Body*>(untyped);
    if constexpr (std::is_void_v<std::invoke_result_t<const Body&, Handle&>>) {
      typed(fmu);
      return Status::ok;
    } else {
      return typed(fmu);
    }
  };
  return runGuarded(handle, version, call, {std::addressof(body), run});
}

}  // namespace trammel::fmi
