#pragma once

#include <array>
#include <memory>

#include "bench/peers/ida_system.hpp"
#include "bench/peers/run_record.hpp"

namespace trammel::bench {

struct PlanarBody {
  double mass = 1, inertia = 1;    // [kg], [kg m²] about the centre of mass
  std::array<double, 3> q{}, v{};  // x, y, φ of the centre of mass and their rates at the start
};

/// The point sa of body a stays on the point sb of body b; body −1 is the ground.
struct PlanarPin {
  int a = -1, b = -1;
  std::array<double, 2> sa{}, sb{};  // [m], in axes of the body
};

/// Massless beam of Euler and Bernoulli from body a along its x axis to body b, both at their
/// centres of mass; stiffness of the end b in axes of a, damping C = β K.
struct PlanarBeam {
  int a = -1, b = 0;
  double length = 1;                                    // [m]
  double axial = 0, shear = 0, cross = 0, bending = 0;  // E A/L, 12 E I/L³, −6 E I/L², 4 E I/L
  double beta = 0;                                      // [s]
};

struct PlanarLinkage {
  std::vector<PlanarBody> bodies;
  std::vector<PlanarPin> pins;
  std::vector<PlanarBeam> beams;
  double gravity = 9.81;  // [m/s²], along −y
};

/// N rods released from the horizontal: each 1 m and 1 kg, or ("hard") together 1 m and 1 kg.
PlanarLinkage planarChain(int rods, bool hard);
/// IFToMM A02: N four-bars in a row, rods of 1 m and 1 kg.
PlanarLinkage fourBars(int count);
/// models/catalogue/cantilever.toml with `elements` beams.
PlanarLinkage cantilever(int elements);

/// Bodies and pins in absolute coordinates with a sparse Jacobian; the unknowns of a body and of
/// its pins stand together. Outputs: coordinate `component` of x, y, φ of `outputBodies`.
std::unique_ptr<IdaSystem> makeIdaPlanarLinkage(const PlanarLinkage& linkage, bool stabilised,
                                                std::vector<int> outputBodies,
                                                std::size_t component = 2);

}  // namespace trammel::bench
