// Clocks around the functions of KktSolver: with --wrap=NAME (CMakeLists.txt) the linker calls
// __wrap_NAME for NAME, and NAME for __real_NAME. The library itself is the one that others link.
// The names are those that the ABI gives the functions; where these change, nothing is counted,
// which run_trammel.cpp finds out, or the program does not link.
#include "bench/peers/run_record.hpp"
#include "bench/peers/solver_clock.hpp"
#include "solver/kkt_solver.hpp"

namespace trammel::bench {
namespace {

/// Adds the time of its life.
class Clocked {
 public:
  explicit Clocked(long& calls) : start_(cpuTime()) { ++calls; }
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;
  ~Clocked() { solverClock().seconds += cpuTime() - start_; }

 private:
  double start_;
};

}  // namespace

bool realFactorise(KktSolver* solver, const Linearisation& linearisation,
                   const IterationWeights& weights) __asm__("__real_" TRAMMEL_FACTORISE);
bool clockedFactorise(KktSolver* solver, const Linearisation& linearisation,
                      const IterationWeights& weights) __asm__("__wrap_" TRAMMEL_FACTORISE);
void realSolve(KktSolver* solver, VectorOut rhs) __asm__("__real_" TRAMMEL_SOLVE);
void clockedSolve(KktSolver* solver, VectorOut rhs) __asm__("__wrap_" TRAMMEL_SOLVE);
void realSolveConstraints(KktSolver* solver,
                          VectorOut rhs) __asm__("__real_" TRAMMEL_SOLVE_CONSTRAINTS);
void clockedSolveConstraints(KktSolver* solver,
                             VectorOut rhs) __asm__("__wrap_" TRAMMEL_SOLVE_CONSTRAINTS);

bool clockedFactorise(KktSolver* solver, const Linearisation& linearisation,
                      const IterationWeights& weights) {
  const Clocked clocked(solverClock().factorisations);
  return realFactorise(solver, linearisation, weights);
}

void clockedSolve(KktSolver* solver, VectorOut rhs) {
  const Clocked clocked(solverClock().solves);
  realSolve(solver, rhs);
}

void clockedSolveConstraints(KktSolver* solver, VectorOut rhs) {
  const Clocked clocked(solverClock().constraintSolves);
  realSolveConstraints(solver, rhs);
}

}  // namespace trammel::bench
