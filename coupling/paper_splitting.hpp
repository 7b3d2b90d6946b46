#pragma once

#include <vector>

#include "solver/types.hpp"

namespace trammel::coupling {

/// One of the two parts of the systems of Wang, Hou, Modnak with one constraint:
/// A q'' = C q + r − Gᵀ λ,  G_x x'' + G_y y'' = 0.
struct LinearPart {
  Matrix A, C;
  Vector r, G;
};

/// Integrators that the paper uses inside a communication step.
enum class SplitIntegrator { trapezoid, euler, heun, midpoint };

struct SplitOptions {
  double step = 0.1;           // Δt, communication step [s]
  int substeps = 10;           // M: the integrators' step is Δt/M
  double tolerance = 1e-6;     // on the change of x, y and λ between iterations
  int maxIterations = 200;     // 1: a single pass with the acceleration of the last step
  bool constraintOnX = false;  // the other split, (55) and (56) of the paper
  SplitIntegrator ofX = SplitIntegrator::trapezoid, ofY = SplitIntegrator::trapezoid;
};

/// Result of a run of the splitting from x = y = 0 at rest.
struct SplitRun {
  Vector x, y;  // at the end
  double lambda = 0;
  double gap = 0;                            // G_x x + G_y y
  std::vector<int> iterations;               // of each step
  std::vector<std::vector<double>> changes;  // max |x^{i+1} − x^i| in each iteration of each step
  bool diverged = false;
};

/// The paper's iteration: in each communication step the constrained part is integrated with the
/// acceleration waveform of the other part, gives λ(t), and the other part is integrated with it.
SplitRun runSplit(const LinearPart& x, const LinearPart& y, const SplitOptions& options,
                  double stopTime);

/// λ ← λ + weightX r / W_x + weightY r / W_y on the waveform of the first step, r = g'': the two
/// plain splits, their weighted sums and relaxations. Returns max |r| of each iteration.
std::vector<double> weightedSplit(const LinearPart& x, const LinearPart& y, double weightX,
                                  double weightY, const SplitOptions& options);

/// W = G A⁻¹ Gᵀ.
double mobility(const LinearPart& part);

/// x and y of equation (19) of the paper: x2 − 2 y1 = 0.
struct PaperProblem {
  LinearPart x, y;
};
PaperProblem paperProblem();

}  // namespace trammel::coupling
