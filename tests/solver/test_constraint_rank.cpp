#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>

#include "solver/constraint_rank.hpp"
#include "solver/integrator.hpp"
#include "tests/solver/planar_chain.hpp"
#include "tests/solver/run.hpp"
#include "tests/solver/seed_problems.hpp"

namespace trammel {
namespace {

using test::Problem;
using Rows = std::vector<Index>;

/// A loop of rigid bodies in space whose planar joints fix what the others fix already, reduced to
/// its linear constraints: two bodies (x, y, z, three small rotations), two hinges with the same
/// axis z between them and a third that is not parallel to them. Rows are named by hinge.
class HingedPair final : public MechanicalSystem {
 public:
  explicit HingedPair(double tilt) {
    const double c = std::cos(tilt), s = std::sin(tilt);
    addHinge({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
    addHinge({0, 0, 1}, {1, 0, 0}, {0, 1, 0});
    addHinge({0, 0, 2}, {1, 0, 0}, {0, c, s});
  }
  Index coordinateCount() const override { return 6; }
  Index constraintCount() const override { return 15; }
  std::string coordinateName(Index i) const override { return "q" + std::to_string(i); }
  std::string constraintName(Index i) const override { return "hinge" + std::to_string(i / 5); }
  double coordinateNominal(Index) const override { return 1.0; }
  void forceBalance(double, VectorIn, VectorIn, VectorIn a, VectorIn lambda, VectorOut r) override {
    r = a + G_.transpose() * lambda;
  }
  void constraint(double, VectorIn q, VectorOut g) override { g = G_ * q; }
  void constraintRate(double, VectorIn, VectorIn v, VectorOut rate) override { rate = G_ * v; }
  void constraintAcceleration(double, VectorIn, VectorIn, VectorOut gamma) override {
    gamma.setZero();
  }
  void shape(Linearisation& out) const override {
    out.M = Matrix::Ones(6, 6).sparseView();
    out.C = out.K = out.M;
    out.G = Matrix::Ones(15, 6).sparseView();
  }
  void linearise(double t, VectorIn q, VectorIn, VectorIn, VectorIn, Linearisation& out) override {
    massAndGradient(t, q, out);
    out.C *= 0;
    out.K *= 0;
  }
  void massAndGradient(double, VectorIn, Linearisation& out) override {
    for (Index j = 0; j < 6; ++j) {
      for (Index i = 0; i < 6; ++i) out.M.coeffRef(i, j) = i == j ? 1.0 : 0.0;
      for (Index i = 0; i < 15; ++i) out.G.coeffRef(i, j) = G_(i, j);
    }
  }

 private:
  /// The point moves with the body: u + φ × p = 0; no rotation about the two directions.
  void addHinge(Eigen::Vector3d p, Eigen::Vector3d first, Eigen::Vector3d second) {
    Eigen::Matrix3d cross;
    cross << 0, p[2], -p[1], -p[2], 0, p[0], p[1], -p[0], 0;
    G_.block<3, 3>(row_, 0).setIdentity();
    G_.block<3, 3>(row_, 3) = cross;
    G_.block<1, 3>(row_ + 3, 3) = first.transpose();
    G_.block<1, 3>(row_ + 4, 3) = second.transpose();
    row_ += 5;
  }
  Matrix G_ = Matrix::Zero(15, 6);
  Index row_ = 0;
};

/// A pendulum driven to the right until, at t = 1 s, it stands out straight and cannot follow.
struct Locking : test::Pendulum {
  static constexpr std::size_t m = 2;
  template <class S>
  void constraint(S t, const S* q, S* g) const {
    Pendulum::constraint(t, q, g);
    g[1] = q[0] - 0.5 - 0.5 * t;
  }
};

/// All rods along the x axis: the cranks turned to angle 0 about their pins at (i, 0).
template <std::size_t bays>
Vector flat() {
  Vector q = test::FourBars<bays>().q0;
  const Index cranks = bays + 1;
  for (Index i = 0; i < cranks; ++i) {
    q[3 * i] += 0.5;
    q[3 * i + 1] = q[3 * i + 2] = 0;
  }
  for (Index i = cranks; i < cranks + static_cast<Index>(bays); ++i) {
    q[3 * i] += 1;
    q[3 * i + 1] = 0;
  }
  return q;
}

}  // namespace

TEST_CASE("Seven rows of rank five are recognised, and the two added ones are named") {
  Problem<test::Bushing<true>> bushing;  // RED of the seeds: g5 = g3 + 2 g0, g6 = g4 − g2
  const ConstraintRank rank = constraintRank(bushing, 0, bushing.equations.q0);
  CHECK(rank.rank == 5);
  CHECK(rank.degreesOfFreedom == 1);
  CHECK(rank.redundant == Rows{5, 6});
  CHECK(rank.involved == Rows{0, 2, 3, 4, 5, 6});  // g1 stands alone
  CHECK(describeRedundancy(rank, bushing) ==
        "g5: 1 of 1 equation redundant, g6: 1 of 1 equation redundant");

  Problem<test::Bushing<false>> sound;
  const ConstraintRank full = constraintRank(sound, 0, sound.equations.q0);
  CHECK(full.full());
  CHECK(describeRedundancy(full, sound).empty());
}

TEST_CASE("Four-bars lose one rank for each bay where all rods lie in a line") {
  Problem<test::FourBars<2>> two;
  CHECK(constraintRank(two, 0, two.equations.q0).degreesOfFreedom == 1);
  const ConstraintRank singular = constraintRank(two, 0, flat<2>());
  CHECK(singular.rank == 12);  // of 14: the equations along the line are dependent in each loop
  CHECK(singular.degreesOfFreedom == 3);
  CHECK(singular.involved == Rows{0, 2, 4, 6, 8, 10, 12});
}

TEST_CASE("The sparse factor finds the same, with few dependencies and with many") {
  Problem<test::FourBars<10>> ten;  // 62 equations
  CHECK(constraintRank(ten, 0, ten.equations.q0).degreesOfFreedom == 1);
  const ConstraintRank few = constraintRank(ten, 0, flat<10>());
  CHECK(few.rank == 62 - 10);
  CHECK(few.redundant.size() == 10);
  CHECK(few.involved.size() == 31);

  const auto seventy = std::make_unique<Problem<test::FourBars<70>>>();  // 422 equations
  const ConstraintRank many = constraintRank(*seventy, 0, flat<70>());
  CHECK(many.rank == 422 - 70);
  CHECK(many.redundant.size() == 70);
  CHECK(many.involved.size() == 211);
  for (const Index row : many.involved) CHECK(row % 2 == 0);
}

TEST_CASE("A rank that is only nearly lost is lost for a coarse tolerance") {
  Problem<test::PointSliderCrank> crank{test::PointSliderCrank(1e-5, 0, 2.0)};
  // Crank and rod in a line with the guide: G has full rank; with equal lengths folded back on the
  // pin (angle π/2) it has not.
  CHECK(constraintRank(crank, 0, crank.equations.q0).full());
  Problem<test::PointSliderCrank> folded{test::PointSliderCrank(std::acos(-1.0) / 2, 0, 1.0)};
  CHECK(constraintRank(folded, 0, folded.equations.q0).rank == 2);
  Problem<test::PointSliderCrank> nearly{
      test::PointSliderCrank(std::acos(-1.0) / 2 - 1e-5, 0, 1.0)};
  CHECK(constraintRank(nearly, 0, nearly.equations.q0).rank == 3);
  CHECK(constraintRank(nearly, 0, nearly.equations.q0, 1e-3).rank == 2);
}

TEST_CASE(
    "Hinges in space that repeat each other count as Grübler does, those named that came last") {
  HingedPair aligned(0.0);
  // One degree of freedom is left by 15 equations of rank 5.
  const ConstraintRank rank = constraintRank(aligned, 0, Vector::Zero(6));
  CHECK(rank.rank == 5);
  CHECK(rank.degreesOfFreedom == 1);
  CHECK(describeRedundancy(rank, aligned) ==
        "hinge1: 5 of 5 equations redundant, hinge2: 5 of 5 equations redundant");
  HingedPair tilted(0.1);
  const ConstraintRank locked = constraintRank(tilted, 0, Vector::Zero(6));
  CHECK(locked.degreesOfFreedom == 0);
  CHECK(describeRedundancy(locked, tilted) ==
        "hinge1: 5 of 5 equations redundant, hinge2: 4 of 5 equations redundant");
}

TEST_CASE("The factor of a chain grows with its length, not with its square") {
  Index smaller = 0;
  for (const Index rods : {500, 2000}) {
    test::PlanarChain chain = test::PlanarChain::longChain(rods);
    const ConstraintRank rank = constraintRank(chain, 0, chain.startPosition());
    CHECK(rank.full());
    CHECK(rank.degreesOfFreedom == rods);
    CHECK(rank.factorEntries <= 60 * rods);
    if (smaller > 0) CHECK(rank.factorEntries <= 5 * smaller);  // four times the rods
    smaller = rank.factorEntries;
  }
}

TEST_CASE("A motion that ends where constraints lose rank is reported with their names") {
  Problem<Locking> pendulum;
  Integrator integrator(pendulum, SolverOptions{});
  REQUIRE(integrator.start(0, Vector{{0.5, -0.8}}, Vector::Zero(2)).ok);
  REQUIRE(integrator.advance(0.9, 0.9).ok);
  const Report report = integrator.advance(2.0, std::numeric_limits<double>::infinity());
  CHECK_FALSE(report.ok);
  CHECK_THAT(report.message,
             Catch::Contains("close to a loss of rank (1 of 2 equations are independent): "
                             "\"g0\", \"g1\""));
  CHECK(integrator.time() == 0.9);
}

TEST_CASE("A gradient that is not finite is said to be so") {
  Problem<test::Pendulum> pendulum;
  CHECK_FALSE(constraintRank(pendulum, 0, Vector{{std::nan(""), 0.0}}).finite);
}

}  // namespace trammel
