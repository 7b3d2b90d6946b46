#include "bench/peers/run_record.hpp"

#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>

namespace trammel::bench {

namespace {

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

/// The clock of the process stands still between the ticks of the kernel where its CPU time is
/// limited, as it is by report.py.
double cpuTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

extern "C" __attribute__((noinline)) void timedSolve(const std::function<void()>& solve) {
  solve();
}

namespace {

/// [s] of CPU time that reading the clock takes, the least that was seen: a call into the kernel,
/// as long as some steps of a small model.
double clockCost() {
  static const double least = [] {
    double shortest = 1;
    for (int i = 0; i < 1000; ++i) {
      const double before = cpuTime();
      shortest = std::min(shortest, cpuTime() - before);
    }
    return shortest;
  }();
  return least;
}

}  // namespace

void timeSolve(RunRecord& record, const std::function<void()>& solve) {
  const double clock = clockCost();
  const auto wall = std::chrono::steady_clock::now();
  const double cpu = cpuTime();
  try {
    timedSolve(solve);
  } catch (const std::exception& error) {
    record.failure = error.what();
  }
  record.cpu = std::max(0.0, cpuTime() - cpu - clock);
  record.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
}

double heapInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

RunRecord typical(int most, const std::function<RunRecord()>& run) {
  constexpr double enough = 0.1;  // [s]
  constexpr std::size_t fewest = 3;
  std::vector<RunRecord> runs = {run()};
  double total = runs[0].cpu;
  const auto goesOn = [&] {
    return runs.size() < static_cast<std::size_t>(most) && runs[0].failure.empty() &&
           (total < enough || (runs.size() < fewest && total < 5 * enough));
  };
  while (goesOn()) {
    runs.push_back(run());
    total += runs.back().cpu;
  }
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::nth_element(runs.begin(), middle, runs.end(),
                   [](const RunRecord& a, const RunRecord& b) { return a.cpu < b.cpu; });
  return std::move(*middle);
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
  app.add_option("--outputs", request.outputs, "Names, of a model file")->delimiter(',');
  int repeats = 100;
  app.add_option("--repeats", repeats, "At most so many runs, of which the median counts");
  CLI11_PARSE(app, argc, argv);
  try {
    typical(repeats, [&] { return run(request); }).print();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}

}  // namespace trammel::bench
