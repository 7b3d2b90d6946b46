#pragma once

namespace trammel::bench {

/// CPU time spent so far inside factorise(), solve() and solveConstraints() of KktSolver, and how
/// often they were called from outside of it. Only in the program whose linker has put the clocks
/// of clocked_solver.cpp around them; in all others nothing is ever counted.
struct SolverClock {
  double seconds = 0;
  long factorisations = 0, solves = 0, constraintSolves = 0;
};

/// The one of this program, which has one thread.
SolverClock& solverClock();

}  // namespace trammel::bench
