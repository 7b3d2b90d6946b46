#include "packaging/progress_bar.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace trammel::fmi {
namespace {

constexpr auto patience = std::chrono::milliseconds(700);  // shorter runs need no bar
constexpr auto period = std::chrono::milliseconds(100);
constexpr int widest = 40, narrowest = 8;  // characters of the bar itself
constexpr int usualColumns = 80;           // of a terminal that does not tell

/// Where a line can be written over again.
bool isTerminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

int terminalColumns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : usualColumns;
}

}  // namespace

bool isScreen(const std::ostream& stream) {
  return &stream == &std::cout && isatty(STDOUT_FILENO) == 1;
}

std::string Progress::line(int columns) const {
  std::array<char, 96> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%3.0f %%  t = %.4g s, %.3g times real time",
                100 * share, time, factor);
  std::string words(buffer.data());
  const int room = std::min(widest, columns - static_cast<int>(words.size()) - 3);
  if (room < narrowest) return words.substr(0, static_cast<std::size_t>(std::max(0, columns)));
  const auto full = static_cast<std::size_t>(share * room);
  return '[' + std::string(full, '#') + std::string(static_cast<std::size_t>(room) - full, '.') +
         "] " + words;
}

ProgressBar::ProgressBar(double startTime, double stopTime, bool isShown)
    : startTime_(startTime), stopTime_(stopTime), isShown_(isShown), next_(begin_ + patience) {}

ProgressBar::ProgressBar(double startTime, double stopTime)
    : ProgressBar(startTime, stopTime, isTerminal()) {}

ProgressBar::ProgressBar(double startTime, double stopTime, const std::ostream& rows)
    : ProgressBar(startTime, stopTime, isTerminal() && !isScreen(rows)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::update(double time) {
  if (!isShown_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + period;
  drawn_ = true;
  const double share = std::clamp((time - startTime_) / (stopTime_ - startTime_), 0.0, 1.0);
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const Progress progress{share, time, (time - startTime_) / elapsed};
  // One column less: a full line would make some terminals begin a new one.
  std::fprintf(stderr, "\r%s\033[K", progress.line(terminalColumns() - 1).c_str());
  std::fflush(stderr);
}

}  // namespace trammel::fmi
