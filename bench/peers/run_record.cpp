#include "bench/peers/run_record.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>

namespace trammel::bench {

namespace {

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

/// [s] of this process, user and system.
double cpuTime() {
  timespec time{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0)
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

constexpr double shortSolve = 0.02;  // [s]

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

void printNumber(double x) {
  if (std::isfinite(x))
    std::printf("%.17g", x);
  else
    std::printf("null");
}

}  // namespace

extern "C" __attribute__((noinline)) void timedSolve(const std::function<void()>& solve) {
  solve();
}

void timeSolve(RunRecord& record, const std::function<void()>& solve) {
  const auto wall = std::chrono::steady_clock::now();
  const double cpu = cpuTime();
  try {
    timedSolve(solve);
  } catch (const std::exception& error) {
    record.failure = error.what();
  }
  record.cpu = cpuTime() - cpu;
  record.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  // The CPU clock of a virtual machine is too coarse for a short solve; its wall clock is not, and
  // of many repeats the quickest was not interrupted.
  if (record.wall < shortSolve) record.cpu = record.wall;
}

double heapInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

RunRecord quickest(int most, const std::function<RunRecord()>& run) {
  constexpr double enough = 0.1;  // [s]
  RunRecord best = run();
  double total = best.wall;
  for (int i = 1; i < most && total < enough && best.failure.empty(); ++i) {
    RunRecord next = run();
    total += next.wall;
    if (next.cpu < best.cpu) best = std::move(next);
  }
  return best;
}

void RunRecord::print() const {
  std::printf("{\"cpu\": %.9g, \"wall\": %.9g, \"heap\": %.0f, \"failure\": \"%s\", \"counts\": {",
              cpu, wall, heapBytes, escaped(failure).c_str());
  const char* separator = "";
  for (const auto& [name, value] : counts) {
    std::printf("%s\"%s\": ", separator, name.c_str());
    printNumber(value);
    separator = ", ";
  }
  std::printf("}, \"outputs\": [");
  separator = "";
  for (const double y : outputs) {
    std::printf("%s", separator);
    printNumber(y);
    separator = ", ";
  }
  std::printf("]}\n");
}

int runPeer(int argc, char** argv, const std::string& description,
            const std::function<RunRecord(const RunRequest&)>& run) {
  RunRequest request;
  CLI::App app(description);
  app.add_option("problem", request.problem, "Name of the problem, or a model file")->required();
  app.add_option("--variant", request.variant, "Formulation or integrator");
  app.add_option("--tolerance", request.tolerance);
  app.add_option("--stop", request.stopTime);
  app.add_option("--points", request.points);
  app.add_option("--size", request.size);
  app.add_option("--eps", request.stiffness);
  app.add_option("--bodies", request.bodies)->delimiter(',');
  int repeats = 100;
  app.add_option("--repeats", repeats, "At most so many runs, of which the quickest counts");
  CLI11_PARSE(app, argc, argv);
  try {
    quickest(repeats, [&] { return run(request); }).print();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}

}  // namespace trammel::bench
