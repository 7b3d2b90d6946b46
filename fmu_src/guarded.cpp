#include "fmu_src/guarded.hpp"

#include <exception>

namespace trammel::fmi {
namespace {

class UnderWay {
 public:
  explicit UnderWay(Handle& fmu) : fmu_(fmu) { ++fmu_.callsUnderWay; }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() { --fmu_.callsUnderWay; }

 private:
  Handle& fmu_;
};

}  // namespace

Status runGuarded(void* handle, Version version, Call call, GuardedBody body) noexcept {
  Handle* const fmu = livingHandle(handle, version);
  if (fmu == nullptr) return Status::error;
  // A call out of a callback of another: only an intermediate update has any. It is not logged,
  // because the callback may be the logger.
  if (fmu->callsUnderWay > 0 && fmu->instance.mode() != Mode::intermediateUpdate)
    return Status::error;
  const UnderWay underWay(*fmu);
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
