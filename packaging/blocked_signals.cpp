#include "packaging/blocked_signals.hpp"

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

void BlockedSignals::check() const {
  sigset_t waiting;
  sigemptyset(&waiting);
  sigpending(&waiting);
  for (const int signal : endingSignals) {
    const bool isOurs = sigismember(&blocked_, signal) == 1;
    if (isOurs && sigismember(&waiting, signal) == 1) throw Interrupted("interrupted");
  }
}

}  // namespace trammel::fmi
