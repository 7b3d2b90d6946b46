#include "packaging/blocked_signals.hpp"

#include <algorithm>
#include <array>

#include "packaging/errors.hpp"

namespace trammel::fmi {
namespace {

constexpr std::array<int, 4> endingSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

}  // namespace

BlockedSignals::BlockedSignals() {
  sigemptyset(&blocked_);
  for (const int signal : endingSignals) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&blocked_, signal);  // nohup stays nohup
  }
  sigprocmask(SIG_BLOCK, &blocked_, &before_);
}

BlockedSignals::~BlockedSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

bool BlockedSignals::waiting() const {
  sigset_t waiting;
  sigemptyset(&waiting);
  sigpending(&waiting);
  return std::any_of(endingSignals.begin(), endingSignals.end(), [&](int signal) {
    return sigismember(&blocked_, signal) == 1 && sigismember(&waiting, signal) == 1;
  });
}

void BlockedSignals::check() const {
  if (waiting()) throw Interrupted("interrupted");
}

}  // namespace trammel::fmi
