#pragma once

#include <functional>
#include <string>
#include <vector>

namespace trammel::bench {

/// What every program of the comparison is asked for.
struct RunRequest {
  std::string problem;
  std::string variant;               // formulation or integrator, as the program names them
  double tolerance = 1e-6;           // relative; absolute the same
  double stopTime = 1;               // [s]
  int points = 10;                   // output times, equally spaced, the last one is stopTime
  int size = 10;                     // of the chains: number of bodies
  double stiffness = 1e-4;           // eps of the stiff problems
  std::vector<int> bodies;           // of the chains: whose coordinates are outputs, counted from 0
  std::vector<std::string> outputs;  // of a model file: names of coordinates or velocities

  double time(int point) const { return stopTime * (point + 1) / points; }
};

/// What a program reports: one JSON object on standard output, read by bench/report.py.
struct RunRecord {
  double cpu = 0, wall = 0;     // [s] of the solve alone: no reading, compiling or initial values
  double heapBytes = 0;         // in use after the solve, beyond what was in use before the model
  std::vector<double> outputs;  // point by point
  std::vector<std::pair<std::string, double>> counts;  // steps, residuals, …
  std::string failure;                                 // empty: the solve reached its end

  void print() const;
};

/// Runs `solve` and writes its time into the record; an exception becomes the record's failure. Has
/// C linkage inside so that a profiler can be told to count only what happens in `timedSolve`.
void timeSolve(RunRecord& record, const std::function<void()>& solve);

/// [s] of this thread, user and system.
double cpuTime();

/// Bytes in use on the heap.
double heapInUse();

/// Runs again and again until the solves together have taken 100 ms of CPU time or `most` runs are
/// done; returns the one with the median time. Interruptions disturb clocks and
/// caches.
RunRecord typical(int most, const std::function<RunRecord()>& run);

/// Main program of a rival: reads the command line into the request, runs and prints.
int runPeer(int argc, char** argv, const std::string& description,
            const std::function<RunRecord(const RunRequest&)>& run);

}  // namespace trammel::bench
