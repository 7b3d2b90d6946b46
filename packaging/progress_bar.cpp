#include "packaging/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace trammel::fmi {
namespace {

constexpr auto patience = std::chrono::milliseconds(700);  // shorter runs need no bar
constexpr auto period = std::chrono::milliseconds(100);
constexpr int width = 40;

}  // namespace

ProgressBar::ProgressBar(double startTime, double stopTime)
    : startTime_(startTime),
      stopTime_(stopTime),
      isTerminal_(isatty(STDERR_FILENO) == 1),
      next_(begin_ + patience) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::update(double time) {
  if (!isTerminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + period;
  drawn_ = true;
  const double share = std::clamp((time - startTime_) / (stopTime_ - startTime_), 0.0, 1.0);
  const auto full = static_cast<std::size_t>(share * width);
  const std::string bar = std::string(full, '#') + std::string(width - full, '.');
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  std::fprintf(stderr, "\r[%s] %3.0f %%  t = %.4g s, %.3g times real time\033[K", bar.c_str(),
               100 * share, time, (time - startTime_) / elapsed);
  std::fflush(stderr);
}

}  // namespace trammel::fmi
