#pragma once

#include <chrono>

namespace trammel::fmi {

/// A line on standard error that shows how far a long run is; nothing is written unless standard
/// error is a terminal.
class ProgressBar final {
 public:
  ProgressBar(double startTime, double stopTime);
  ~ProgressBar();  // removes the line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(double time);

 private:
  using Clock = std::chrono::steady_clock;

  const double startTime_, stopTime_;  // [s]
  const bool isTerminal_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_;  // when to draw again
  bool drawn_ = false;
};

}  // namespace trammel::fmi
