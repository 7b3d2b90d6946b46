#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace trammel::coupling {

enum class FmuStatus { ok, warning, discard, error, fatal, pending };

const char* text(FmuStatus status);

struct FmuMessage {
  FmuStatus status = FmuStatus::ok;
  std::string category;
  std::string text;
};

/// The latest messages of one instance; its address is what the FMU gives back to the logger.
class FmuLog final {
 public:
  /// Called from inside the FMU, so it never throws; null pointers are taken as empty.
  void add(FmuStatus status, const char* category, const char* message) noexcept;

  const std::deque<FmuMessage>& messages() const { return messages_; }
  /// The last messages of warnings and worse, or of any kind if there are none, in one line; empty
  /// if there are none at all.
  std::string tail() const;
  void clear() { messages_.clear(); }

 private:
  static constexpr std::size_t capacity_ = 50;
  std::deque<FmuMessage> messages_;  // oldest first
};

}  // namespace trammel::coupling
