#pragma once

#include <array>

#include "models/mechanism/dual.hpp"
#include "models/mechanism/kinematics.hpp"

namespace trammel {

/// A place and axes fixed on a body, in the body's coordinates about its centre of mass.
struct Frame {
  Vector3 s = Vector3::Zero();
  Matrix3 axes = Matrix3::Identity();  // columns: the frame's x, y, z
  Quadruple<double> turn{1, {0, 0, 0}};
};

/// What a kernel measures between frame a and frame b, with d = P_b − P_a. A measure has a value z
/// and W = ∂z/∂x; a form has only W, the row that gives its rate W x'.
enum class KernelKind : std::uint8_t {
  difference,  // d in space, 3 rows (2 in the plane)
  projection,  // axis of a · d
  alignment,   // axis of a · axis of b
  distance,    // |d|
  turn,        // θ_b − θ_a of planar bodies
  scalar,      // the scalar coordinate
  winding,   // sin(φ − scalar) for the angle φ of x_b about z_a: x_b·y_a cos − x_b·x_a sin
  rotation,  // rotation vector of b relative to a, in axes of a, 3 rows
  pointSpeed,    // form: axis of a · velocity of P_b
  spin,          // form: axis of a · (ω_b − ω_a)
  absoluteSpin,  // form: axis of a · ω_b
  slipOnPlane,   // form: axis of a · velocity of a sphere about P_b where it touches the plane z_a
  slipOnCircle   // form: tangential velocity of circle b where it touches circle a
};

constexpr bool isForm(KernelKind kind) { return kind >= KernelKind::pointSpeed; }

constexpr int kernelWidth = 16;  // two rigid bodies and a scalar, rounded up
constexpr int kernelRows = 3;

/// Which bodies a kernel connects and where their coordinates stand among its local ones x.
struct Kernel {
  KernelKind kind = KernelKind::difference;
  std::uint8_t axisA = 0, axisB = 0;
  std::uint8_t rows = 1;
  std::uint8_t width = 0;  // coordinates in use
  BodyKind bodyA = BodyKind::ground, bodyB = BodyKind::ground;
  std::uint8_t firstB = 0, firstScalar = 0;  // a's coordinates begin at 0
};

/// The numbers a kernel takes from the model.
struct KernelData {
  const Frame* a = nullptr;
  const Frame* b = nullptr;
  double radiusA = 0, radiusB = 0;  // [m]
};

/// z and W of each row. Forms leave z as it is.
template <class S>
struct KernelResult {
  std::array<S, kernelRows> z{};
  std::array<std::array<S, kernelWidth>, kernelRows> W{};
};

/// cos θ and sin θ of a planar body.
struct PlanarTurn {
  PlanarTurn() = default;
  explicit PlanarTurn(double theta) : cosine(std::cos(theta)), sine(std::sin(theta)) {}
  double cosine = 1, sine = 0;
};

/// W and its derivatives D = ∂W/∂x of each row.
struct KernelDerivatives {
  double W[kernelRows][kernelWidth];
  double D[kernelRows][kernelWidth][kernelWidth];
};

template <class S>
void evaluateKernel(const Kernel& kernel, const KernelData& data, const S* x,
                    KernelResult<S>& result);
/// Fills what belongs to the rows and the coordinates in use.
void differentiateKernel(const Kernel& kernel, const KernelData& data, const double* x,
                         KernelDerivatives& result);

extern template void evaluateKernel(const Kernel&, const KernelData&, const double*,
                                    KernelResult<double>&);
extern template void evaluateKernel(const Kernel&, const KernelData&, const Dual<1>*,
                                    KernelResult<Dual<1>>&);

}  // namespace trammel
