#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

namespace trammel::fmi {

/// Whether what is written to the stream appears on a terminal at once: it is standard output and
/// that goes nowhere else.
bool isScreen(const std::ostream& stream);

/// What a bar says, in at most `columns` characters: how much of the run is done, the time reached
/// [s], the simulated over the real time.
struct Progress {
  double share = 0;   // 0 to 1
  double time = 0;    // [s]
  double factor = 0;  // times real time
  std::string line(int columns) const;
};

/// A line on standard error that shows how far a long run is; nothing is written unless standard
/// error is a terminal and `rows`, where the results go, is no screen, which they would tear up.
class ProgressBar final {
 public:
  ProgressBar(double startTime, double stopTime);
  ProgressBar(double startTime, double stopTime, const std::ostream& rows);
  ~ProgressBar();  // removes the line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(double time);

 private:
  ProgressBar(double startTime, double stopTime, bool isShown);

  using Clock = std::chrono::steady_clock;

  const double startTime_, stopTime_;  // [s]
  const bool isShown_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_;  // when to draw again
  bool drawn_ = false;
};

}  // namespace trammel::fmi
