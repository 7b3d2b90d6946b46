#pragma once

#include <csignal>

namespace trammel::fmi {

/// Holds back the signals that ask for the end (INT, TERM, HUP, PIPE) so that temporary files can
/// be removed first: a signal that came meanwhile acts when the object is destroyed. QUIT still
/// ends the program at once.
class BlockedSignals final {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  /// Whether one of the signals came meanwhile.
  bool waiting() const;
  /// Throws Interrupted if one of the signals is waiting.
  void check() const;

 private:
  sigset_t blocked_{};
  sigset_t before_{};
};

}  // namespace trammel::fmi
