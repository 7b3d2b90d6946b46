#include "fmu_src/log.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace trammel::fmi {
namespace {

constexpr unsigned allCategories = (1U << logCategoryNames.size()) - 1U;

unsigned bit(LogCategory category) { return 1U << static_cast<unsigned>(category); }

unsigned bitOf(const char* name) {
  if (name == nullptr) throw Error("log category is NULL, expected a name");
  const auto found =
      std::find_if(logCategoryNames.begin(), logCategoryNames.end(),
                   [name](const char* known) { return std::string_view(known) == name; });
  if (found != logCategoryNames.end())
    return *found == std::string_view("logAll") ? allCategories
                                                : 1U << (found - logCategoryNames.begin());
  std::string known;
  for (const char* category : logCategoryNames)
    known += std::string(known.empty() ? "" : ", ") + category;
  throw Error("log category \"" + std::string(name) + "\" is not known, expected one of " + known);
}

LogCategory categoryOf(Status status) {
  switch (status) {
    case Status::ok:
      return LogCategory::events;
    case Status::warning:
      return LogCategory::statusWarning;
    case Status::discard:
      return LogCategory::statusDiscard;
    case Status::error:
      return LogCategory::statusError;
    case Status::fatal:
      return LogCategory::statusFatal;
  }
  return LogCategory::all;
}

std::string doubled(const std::string& message, std::string_view characters) {
  std::string escaped;
  escaped.reserve(message.size());
  for (const char c : message) {
    escaped += c;
    if (characters.find(c) != std::string_view::npos) escaped += c;
  }
  return escaped;
}

}  // namespace

Log::Log(Sink sink, bool loggingOn)
    : sink_(std::move(sink)), mask_(loggingOn ? allCategories : 0U) {}

void Log::setDebugLogging(bool loggingOn, std::span<const char* const> categories) {
  unsigned named = categories.empty() ? allCategories : 0U;
  for (const char* name : categories) named |= bitOf(name);
  mask_ = loggingOn ? mask_ | named : mask_ & ~named;
}

bool Log::lets(LogCategory category) const {
  const bool always = category == LogCategory::statusError || category == LogCategory::statusFatal;
  return sink_ && (always || (mask_ & bit(category)) != 0U);
}

void Log::write(Status status, const std::string& message) const noexcept {
  write(status, "", message.c_str());
}

void Log::write(Status status, const char* where, const char* message) const noexcept {
  // The importer's callback stands behind the sink: what it throws must not run through the FMU.
  try {
    const LogCategory category = categoryOf(status);
    if (!lets(category)) return;
    const std::string prefix = *where == '\0' ? "" : std::string(where) + ": ";
    sink_(status, logCategoryNames[static_cast<std::size_t>(category)], prefix + message);
  } catch (...) {
  }
}

std::string escapeMessage(const std::string& message) { return doubled(message, "#"); }
std::string escapePrintfMessage(const std::string& message) { return doubled(message, "#%"); }

}  // namespace trammel::fmi
