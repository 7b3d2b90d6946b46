#include "coupling/fmu_log.hpp"

#include <algorithm>
#include <exception>
#include <vector>

namespace trammel::coupling {

const char* text(FmuStatus status) {
  switch (status) {
    case FmuStatus::ok:
      return "ok";
    case FmuStatus::warning:
      return "warning";
    case FmuStatus::discard:
      return "discard";
    case FmuStatus::error:
      return "error";
    case FmuStatus::fatal:
      return "fatal";
    case FmuStatus::pending:
      return "pending";
  }
  return "an unknown status";
}

void FmuLog::add(FmuStatus status, const char* category, const char* message) noexcept {
  try {
    if (messages_.size() == capacity_) messages_.pop_front();
    messages_.push_back(
        {status, category != nullptr ? category : "", message != nullptr ? message : ""});
  } catch (const std::exception&) {
    // Out of memory: the message is lost, the FMU must not see an exception.
  }
}

std::string FmuLog::tail() const {
  const auto collect = [&](bool onlyBad) {
    std::vector<std::string> found;
    for (auto m = messages_.rbegin(); m != messages_.rend() && found.size() < 3; ++m) {
      if (!onlyBad || m->status != FmuStatus::ok) found.push_back(m->text);
    }
    return found;
  };
  std::vector<std::string> lines = collect(true);
  if (lines.empty()) lines = collect(false);
  std::string joined;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    joined += (joined.empty() ? "" : "; ") + *line;
  }
  std::replace(joined.begin(), joined.end(), '\n', ' ');
  return joined;
}

}  // namespace trammel::coupling
