#include <catch2/catch.hpp>
#include <random>

#include "model_support.hpp"
#include "models/mechanism/mechanism_system.hpp"
#include "tests/random_vector.hpp"
#include "two_bodies.hpp"

namespace trammel {
namespace {

using test::randomVector;

/// Places and axes of the frames on their bodies: those in space where the bodies stand at zero.
std::vector<Frame> framesOf(const MechanismProgram& program, const MechanismSystem& system) {
  Vector q = Vector::Zero(program.coordinateCount());
  for (const BodyProgram& body : program.bodies)
    if (body.kind == BodyKind::rigid) q[body.coordinate + 3] = 1;
  std::vector<Frame> frames(program.frames.size());
  for (std::size_t f = 0; f < frames.size(); ++f) {
    frames[f].s = system.framePosition(f, q);
    frames[f].axes = system.frameAxes(f, q);
  }
  return frames;
}

/// G and, with neither velocity nor acceleration, K = Σ λ ∂G/∂q against derivatives of the kernels
/// by dual numbers.
void checkAgainstKernels(const std::string& text) {
  INFO(text);
  const CompiledModel model = compileText(text);
  const MechanismProgram& program = *model.mechanism();
  MechanismSystem system(program);
  const std::vector<Frame> frames = framesOf(program, system);
  const Index n = program.coordinateCount(), m = program.constraintCount();
  Linearisation linear = shapeOf(system);
  std::mt19937 random(5);
  for (int state = 0; state < 20; ++state) {
    const Vector q = randomVector(n, random), lambda = randomVector(m, random);
    system.linearise(0, q, Vector::Zero(n), Vector::Zero(n), lambda, linear);
    Matrix K = Matrix::Zero(n, n), G = Matrix::Zero(m, n);
    for (const BodyProgram& body : program.bodies) {
      if (body.kind != BodyKind::rigid) continue;
      const Index p = body.coordinate + 3;
      K.diagonal().segment<4>(p).array() += lambda[body.normRow];
      G.row(body.normRow).segment<4>(p) = q.segment<4>(p).transpose();
    }
    for (const RowTerm& term : program.rowTerms) {
      REQUIRE(term.root < 0);
      const ChannelProgram& channel = program.channels[static_cast<std::size_t>(term.channel)];
      const BlockProgram& block = program.blocks[static_cast<std::size_t>(channel.block)];
      double x[kernelWidth] = {};
      for (std::size_t j = 0; j < block.kernel.width; ++j) x[j] = q[block.columns[j]];
      KernelDerivatives exact;
      differentiateKernel(block.kernel,
                          {&frames[static_cast<std::size_t>(block.frameA)],
                           &frames[static_cast<std::size_t>(block.frameB)], 0, 0},
                          x, exact);
      for (std::size_t i = 0; i < block.kernel.width; ++i) {
        G(term.row, block.columns[i]) += exact.W[channel.row][i];
        for (std::size_t j = 0; j < block.kernel.width; ++j)
          K(block.columns[i], block.columns[j]) += lambda[term.row] * exact.D[channel.row][i][j];
      }
    }
    // Both are exact: what is left is rounding, amplified where points are close together.
    CHECK((Matrix(linear.G) - G).cwiseAbs().maxCoeff() <= 1e-13 * (1 + G.cwiseAbs().maxCoeff()));
    CHECK((Matrix(linear.K) - K).cwiseAbs().maxCoeff() <= 1e-12 * (1 + K.cwiseAbs().maxCoeff()));
  }
}

std::string joint(const std::string& lines) { return "[joints.j]\n" + lines + "\n"; }
const std::string bob = "[bodies.bob]\ntype = \"point\"\nmass = 0.4\n";

}  // namespace

TEST_CASE("Measures of rigid bodies have the derivatives of their kernels") {
  const std::string ends = GENERATE(as<std::string>{}, "a = \"p\"\nb = \"q\"\n", "b = \"q\"\n",
                                    "a = \"p\"\nb = \"ground\"\n");
  const std::string type = GENERATE(
      as<std::string>{}, "type = \"fixed\"", "type = \"prismatic\"\naxis = [0.2, 0.9, -0.4]",
      "type = \"universal\"\naxis = [0.2, 0.9, -0.4]\naxis_b = [1.0, 0.1, 0.3]",
      "type = \"distance\"\nlength = 1.2",
      "type = \"revolute\"\naxis = [0.2, 0.9, -0.4]\n[forces.f]\ntype = \"torsion_spring\"\njoint "
      "= \"j\"\nstiffness = 0.0");
  checkAgainstKernels(twoBodies("", bob + joint(ends + type)));
}

TEST_CASE("Measures of planar bodies and points have the derivatives of their kernels") {
  const std::string ends = GENERATE(as<std::string>{}, "a = \"p\"\nb = \"q\"\n", "b = \"q\"\n",
                                    "a = \"p\"\nb = \"ground\"\n");
  const std::string type =
      GENERATE(as<std::string>{}, "type = \"fixed\"", "type = \"prismatic\"\naxis = [0.8, -0.6]",
               "type = \"distance\"\nlength = 1.2", "type = \"point_on_line\"\naxis = [0.3, 1.0]");
  checkAgainstKernels(twoPlanarBodies("", bob + joint(ends + type)));
  const std::string toPoint =
      GENERATE(as<std::string>{}, "type = \"distance\"\nlength = 0.5", "type = \"spherical\"",
               "type = \"point_on_line\"\naxis = [0.3, 1.0]");
  checkAgainstKernels(twoPlanarBodies("", bob + joint("a = \"p\"\nb = \"bob\"\n" + toPoint)));
}

TEST_CASE("Measures between a rigid body and a point have the derivatives of their kernels") {
  const std::string type =
      GENERATE(as<std::string>{}, "type = \"distance\"\nlength = 0.5", "type = \"spherical\"",
               "type = \"point_on_line\"\naxis = [0.3, 1.0, 0.2]");
  checkAgainstKernels(twoBodies("", bob + joint("a = \"p\"\nb = \"bob\"\n" + type)));
}

}  // namespace trammel
