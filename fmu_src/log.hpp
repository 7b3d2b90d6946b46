#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>

#include "fmu_src/status.hpp"

namespace trammel::fmi {

enum class LogCategory { events, statusWarning, statusDiscard, statusError, statusFatal, all };

/// Names as in <LogCategories> of modelDescription.xml, in the order of LogCategory.
inline constexpr std::array<const char*, 6> logCategoryNames = {
    "logEvents",      "logStatusWarning", "logStatusDiscard",
    "logStatusError", "logStatusFatal",   "logAll"};

/// Where messages go and which are let through: a value. Errors are let through even when logging
/// is off.
class Log {
 public:
  /// Takes a message without a trailing newline; nothing in it is escaped.
  using Sink = std::function<void(Status, const char* category, const std::string& message)>;

  Log() = default;  // silent
  explicit Log(Sink sink, bool loggingOn = false);

  /// Switches the named categories on or off, all of them if none is named. Throws Error for a name
  /// that is not known or null, then nothing is changed.
  void setDebugLogging(bool loggingOn, std::span<const char* const> categories);

  /// Writes "message" or "where: message" to the category that belongs to the status; ok goes to
  /// logEvents. Never throws: a message that cannot be delivered is lost.
  void write(Status status, const std::string& message) const noexcept;
  void write(Status status, const char* where, const char* message) const noexcept;

 private:
  bool lets(LogCategory category) const;

  Sink sink_;
  unsigned mask_ = 0;  // bit i: category i is on
};

/// '#' doubled, as both standards ask: a single one would start a value reference.
std::string escapeMessage(const std::string& message);
/// '#' and '%' doubled: the message of FMI 2 is a printf format.
std::string escapePrintfMessage(const std::string& message);

}  // namespace trammel::fmi
